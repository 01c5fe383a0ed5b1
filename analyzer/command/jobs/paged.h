/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paged.h - what a page of HTML has beside the report: the words about all nodes, and the session. */
#ifndef TOPDOWN_COMMAND_JOBS_PAGED_H
#define TOPDOWN_COMMAND_JOBS_PAGED_H

#include "analyse/evaluate/report.h"
#include "present/document/render.h"
#include "present/report/report_page.h"

/*
 * To be called while the measurement is as it was counted or read: keeps its session for a page that is asked for. A
 * session that can't be kept is a sentence of the page, and no error.
 */
void paged_keep(struct page_facts *page, const struct measurement *measured, enum format format, struct arena *arena);

/* When the reports are there: lends them page, filled. Nothing where no page is asked for. */
void paged_lend(struct report_set *reports, struct page_facts *page, const struct measurement *measured,
		enum format format, struct arena *arena);

#endif
