/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - the tree as it is shown: which nodes, in which order, behind which lines; the same for text and Markdown. */
#ifndef TOPDOWN_VIEW_H
#define TOPDOWN_VIEW_H

#include "evaluate/report.h"
#include "render/page.h"

struct view_row {
	const struct result *node;
	size_t depth;
	const char *stem;  /* the tree's lines before the title */
	const char *trail; /* the same on further lines of the row */
};

struct view {
	struct view_row *rows;
	size_t count;
	size_t hidden_below, hidden_unmeasured; /* nodes that are not shown, by why */
	bool has_unjudged;			/* a node that is shown may be a bottleneck, or not */
};

void view_build(struct view *view, const struct report *report, const struct page *page);

bool is_measured(const struct result *result);
/* Nothing says that this node matters: it is below its threshold, or not measured. */
bool is_faint(const struct result *result);
/* "scaled 66%", "runs" ...; "" when there is nothing to say. */
const char *view_mark(const struct page *page, const struct result *result);

/* "--nodes 'Memory_Bound^' --metrics 'IPC'": the options that chose what the report has; "" when it was the level. */
const char *view_asked(const struct page *page, const struct select_request *asked);

/*
 * Metrics that nothing could have measured here, by the reason that they share: "Not here, needs uncore_imc: A, B" of the
 * first and all others that told does not mark yet; marks them.
 */
const char *view_failed(const struct page *page, const struct report *report, size_t first, bool *told);

/* "9.8 % of the instructions modelled in detail, in 120 windows" */
const char *view_sampling(const struct page *page, const struct report *report);

/* "±0.8", the 95 % interval of the mean of repeats, or of a sampled simulation; "" when there was one. */
const char *view_spread(const struct page *page, const struct result *result);

/* " ±1.2 %" of the mean of repeats; "" when there was one. */
const char *view_figure_spread(const struct page *page, const struct summary *summary, enum figure figure);

/* "1.2 G cycles modelled, 1.1 G measured natively ...", or why nothing is; "" where nobody asked. */
const char *view_anchor(const struct page *page, const struct report *report);
/* What stands before the tree where these two are far from each other; else "". */
const char *view_anchor_warning(const struct page *page, const struct report *report);

/* Is the metric a member of the group? */
bool is_in_group(const struct metric *metric, const char *group);

#endif
