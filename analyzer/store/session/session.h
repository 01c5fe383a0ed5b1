/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - counts in files: sessions ("topdown-session", everything that was counted, so that another machine can
 * evaluate it), flat counts ("topdown-counts", numbers from elsewhere), and what perf stat printed.
 * docs/FORMATS.md has the fields.
 */
#ifndef TOPDOWN_STORE_SESSION_SESSION_H
#define TOPDOWN_STORE_SESSION_SESSION_H

#include <stdio.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/counts.h"

/*
 * Replaces the file at once, so that it never has half of a session; "-", devices and pipes are written directly. A
 * name that ends in .gz gets it compressed. NAN becomes null. -1 when it can't be written; a file that was there before
 * is then unchanged.
 */
int session_save(const char *path, const struct measurement *measured, struct error *err) MUST_CHECK;

/* The same for others too: a profile in it is not kept from them, but has the permissions of any new file. */
int session_publish(const char *path, const struct measurement *measured, struct error *err) MUST_CHECK;

/* The same into a stream, which is flushed and stays open. */
int session_write(FILE *stream, const struct measurement *measured, struct error *err) MUST_CHECK;

/* The bytes of one measurement's session, which goes to several files: made when it is first written. */
struct session_bytes {
	char *bytes; /* the caller's to free; NULL: not made yet */
	size_t length;
};
/* Only makes them. */
int session_make_bytes(struct session_bytes *made, const struct measurement *measured, struct error *err) MUST_CHECK;
int session_save_bytes(const char *path, const struct measurement *measured, struct session_bytes *made,
		       struct error *err) MUST_CHECK;
int session_write_bytes(FILE *stream, const struct measurement *measured, struct session_bytes *made,
			struct error *err) MUST_CHECK;

/*
 * Reads a session, flat counts or perf stat's output ("-": standard input), which their content distinguishes, each
 * also compressed by gzip; of the last, parts[0].cpu is NULL. -1 for anything else, a truncated file, a missing or
 * mistyped field: err has file, line and column where the JSON itself is wrong, else the field.
 */
int session_read(struct measurement *measured, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

/* The same from memory, compressed too; source stands for the path in errors. */
struct session_text {
	const char *text;
	size_t length;
	const char *source;
};
int session_read_text(struct measurement *measured, const struct session_text *text, struct arena *arena,
		      struct error *err) MUST_CHECK;

/*
 * What would be read of a measurement's session, and cut_by: a copy in another arena, whose numbers have lost the same
 * digits as those of a session. copy may be all zeros before.
 */
int session_copy(struct measurement *copy, const struct measurement *measured, struct arena *arena,
		 struct error *err) MUST_CHECK;

#endif
