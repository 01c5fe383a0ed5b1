/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_page.h - a report as a page of HTML: what it says beyond the report's document, and its parts. */
#ifndef TOPDOWN_PRESENT_REPORT_REPORT_PAGE_H
#define TOPDOWN_PRESENT_REPORT_REPORT_PAGE_H

#include "analyse/evaluate/timeline.h"
#include "common/measurement/counts.h"
#include "present/document/document.h"
#include "present/report/report_fields.h"

/* ---- parts of the page, each of what there is of it; part is the report's number in its set ---- */

/* Of nodes and metrics: ids of their rows ("n0.17"), and of the cards that these open ("m0.17"). NULL: none. */
const char *page_row_id(const struct report_set *set, const struct report *report, const struct metric *metric,
			struct arena *arena);
/* NULL: it has no card. */
const char *page_card_id(const struct report_set *set, const struct metric *metric, const struct model *model,
			 struct arena *arena);

/* A card for each node and each measured metric: the glossary's words, formula, events, what to sample. */
void page_cards(struct document *doc, const struct report_set *set);

/* The tree as a picture: a row for each level, and widths by value. */
void page_icicle(struct document *doc, const struct report_set *set, const struct report *report);

/* "98 exact, 12 combined from several groups or runs, 4 not measured" */
const char *page_qualities(const struct report *report, struct arena *arena);

/* How it was measured: runs, groups, what is missing, the session. */
void page_record(struct document *doc, const struct report_set *set, const struct page_content *content);

/* ---- report_timeline.c ---- */

/* What the page of a measurement draws of its intervals and of its parts. */

/*
 * A section: level 1, IPC, clock and what was asked for over time; each part as one of many small plots; in folds every
 * node, and the numbers as a table. NULL, or no interval: nothing.
 */
void report_timeline(struct document *doc, const struct timeline *timeline);

/* Level 1 of each part as a bar. Parts without a tree have none; fewer than two bars: nothing. */
void report_part_bars(struct document *doc, const struct report *parts, size_t count);

#endif
