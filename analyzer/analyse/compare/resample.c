/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct estimate estimate_alone(double value)
{
	return (struct estimate){ value, NAN, NAN };
}

struct estimate estimate_exact(double value)
{
	return (struct estimate){ value, value, value };
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double quantile(const double *sorted, size_t count, double share)
{
	double at = share * (double)(count ? count - 1 : 0), below = floor(at);
	size_t first = (size_t)below;

	if (!count)
		return NAN;
	if (first + 1 >= count)
		return sorted[count - 1];
	return sorted[first] + (at - below) * (sorted[first + 1] - sorted[first]);
}

#define FEW 24 /* are sorted faster by insertion */

static void sort_numbers(double *values, size_t count)
{
	if (count > FEW) {
		qsort(values, count, sizeof(*values), compare_numbers);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t k = i;

		for (; k > 0 && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

double median(const double *values, size_t count, double *scratch)
{
	if (count)
		memcpy(scratch, values, count * sizeof(*values));
	sort_numbers(scratch, count);
	return quantile(scratch, count, 0.5);
}

/* splitmix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void resample_draw(size_t *numbers, size_t count, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = next_random(state) % count;
}

static void draw_both(struct resample *drawn, bool is_paired, uint64_t *state)
{
	resample_draw(drawn->before, drawn->nbefore, state);
	if (is_paired)
		memcpy(drawn->after, drawn->before, drawn->nafter * sizeof(*drawn->after));
	else
		resample_draw(drawn->after, drawn->nafter, state);
}

/* All of them, once. */
static void draw_all(struct resample *drawn)
{
	for (size_t i = 0; i < drawn->nbefore; i++)
		drawn->before[i] = i;
	for (size_t i = 0; i < drawn->nafter; i++)
		drawn->after[i] = i;
}

static void take_interval(struct estimate *estimate, double *values)
{
	size_t known = 0;

	for (size_t i = 0; i < RESAMPLES; i++)
		if (!isnan(values[i]))
			values[known++] = values[i];
	if (known < RESAMPLES)
		return;
	qsort(values, known, sizeof(*values), compare_numbers);
	estimate->low = quantile(values, known, 0.025);
	estimate->high = quantile(values, known, 0.975);
}

void bootstrap(struct estimate *estimates, size_t nfigures, const struct resampling *from, figures_of *figures,
	       void *context)
{
	struct resample drawn = { .nbefore = from->nbefore, .nafter = from->nafter };
	uint64_t state = 20170917;
	double *made, *one;
	struct arena arena;

	arena_init(&arena);
	drawn.before = arena_array(&arena, from->nbefore + 1, sizeof(*drawn.before));
	drawn.after = arena_array(&arena, from->nafter + 1, sizeof(*drawn.after));
	made = arena_array(&arena, nfigures * RESAMPLES + 1, sizeof(*made));
	one = arena_array(&arena, nfigures + 1, sizeof(*one));
	draw_all(&drawn);
	figures(one, &drawn, context);
	for (size_t i = 0; i < nfigures; i++)
		estimates[i] = estimate_alone(one[i]);
	for (size_t r = 0; r < RESAMPLES && from->nbefore > 1 && from->nafter > 1; r++) {
		draw_both(&drawn, from->is_paired, &state);
		figures(one, &drawn, context);
		for (size_t i = 0; i < nfigures; i++)
			made[i * RESAMPLES + r] = one[i];
	}
	for (size_t i = 0; i < nfigures && from->nbefore > 1 && from->nafter > 1; i++)
		take_interval(&estimates[i], made + i * RESAMPLES);
	arena_release(&arena);
}
