/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sections.h - sections that a report has for a pull request or a ticket (Markdown) and as a page: what was run,
 * hot functions, caches, branches, TLBs, the root cause, what to do, how to check it. One that has nothing says why in
 * one line.
 */
#ifndef TOPDOWN_PRESENT_REPORT_REPORT_SECTIONS_H
#define TOPDOWN_PRESENT_REPORT_REPORT_SECTIONS_H

#include "analyse/evaluate/report.h"
#include "present/document/document.h"

/* A part of a set that the sections are about. */
struct where_row;
struct report_part {
	const struct report_set *set;
	const struct report *report; /* NULL: nothing was counted, there are samples alone */
	unsigned level;		     /* of the sections' headings */
};

/* Of the parts of a set: those that share a table, and each of the others. */
struct report_selection {
	void (*many)(struct document *doc, const struct report_set *set, size_t first, size_t count);
	void (*one)(struct document *doc, const struct report_set *set, const struct report *report);
};
void report_each(struct document *doc, const struct report_set *set, const struct report_selection *selection);

/* All of it for a ticket: struct view's form for Markdown. what is a struct report_set. */
void report_ticket(struct document *doc, const void *what);

/* The part with most cycles, which says most of the program; the first one where none is known. */
const struct report *report_busiest(const struct report *parts, size_t count);
/* Is it a list of metrics that were asked for, which is a table and no story? */
bool report_is_list(const struct report_set *set);

/* ---- sections; those with a part have a heading ---- */

void report_heading(struct document *doc, const struct report_part *part, const char *text);

/* What was run, where, when and how well. */
void report_environment(struct document *doc, const struct report_set *set);
/* IPC and what it says, in one sentence; nothing where it was not counted. */
void report_speed(struct document *doc, const struct report *report);
/* Functions by rank, with their modules and the nodes that cost each most. */
void report_hotspots(struct document *doc, const struct report_part *part);
/* Accesses, misses and ratio of each level; then figures, a row each. */
void report_caches(struct document *doc, const struct report_part *part);
void report_branches(struct document *doc, const struct report_part *part);
void report_tlbs(struct document *doc, const struct report_part *part);
/* One sentence: what limits the program, or why the tree does not say so. report: NULL as in struct report_part. */
const char *report_verdict(const struct report_set *set, const struct report *report, struct arena *arena);
/* How sure that is; "" where there is nothing to be sure of. */
const char *report_trust(const struct report_set *set, const struct report *report, struct arena *arena);
/* Both as a sentence; part: whose; NULL: there is one part only. */
void report_answer(struct document *doc, const struct report_set *set, const struct report *report, const char *part);
/* The same, as the report's first sentence: of several parts the busiest's. Intervals and a live screen have none. */
void report_answer_first(struct document *doc, const struct report_set *set);
/* "Memory_Bound (54.7 % slots)"; "chase.c:38"; a row's function, named or not. */
const char *report_node_text(const struct result *node, struct arena *arena);
const char *report_line_text(struct arena *arena, const struct where_row *row);
const char *report_function_name(const struct where_row *row);
/* The verdict, and sentences about it. */
void report_root_cause(struct document *doc, const struct report_part *part);
/* Those alone: the worst path, its functions and lines, figures beyond their bounds. It has no heading. */
void report_cause(struct document *doc, const struct report_part *part);
/* What to try, where, and which number should move then. */
void report_recommendations(struct document *doc, const struct report_part *part);
/* That it read its standard input, which no command has; nothing where it did not. */
void report_input(struct document *doc, const struct report *report);
/* Commands that show whether a change helped. */
void report_validation(struct document *doc, const struct report_part *part);

/* Where the worst node, or time, mostly is; NULL: nobody knows. */
const struct where *report_where(const struct report_set *set);

#endif
