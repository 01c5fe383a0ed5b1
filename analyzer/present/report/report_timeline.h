/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_timeline.h - what the page of a measurement draws of its intervals and of its parts. */
#ifndef TOPDOWN_PRESENT_REPORT_REPORT_TIMELINE_H
#define TOPDOWN_PRESENT_REPORT_REPORT_TIMELINE_H

#include "analyse/evaluate/timeline.h"
#include "present/document/document.h"

/*
 * A section: level 1, IPC, clock and what was asked for over time; each part as one of many small plots; in folds every
 * node, and the numbers as a table. NULL, or no interval: nothing.
 */
void report_timeline(struct document *doc, const struct timeline *timeline);

/* Level 1 of each part as a bar. Parts without a tree have none; fewer than two bars: nothing. */
void report_part_bars(struct document *doc, const struct report *parts, size_t count);

#endif
