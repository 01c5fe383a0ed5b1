/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch.h - a directory of files that a test makes up, gone afterwards. */
#ifndef TOPDOWN_TEST_SCRATCH_H
#define TOPDOWN_TEST_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
	char path[64];
};

static inline void scratch_init(struct scratch *scratch)
{
	strcpy(scratch->path, "/tmp/topdown-test-XXXXXX");
	if (!mkdtemp(scratch->path))
		abort();
}

static inline int scratch_unlink(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path);
}

static inline void scratch_release(struct scratch *scratch)
{
	nftw(scratch->path, scratch_unlink, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes name, with the directories above it, and copies its path to path, which has 256 bytes. */
static inline void scratch_write(const struct scratch *scratch, const char *name, const char *text, char *path)
{
	FILE *file;

	snprintf(path, 256, "%s/%s", scratch->path, name);
	for (char *slash = strchr(path + strlen(scratch->path) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

#endif
