/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeats.c - the same measured several times: each for itself, then the mean of each value with its spread. Thresholds are
 * judged on the mean, which is the number that is shown.
 */
#include <math.h>

#include "evaluate/internal.h"

static size_t count_repeats(const struct counts *counts)
{
	size_t count = 0;

	for (; counts; counts = counts->again)
		count++;
	return count;
}

struct statistics repeats_statistics(const struct evaluation *e, double (*value)(const struct evaluation *e, size_t of),
				     size_t of)
{
	double *values = arena_array(e->arena, e->nrepeats, sizeof(*values));

	for (size_t i = 0; i < e->nrepeats; i++)
		values[i] = value(&e->repeats[i], of);
	return statistics_of(values, e->nrepeats);
}

static double shown_value(const struct evaluation *e, size_t metric)
{
	return e->results[metric].value;
}

static double raw_value(const struct evaluation *e, size_t metric)
{
	return e->results[metric].raw;
}

static double unscaled_value(const struct evaluation *e, size_t metric)
{
	return e->unscaled[metric];
}

/* As good as the worst of those that measured it. */
static void take_quality(const struct evaluation *e, struct result *result, size_t metric)
{
	result->quality = QUALITY_NONE;
	result->running = NAN;
	for (size_t i = 0; i < e->nrepeats; i++) {
		const struct result *one = &e->repeats[i].results[metric];

		result->running = fmin(result->running, one->running);
		if (one->quality == QUALITY_NONE)
			continue;
		if (result->quality == QUALITY_NONE || one->quality > result->quality)
			result->quality = one->quality;
	}
}

static void take_means(struct evaluation *e)
{
	struct result *means = arena_array(e->arena, e->model->count + 1, sizeof(*means));
	double *unscaled = arena_array(e->arena, e->model->count + 1, sizeof(*unscaled));

	for (size_t i = 0; i < e->model->count; i++) {
		means[i] = e->results[i];
		means[i].spread = repeats_statistics(e, shown_value, i);
		means[i].value = means[i].spread.mean;
		means[i].raw = repeats_statistics(e, raw_value, i).mean;
		unscaled[i] = repeats_statistics(e, unscaled_value, i).mean;
		take_quality(e, &means[i], i);
	}
	e->results = means;
	e->unscaled = unscaled;
}

/* The only measurement is the mean of all. */
static void take_only(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->count; i++)
		e->results[i].spread = statistics_of(&e->results[i].value, 1);
}

void repeats_fill(struct evaluation *e)
{
	const struct counts *counts = e->counts;

	e->nrepeats = count_repeats(counts);
	e->repeats = arena_array(e->arena, e->nrepeats, sizeof(*e->repeats));
	for (size_t i = 0; i < e->nrepeats; i++, counts = counts->again) {
		e->repeats[i] = *e;
		e->repeats[i].counts = counts;
		if (i == 0)
			continue;
		contexts_fill(&e->repeats[i]);
		results_fill(&e->repeats[i]);
	}
	if (e->nrepeats > 1)
		take_means(e);
	else
		take_only(e);
}
