/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_file.h - the file that a module was mapped from: at its path, below the root of its process (containers), or,
 * where it was deleted or replaced meanwhile, through a process that still has it.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_MODULE_FILE_H
#define TOPDOWN_PROGRAM_SYMBOLS_MODULE_FILE_H

#include "common/measurement/profile.h"

struct module_file {
	const char *path;   /* to open; NULL: there is none, and remark says why */
	const char *remark; /* a clause: "it was replaced while it ran"; NULL: nothing */
	uint16_t machine;   /* EM_... */
};

struct module_users; /* which processes were seen in each module of a profile */

/*
 * Of a MODULE_FILE. Where the profile knows a build-id, no other file is taken. sysroot: where proc/ is. *users: NULL
 * at first; made in the arena where it is needed, for the next modules of the same profile.
 */
struct module_file module_file_find(const struct profile *profile, uint32_t module, const char *sysroot,
				    struct module_users **users, struct arena *arena);

/* The root folder that a process sees, "/proc/7/root" below sysroot. */
const char *process_root(uint32_t pid, const char *sysroot, struct arena *arena);

#endif
