/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/refusals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "count/count.h"

#define PARANOID_REMEDY                                                                                                \
	"`sudo sysctl kernel.perf_event_paranoid=1` allows it until the next boot, `sudo setcap cap_perfmon+ep "       \
	"\"$(command -v topdown)\"` allows it to topdown alone"

/* The first row whose error and condition hold gives the sentence; {words} are filled in from struct refusal. */
struct refusal_row {
	int error_number;
	bool (*holds)(const struct refusal *refusal); /* NULL: always */
	const char *text;
};

static bool is_guest_without_pmu(const struct refusal *refusal)
{
	return refusal->machine->npmus == 0 && refusal->machine->hypervisor;
}

static bool is_without_pmu(const struct refusal *refusal)
{
	return refusal->machine->npmus == 0;
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

static bool has_watchdog(const struct refusal *refusal)
{
	return refusal->machine->nmi_watchdog;
}

#define ROOT_TEXT                                                                                                      \
	"perf_event_open is refused although this user is root: the container's seccomp filter or its missing "        \
	"capability forbids it; start the container with `--cap-add PERFMON` (before Linux 5.8 `--cap-add "            \
	"SYS_ADMIN`), with `--security-opt seccomp=unconfined` if that is not enough, or measure on the host"
#define PARANOID_UNKNOWN_TEXT                                                                                          \
	"this user may not use the CPU's counters, and kernel.perf_event_paranoid can't be read: " PARANOID_REMEDY     \
	"; in a container `--cap-add PERFMON` does"
#define PARANOID_TEXT                                                                                                  \
	"kernel.perf_event_paranoid is {paranoid}, which keeps the CPU's counters from all users but "                 \
	"root: " PARANOID_REMEDY
#define PARANOID_CPUS_TEXT                                                                                             \
	"counting whole CPUs or a cgroup shows what other users do, which kernel.perf_event_paranoid = {paranoid} "    \
	"keeps from this user: `sudo sysctl kernel.perf_event_paranoid=0` allows it until the next boot, `sudo "       \
	"setcap cap_perfmon+ep \"$(command -v topdown)\"` allows it to topdown alone"
#define ATTACHED_TEXT                                                                                                  \
	"this user may not count that process: it belongs to somebody else, or has more rights than this user; run "   \
	"topdown as its user or as root, or allow it with `sudo setcap cap_perfmon+ep \"$(command -v topdown)\"`"
#define PARANOID_KERNEL_TEXT                                                                                           \
	"{event} counts the kernel, which kernel.perf_event_paranoid = {paranoid} keeps from this "                    \
	"user: " PARANOID_REMEDY
#define SECCOMP_TEXT                                                                                                   \
	"perf_event_open is refused although kernel.perf_event_paranoid is {paranoid}, which allows it: probably a "   \
	"container's seccomp filter or a security module forbids it; start the container with `--cap-add PERFMON`, "   \
	"with `--security-opt seccomp=unconfined` if that is not enough, or measure on the host"

#define ANY_THREAD_TEXT                                                                                                \
	"{event} counts both threads of the core, which kernel.perf_event_paranoid = {paranoid} keeps from this "      \
	"user: `sudo sysctl kernel.perf_event_paranoid=0` allows it until the next boot"

static const struct refusal_row rows[] = {
	{ ENOENT, is_guest_without_pmu,
	  "this machine is a {hypervisor} guest without CPU counters: its host gives it no virtual PMU; turn that "
	  "on at the host (QEMU/KVM `-cpu host,pmu=on`, libvirt `<pmu state='on'/>`, VMware `vpmc.enable = "
	  "\"TRUE\"`), or use a bare-metal (\"metal\") instance; a container has the counters of its host" },
	{ ENOENT, is_without_pmu,
	  "the kernel knows no CPU counters on this machine: a virtual machine needs a virtual PMU from its host "
	  "or has to be a bare-metal instance; otherwise `sudo dmesg | grep -i -e pmu -e perf` tells why the "
	  "kernel has no driver for this CPU" },
	{ ENOENT, NULL,
	  "this CPU's counters do not know {event}: `perf list` shows what the kernel knows, one newer "
	  "than {kernel} may know more" },
	{ EACCES, is_root, ROOT_TEXT },
	{ EPERM, is_root, ROOT_TEXT },
	{ EACCES, is_paranoid_unknown, PARANOID_UNKNOWN_TEXT },
	{ EPERM, is_paranoid_unknown, PARANOID_UNKNOWN_TEXT },
	{ EACCES, is_paranoid_for_cpus, PARANOID_CPUS_TEXT },
	{ EPERM, is_paranoid_for_cpus, PARANOID_CPUS_TEXT },
	{ EACCES, is_paranoid_for_all, PARANOID_TEXT },
	{ EPERM, is_paranoid_for_all, PARANOID_TEXT },
	{ EACCES, is_paranoid_for_kernel, PARANOID_KERNEL_TEXT },
	{ EPERM, is_paranoid_for_kernel, PARANOID_KERNEL_TEXT },
	{ EACCES, is_other_thread_private, ANY_THREAD_TEXT },
	{ EPERM, is_other_thread_private, ANY_THREAD_TEXT },
	{ EACCES, is_attached, ATTACHED_TEXT },
	{ EPERM, is_attached, ATTACHED_TEXT },
	{ EACCES, NULL, SECCOMP_TEXT },
	{ EPERM, NULL, SECCOMP_TEXT },
	{ EMFILE, NULL,
	  "no file descriptor is left for {event}, and the hard limit is reached: `ulimit -Hn 65536` as root, or "
	  "nofile in /etc/security/limits.conf, raises it" },
	{ ENFILE, NULL,
	  "the system has no file descriptor left for {event}: `sudo sysctl fs.file-max=1000000` raises the limit" },
	{ EINVAL, has_watchdog,
	  "the counters can't hold {event} beside the others of its group, or can't count it: the NMI watchdog "
	  "holds a counter, which `sudo sysctl kernel.nmi_watchdog=0` frees; a virtual machine may have fewer "
	  "counters than its CPU" },
	{ EINVAL, NULL,
	  "the counters can't hold {event} beside the others of its group, or can't count it: `topdown plan` "
	  "shows what was planned for how many counters; a virtual machine may have fewer than its CPU" },
	{ EBUSY, NULL,
	  "the counter of {event} is held by somebody else exclusively: `sudo lsof 2>/dev/null | grep "
	  "perf_event` shows which processes count; end them" },
	{ ENODEV, NULL,
	  "the kernel's driver can't count {event} on this CPU: `perf list` shows what it can, a kernel newer than "
	  "{kernel} may do more" },
	{ EOPNOTSUPP, NULL,
	  "the CPU can't count {event} in the way that was asked for: leave out its modifiers, or choose another of "
	  "`perf list`" },
	{ ESRCH, NULL,
	  "the process was gone before {event} could be counted: start it again, or count one that lives longer" },
	{ E2BIG, NULL, "{event} needs a newer perf_event_open than that of kernel {kernel}: update the kernel" },
	{ ENOSPC, NULL,
	  "the kernel has no room left for {event}: `sudo lsof 2>/dev/null | grep perf_event` shows which "
	  "processes count; end them" },
	{ ENOMEM, NULL, "the kernel has no memory left for {event}: `free -m` shows who has it" },
	{ ENOSYS, NULL,
	  "this kernel has no perf_event_open: it was built without CONFIG_PERF_EVENTS, or is a sandbox such as "
	  "gVisor; measure on the host" },
};

static const char other_text[] = "the kernel refuses {event}: {error}; `sudo dmesg | tail` may say more";

/* Writes the value of a {word} and returns the length of the word with its braces; 0 when it is none. */
static size_t put_word(char *value, size_t size, const char *text, const struct refusal *refusal)
{
	const struct machine *machine = refusal->machine;
	char number[16];

	snprintf(number, sizeof(number), "%d", machine->paranoid);
	const struct {
		const char *word, *value;
	} words[] = {
		/* clang-format off */
		{ "{event}",      refusal->event ? refusal->event : "an event" },
		{ "{hypervisor}", machine->hypervisor ? machine->hypervisor : "virtual" },
		{ "{kernel}",     machine->kernel ? machine->kernel : "this one" },
		{ "{paranoid}",   number },
		{ "{error}",      strerror(refusal->error_number) },
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
	char sentence[sizeof(err->text)];
	size_t used = 0;

	while (*text && used < sizeof(sentence) - 1) {
		size_t word = *text == '{' ? put_word(sentence + used, sizeof(sentence) - used, text, refusal) : 0;

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

int refusal_explain(struct error *err, const struct refusal *refusal)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].error_number == refusal->error_number && (!rows[i].holds || rows[i].holds(refusal)))
			return set_text(err, rows[i].text, refusal);
	return set_text(err, other_text, refusal);
}

int refusal(struct error *err, int error_number, const struct machine *machine, const char *event)
{
	const struct refusal known = {
		.error_number = error_number, .machine = machine, .event = event, .is_root = geteuid() == 0
	};

	return refusal_explain(err, &known);
}
