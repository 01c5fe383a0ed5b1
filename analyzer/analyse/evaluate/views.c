/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.c - other views of the report's rows: the bottleneck view, and the worst path alone. */
#include <math.h>
#include <stdlib.h>

#include "analyse/evaluate/evaluation.h"

/* Largest first; what has no value last, in the model's order. */
static int by_share(const void *a, const void *b)
{
	const struct result *left = ((const struct cause *)a)->result, *right = ((const struct cause *)b)->result;
	double first = isnan(left->value) ? -INFINITY : left->value;
	double second = isnan(right->value) ? -INFINITY : right->value;

	if (first > second || first < second)
		return first > second ? -1 : 1;
	return left->metric < right->metric ? -1 : left->metric > right->metric;
}

static void add_causes(struct evaluation *e, const struct result *results, size_t count)
{
	struct report *report = e->report;

	for (size_t i = 0; i < count; i++)
		if (e->selection.is_cause[results[i].metric - e->model->metrics])
			report->causes[report->ncauses++] = (struct cause){ .result = &results[i] };
}

static void views_rank(struct report *report, struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < report->ncauses; k++)
			if (report->causes[k].result == &results[i])
				results[i].rank = (unsigned)k + 1;
}

void causes_fill(struct evaluation *e)
{
	struct report *report = e->report;

	if (!e->selection.is_cause)
		return;
	report->causes = arena_array(e->arena, report->nnodes + report->nmetrics + 1, sizeof(*report->causes));
	add_causes(e, report->nodes, report->nnodes);
	add_causes(e, report->metrics, report->nmetrics);
	if (report->ncauses)
		qsort(report->causes, report->ncauses, sizeof(*report->causes), by_share);
	views_rank(report, report->nodes, report->nnodes);
	views_rank(report, report->metrics, report->nmetrics);
}

void keep_worst_path(struct evaluation *e)
{
	struct report *report = e->report;
	size_t count = 0;

	if (!report->worst && report->nnodes)
		note_add(e, "No node is over its threshold, so there is no worst path.");
	for (size_t i = 0; i < report->nnodes; i++) {
		if (!report->nodes[i].is_on_worst_path)
			continue;
		if (report->worst == &report->nodes[i])
			report->worst = &report->nodes[count];
		report->nodes[count++] = report->nodes[i];
	}
	report->nnodes = count;
	report->nmetrics = report->nevents = 0;
}
