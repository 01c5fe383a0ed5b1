/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explored_time.c - the intervals of what is explored: which node had how much when, and in which phases. */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/timeline.h"
#include "present/explorer/explored.h"
#include "store/history/trend.h"

const struct timeline_row *explored_series(const struct explored *explored, size_t node)
{
	const struct timeline *timeline = explored->timeline;
	const struct timeline_part *part = timeline && timeline->nparts ? &timeline->parts[0] : NULL;

	for (size_t i = 0; part && i < part->nrows; i++)
		if (part->rows[i].kind == TIMELINE_NODE &&
		    !strcmp(part->rows[i].name, explored->subject->nodes[node].name))
			return &part->rows[i];
	return NULL;
}

double explored_weight(const struct explored *explored, size_t point)
{
	const struct timeline *timeline = explored->timeline;

	if (!timeline)
		return explored->moments[point][1] - explored->moments[point][0];
	return timeline->cycles[point] > 0 ? timeline->cycles[point] : timeline->to_s[point] - timeline->from_s[point];
}

size_t explored_moments(const struct explored *explored)
{
	return explored->timeline ? explored->timeline->npoints : explored->nmoments;
}

double explored_moment(const struct explored *explored, size_t moment, int end)
{
	const struct timeline *timeline = explored->timeline;

	return timeline ? (end ? timeline->to_s : timeline->from_s)[moment] : explored->moments[moment][end];
}

bool explored_span(const struct explored *explored, double from_s, double to_s, size_t span[2])
{
	size_t count = explored_moments(explored);
	bool has_any = false;

	for (size_t i = 0; count > 1 && i < count; i++) {
		double begin = explored_moment(explored, i, 0), end = explored_moment(explored, i, 1);
		double middle = (begin + end) / 2, wanted = (from_s + to_s) / 2;

		if ((middle < from_s || middle > to_s) && (wanted < begin || wanted > end))
			continue;
		span[0] = has_any ? span[0] : i;
		span[1] = i;
		has_any = true;
	}
	return has_any;
}

double explored_mean(const struct explored *explored, size_t node, size_t from, size_t to)
{
	const struct timeline_row *row = explored_series(explored, node);
	double sum = 0, weight = 0;

	for (size_t i = from; row && i <= to; i++) {
		double mean = timeline_mean(row, i);

		if (!isfinite(mean))
			continue;
		sum += mean * explored_weight(explored, i);
		weight += explored_weight(explored, i);
	}
	return weight > 0 ? sum / weight : NOT_COUNTED;
}

/* ---- phases ---- */

/*
 * One begins where the mean of a level-1 node, or of a function, changes by so many percent points, and by that part of
 * itself.
 */
static const struct change_rule phase_rule = {
	.window = CHANGE_WINDOW, .most_p = CHANGE_P, .segment = CHANGE_SEGMENT, .relative = 0.05, .absolute = 3
};

/* Marks the points at which one begins; those that were not measured have the value before them. */
static void find_phases(double *values, size_t count, bool *begins, struct arena *arena)
{
	struct change_point *points;
	double last = 0;
	size_t npoints;

	for (size_t i = 0; i < count; i++)
		values[i] = last = isfinite(values[i]) ? values[i] : last;
	npoints = change_points(&points, values, count, &phase_rule, arena);
	for (size_t i = 0; i < npoints; i++)
		begins[points[i].index] = true;
}

static void find_node_phases(const struct explored *explored, size_t count, bool *begins, struct arena *arena)
{
	double *values = arena_array(arena, count + 1, sizeof(*values));

	for (size_t i = 0; i < explored->subject->nnodes; i++) {
		const struct timeline_row *row =
			explored->subject->nodes[i].level == 1 ? explored_series(explored, i) : NULL;

		for (size_t k = 0; row && k < count; k++)
			values[k] = timeline_mean(row, k);
		if (row)
			find_phases(values, count, begins, arena);
	}
}

#define PHASE_FUNCTIONS 5 /* whose parts of the moments make phases: the largest */

/* Of samples: what the largest functions have of each moment. */
static void find_function_phases(const struct explored *explored, size_t count, bool *begins, struct arena *arena)
{
	double *values = arena_array(arena, count + 1, sizeof(*values));

	for (size_t i = 0; i < explored->nfunctions && i < PHASE_FUNCTIONS; i++) {
		double *all = arena_array(arena, count + 1, sizeof(*all));

		memset(values, 0, count * sizeof(*values));
		for (uint32_t k = 0; k < explored->nparts; k++) {
			const struct explored_part *part = &explored->parts[k];

			all[part->moment] += part->values[EXPLORED_BASE];
			if (explored->calls[part->call].function == explored->functions[i].number)
				values[part->moment] += part->values[EXPLORED_BASE];
		}
		for (size_t k = 0; k < count; k++)
			values[k] = all[k] > 0 ? 100 * values[k] / all[k] : NOT_COUNTED;
		find_phases(values, count, begins, arena);
	}
}

/* Several nodes change at about the same time, which is one change. */
void explored_fill_phases(struct explored *explored, struct arena *arena)
{
	size_t count = explored_moments(explored);
	bool *begins = arena_array(arena, count + 1, sizeof(*begins));

	if (count < 2)
		return;
	if (explored->timeline)
		find_node_phases(explored, count, begins, arena);
	else
		find_function_phases(explored, count, begins, arena);
	explored->phases = arena_array(arena, count, sizeof(*explored->phases));
	explored->phases[explored->nphases++] = 0;
	for (size_t i = CHANGE_SEGMENT; i < count; i++)
		if (begins[i] && i - explored->phases[explored->nphases - 1] >= CHANGE_SEGMENT)
			explored->phases[explored->nphases++] = i;
}
