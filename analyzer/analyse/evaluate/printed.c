/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printed.c - nodes whose events were not counted, but whose percentage perf stat printed: its own value, shown as
 * such, and what speaks against it.
 */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

/*
 * Instructions per cycle that cannot be of so small a share of the slots: no core has more slots than these, and of
 * two instructions that are one operation (compare and branch) each slot retires at most two.
 */
#define MOST_SLOTS	 10
#define PER_SLOT	 2
#define PRINTED_ROUNDING 0.5 /* points: perf prints one digit, or none */

/* perf's name is the model's, or without its prefix: "Backend_Bound" for tma_backend_bound. */
static bool is_name_of(const char *name, const struct metric *metric)
{
	return is_same_name(name, metric->name) || is_same_name(name, metric->title);
}

/* The last of them: of copies perf prints the same. */
static const struct printed *find_printed(const struct evaluation *e, const struct metric *metric)
{
	const struct printed *found = NULL;

	for (size_t i = 0; i < e->repeat->nprinted; i++)
		if (is_name_of(e->repeat->printed[i].name, metric))
			found = &e->repeat->printed[i];
	return found;
}

void printed_take(struct evaluation *e)
{
	for (size_t i = 0; e->repeat->nprinted && i < e->model->nnodes; i++) {
		struct result *result = &e->results[i];
		const struct printed *printed = find_printed(e, result->metric);

		if (!printed || isnan(printed->percent) || result->quality != QUALITY_NONE ||
		    strcmp(result->metric->unit, "%") != 0)
			continue;
		result->raw = printed->percent;
		result->value = fmin(fmax(printed->percent, 0), 100);
		result->quality = QUALITY_PRINTED;
		e->unscaled[i] = printed->percent / result->metric->scale;
	}
}

const char *printed_reason(const struct evaluation *e, const struct metric *metric)
{
	const struct printed *printed = find_printed(e, metric);

	return printed && isnan(printed->percent) ? "; perf stat printed nan" : "";
}

static bool is_printed_retiring(const struct result *result)
{
	return result->quality == QUALITY_PRINTED && result->metric->level == 1 &&
	       is_same_name(result->metric->title, "Retiring");
}

/* What retires takes slots. */
static void doubt_retiring(struct evaluation *e, const struct result *result)
{
	double ipc = e->report->summary.ipc, least = 100 * ipc / (MOST_SLOTS * PER_SLOT);

	if (least > result->raw + PRINTED_ROUNDING)
		note_add(e,
			 "perf stat printed %.1f %% for %s, which cannot be at %.2f instructions per cycle: what it "
			 "printed for level 1 is wrong.",
			 result->raw, result->metric->title, ipc);
}

void note_printed(struct evaluation *e)
{
	const char *missing = NULL;
	size_t count = 0;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *result = &e->results[i];

		if (result->quality != QUALITY_PRINTED || !e->shown[i])
			continue;
		count++;
		if (is_printed_retiring(result))
			doubt_retiring(e, result);
		for (size_t k = 0; !missing && k < result->metric->nevents; k++)
			if (isnan(e->contexts[e->repeat->ngroups].events[result->metric->events[k]]))
				missing = e->model->events.events[result->metric->events[k]].name;
	}
	if (count)
		note_add(e,
			 "Printed by perf stat, not recomputed: %zu %s. The events are not among these counts%s%s; "
			 "`topdown plan {format} perf {cpu} CPU` prints what to run instead.",
			 count, count == 1 ? "node" : "nodes", missing ? ", such as " : "", missing ? missing : "");
}
