/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits_parts.h - what waits_document.c and waits_timeline.c are made of. */
#ifndef TOPDOWN_PRESENT_WAITS_WAITS_PARTS_H
#define TOPDOWN_PRESENT_WAITS_WAITS_PARTS_H

#include "common/base/cells.h"
#include "common/waits/waits.h"
#include "present/document/document.h"

/* "worker (1234)" */
const char *waits_thread_text(const struct waiting_thread *thread, struct arena *arena);

/* "Lock" */
const char *waits_title(enum wait_kind kind);

/* Has the table of threads this one? Its row's id is then WAIT_ROW and its number. */
bool waits_has_row(const struct waits *waits, size_t number);
#define WAIT_ROW "thread-"

/* ---- waits_intervals.c ---- */

/* The first thread's clock over time, where intervals were asked for. */
void waits_add_intervals(struct document *doc, const struct waits *waits);

/* ---- waits_locks.c ---- */

/* Locks that all threads together waited for, the longest first: waits, total, longest, and who ended most of it. */
void waits_add_locks(struct document *doc, const struct waits *waits);

/* How long threads were ready and had no CPU; with -v and on pages each thread's switches. */
void waits_add_ready(struct document *doc, const struct waits *waits);

#endif
