/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_folder.h - any bytes as a file of a vendor's folder, imported into another folder; both are gone afterwards. */
#ifndef TOPDOWN_FUZZ_IMPORT_FOLDER_H
#define TOPDOWN_FUZZ_IMPORT_FOLDER_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/import/import.h"

static inline int import_folder_unlink(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path);
}

static inline void import_folder_write(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

/* In memory where the machine has /dev/shm. */
static inline void import_folder_make(char *path)
{
	strcpy(path, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX");
	if (!mkdtemp(path))
		abort();
}

/* Refused with words, or done; aborts where the two disagree. */
static inline void import_folder_ask(struct import_request request)
{
	struct import_log log;
	struct error err = { .text = "" };
	struct arena arena;
	char out[64];

	snprintf(out, sizeof(out), "%s/out", request.folder);
	request.out = out;
	arena_init(&arena);
	if ((import_run(&log, &request, &arena, &err) < 0) != is_error(&err))
		abort();
	arena_release(&arena);
	nftw(request.folder, import_folder_unlink, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void import_folder_run(enum import_form form, const char *folder)
{
	import_folder_ask((struct import_request){ .form = form, .folder = folder, .with_text = true });
}

#endif
