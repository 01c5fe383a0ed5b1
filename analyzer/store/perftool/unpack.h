/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack.h - records that perf compressed (perf record -z), by libzstd where the program was built with it. */
#ifndef TOPDOWN_STORE_PERFTOOL_UNPACK_H
#define TOPDOWN_STORE_PERFTOOL_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct unpacker; /* one stream of zstd, of which each compressed record is the next piece */

/* A piece of it. rest: bytes at the end of the last one that were no whole record; they stand in front of this one. */
struct packed {
	const void *bytes;
	size_t length, rest;
};

struct unpacked {
	unsigned char *bytes; /* the unpacker's, until it is freed */
	size_t length;
};

/* NULL and the way without it where the program was built without libzstd. Free with unpacker_free. */
struct unpacker *unpacker_new(struct error *err) MUST_CHECK;
void unpacker_free(struct unpacker *unpacker);

/* The next piece. -1: it is damaged, or larger than can be. */
int unpacker_next(struct unpacker *unpacker, const struct packed *packed, struct unpacked *unpacked,
		  struct error *err) MUST_CHECK;

#endif
