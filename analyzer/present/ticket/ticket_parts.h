/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ticket_parts.h - a report in the structure that performance reports have, for a pull request or a ticket: what was
 * run, the tree with verdicts, hot functions, caches, branches, TLBs, the root cause, what to do, how to check it. Each
 * section is a function of its own, which a page may call too. One that has nothing says why in one line.
 */
#ifndef TOPDOWN_PRESENT_TICKET_TICKET_PARTS_H
#define TOPDOWN_PRESENT_TICKET_TICKET_PARTS_H

#include "analyse/evaluate/report.h"
#include "present/document/document.h"

/* A part of a set that the sections are about. */
struct ticket {
	const struct report_set *set;
	const struct report *report; /* NULL: nothing was counted, there are samples alone */
	unsigned level;		     /* of the sections' headings */
	bool has_verdict_above;	     /* the root cause has no heading, and does not begin with it */
};

/* One sentence: what limits the program, or why the tree does not say so. report: NULL as in struct ticket. */
const char *ticket_verdict(const struct report *report, struct arena *arena);
/* The part with most cycles, which says most of the program; the first one where none is known. */
const struct report *ticket_busiest(const struct report *parts, size_t count);
/* Is it a list of metrics that were asked for, which is a table and no story? */
bool ticket_is_list(const struct report_set *set);

/* What was run, where, when and how well, without a heading. */
void ticket_environment(struct document *doc, const struct report_set *set);
/* IPC and what it says, in one sentence; nothing where it was not counted. */
void ticket_speed(struct document *doc, const struct report *report);

/* All of it: struct view's form for Markdown. what is a struct report_set. */
void ticket_document(struct document *doc, const void *what);

/* The heading of a section. */
void ticket_heading(struct document *doc, const struct ticket *ticket, const char *text);

/* Functions by rank, with their modules and the nodes that cost each most. */
void ticket_hotspots(struct document *doc, const struct ticket *ticket);
/* Accesses, misses and ratio of each level. */
void ticket_caches(struct document *doc, const struct ticket *ticket);
void ticket_branches(struct document *doc, const struct ticket *ticket);
void ticket_tlbs(struct document *doc, const struct ticket *ticket);
/* Sentences about the worst path, its functions and lines, and figures beyond their bounds: what was measured only. */
void ticket_cause(struct document *doc, const struct ticket *ticket);
/* What to try, where, and which number should move then. */
void ticket_recommendations(struct document *doc, const struct ticket *ticket);
/* Commands that show whether a change helped. */
void ticket_validation(struct document *doc, const struct ticket *ticket);

/* Where the worst node, or time, mostly is; NULL: nobody knows. */
const struct where *ticket_where(const struct ticket *ticket);

#endif
