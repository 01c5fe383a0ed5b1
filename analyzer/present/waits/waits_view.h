/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits_view.h - the wall clock of threads, for people and machines. waits NULL: nobody asked, and nothing is said. */
#ifndef TOPDOWN_PRESENT_WAITS_WAITS_VIEW_H
#define TOPDOWN_PRESENT_WAITS_WAITS_VIEW_H

#include "analyse/evaluate/report.h"
#include "common/waits/waits.h"
#include "present/document/data.h"

struct explored;

/* The answer, the main thread's clock as a tree, the threads, what is uncertain. report: whose tree is Running's. */
void waits_add(struct document *doc, const struct waits *waits, const struct report *report);

/* Of pages: a bar and a timeline of each of the busiest threads. explored: where a while of it leads; NULL: nowhere. */
void waits_timeline(struct document *doc, const struct waits *waits, const struct explored *explored);

bool are_waits_known(const struct waits *waits);

/* Of waits that are known: "prog waited 62.1 % of its 2.3 s, mostly for lock: big_lock." */
const char *waits_answer(const struct waits *waits, struct arena *arena);

/* Where nobody asked: a program waited so much of its time, from 0 to 1; 0: nothing is said. */
void waits_hint(struct document *doc, double share);

/* The member "wall" of the object that is open. */
void waits_json(struct json_writer *writer, const struct waits *waits, struct arena *arena);

/* "lock big_lock": what it waited for longest; NULL: for nothing. */
const char *waits_mostly(const struct waiting_thread *thread, struct arena *arena);

#endif
