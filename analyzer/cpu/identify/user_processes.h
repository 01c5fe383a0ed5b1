/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_processes.h - which processes are there, to be named on a command line. */
#ifndef TOPDOWN_CPU_IDENTIFY_USER_PROCESSES_H
#define TOPDOWN_CPU_IDENTIFY_USER_PROCESSES_H

#include <sys/types.h>

#include "cpu/identify/sysfile.h"

struct process_name {
	const char *number; /* of the process, as /proc has it */
	const char *name;   /* of its program, 15 bytes at most */
};

/* Those of a user (0: of all users), without the kernel's own, in the arena of files. Returns their number. */
size_t processes_list(const struct sysfiles *files, uid_t user, struct process_name **processes) MUST_CHECK;

#endif
