/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_output.h - where the outcomes of a measurement, or of saved counts, are written: each interval as it comes,
 * then all of the time, in the form that was chosen. A page has intervals as plots.
 */
#ifndef TOPDOWN_COMMAND_PAGES_REPORT_OUTPUT_H
#define TOPDOWN_COMMAND_PAGES_REPORT_OUTPUT_H

#include "analyse/evaluate/report.h"
#include "command/jobs/output.h"
#include "engine/engine.h"
#include "present/document/render.h"
#include "present/explorer/explored.h"
#include "present/screen/screen.h"

struct timeline;

struct report_output {
	const struct output_choice *choice;
	FILE *otherwise;    /* without -o */
	const char *source; /* a folder in which source is looked for; NULL: nowhere else */
	struct arena *arena;
	struct output output;
	bool is_open;
	bool is_unread; /* it goes into a pipe whose reader has gone */
	struct page_content page;
	struct explored_sides explored; /* of the page */
	struct timeline *intervals;	/* of a page; NULL: each is a report of its own */
	bool joins_rows;		/* intervals with equal rows become one: all of them are there already */
	struct interval_row row;	/* the last one, which is not written yet */
};

/* -1 where the folder of sources (NULL: none) is for nothing, as without --annotate and without a page. */
int report_output_check_source(const struct output_choice *choice, const struct question *question,
			       struct error *err) MUST_CHECK;

/* What is borrowed stays as long as to; the file is opened when there is something to write. */
void report_output_init(struct report_output *to, const struct output_choice *choice, FILE *otherwise,
			struct arena *arena);

/*
 * While the measurement is as it was counted or read: keeps its session for a page. One that can't be kept is a
 * sentence of the page, and no error.
 */
void report_output_keep(struct report_output *to, const struct measurement *measured);

/*
 * Writes it, or keeps it for the page; the last one closes the file. -1 with err, and what was written is removed.
 */
int report_output_add(struct report_output *to, const struct outcome *outcome, struct error *err) MUST_CHECK;

#endif
