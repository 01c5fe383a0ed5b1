/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentence for each errno of perf_event_open: it names the cause and a command, or a place, that changes it. */
#include <errno.h>

#include "collect/count/count.h"
#include "collect/perf/refusals.h"
#include "rows.h"

/* Who asks, and for what; together where that can be. */
enum who {
	USER = 0,
	ROOT = 1,
	BOTH_THREADS = 2, /* an event of both threads of a core */
	KERNEL = 4,	  /* the kernel only */
	WIDE = 8,	  /* whole CPUs */
	CGROUP = 16,
	ATTACHED = 32, /* somebody else's process */
	MEMBER = 64,   /* of a group, in which other events are open */
	ALL = 128,     /* is refused, whatever it asks for */
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
static const struct machine of_docker = { WITH_PMU, .paranoid = 2, .rights = { .seccomp = SECCOMP_FILTER } };
static const struct machine with_filter = { WITH_PMU, .paranoid = 1,
					    .rights = { .seccomp = SECCOMP_FILTER, .perfmon = ANSWER_YES } };
static const struct machine with_rights = { WITH_PMU, .paranoid = 4,
					    .rights = { .seccomp = SECCOMP_NONE, .sys_admin = ANSWER_YES } };
static const struct machine with_selinux = { WITH_PMU, .paranoid = 1,
					     .rights = { .perfmon = ANSWER_YES, .selinux = ANSWER_YES } };
static const struct machine namespaced = { WITH_PMU, .paranoid = 2,
					   .rights = { .perfmon = ANSWER_NO, .user_namespace = ANSWER_YES } };
static const struct machine ec2 = { WITH_PMU, .hypervisor = "Amazon EC2" };
static const struct machine hidden = { .hypervisor = "VMware", .lacks_sysfs = true };
static const struct machine assumed = { WITH_PMU, .hypervisor = "VMware", .lacks_sysfs = true };
static const struct machine placed = { WITH_PMU, .paranoid = 3, .program = "'/opt/my tools/topdown'" };
static const struct machine nameless = { .pmus = &a_pmu, .npmus = 1 };

static const struct row {
	const char *name;
	int error_number;
	const struct machine *machine;
	const char *event;
	unsigned who;
	const char *cause, *remedy;
} table[] = {
	{ "guest", ENOENT, &guest, "A.B", USER, "VMware guest without CPU counters", "vpmc.enable" },
	{ "register, in a guest", ENXIO, &ec2, "OCR.X", USER, "Amazon EC2 guest can't count OCR.X", "bare-metal" },
	{ "register", ENXIO, &user_only, "OCR.X", USER, "a register that the kernel found not to work", "dmesg" },
	{ "busy, in a guest", EBUSY, &ec2, "A.B", USER, "in this Amazon EC2 guest or on its host", "lsof" },
	{ "busy, on the machine", EBUSY, &user_only, "A.B", USER, "held exclusively by another user", "vboxdrv" },
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
	{ "root without capabilities", EACCES, &user_only, "A.B:k", ROOT, "neither CAP_PERFMON", "on the host" },
	{ "root of a user namespace", EACCES, &namespaced, "A.B:k", ROOT | KERNEL, "root of a user namespace",
	  "outside of it" },
	{ "user of a user namespace", EACCES, &namespaced, "A.B:k", KERNEL, "A.B:k counts the kernel", "sudo sysctl" },
	{ "Docker's filter", EPERM, &of_docker, "A.B", USER, "a seccomp filter", "--cap-add PERFMON" },
	{ "Docker's filter, as root", EPERM, &of_docker, "A.B", ROOT, "a seccomp filter", "seccomp=unconfined" },
	{ "Podman's filter", ENOSYS, &of_docker, "A.B", USER, "a seccomp filter", "--cap-add PERFMON" },
	{ "a filter beside paranoid", EACCES, &of_docker, "A.B:k", KERNEL, "A.B:k counts the kernel", "sudo sysctl" },
	{ "a filter against all rights", EACCES, &with_filter, "A.B", ROOT, "a seccomp filter", "on the host" },
	{ "SELinux", EACCES, &with_selinux, "A.B", ROOT, "SELinux is enforcing", "ausearch -m avc" },
	{ "another module", EACCES, &with_rights, "A.B", ROOT | WIDE, "although this process has the capability",
	  "/sys/kernel/security/lsm" },
	{ "a process, with all rights", EPERM, &with_rights, "A.B", ATTACHED, "a security module", "security/lsm" },
	{ "paranoid 4, cgroup", EACCES, &ubuntu, "A.B", WIDE | CGROUP, "whole CPUs or a cgroup",
	  "perf_event_paranoid=0" },
	{ "no cgroup", EBADF, &open_to_all, "A.B", ROOT | WIDE | CGROUP, "does not count that cgroup",
	  "/sys/fs/cgroup/perf_event" },
	{ "cgroups are not counted", EINVAL, &open_to_all, "A.B", ROOT | WIDE | CGROUP, "does not count cgroups",
	  "CONFIG_CGROUP_PERF" },
	{ "cgroup, too many", EINVAL, &open_to_all, "A.B", ROOT | WIDE | CGROUP | MEMBER, "together with the others",
	  "topdown plan" },
	{ "descriptors", EMFILE, &user_only, "A.B", USER, "the hard limit is 4321", "ulimit -Hn" },
	{ "descriptors of the system", ENFILE, &user_only, "A.B", USER, "system has no file descriptor",
	  "fs.file-max" },
	{ "not even alone", EINVAL, &user_only, "A.B", USER, "can't count A.B: its encoding", "perf list" },
	{ "a filter that answers EINVAL", EINVAL, &user_only, "A.B", ALL, "for every event", "--cap-add PERFMON" },
	{ "the same, of a group", EINVAL, &watched, "A.B", MEMBER | ALL, "a seccomp filter", "on the host" },
	{ "no /sys", ENOENT, &hidden, "A.B", USER, "/sys is not mounted", "mount -t sysfs" },
	{ "no /sys, and no PMU behind it", ENOENT, &assumed, "A.B", USER, "VMware guest without CPU counters",
	  "pmu=on" },
	{ "setcap of this program", EACCES, &placed, "A.B", USER, "perf_event_paranoid is 3",
	  "setcap cap_perfmon+ep '/opt/my tools/topdown'" },
	{ "too many for the counters", EINVAL, &user_only, "A.B", MEMBER, "can't hold A.B together with the others",
	  "topdown plan" },
	{ "watchdog", EINVAL, &watched, "A.B", MEMBER, "NMI watchdog", "sudo sysctl kernel.nmi_watchdog=0" },
	{ "busy", EBUSY, &user_only, "A.B", USER, "held exclusively by another user", "sudo lsof" },
	{ "no device", ENODEV, &user_only, "A.B", USER, "driver can't count A.B", "newer than 6.1.0" },
	{ "not supported", EOPNOTSUPP, &user_only, "A.B:u", USER, "can't count A.B:u in the way", "modifiers" },
	{ "gone", ESRCH, &user_only, "A.B", USER, "the process was gone", "start it again" },
	{ "too many to be read", E2BIG, &user_only, "A.B", MEMBER, "16 KiB", "-e" },
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
			.error_number = row->error_number,
			.machine = row->machine,
			.event = row->event,
			.is_root = row->who & ROOT,
			.is_any_thread = row->who & BOTH_THREADS,
			.counts_kernel = row->who & KERNEL,
			.is_wide = row->who & WIDE,
			.is_cgroup = row->who & CGROUP,
			.is_attached = row->who & ATTACHED,
			.is_member = row->who & MEMBER,
			.is_all_refused = row->who & ALL,
			.files = 4321,
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
