/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysfile.h - the small text files of /proc and /sys, below a root that may be a snapshot of another machine. */
#ifndef TOPDOWN_CPU_IDENTIFY_SYSFILE_H
#define TOPDOWN_CPU_IDENTIFY_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

struct sysfiles {
	const char *root; /* "": this machine */
	struct arena *arena;
};

/* NULL, "" and "/" are this machine. */
struct sysfiles sysfiles_below(const char *sysroot, struct arena *arena) MUST_CHECK;
bool is_live(const struct sysfiles *files);

/*
 * The content of a regular file, at most 64 KiB of it, without blanks at its ends and with control characters made
 * harmless, for it will reach a terminal. "" for an empty file; NULL when there is none or it can't be read. The path
 * is relative to the root ("proc/cpuinfo") and, like all that is returned, lives in the arena.
 */
char *sysfile_read(const struct sysfiles *files, const char *path, ...) PRINTF(2, 3) MUST_CHECK;

/* The same as an unsigned number; false when it is not one. */
bool sysfile_u64(const struct sysfiles *files, uint64_t *value, const char *path, ...) PRINTF(3, 4) MUST_CHECK;

/* The names in a directory, sorted, without hidden ones; returns their number (0: no such directory), at most 65536. */
size_t sysfile_list(const struct sysfiles *files, const char *directory, const char ***names) MUST_CHECK;

/* Value of the first line "key<blanks>: value" of text, as /proc/cpuinfo has them; NULL when there is none. */
char *sysfile_field(const char *text, const char *key, struct arena *arena) MUST_CHECK;

/* "NAME VALUE", "NAME: VALUE" or "NAME=VALUE" at the start of a line, or behind a blank. NAN: no such number. */
double sysfile_value(const char *text, const char *name);

#endif
