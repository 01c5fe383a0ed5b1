/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/simulable.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

/* Set-user-ID, set-group-ID, or file capabilities. */
static bool has_other_rights(const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of) == 0 && stat_of.st_mode & (S_ISUID | S_ISGID))
		return true;
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

/* A script is run by its interpreter; what can't be read is left to whoever runs it. */
static bool is_foreign(const char *path)
{
	Elf64_Ehdr header = { .e_machine = 0 }; /* up to e_machine the same as the 32-bit one */
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(&header, 1, sizeof(header), file) : 0;

	if (file)
		fclose(file);
	if (got < sizeof(header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	return header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != OWN_MACHINE;
}

int simulable_check(const char *path, struct error *err)
{
	if (has_other_rights(path))
		return error_set(
			err,
			"%s runs with other rights than yours (set-user-ID, set-group-ID or capabilities), and "
			"Valgrind runs no such program: simulate a copy of it, which has none (`cp %s copy`)",
			path, path);
	if (is_foreign(path))
		return error_set(err,
				 "%s is not a 64-bit program of this machine, and only those can be simulated: "
				 "build it for this machine (gcc -m64)",
				 path);
	return 0;
}
