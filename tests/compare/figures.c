/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.c - the statistics of comparisons, of numbers on standard input: a line for each case, "WHAT N M VALUE...",
 * with a line of figures as its answer. For statistics.py, which has scipy compute the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/compare/compare_internal.h"

struct values {
	struct two_series series;
	double *drawn, *scratch;
};

static double drawn_median(const double *values, const size_t *numbers, size_t count, const struct values *context)
{
	for (size_t i = 0; i < count; i++)
		context->drawn[i] = values[numbers[i]];
	return median(context->drawn, count, context->scratch);
}

static void ratio(double *figures, const struct resample *drawn, void *context)
{
	const struct values *values = context;

	figures[0] = drawn_median(values->series.after, drawn->after, drawn->nafter, values) /
		     drawn_median(values->series.before, drawn->before, drawn->nbefore, values);
}

static void print_interval(struct values *values, bool is_paired)
{
	const struct resampling from = { values->series.nbefore, values->series.nafter, is_paired };
	struct estimate estimate;

	bootstrap(&estimate, 1, &from, ratio, values);
	printf("%.17g %.17g %.17g\n", estimate.value, estimate.low, estimate.high);
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The first number is the share. */
static void print_quantile(const struct values *values)
{
	double *sorted = values->scratch;

	memcpy(sorted, values->series.after, values->series.nafter * sizeof(*sorted));
	qsort(sorted, values->series.nafter, sizeof(*sorted), compare_numbers);
	printf("%.17g %.17g\n", quantile(sorted, values->series.nafter, values->series.before[0]),
	       median(values->series.after, values->series.nafter, values->drawn));
}

static void print_holm(const struct values *values, struct arena *arena)
{
	double *adjusted = arena_array(arena, values->series.nafter, sizeof(*adjusted));

	holm_adjust(adjusted, values->series.after, values->series.nafter, arena);
	for (size_t i = 0; i < values->series.nafter; i++)
		printf("%.17g%c", adjusted[i], i + 1 < values->series.nafter ? ' ' : '\n');
}

static void answer(const char *what, struct values *values, struct arena *arena)
{
	if (!strcmp(what, "mann_whitney"))
		printf("%.17g\n", mann_whitney_p(&values->series, arena));
	else if (!strcmp(what, "signed_rank"))
		printf("%.17g\n", signed_rank_p(&values->series, arena));
	else if (!strcmp(what, "quantile"))
		print_quantile(values);
	else if (!strcmp(what, "holm"))
		print_holm(values, arena);
	else
		print_interval(values, !strcmp(what, "paired"));
}

int main(void)
{
	char what[32];
	size_t counts[2];

	while (scanf("%31s %zu %zu", what, &counts[0], &counts[1]) == 3) {
		struct values values;
		struct arena arena;
		double *numbers;

		arena_init(&arena);
		numbers = arena_array(&arena, counts[0] + counts[1] + 1, sizeof(*numbers));
		for (size_t i = 0; i < counts[0] + counts[1]; i++)
			if (scanf("%lf", &numbers[i]) != 1)
				return 1;
		values.series = (struct two_series){ numbers, numbers + counts[0], counts[0], counts[1] };
		values.drawn = arena_array(&arena, counts[0] + counts[1] + 1, sizeof(double));
		values.scratch = arena_array(&arena, counts[0] + counts[1] + 1, sizeof(double));
		answer(what, &values, &arena);
		arena_release(&arena);
	}
	return 0;
}
