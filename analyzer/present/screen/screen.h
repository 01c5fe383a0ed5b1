/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - a report as short as a terminal likes it: the answer, the tree with a line of key, where, what to try, the
 * next command, what was run. -v, Markdown and pages have sections instead (report_sections.h).
 */
#ifndef TOPDOWN_PRESENT_SCREEN_SCREEN_H
#define TOPDOWN_PRESENT_SCREEN_SCREEN_H

#include "analyse/evaluate/report.h"
#include "present/document/document.h"

/* Text without -v: only what matters is shown. */
static inline bool is_screen(const struct document *doc)
{
	return doc->style->format == FORMAT_TEXT && !doc->style->is_verbose && !doc->is_page && !doc->window;
}

/* ---- screen_tree.c ---- */

struct screen_tree {
	const struct report *report;
	const bool *shown;			/* [report->nnodes] */
	size_t hidden_below, hidden_unmeasured; /* nodes that are not shown, by why */
	bool has_unjudged;			/* a node that is shown may be a bottleneck, or not */
};

/* What all nodes that are shown have in common, and no row repeats: the unit, the quality. NULL: they differ. */
const char *screen_common_unit(const struct screen_tree *tree, struct arena *arena);
const char *screen_common_quality(const struct screen_tree *tree, struct arena *arena);

/* "% of slots, exact; ! over the vendor's thresholds; 29 more nodes: -v" */
void screen_tree_key(struct document *doc, const struct screen_tree *tree);

/* ---- screen_interval.c ---- */

/* An interval of one part as a line, below heads where it is the first; false: it has to be shown whole. */
bool screen_interval(struct document *doc, const struct report_set *set);

/* The same where all intervals are there: those that follow each other with the same values are one row. */
struct interval_row {
	const char *heads;  /* above the first row; NULL: it is not the first */
	const char *values; /* behind the time */
	double from_s, to_s;
	size_t count; /* intervals; 0: there is no row */
};

/* False: it has to be shown whole. */
bool interval_row_make(struct interval_row *row, const struct report_set *set, struct arena *arena);

/* False: its values are others, and the row stays. */
bool interval_row_join(struct interval_row *row, const struct interval_row *next);
void interval_row_print(FILE *out, const struct interval_row *row, const struct style *style, struct arena *arena);

/* ---- screen_end.c: below a tree ---- */

/* Which of its lines a part has: not those that stand below another part. */
struct screen_end {
	bool has_advice, has_next;
};
void screen_end(struct document *doc, const struct report_set *set, const struct report *report,
		const struct screen_end *which);

/* The next command alone. */
void screen_next(struct document *doc, const struct report *report);

/* What was run and how, in a dim line or two. */
void screen_run(struct document *doc, const struct report_set *set);

/* The same below tables of samples: modules, the command that counts the same program, how it was sampled. */
void screen_sampled(struct document *doc, const struct report_set *set);

/* The same in a sentence, of a native run behind which more is to come: its time, where that went, in which modules. */
const char *screen_native(const struct report_set *set, struct arena *arena);

/* ---- screen_brief.c ---- */

/* The same as JSON: struct view's brief of a struct report_set. */
void report_brief(struct json_writer *writer, const void *what, struct arena *arena);

#endif
