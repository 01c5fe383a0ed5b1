/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embedded.h - the databases inside the program: events/ and models/ as they were when it was built. CPUs' files are
 * there as compiled rows (cpu/load/tables.h), the others as texts. They are passed around by a name in place of a path,
 * "built-in:events/sapphirerapids.json", which messages show too.
 */
#ifndef TOPDOWN_COMMON_SYSTEM_EMBEDDED_H
#define TOPDOWN_COMMON_SYSTEM_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/bytes.h"
#include "common/base/error.h"

#define BUILT_IN "built-in:"

/* Arrays without pointers: the program can be loaded anywhere, and nothing in them has to be adjusted then. */
struct embedded_file {
	char name[64];	  /* "events/sapphirerapids.json" */
	uint64_t size;	  /* bytes of the file on disk ... */
	uint64_t hash;	  /* ... and its content_hash */
	uint32_t offset;  /* where its bytes begin in embedded_bytes */
	uint32_t length;  /* of its bytes there */
	uint64_t sum;	  /* their content_hash */
	uint32_t is_rows; /* compiled rows; otherwise the file's text with '\0' behind it */
};

/* Made by cpu/load/compile_tables.c. What the bytes begin with are the texts of all rows. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_count;
extern const unsigned char embedded_bytes[];

/*
 * The file of a name such as "events/sapphirerapids.json", with or without "built-in:"
 * before it; NULL if there is none.
 */
const struct embedded_file *embedded_find(const char *name) MUST_CHECK;

/* The rows of a file; -1 and err when there are none inside, or they are no longer what the build has put there. */
int embedded_rows(struct bytes *rows, const char *path, struct error *err) MUST_CHECK;

/* "built-in:events/sapphirerapids.json" for "events/sapphirerapids.json"; NULL when there is no such file inside. */
const char *embedded_path(const char *file, struct arena *arena) MUST_CHECK;

/* Is it such a name? Of a file on disk that is called so, "./" before it makes a path. */
bool is_embedded(const char *path);

/* Has the file on disk the content of the one inside that is called so? */
bool is_same_as_embedded(const char *path, const char *name);

/* A number that differs for two contents, with the certainty of 64 bits. */
uint64_t content_hash(const char *content, size_t length);

/*
 * A text of a database, on disk or inside: the content, terminated with '\0' behind *length bytes. NULL and "PATH:
 * reason" when it can't be read (common/system/file.h) or is not inside as a text.
 */
const char *source_read(const char *path, size_t *length, struct arena *arena, struct error *err) MUST_CHECK;

#endif
