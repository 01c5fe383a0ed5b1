/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - counts in files: sessions ("topdown-session", everything that was counted, so that another machine can evaluate it
 * again) and flat counts ("topdown-counts", numbers from elsewhere). docs/ARCHITECTURE.md has the fields.
 */
#ifndef TOPDOWN_SESSION_H
#define TOPDOWN_SESSION_H

#include "base/arena.h"
#include "base/error.h"
#include "evaluate/counts.h"

int session_save(const char *path, const struct counts *counts, struct error *err) MUST_CHECK;

/*
 * Reads a session or flat counts ("-": standard input), told apart by "format". -1 for anything else, a truncated file, a
 * missing or mistyped field: err has file, line and column where the JSON itself is wrong, else the field.
 */
int session_read(struct counts *counts, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

#endif
