/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/refusals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/perf/perf.h"
#include "common/base/text.h"

/*
 * Missing permission has two numbers: the kernel answers EACCES; filters of system calls and
 * security modules may answer EPERM.
 */
#define DENIED (-1)

/* The first row whose error and condition hold gives the sentence; {words} are filled in from struct refusal. */
struct refusal_row {
	int error_number;			      /* or DENIED */
	bool (*holds)(const struct refusal *refusal); /* NULL: always */
	const char *text;
};

/* A PMU that was assumed, and knows no event, is none. */
static bool is_without_pmu(const struct refusal *refusal)
{
	return refusal->machine->npmus == 0 || refusal->machine->lacks_sysfs;
}

static bool is_guest_without_pmu(const struct refusal *refusal)
{
	return is_without_pmu(refusal) && refusal->machine->hypervisor;
}

static bool is_filtered(const struct refusal *refusal)
{
	return refusal->machine->rights.seccomp == SECCOMP_FILTER;
}

static bool has_rights(const struct refusal *refusal)
{
	const struct process_rights *rights = &refusal->machine->rights;

	return rights->perfmon == ANSWER_YES || rights->sys_admin == ANSWER_YES;
}

static bool is_filtered_with_rights(const struct refusal *refusal)
{
	return is_filtered(refusal) && has_rights(refusal);
}

static bool is_forbidden_by_selinux(const struct refusal *refusal)
{
	return refusal->machine->rights.selinux == ANSWER_YES && has_rights(refusal);
}

static bool is_root_of_namespace(const struct refusal *refusal)
{
	return refusal->is_root && refusal->machine->rights.user_namespace == ANSWER_YES;
}

static bool is_root(const struct refusal *refusal)
{
	return refusal->is_root;
}

static bool is_paranoid_unknown(const struct refusal *refusal)
{
	return refusal->machine->paranoid == PARANOID_UNKNOWN;
}

/* Debian's 3 and Ubuntu's 4 are patches: nothing at all without CAP_PERFMON. */
static bool is_paranoid_for_all(const struct refusal *refusal)
{
	return refusal->machine->paranoid > 2;
}

static bool is_paranoid_for_kernel(const struct refusal *refusal)
{
	return refusal->machine->paranoid == 2 && refusal->counts_kernel;
}

static bool is_paranoid_for_cpus(const struct refusal *refusal)
{
	return refusal->machine->paranoid > 0 && refusal->is_wide;
}

static bool is_attached(const struct refusal *refusal)
{
	return refusal->is_attached;
}

/* Up to Skylake an event can count for both threads of its core, and so for somebody else's program. */
static bool is_other_thread_private(const struct refusal *refusal)
{
	return refusal->is_any_thread && refusal->machine->paranoid > 0;
}

static bool is_cgroup(const struct refusal *refusal)
{
	return refusal->is_cgroup;
}

static bool is_first_of_cgroup(const struct refusal *refusal)
{
	return refusal->is_cgroup && !refusal->is_member;
}

static bool is_first(const struct refusal *refusal)
{
	return !refusal->is_member;
}

static bool is_member(const struct refusal *refusal)
{
	return refusal->is_member;
}

static bool is_guest(const struct refusal *refusal)
{
	return refusal->machine->hypervisor != NULL;
}

/* A filter of system calls may answer whatever it likes. */
static bool is_all_refused(const struct refusal *refusal)
{
	return refusal->is_all_refused;
}

static bool is_without_sysfs(const struct refusal *refusal)
{
	return refusal->machine->lacks_sysfs && refusal->machine->npmus == 0;
}

static bool has_watchdog(const struct refusal *refusal)
{
	return refusal->machine->nmi_watchdog;
}

#define FILTER_TEXT                                                                                                    \
	"a seccomp filter, as containers have it, keeps perf_event_open from this process: " REMEDY_CONTAINER
#define ROOT_TEXT                                                                                                      \
	"perf_event_open is refused although this user is root, who has neither CAP_PERFMON nor CAP_SYS_ADMIN here, "  \
	"as in a container: " REMEDY_CONTAINER
#define NAMESPACE_TEXT                                                                                                 \
	"perf_event_open is refused although this user is root: it is the root of a user namespace, and the counters " \
	"ask for rights on the machine; measure outside of it, or let `sudo sysctl kernel.perf_event_paranoid=1` on "  \
	"the host allow it to users"
#define SELINUX_TEXT                                                                                                   \
	"perf_event_open is refused although this process has the capability: SELinux is enforcing, and its policy "   \
	"may "                                                                                                         \
	"lack perf_event for this domain; `sudo ausearch -m avc -ts recent` shows the denial, `sudo setenforce 0` "    \
	"shows whether it is that"
#define MODULE_TEXT                                                                                                    \
	"perf_event_open is refused although this process has the capability: a security module or the container's "   \
	"seccomp filter forbids it; `cat /sys/kernel/security/lsm` names the modules; " REMEDY_CONTAINER
#define PARANOID_UNKNOWN_TEXT                                                                                          \
	"this user may not use the CPU's counters, and kernel.perf_event_paranoid can't be read: " REMEDY_PARANOID     \
	"; in a container `--cap-add PERFMON` does"
#define PARANOID_TEXT                                                                                                  \
	"kernel.perf_event_paranoid is <paranoid>, which keeps the CPU's counters from all users but "                 \
	"root: " REMEDY_PARANOID
#define PARANOID_CPUS_TEXT                                                                                             \
	"counting whole CPUs or a cgroup shows what other users do, which kernel.perf_event_paranoid = <paranoid> "    \
	"keeps from this user: `sudo sysctl kernel.perf_event_paranoid=0` allows it until the next "                   \
	"boot, " REMEDY_SETCAP
#define ATTACHED_TEXT                                                                                                  \
	"this user may not count that process: it belongs to another user, has more rights than this user, or keeps "  \
	"its own user from looking into it (PR_SET_DUMPABLE); run topdown as its user or as root; or " REMEDY_SETCAP
#define PARANOID_KERNEL_TEXT                                                                                           \
	"<event> counts the kernel, which kernel.perf_event_paranoid = <paranoid> keeps from this "                    \
	"user: " REMEDY_PARANOID
#define UNEXPLAINED_TEXT                                                                                               \
	"perf_event_open is refused although kernel.perf_event_paranoid is <paranoid>, which allows it: probably a "   \
	"container's seccomp filter or a security module forbids it; " REMEDY_CONTAINER
#define ANY_THREAD_TEXT                                                                                                \
	"<event> counts both threads of the core, which kernel.perf_event_paranoid = <paranoid> keeps from this "      \
	"user: `sudo sysctl kernel.perf_event_paranoid=0` allows it until the next boot"

#define ALL_REFUSED_TEXT                                                                                               \
	"perf_event_open is refused with \"Invalid argument\" for every event, also for one that needs no counter: "   \
	"a seccomp filter or a sandbox answers in the kernel's place; " REMEDY_CONTAINER
#define NO_SYSFS_TEXT                                                                                                  \
	"/sys is not mounted, and without it the kernel's counters can't be found here: " REMEDY_SYSFS                 \
	"; `topdown doctor` then says what can be measured"

static const struct refusal_row rows[] = {
	{ ENOENT, is_without_sysfs, NO_SYSFS_TEXT },
	{ ENOENT, is_guest_without_pmu,
	  "this machine is a <hypervisor> guest without CPU counters: its host gives it no virtual PMU; turn that "
	  "on at the host (QEMU/KVM `-cpu host,pmu=on`, libvirt `<pmu state='on'/>`, VMware `vpmc.enable = "
	  "\"TRUE\"`), or use a bare-metal (\"metal\") instance; a container has the counters of its host" },
	{ ENOENT, is_without_pmu,
	  "the kernel knows no CPU counters on this machine: a virtual machine needs a virtual PMU from its host "
	  "or has to be a bare-metal instance; otherwise `sudo dmesg | grep -i -e pmu -e perf` says why the "
	  "kernel has no driver for this CPU" },
	{ ENOENT, NULL,
	  "this CPU's counters do not know <event>: `perf list` shows what the kernel knows, one newer "
	  "than <kernel> may know more" },
	{ EPERM, is_filtered, FILTER_TEXT },
	{ ENOSYS, is_filtered, FILTER_TEXT },
	{ DENIED, is_filtered_with_rights, FILTER_TEXT },
	{ DENIED, is_forbidden_by_selinux, SELINUX_TEXT },
	{ DENIED, has_rights, MODULE_TEXT },
	{ DENIED, is_root_of_namespace, NAMESPACE_TEXT },
	{ DENIED, is_root, ROOT_TEXT },
	{ DENIED, is_paranoid_unknown, PARANOID_UNKNOWN_TEXT },
	{ DENIED, is_paranoid_for_cpus, PARANOID_CPUS_TEXT },
	{ DENIED, is_paranoid_for_all, PARANOID_TEXT },
	{ DENIED, is_paranoid_for_kernel, PARANOID_KERNEL_TEXT },
	{ DENIED, is_other_thread_private, ANY_THREAD_TEXT },
	{ DENIED, is_attached, ATTACHED_TEXT },
	{ DENIED, NULL, UNEXPLAINED_TEXT },
	{ EINVAL, is_all_refused, ALL_REFUSED_TEXT },
	{ EBADF, is_cgroup,
	  "the kernel does not count that cgroup: the path has to be a directory of /sys/fs/cgroup (of "
	  "/sys/fs/cgroup/perf_event where cgroups have version 1)" },
	{ EINVAL, is_first_of_cgroup,
	  "the kernel does not count cgroups, or not <event>: `grep CONFIG_CGROUP_PERF /boot/config-$(uname -r)` "
	  "says so; "
	  "{p} counts the processes instead" },
	{ EMFILE, NULL,
	  "no file descriptor is left for <event>: each event takes one on each CPU or thread that is counted, and "
	  "the hard limit is <files>; `ulimit -Hn 65536` as root, or nofile in /etc/security/limits.conf, raises it, "
	  "{max-runs} or a lower level takes fewer" },
	{ ENFILE, NULL,
	  "the system has no file descriptor left for <event>: `sudo sysctl fs.file-max=1000000` raises the limit" },
	{ EINVAL, is_first,
	  "the counters can't count <event>: its encoding means nothing to this CPU's PMU, or the kernel knows it "
	  "better; "
	  "`topdown plan` shows how it was asked for, `perf list` what the kernel knows" },
	{ EINVAL, has_watchdog,
	  "the counters can't hold <event> together with the others of its group, or can't count it: the NMI watchdog "
	  "holds a counter, which " REMEDY_WATCHDOG " frees; a virtual machine may have fewer "
	  "counters than its CPU" },
	{ EINVAL, NULL,
	  "the counters can't hold <event> together with the others of its group, or can't count it: `topdown plan` "
	  "shows the plan and its number of counters; a virtual machine may have fewer than its CPU" },
	{ ENXIO, is_guest,
	  "this <hypervisor> guest can't count <event>: it takes a register of the CPU that the host does not give to "
	  "guests (offcore, frontend or load latency); a bare-metal instance has it" },
	{ ENXIO, NULL,
	  "the CPU can't count <event>: it takes a register that the kernel found not to work here; `sudo dmesg | grep "
	  "-i -e pmu -e perf` may say why" },
	{ EBUSY, is_guest,
	  "the counter of <event> is held exclusively by another user, in this <hypervisor> guest or on its host: "
	  "`sudo "
	  "lsof 2>/dev/null | grep perf_event` shows which processes of the guest count; end them, or use a bare-metal "
	  "instance" },
	{ EBUSY, NULL,
	  "the counter of <event> is held exclusively by another user: `sudo lsof 2>/dev/null | grep "
	  "perf_event` shows which processes count; end them, or the hypervisor or profiler that reserved the "
	  "counters (`lsmod | grep -e vboxdrv -e vmmon -e sep`)" },
	{ ENODEV, NULL,
	  "the kernel's driver can't count <event> on this CPU: `perf list` shows what it can, a kernel newer than "
	  "<kernel> may do more" },
	{ EOPNOTSUPP, NULL,
	  "the CPU can't count <event> in the way that was asked for: leave out its modifiers, or choose another of "
	  "`perf list`" },
	{ ESRCH, NULL,
	  "the process was gone before <event> could be counted: start it again, or count one that lives longer" },
	{ E2BIG, is_member,
	  "the group of <event> has more events than the kernel reads at once (16 KiB): ask for fewer with {e}" },
	{ E2BIG, NULL, "<event> needs a newer perf_event_open than that of kernel <kernel>: update the kernel" },
	{ ENOSPC, NULL,
	  "the kernel has no room left for <event>: `sudo lsof 2>/dev/null | grep perf_event` shows which "
	  "processes count; end them" },
	{ ENOMEM, NULL, "the kernel has no memory left for <event>: `free -m` shows who has it" },
	{ ENOSYS, NULL,
	  "this kernel has no perf_event_open: it was built without CONFIG_PERF_EVENTS, or is a sandbox such as "
	  "gVisor; measure on the host" },
};

static const char other_text[] = "the kernel refuses <event>: <error>; `sudo dmesg | tail` may say more";

/* For a shell; where the path is unknown, it looks for it. */
static const char *program_text(const struct machine *machine)
{
	return machine->program ? machine->program : "\"$(command -v topdown)\"";
}

/* Writes the value of a <word> and returns the length of the word with its signs; 0 when it is none. */
static size_t put_word(char *value, size_t size, const char *text, const struct refusal *refusal)
{
	const struct machine *machine = refusal->machine;
	char paranoid[16], files[24];

	snprintf(paranoid, sizeof(paranoid), "%d", machine->paranoid);
	snprintf(files, sizeof(files), "%llu", refusal->files);
	const struct {
		const char *word, *value;
	} words[] = {
		/* clang-format off */
		{ "<event>",      refusal->event ? refusal->event : "an event" },
		{ "<hypervisor>", machine->hypervisor ? machine->hypervisor : "virtual" },
		{ "<kernel>",     machine->kernel ? machine->kernel : "this one" },
		{ "<paranoid>",   paranoid },
		{ "<files>",      refusal->files ? files : "reached" },
		{ "<error>",      strerror(refusal->error_number) },
		{ "<program>",    program_text(machine) },
		/* clang-format on */
	};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		size_t length = strlen(words[i].word);

		if (strncmp(text, words[i].word, length) != 0)
			continue;
		snprintf(value, size, "%s", words[i].value);
		return length;
	}
	return 0;
}

static int set_text(struct error *err, const char *text, const struct refusal *refusal)
{
	char sentence[sizeof(err->text)], words[MOST_WORDED];
	size_t used = 0;

	text = text_worded(words, sizeof(words), text);
	while (*text && used < sizeof(sentence) - 1) {
		size_t word = *text == '<' ? put_word(sentence + used, sizeof(sentence) - used, text, refusal) : 0;

		if (word) {
			used += strlen(sentence + used);
			text += word;
		} else {
			sentence[used++] = *text++;
		}
	}
	sentence[used] = '\0';
	return error_set(err, "%s", sentence);
}

static bool is_about(const struct refusal_row *row, int error_number)
{
	if (row->error_number == DENIED)
		return error_number == EACCES || error_number == EPERM;
	return row->error_number == error_number;
}

int refusal_explain(struct error *err, const struct refusal *refusal)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (is_about(&rows[i], refusal->error_number) && (!rows[i].holds || rows[i].holds(refusal)))
			return set_text(err, rows[i].text, refusal);
	return set_text(err, other_text, refusal);
}

void refusal_complete(struct refusal *refusal)
{
	struct rlimit files = { 0 };

	getrlimit(RLIMIT_NOFILE, &files);
	refusal->files = files.rlim_max;
	refusal->is_root = geteuid() == 0;
	refusal->is_all_refused = refusal->error_number == EINVAL && perf_try_dummy(true) == -EINVAL;
}

int refusal(struct error *err, int error_number, const struct machine *machine, const char *event)
{
	struct refusal known = { .error_number = error_number, .machine = machine, .event = event };

	refusal_complete(&known);
	return refusal_explain(err, &known);
}

const char *remedy_text(const char *remedy, const struct machine *machine, struct arena *arena)
{
	static const char word[] = "<program>";
	const char *at = strstr(remedy, word);
	char words[MOST_WORDED];

	if (!at)
		return arena_strdup(arena, text_worded(words, sizeof(words), remedy));
	return arena_printf(arena, "%.*s%s%s", (int)(at - remedy), remedy, program_text(machine), at + strlen(word));
}
