/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_processes.c - the processes of a user, from /proc/PID/status. */
#include "cpu/identify/surroundings.h"

#include <string.h>

#include "common/base/text.h"

/* The kernel's own threads have no memory. "Uid" has four: real, effective and two more. */
static bool belongs(const char *status, uid_t user, struct arena *arena)
{
	const char *users = sysfile_field(status, "Uid", arena);
	const char *real;
	uint64_t number;

	if (!users || !sysfile_field(status, "VmSize", arena))
		return false;
	real = arena_strndup(arena, users, strcspn(users, " \t?"));
	return text_u64(real, &number) && (user == 0 || number == user);
}

size_t processes_list(const struct sysfiles *files, uid_t user, struct process_name **processes)
{
	size_t count = 0, capacity = 0, nnames;
	const char **names;

	*processes = NULL;
	nnames = sysfile_list(files, "proc", &names);
	for (size_t i = 0; i < nnames; i++) {
		const char *status;

		if (names[i][strspn(names[i], "0123456789")])
			continue;
		status = sysfile_read(files, "proc/%s/status", names[i]); /* NULL: it has ended */
		if (!status || !belongs(status, user, files->arena))
			continue;
		*processes = arena_grow(files->arena, *processes, count, &capacity, sizeof(**processes));
		(*processes)[count++] = (struct process_name){
			.number = names[i],
			.name = sysfile_field(status, "Name", files->arena),
		};
	}
	return count;
}
