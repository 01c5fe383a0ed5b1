/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits_parts.h - what waits_document.c is made of. */
#ifndef TOPDOWN_PRESENT_WAITS_WAITS_PARTS_H
#define TOPDOWN_PRESENT_WAITS_WAITS_PARTS_H

#include "common/base/cells.h"
#include "common/waits/waits.h"
#include "present/document/document.h"

/* "worker (1234)" */
const char *waits_thread_text(const struct waiting_thread *thread, struct arena *arena);

/* ---- waits_locks.c ---- */

/* Locks that all threads together waited for, the longest first: waits, total, longest, and who ended most of it. */
void waits_add_locks(struct document *doc, const struct waits *waits);

/* How long threads were ready and had no CPU; with -v and on pages each thread's switches. */
void waits_add_ready(struct document *doc, const struct waits *waits);

#endif
