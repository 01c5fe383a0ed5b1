/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - counts in files: sessions ("topdown-session", everything that was counted, so that another machine can
 * evaluate it again), flat counts ("topdown-counts", numbers from elsewhere), and what perf stat printed (perf_stat.h).
 * docs/ARCHITECTURE.md has the fields.
 */
#ifndef TOPDOWN_SESSION_H
#define TOPDOWN_SESSION_H

#include "base/arena.h"
#include "base/error.h"
#include "evaluate/counts.h"

/*
 * Replaces the file at once, so that it never has half of a session; "-", devices and pipes are written directly. NAN
 * becomes null. -1 when it can't be written; a file that was there before is then unchanged.
 */
int session_save(const char *path, const struct measurement *measured, struct error *err) MUST_CHECK;

/*
 * Reads a session, flat counts or perf stat's output ("-": standard input), told apart by their content; of the last,
 * parts[0].cpu is NULL. -1 for anything else, a truncated file, a missing or mistyped field: err has file, line and
 * column where the JSON itself is wrong, else the field.
 */
int session_read(struct measurement *measured, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

/* The same from memory; source stands for the path in errors. */
struct session_text {
	const char *text;
	size_t length;
	const char *source;
};
int session_read_text(struct measurement *measured, const struct session_text *text, struct arena *arena,
		      struct error *err) MUST_CHECK;

#endif
