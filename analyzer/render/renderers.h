/* SPDX-License-Identifier: GPL-2.0-or-later */
/* renderers.h - the rows of the dispatch table in render.c, one file each; render.c checks the stream after them. */
#ifndef TOPDOWN_RENDERERS_H
#define TOPDOWN_RENDERERS_H

#include <math.h>

#include "render/page.h"

int reports_text(const struct page *page, const struct report_set *set, struct error *err);
int reports_json(const struct page *page, const struct report_set *set, struct error *err);
int reports_csv(const struct page *page, const struct report_set *set, struct error *err);
int reports_markdown(const struct page *page, const struct report_set *set, struct error *err);

/* Is it an interval, of which only the numbers are told? */
static inline bool is_interval(const struct report_set *set)
{
	return !isnan(set->from_s);
}

/* "2.000 s, cpu_atom": what stands above a part; "" for all of a measurement that is not divided. */
const char *part_heading(const struct page *page, const struct report_set *set, const struct report *part);

/* A plan with the model whose events and metrics it names. */
struct planned {
	const struct plan *plan;
	const struct model *model;
	const char *part; /* as in struct plan_part */
	size_t *firsts;	  /* [event]: the first group that counts it; NO_PLAN_GROUP: none does */
	size_t *holders;  /* [event]: how many groups count it */
	size_t *homes;	  /* [metric]: the group that has all it reads, or NO_PLAN_GROUP */
};
#define NO_PLAN_GROUP SIZE_MAX

/* Of each type of cores; their groups are counted in the same runs. */
struct planned_set {
	const struct planned *parts;
	size_t count;
};

int plans_text(const struct page *page, const struct planned_set *set, struct error *err);
int plans_json(const struct page *page, const struct planned_set *set, struct error *err);
int plans_csv(const struct page *page, const struct planned_set *set, struct error *err);
int plans_markdown(const struct page *page, const struct planned_set *set, struct error *err);

/* Parts of the text report. */
/* The lines that say the same of all parts, or those in which the part differs. */
void text_head_common(const struct page *page, const struct report_set *set);
void text_head_part(const struct page *page, const struct report_set *set, const struct report *report);
void text_tree(const struct page *page, const struct report *report);
void text_metrics(const struct page *page, const struct report *report);
void text_lines(const struct page *page, const struct report *report);

#endif
