/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.c - the error of a simulation that modelled windows of the program in detail (--sim-sample), from sums over its windows. Values
 * are ratios of two such sums, so their variance is that of a ratio estimator (Cochran, Sampling Techniques, chapter 6), less what
 * was not left to chance because it was modelled.
 */
#include <math.h>
#include <string.h>

#include "evaluate/internal.h"

/* A sum over windows by its event's name; NAN: not counted. */
static double sum_of(const struct evaluation *e, const char *name, const char *suffix)
{
	const char *event = arena_printf(e->arena, "%s%s", name, suffix);

	for (size_t i = 0; i < e->counts->count; i++)
		if (!strcmp(e->counts->items[i].event, event))
			return e->counts->items[i].value;
	return NAN;
}

/* The sums of x and of y over n windows, of their squares and products; x / y is the value. */
struct ratio {
	double n, x, y, xx, xy, yy, modelled;
};

/* Half of the 95 % interval of x / y; NAN: not enough windows. */
static double ratio_error(const struct ratio *r)
{
	double value = r->x / r->y, residual = r->xx - 2 * value * r->xy + value * value * r->yy;
	double mean = r->y / r->n;

	if (!(r->n >= 2) || !(r->y > 0))
		return NAN;
	return student_t95((size_t)r->n - 1) *
	       sqrt(fmax(residual, 0) / (r->n * (r->n - 1)) * fmax(1 - r->modelled, 0)) / mean;
}

static void set_spread(struct statistics *spread, double n, double mean, double ci95)
{
	*spread = (struct statistics){ .n = (size_t)n, .mean = mean, .stddev = NAN, .ci95 = ci95 };
}

/* Level 1: shares of the slots. */
static void fill_part(struct evaluation *e, struct ratio ratio, const char *node, const char *sum)
{
	ratio.x = sum_of(e, sum, "");
	ratio.y = sum_of(e, "sample.slots", "");
	ratio.xx = sum_of(e, sum, "_squared");
	ratio.xy = sum_of(e, sum, "_slots");
	ratio.yy = sum_of(e, "sample.slots", "_squared");
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (!strcmp(e->model->metrics[i].name, node))
			set_spread(&e->results[i].spread, ratio.n, e->results[i].value, 100 * ratio_error(&ratio));
}

/* Cycles for each instruction; how many instructions there were is known. */
static void fill_cycles(struct evaluation *e, struct ratio ratio)
{
	struct summary *s = &e->report->summary;
	double relative;

	ratio.x = sum_of(e, "sample.slots", "");
	ratio.y = sum_of(e, "sample.instructions", "");
	ratio.xx = sum_of(e, "sample.slots", "_squared");
	ratio.xy = sum_of(e, "sample.slots", "_instructions");
	ratio.yy = sum_of(e, "sample.instructions", "_squared");
	relative = ratio_error(&ratio) * ratio.y / ratio.x;
	set_spread(&s->spread[FIGURE_CYCLES], ratio.n, s->cycles, s->cycles * relative);
	set_spread(&s->spread[FIGURE_IPC], ratio.n, s->ipc, s->ipc * relative);
}

void sampling_fill(struct evaluation *e)
{
	struct ratio ratio = { .n = sum_of(e, "sample.windows", "") };
	struct summary *s = &e->report->summary;

	if (!e->model->is_simulated)
		return;
	ratio.modelled = sum_of(e, "inst.modelled", "") / sum_of(e, "inst.retired", "");
	/* Older sessions, and a whole simulation. */
	if (!(ratio.modelled < 1))
		return;
	s->is_sampled = true;
	s->modelled = ratio.modelled;
	s->windows = ratio.n > 0 ? (size_t)ratio.n : 0;
	fill_part(e, ratio, "tma_retiring", "sample.retiring");
	fill_part(e, ratio, "tma_bad_speculation", "sample.speculation");
	fill_part(e, ratio, "tma_frontend_bound", "sample.frontend");
	fill_part(e, ratio, "tma_backend_bound", "sample.backend");
	fill_cycles(e, ratio);
}
