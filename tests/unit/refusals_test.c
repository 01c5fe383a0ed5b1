/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentence for each errno of perf_event_open: it names the cause and a command, or a place, that changes it. */
#include <errno.h>

#include "count/count.h"
#include "count/refusals.h"
#include "rows.h"

/* Who asks, and for what: all but ROOT are a user. */
enum who {
	USER,
	ROOT,
	BOTH_THREADS, /* an event of both threads of a core */
	KERNEL,	      /* the kernel only */
	WIDE,	      /* whole CPUs */
	ATTACHED,     /* somebody else's process */
};

static struct pmu a_pmu = { .name = "cpu" };

#define WITH_PMU .pmus = &a_pmu, .npmus = 1, .kernel = "6.1.0"

static const struct machine guest = { .hypervisor = "VMware", .paranoid = 2, .kernel = "6.1.0" };
static const struct machine bare = { .paranoid = 2, .kernel = "6.1.0" };
static const struct machine open_to_all = { WITH_PMU, .paranoid = 1 };
static const struct machine user_only = { WITH_PMU, .paranoid = 2 };
static const struct machine debian = { WITH_PMU, .paranoid = 3 };
static const struct machine ubuntu = { WITH_PMU, .paranoid = 4 };
static const struct machine blind = { WITH_PMU, .paranoid = PARANOID_UNKNOWN };
static const struct machine watched = { WITH_PMU, .paranoid = 2, .nmi_watchdog = true };
static const struct machine nameless = { .pmus = &a_pmu, .npmus = 1 };

static const struct row {
	const char *name;
	int error_number;
	const struct machine *machine;
	const char *event;
	enum who who;
	const char *cause, *remedy;
} table[] = {
	{ "guest", ENOENT, &guest, "A.B", USER, "VMware guest without CPU counters", "vpmc.enable" },
	{ "guest, as root", ENOENT, &guest, NULL, ROOT, "no virtual PMU", "pmu=on" },
	{ "no PMU and no hypervisor seen", ENOENT, &bare, "A.B", USER, "knows no CPU counters", "dmesg" },
	{ "unknown event", ENOENT, &user_only, "A.B", USER, "do not know A.B", "perf list" },
	{ "paranoid 4", EACCES, &ubuntu, "A.B", USER, "perf_event_paranoid is 4",
	  "sudo sysctl kernel.perf_event_paranoid=1" },
	{ "paranoid 3", EPERM, &debian, "A.B", USER, "perf_event_paranoid is 3", "sudo setcap cap_perfmon" },
	{ "paranoid 3, kernel", EACCES, &debian, "A.B:k", KERNEL, "perf_event_paranoid is 3", "sudo sysctl" },
	{ "paranoid 2, kernel", EACCES, &user_only, "A.B:k", KERNEL, "A.B:k counts the kernel",
	  "perf_event_paranoid=1" },
	{ "paranoid 2 allows user mode", EACCES, &user_only, "A.B", USER, "seccomp", "--cap-add PERFMON" },
	{ "paranoid 1 allows all", EPERM, &open_to_all, "A.B:k", KERNEL, "seccomp", "seccomp=unconfined" },
	{ "paranoid 1, CPUs", EACCES, &open_to_all, "A.B", WIDE, "whole CPUs or a cgroup", "perf_event_paranoid=0" },
	{ "paranoid 4, CPUs", EACCES, &ubuntu, "A.B", WIDE, "perf_event_paranoid = 4", "setcap cap_perfmon" },
	{ "CPUs, as root", EACCES, &ubuntu, "A.B", ROOT, "although this user is root", "--cap-add PERFMON" },
	{ "somebody else's process", EACCES, &open_to_all, "A.B", ATTACHED, "may not count that process",
	  "as its user or as root" },
	{ "paranoid 3, a process", EACCES, &debian, "A.B", ATTACHED, "perf_event_paranoid is 3", "sudo sysctl" },
	{ "both threads of a core", EACCES, &user_only, "A.ANY", BOTH_THREADS, "A.ANY counts both threads of the core",
	  "perf_event_paranoid=0" },
	{ "paranoid unknown", EACCES, &blind, "A.B", USER, "can't be read", "sudo sysctl" },
	{ "root in a container", EPERM, &ubuntu, "A.B", ROOT, "although this user is root", "--cap-add PERFMON" },
	{ "root in a user namespace", EACCES, &user_only, "A.B:k", ROOT, "missing capability", "on the host" },
	{ "descriptors", EMFILE, &user_only, "A.B", USER, "no file descriptor is left for A.B", "ulimit -Hn" },
	{ "descriptors of the system", ENFILE, &user_only, "A.B", USER, "system has no file descriptor",
	  "fs.file-max" },
	{ "too many for the counters", EINVAL, &user_only, "A.B", USER, "can't hold A.B beside the others",
	  "topdown plan" },
	{ "watchdog", EINVAL, &watched, "A.B", USER, "NMI watchdog", "sudo sysctl kernel.nmi_watchdog=0" },
	{ "busy", EBUSY, &user_only, "A.B", USER, "held by somebody else", "sudo lsof" },
	{ "no device", ENODEV, &user_only, "A.B", USER, "driver can't count A.B", "newer than 6.1.0" },
	{ "not supported", EOPNOTSUPP, &user_only, "A.B:u", USER, "can't count A.B:u in the way", "modifiers" },
	{ "gone", ESRCH, &user_only, "A.B", USER, "the process was gone", "start it again" },
	{ "old kernel", E2BIG, &user_only, "A.B", USER, "newer perf_event_open than that of kernel 6.1.0",
	  "update the kernel" },
	{ "kernel unknown", E2BIG, &nameless, "A.B", USER, "kernel this one", "update the kernel" },
	{ "no room", ENOSPC, &user_only, "A.B", USER, "no room left for A.B", "sudo lsof" },
	{ "no memory", ENOMEM, &user_only, "A.B", USER, "no memory left", "free -m" },
	{ "no system call", ENOSYS, &bare, "A.B", USER, "no perf_event_open", "CONFIG_PERF_EVENTS" },
	{ "anything else", EXDEV, &user_only, "A.B", USER, "refuses A.B: Invalid cross-device link", "dmesg" },
	{ "no event", EXDEV, &user_only, NULL, USER, "refuses an event: ", "dmesg" },
};

static void sentences(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		const struct refusal known = {
			row->error_number,	  row->machine,	      row->event,	row->who == ROOT,
			row->who == BOTH_THREADS, row->who == KERNEL, row->who == WIDE, row->who == ATTACHED
		};
		struct error err = { .status = 0 };

		row_expect(&rows, row->name, refusal_explain(&err, &known) == -1, "result");
		row_expect(&rows, row->name, strstr(err.text, row->cause), err.text);
		row_expect(&rows, row->name, strstr(err.text, row->remedy), err.text);
		row_expect(&rows, row->name, !strpbrk(err.text, "{}\n"), err.text);
	}
	rows_end(&rows);
}

static void long_names_are_cut(void **state)
{
	char name[3000];
	struct error err = { .status = 0 };

	(void)state;
	memset(name, 'N', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(refusal(&err, EBUSY, &user_only, name), -1);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void first_error_wins(void **state)
{
	struct error err = { .text = "before" };

	(void)state;
	assert_int_equal(refusal(&err, EBUSY, &user_only, "A.B"), -1);
	assert_string_equal(err.text, "before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(first_error_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
