/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored_bytes.h - all bytes of a file, mapped, or of a stream, read; and taking numbers and texts out of them, in this
 * machine's byte order, with every length checked.
 */
#ifndef TOPDOWN_STORE_PERFTOOL_STORED_BYTES_H
#define TOPDOWN_STORE_PERFTOOL_STORED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct stored_bytes {
	unsigned char *bytes; /* not to be written to */
	size_t length;
	bool is_mapped;
};

/*
 * Opens path, "-" is standard input. Where is_wanted says no to the first bytes of a regular file, or where it is a
 * device, it is not read and bytes is NULL. Of a pipe everything is read, so that it can be read as something else:
 * then 256 MiB at most. -1 and "PATH: reason" when it can't be read. Release in any case.
 */
int stored_bytes_open(struct stored_bytes *stored, const char *path, bool (*is_wanted)(const void *, size_t),
		      struct error *err) MUST_CHECK;
void stored_bytes_release(struct stored_bytes *stored);

/* A part of them that is being read; what reaches beyond its end makes it broken, and is 0. */
struct byte_reader {
	const unsigned char *at;
	size_t left;
	bool is_broken;
};

const unsigned char *byte_reader_skip(struct byte_reader *reader, uint64_t count);
uint32_t byte_reader_u32(struct byte_reader *reader);
uint64_t byte_reader_u64(struct byte_reader *reader);

/* A length of 32 bits, and a text that is terminated within it. In arena; NULL: broken. */
const char *byte_reader_text(struct byte_reader *reader, struct arena *arena);

#endif
