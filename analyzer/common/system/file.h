/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - whole files into memory, and the names in a directory. */
#ifndef TOPDOWN_COMMON_SYSTEM_FILE_H
#define TOPDOWN_COMMON_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/*
 * The content, terminated with '\0' behind *length bytes; "-" is standard input. NULL and "PATH: reason" when it can't
 * be read, has more than 256 MiB, or is a device without an end.
 */
char *file_read(const char *path, size_t *length, struct arena *arena, struct error *err) MUST_CHECK;

bool is_file(const char *path);
bool is_directory(const char *path);

/* Are these one regular file, whatever its names, or one name of what is not there? */
bool is_one_file(const char *a, const char *b);

/* Could path be written, or be made? -1 and "PATH: reason" if not. Nothing is changed; to be asked before long work. */
int file_check_writable(const char *path, struct error *err) MUST_CHECK;

/* Why writing a file failed, as strerror(3) has it, with the remedy where there is one. */
const char *write_failure_text(int error_number);

/*
 * Has everything that was printed arrived? A stream refuses when it is written out at the latest, so this is about all
 * before. -1 and the reason if not.
 */
int file_flush(FILE *out, struct error *err) MUST_CHECK;

/* Names in a directory that end in suffix, sorted. NULL and err when it can't be read; *count may be 0. */
const char **directory_list(const char *path, const char *suffix, size_t *count, struct arena *arena,
			    struct error *err) MUST_CHECK;

#endif
