/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <math.h>
#include <string.h>

#include "store/history/trend.h"

/* ---- two stretches, and the test between them ---- */

struct stretch {
	double mean, variance; /* by n */
	double count;
};

static struct stretch change_points_measure(const double *values, size_t count)
{
	struct stretch stretch = { .count = (double)count };

	for (size_t i = 0; i < count; i++)
		stretch.mean += values[i];
	stretch.mean /= stretch.count;
	for (size_t i = 0; i < count; i++)
		stretch.variance += (values[i] - stretch.mean) * (values[i] - stretch.mean);
	stretch.variance /= stretch.count;
	return stretch;
}

/* Of points that are all the same nothing is known: 1. */
static double test(const struct stretch *left, const struct stretch *right)
{
	double degrees = left->count + right->count - 2, pooled, difference = left->mean - right->mean;

	if (degrees <= 0)
		return 1;
	pooled = ((left->count - 1) * left->variance + (right->count - 1) * right->variance) / degrees;
	if (pooled <= 0)
		return fabs(difference) > 0 ? 0 : 1;
	return student_two_sided(difference / sqrt(pooled * (1 / left->count + 1 / right->count)), degrees);
}

/* The change at index, between the points from and to. */
static struct change_point change_points_judge(const double *values, size_t from, size_t index, size_t to)
{
	struct stretch left = change_points_measure(values + from, index - from),
		       right = change_points_measure(values + index, to - index);

	return (struct change_point){
		.index = index, .before = left.mean, .after = right.mean, .p = test(&left, &right)
	};
}

/* ---- the split of a window ---- */

struct candidate {
	size_t index; /* in the window */
	double q;
};

/* Sums of |z[k] - z[i]| over the i before t, for t from 0 to k. */
struct distances {
	double sums[WIDEST_WINDOW][WIDEST_WINDOW + 1];
};

static void add_up(struct distances *distances, const double *z, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		distances->sums[k][0] = 0;
		for (size_t i = 0; i < k; i++)
			distances->sums[k][i + 1] = distances->sums[k][i] + fabs(z[k] - z[i]);
	}
}

/*
 * Q-hat of all splits of z[0 ... kappa) at tau, for each kappa: twice the mean distance between the sides less the mean
 * distances within each, times tau (kappa - tau) / kappa. within is the sum of the distances left of tau. A side with
 * one point has no distance. The first of equals stays.
 */
static void try_split(struct candidate *best, const struct distances *distances, size_t tau, double within,
		      size_t count)
{
	double between = 0, behind = 0, left = (double)tau;
	double share = tau > 1 ? 2 * within / (left - 1) : 0;

	for (size_t k = tau; k < count; k++) {
		double right = (double)(k + 1 - tau), q;

		between += distances->sums[k][tau];
		behind += distances->sums[k][k] - distances->sums[k][tau];
		q = 2 * between - right * share - (k > tau ? 2 * left * behind / (right - 1) : 0);
		q /= left + right;
		if (q > best->q)
			*best = (struct candidate){ tau, q };
	}
}

static struct candidate best_split(const double *z, size_t count)
{
	struct distances distances;
	struct candidate best = { .q = -INFINITY };
	double within = 0;

	add_up(&distances, z, count);
	for (size_t tau = 1; tau < count; tau++) {
		within += distances.sums[tau - 1][tau - 1];
		try_split(&best, &distances, tau, within, count);
	}
	return best;
}

/* A part of the window between two changes, and where it would be split. */
struct part {
	size_t from, to;
	struct candidate best; /* index counts from the window's beginning */
};

static struct part change_points_part_of(const double *window, size_t from, size_t to)
{
	struct part part = { .from = from, .to = to, .best = { .q = -INFINITY } };

	if (to - from < 2)
		return part;
	part.best = best_split(window + from, to - from);
	part.best.index += from;
	return part;
}

static size_t largest(const struct part *parts, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (parts[i].best.q > parts[best].best.q)
			best = i;
	return best;
}

/* The changes of a window, in their order, as long as the most likely one is significant. Returns their number. */
static size_t split_window(size_t *found, const double *window, size_t count, double most_p)
{
	struct part parts[WIDEST_WINDOW];
	size_t nparts = 1;

	parts[0] = change_points_part_of(window, 0, count);
	while (nparts < WIDEST_WINDOW) {
		size_t n = largest(parts, nparts), at = parts[n].best.index, end = parts[n].to;

		if (isinf(parts[n].best.q) || change_points_judge(window, parts[n].from, at, end).p > most_p)
			break;
		memmove(parts + n + 2, parts + n + 1, (nparts - n - 1) * sizeof(*parts));
		parts[n] = change_points_part_of(window, parts[n].from, at);
		parts[n + 1] = change_points_part_of(window, at, end);
		nparts++;
	}
	for (size_t i = 1; i < nparts; i++)
		found[i - 1] = parts[i].from;
	return nparts - 1;
}

/* ---- all windows: weak changes ---- */

struct changes {
	const double *values;
	size_t count;
	struct change_point *items;
	size_t nitems;
};

/* They come nearly in order: a window begins in the middle of the one before, or at its last change. */
static void change_points_add(struct changes *changes, size_t index)
{
	size_t place = changes->nitems;

	while (place && changes->items[place - 1].index > index)
		place--;
	if (place && changes->items[place - 1].index == index)
		return;
	memmove(changes->items + place + 1, changes->items + place,
		(changes->nitems - place) * sizeof(*changes->items));
	changes->items[place].index = index;
	changes->nitems++;
}

static void judge_item(struct changes *changes, size_t n)
{
	size_t from, to;

	if (n >= changes->nitems)
		return;
	from = n ? changes->items[n - 1].index : 0;
	to = n + 1 < changes->nitems ? changes->items[n + 1].index : changes->count;
	changes->items[n] = change_points_judge(changes->values, from, changes->items[n].index, to);
}

static void find_weak(struct changes *changes, size_t window, double most_p)
{
	size_t found[WIDEST_WINDOW], start = 0;

	while (start < changes->count) {
		size_t length = changes->count - start < window ? changes->count - start : window, n, last;

		n = split_window(found, changes->values + start, length, most_p);
		for (size_t i = 0; i < n; i++)
			change_points_add(changes, start + found[i]);
		last = n ? start + found[n - 1] : 0;
		start += window / 2;
		if (last > start)
			start = last;
	}
	for (size_t i = 0; i < changes->nitems; i++)
		judge_item(changes, i);
}

/* ---- what is left of them ---- */

/*
 * The next one has a longer stretch before it now, and is tested again. The one before keeps its test, with the stretch
 * up to the one that is dropped, as in Otava (merge, whose published examples depend on it).
 */
static void drop(struct changes *changes, size_t n)
{
	changes->nitems--;
	memmove(changes->items + n, changes->items + n + 1, (changes->nitems - n) * sizeof(*changes->items));
	judge_item(changes, n);
}

/* Means of the stretches that are left. */
static void change_points_finish(struct changes *changes)
{
	for (size_t i = 0; i < changes->nitems; i++) {
		double p = changes->items[i].p;

		judge_item(changes, i);
		changes->items[i].p = p;
	}
}

static bool is_beside_short(const struct changes *changes, size_t n, size_t segment)
{
	size_t from = n ? changes->items[n - 1].index : 0, at = changes->items[n].index;
	size_t to = n + 1 < changes->nitems ? changes->items[n + 1].index : changes->count;

	return at - from < segment || to - at < segment;
}

/* The larger of the two changes, there and back again, as parts. */
static double relative_size(const struct change_point *point)
{
	double there = fabs(point->before) > 0 ? fabs(point->after / point->before - 1) : 0;
	double back = fabs(point->after) > 0 ? fabs(point->before / point->after - 1) : 0;

	return there > back ? there : back;
}

/* The least significant of those that segment concerns, 0: of all. changes->nitems: there is none. */
static size_t weakest(const struct changes *changes, size_t segment)
{
	size_t worst = changes->nitems;

	for (size_t i = 0; i < changes->nitems; i++)
		if ((!segment || is_beside_short(changes, i, segment)) &&
		    (worst == changes->nitems || changes->items[i].p > changes->items[worst].p))
			worst = i;
	return worst;
}

static size_t smallest(const struct changes *changes, const struct change_rule *rule)
{
	size_t worst = changes->nitems;

	for (size_t i = 0; i < changes->nitems; i++) {
		const struct change_point *point = &changes->items[i];

		if (fabs(point->after - point->before) > rule->absolute && relative_size(point) > rule->relative)
			continue;
		if (worst == changes->nitems || relative_size(point) < relative_size(&changes->items[worst]))
			worst = i;
	}
	return worst;
}

/* The next one to be dropped: insignificant ones first, then those with short stretches, then small ones. */
static size_t next_to_drop(const struct changes *changes, const struct change_rule *rule)
{
	size_t worst = weakest(changes, 0);

	if (worst == changes->nitems || changes->items[worst].p >= rule->most_p)
		return worst;
	worst = weakest(changes, rule->segment);
	return worst < changes->nitems ? worst : smallest(changes, rule);
}

static double weak_p(double most_p)
{
	const double wide = 0.05, widest = 0.5;

	return most_p < wide ? most_p * 10 : most_p < widest ? most_p * 2 : most_p;
}

size_t change_points(struct change_point **points, const double *values, size_t count, const struct change_rule *rule,
		     struct arena *arena)
{
	struct changes changes = { .values = values, .count = count };

	changes.items = arena_array(arena, count + 1, sizeof(*changes.items));
	find_weak(&changes, rule->window, weak_p(rule->most_p));
	while (changes.nitems) {
		size_t n = next_to_drop(&changes, rule);

		if (n == changes.nitems)
			break;
		drop(&changes, n);
	}
	change_points_finish(&changes);
	*points = changes.items;
	return changes.nitems;
}
