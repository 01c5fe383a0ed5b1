/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rights.c - what the kernel lets this process do: capabilities, user namespace, seccomp. */
#include <stdlib.h>

#include "base/text.h"
#include "identify/parts.h"

/* include/uapi/linux/capability.h */
#define CAPABILITY_SYS_PTRACE 19
#define CAPABILITY_SYS_ADMIN  21
#define CAPABILITY_PERFMON    38

static enum answer answer_of(bool is_yes)
{
	return is_yes ? ANSWER_YES : ANSWER_NO;
}

/* The first user namespace maps all user ids to themselves (user_namespaces(7)). */
static enum answer in_user_namespace(const struct sysfiles *files)
{
	const char *map = sysfile_read(files, "proc/self/uid_map"), *part;
	char *end;

	if (!map || !*map)
		return ANSWER_UNKNOWN;
	for (size_t i = 0; i < 2; i++)
		if (!text_next(&map, " \t\n", &part) || *part != '0')
			return ANSWER_YES;
	return answer_of(strtoull(map, &end, 10) != UINT32_MAX);
}

static enum seccomp seccomp_of(const char *status, struct arena *arena)
{
	const char *mode = sysfile_field(status, "Seccomp", arena);
	uint64_t number;

	return mode && text_u64(mode, &number) && number <= 2 ? (enum seccomp)(SECCOMP_NONE + number) : SECCOMP_UNKNOWN;
}

void rights_identify(struct process_rights *rights, const struct sysfiles *files)
{
	const char *status = sysfile_read(files, "proc/self/status"), *text;
	uint64_t set;

	if (sysfile_u64(files, &set, "sys/fs/selinux/enforce"))
		rights->selinux = answer_of(set != 0);
	if (!is_live(files) || !status)
		return;
	rights->seccomp = seccomp_of(status, files->arena);
	rights->user_namespace = in_user_namespace(files);
	text = sysfile_field(status, "CapEff", files->arena);
	if (!text || !text_u64(arena_printf(files->arena, "0x%s", text), &set))
		return;
	if (rights->user_namespace == ANSWER_YES)
		set = 0;
	rights->perfmon = answer_of(set >> CAPABILITY_PERFMON & 1);
	rights->sys_admin = answer_of(set >> CAPABILITY_SYS_ADMIN & 1);
	rights->sys_ptrace = answer_of(set >> CAPABILITY_SYS_PTRACE & 1);
}
