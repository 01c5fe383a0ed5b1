/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/compare/compare_internal.h"

#include <math.h>
#include <stdlib.h>

/* A value and which series it is of. */
struct ranked {
	double value;
	size_t index;
	size_t rank; /* doubled, so that the mean rank of ties is whole */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Ranks of values, in the order of the values. Returns the sum of (t^3 - t) over the ties of t values. */
static double rank_values(struct ranked *items, size_t count)
{
	double ties = 0;

	qsort(items, count, sizeof(*items), compare_ranked);
	for (size_t first = 0; first < count;) {
		size_t end = first;
		double t;

		while (end < count && items[end].value <= items[first].value)
			end++;
		for (size_t i = first; i < end; i++)
			items[i].rank = first + end + 1;
		t = (double)(end - first);
		ties += t * t * t - t;
		first = end;
	}
	return ties;
}

/* Of ways[sum], the number of ways in which ranks add up to the sum. */
struct tails {
	double below, above, all; /* sums up to the seen one, from it on, and all */
};

static struct tails add_tails(const double *ways, size_t most, size_t seen)
{
	struct tails tails = { 0 };

	for (size_t sum = 0; sum <= most; sum++) {
		tails.all += ways[sum];
		tails.below += sum <= seen ? ways[sum] : 0;
		tails.above += sum >= seen ? ways[sum] : 0;
	}
	return tails;
}

static double two_sided(struct tails tails)
{
	return fmin(1, 2 * fmin(tails.below, tails.above) / tails.all);
}

/* The number of ways in which `chosen` of the ranks have each sum; row k of the table has the ways of k ranks. */
static double subsets_p(const struct ranked *items, size_t count, size_t chosen, size_t seen, struct arena *arena)
{
	size_t most = count * (count + 1), width = most + 1, sum = 0;
	double *ways = arena_array(arena, (chosen + 1) * width, sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < count; i++) {
		sum += items[i].rank;
		for (size_t k = chosen < i + 1 ? chosen : i + 1; k > 0; k--)
			for (size_t s = sum + 1; s-- > items[i].rank;)
				ways[k * width + s] += ways[(k - 1) * width + s - items[i].rank];
	}
	return two_sided(add_tails(ways + chosen * width, most, seen));
}

/* As scipy.stats.mannwhitneyu with method "asymptotic" has it. */
static double normal_p(const struct two_series *series, double sum, double ties)
{
	double m = (double)series->nbefore, n = (double)series->nafter, all = m + n;
	double u = sum - m * (m + 1) / 2, mean = m * n / 2;
	double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));

	if (!(variance > 0))
		return 1;
	return fmin(1, erfc((fmax(u, m * n - u) - mean - 0.5) / sqrt(variance) / sqrt(2)));
}

double mann_whitney_p(const struct two_series *series, struct arena *arena)
{
	size_t count = series->nbefore + series->nafter, sum = 0;
	struct ranked *items = arena_array(arena, count + 1, sizeof(*items));
	double ties;

	if (!series->nbefore || !series->nafter)
		return NAN;
	for (size_t i = 0; i < count; i++)
		items[i] =
			(struct ranked){ i < series->nbefore ? series->before[i] : series->after[i - series->nbefore],
					 i, 0 };
	ties = rank_values(items, count);
	for (size_t i = 0; i < count; i++)
		sum += items[i].index < series->nbefore ? items[i].rank : 0;
	if (count > EXACT_RANKS)
		return normal_p(series, (double)sum / 2, ties);
	return subsets_p(items, count, series->nbefore, sum, arena);
}

/* Any number of the ranks may be those of positive differences. */
static double signs_p(const struct ranked *items, size_t count, size_t seen, struct arena *arena)
{
	size_t most = count * (count + 1);
	double *ways = arena_array(arena, most + 1, sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t s = most + 1; s-- > items[i].rank;)
			ways[s] += ways[s - items[i].rank];
	return two_sided(add_tails(ways, most, seen));
}

double signed_rank_p(const struct two_series *pairs, struct arena *arena)
{
	struct ranked *items = arena_array(arena, pairs->nbefore + 1, sizeof(*items));
	size_t count = 0, sum = 0;
	double ties, mean, variance;

	for (size_t i = 0; i < pairs->nbefore; i++) {
		double difference = pairs->after[i] - pairs->before[i];

		if (difference > 0 || difference < 0)
			items[count++] = (struct ranked){ fabs(difference), difference > 0, 0 };
	}
	if (!count)
		return pairs->nbefore ? 1 : NAN;
	ties = rank_values(items, count);
	for (size_t i = 0; i < count; i++)
		sum += items[i].index ? items[i].rank : 0;
	if (count <= EXACT_RANKS)
		return signs_p(items, count, sum, arena);
	mean = (double)(count * (count + 1)) / 4;
	variance = (double)(count * (count + 1) * (2 * count + 1)) / 24 - ties / 48;
	return erfc(fmax(0, fabs((double)sum / 2 - mean) - 0.5) / sqrt(2 * variance));
}

void holm_adjust(double *adjusted, const double *p, size_t count, struct arena *arena)
{
	struct ranked *items = arena_array(arena, count + 1, sizeof(*items));
	size_t known = 0;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		adjusted[i] = NAN;
		if (!isnan(p[i]))
			items[known++] = (struct ranked){ p[i], i, 0 };
	}
	qsort(items, known, sizeof(*items), compare_ranked);
	for (size_t i = 0; i < known; i++) {
		most = fmax(most, fmin(1, items[i].value * (double)(known - i)));
		adjusted[items[i].index] = most;
	}
}
