/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_rights.c - what this process may count. */
#include "diagnose/judges.h"
#include "diagnose/remedies.h"

bool has_perfmon(const struct surroundings *around)
{
	return around->rights.perfmon == ANSWER_YES || around->rights.sys_admin == ANSWER_YES;
}

/* What a value of kernel.perf_event_paranoid means to a user without capabilities; Documentation/admin-guide/sysctl/kernel.rst */
static const struct level {
	int least;
	enum finding_state state;
	const char *means;
} levels[] = {
	/* Debian's and Ubuntu's own */
	{ 3, FINDING_MISSING, "Users without CAP_PERFMON may count nothing." },
	{ 2, FINDING_LIMITS,
	  "Users without CAP_PERFMON may count their own programs, without the kernel's part, and no whole CPUs "
	  "(-a)." },
	{ 1, FINDING_LIMITS,
	  "Users without CAP_PERFMON may count their own programs, and no whole CPUs (-a) or both threads of a core." },
	{ -1000, FINDING_OK, "Users may count what they like." },
};

void judge_paranoid(const struct judgement *j)
{
	int paranoid = j->about->machine->paranoid;
	const struct level *level = levels;

	if (paranoid == PARANOID_UNKNOWN) {
		j->finding->found = "can't be read";
		verdict(j, FINDING_UNKNOWN, "Perhaps a container hides it.", REMEDY_PARANOID);
		return;
	}
	while (level->least > paranoid)
		level++;
	j->finding->found = arena_printf(j->arena, "%d", paranoid);
	if (has_perfmon(j->about->around))
		verdict(j, FINDING_OK, "It does not bind this process, which has the capability.", NULL);
	else
		verdict(j, level->state, level->means,
			paranoid == 1
				? "`sudo sysctl kernel.perf_event_paranoid=0` allows whole CPUs until the next boot"
			: paranoid > 1 ? REMEDY_PARANOID
				       : NULL);
}

void judge_capabilities(const struct judgement *j)
{
	const struct process_rights *rights = &j->about->around->rights;
	bool is_user_only = j->about->abilities && j->about->abilities->is_user_only;

	if (!j->about->around->is_live) {
		(void)tried(j, NULL);
		return;
	}
	j->finding->found = rights->perfmon == ANSWER_UNKNOWN ? "unknown"
			    : rights->sys_admin == ANSWER_YES
				    ? (rights->perfmon == ANSWER_YES ? "CAP_PERFMON, CAP_SYS_ADMIN" : "CAP_SYS_ADMIN")
				    : (rights->perfmon == ANSWER_YES ? "CAP_PERFMON" : "none of use");
	if (rights->perfmon == ANSWER_UNKNOWN)
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (has_perfmon(j->about->around))
		verdict(j, FINDING_OK, "All that the counters offer may be counted.", NULL);
	else if (rights->user_namespace == ANSWER_YES)
		verdict(j, FINDING_LIMITS,
			"This process is in a user namespace, whose root has no rights to the machine's counters.",
			"measure outside of it");
	else
		verdict(j, is_user_only ? FINDING_LIMITS : FINDING_OK,
			"What may be counted is what perf_event_paranoid leaves to users.", REMEDY_SETCAP);
}

void judge_seccomp(const struct judgement *j)
{
	static const char *const names[] = { [SECCOMP_UNKNOWN] = "unknown",
					     [SECCOMP_NONE] = "no",
					     [SECCOMP_STRICT] = "strict mode",
					     [SECCOMP_FILTER] = "yes" };
	const struct abilities *abilities = j->about->abilities;
	enum seccomp mode = j->about->around->rights.seccomp;

	if (!j->about->around->is_live) {
		(void)tried(j, NULL);
		return;
	}
	j->finding->found = names[mode];
	if (mode == SECCOMP_NONE)
		verdict(j, FINDING_OK, "No system call is filtered.", NULL);
	else if (abilities && !abilities->refusal)
		verdict(j, FINDING_OK, "It lets perf_event_open pass.", NULL);
	else if (mode == SECCOMP_FILTER && j->about->machine->npmus)
		verdict(j, FINDING_LIMITS, "It can be what refuses perf_event_open.", REMEDY_CONTAINER);
	else
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
}

void judge_files(const struct judgement *j)
{
	const struct abilities *abilities = j->about->abilities;
	size_t need;

	if (!abilities) {
		(void)tried(j, NULL);
		return;
	}
	need = abilities->trial.descriptors;
	j->finding->found = arena_printf(j->arena, "%llu, at most %llu", (unsigned long long)abilities->files_soft,
					 (unsigned long long)abilities->files_hard);
	if (need > abilities->files_hard)
		verdict(j, FINDING_MISSING,
			arena_printf(j->arena, "One run opens %zu events, each of which takes one.", need),
			"`ulimit -Hn 65536` as root, or nofile in /etc/security/limits.conf");
	else
		verdict(j, FINDING_OK, "Each event of a run takes one; topdown raises the limit when it has to.", NULL);
}
