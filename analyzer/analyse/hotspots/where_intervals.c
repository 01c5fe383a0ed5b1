/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/where.h"

#include <stdlib.h>

#include "common/base/text.h"

/* What a function has in an interval. */
struct seen_row {
	uint32_t interval, function;
	struct amount amount, base;
};

static int where_intervals_compare(const void *first, const void *second)
{
	const struct seen_row *a = first, *b = second;
	int order = (a->interval > b->interval) - (a->interval < b->interval);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

/* Those that are equal become one. */
static size_t where_intervals_join(struct seen_row *seen, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(seen, count, sizeof(*seen), where_intervals_compare);
	for (size_t i = 0; i < count; i++) {
		if (!kept || where_intervals_compare(&seen[kept - 1], &seen[i]) != 0) {
			seen[kept++] = seen[i];
			continue;
		}
		amount_add(&seen[kept - 1].amount, seen[i].amount);
		amount_add(&seen[kept - 1].base, seen[i].base);
	}
	return kept;
}

/* Each function of each interval once, in order. */
static struct seen_row *where_intervals_see(size_t *count, const struct where *where, const struct where_sums *sums)
{
	const struct profile *profile = where->profile;
	struct seen_row *seen = arena_array(sums->arena, (size_t)profile->nrows + 1, sizeof(*seen));

	*count = 0;
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];
		struct seen_row own = { .interval = row->interval, .amount = row_amount(where->weighing, profile, i) };

		own.function = sums->functions->of[sums->functions->first[sums->places[row->stack]]];
		if (where->base)
			own.base = row_amount(where->base, profile, i);
		if (sums->is_kept[i] && (own.amount.weight > 0 || own.base.weight > 0))
			seen[(*count)++] = own;
	}
	*count = where_intervals_join(seen, *count);
	return seen;
}

static struct share no_share(void)
{
	return share_exact(NOT_COUNTED, NOT_COUNTED);
}

/* Where the profile has no intervals, all of it is one. */
static struct profile_interval times_of(const struct profile *profile, uint32_t number, bool is_only)
{
	if (number < profile->nintervals)
		return profile->intervals[number];
	return (struct profile_interval){ 0, is_only ? profile->seconds : 0 };
}

/* The rows of an interval. */
struct seen_interval {
	uint32_t number;
	const struct seen_row *rows;
	size_t count;
	bool is_only; /* the profile has rows of no other, and no times of any */
	struct profile_interval times;
	struct amount amount, base;
};

/* As if the interval were all. */
static void fill_functions(struct where_rows *functions, const struct where *where, const struct where_sums *sums,
			   const struct seen_interval *interval)
{
	struct weighing own = *where->weighing;

	own.whole = own.total = interval->amount.weight;
	own.samples = interval->amount.samples;
	functions->items = arena_array(sums->arena, interval->count + 1, sizeof(*functions->items));
	for (size_t i = 0; i < interval->count; i++) {
		const struct profile_function *function = &sums->functions->items[interval->rows[i].function];

		if (!(interval->rows[i].amount.weight > 0))
			continue;
		functions->items[functions->count++] = (struct where_row){
			.function = function->name,
			.module = where->profile->modules[function->module].path,
			.self = share_of_amount(&own, interval->rows[i].amount),
			.total = no_share(),
			.base = no_share(),
			.from_s = interval->times.from_s,
			.to_s = interval->times.to_s,
		};
	}
	where_sort(functions);
}

static void fill_interval(struct where *where, const struct where_sums *sums, struct seen_interval *interval)
{
	size_t number = where->parts.count++;

	for (size_t i = 0; i < interval->count; i++) {
		amount_add(&interval->amount, interval->rows[i].amount);
		amount_add(&interval->base, interval->rows[i].base);
	}
	interval->times = times_of(where->profile, interval->number, interval->is_only);
	where->parts.items[number] = (struct where_row){
		.function = arena_printf(sums->arena, "%llu", (unsigned long long)interval->number + 1),
		.self = share_of_amount(where->weighing, interval->amount),
		.total = no_share(),
		.base = where->base ? share_of_amount(where->base, interval->base) : no_share(),
		.from_s = interval->times.from_s,
		.to_s = interval->times.to_s,
	};
	fill_functions(&where->interval_functions[number], where, sums, interval);
}

void where_fill_intervals(struct where *where, const struct where_sums *sums)
{
	const struct profile *profile = where->profile;
	size_t count, most = profile->nintervals;
	const struct seen_row *seen = where_intervals_see(&count, where, sums);

	/* A file may have rows of intervals that it does not list. */
	for (size_t i = 0; i < count; i++)
		most += !i || seen[i].interval != seen[i - 1].interval;
	where->parts.items = arena_array(sums->arena, most + 1, sizeof(*where->parts.items));
	where->interval_functions = arena_array(sums->arena, most + 1, sizeof(*where->interval_functions));
	for (size_t first = 0, next = 0; next < profile->nintervals || first < count; next++) {
		struct seen_interval interval = { .rows = seen + first };

		if (next >= profile->nintervals)
			next = seen[first].interval;
		interval.number = (uint32_t)next;
		interval.is_only = most == 1 && !next;
		while (first < count && seen[first].interval == next)
			first++, interval.count++;
		fill_interval(where, sums, &interval);
	}
}
