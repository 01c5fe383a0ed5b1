/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip.h - files that are compressed as gzip does (RFC 1952), by zlib where the program was built with it. */
#ifndef TOPDOWN_COMMON_SYSTEM_GZIP_H
#define TOPDOWN_COMMON_SYSTEM_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/* Does the name end in ".gz"? */
bool is_gzip_name(const char *path);

/* -1 and the way without zlib where the program was built without it. */
int gzip_check(const char *path, struct error *err) MUST_CHECK;

/* A stream that compresses what is written to it into fd, which it closes. NULL, with errno, where there is none. */
FILE *gzip_stream(int fd) MUST_CHECK;

/* Does the content begin as gzip's files do? */
bool is_gzip(const char *text, size_t length);

/*
 * What the content is when it is unpacked, terminated with '\0' behind *length bytes. NULL and "SOURCE: reason" where
 * it is damaged, or has more than 256 MiB.
 */
char *gzip_unpack(const char *text, size_t *length, const char *source, struct arena *arena,
		  struct error *err) MUST_CHECK;

/* The content compressed, in arena. *packed is 0, and the result NULL, where the program was built without zlib. */
void *gzip_pack(const char *text, size_t length, size_t *packed, struct arena *arena);

#endif
