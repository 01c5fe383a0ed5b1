/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/arena.h"
#include "common/measurement/interval_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/measurement/interval_series_bytes.h"
#include "common/measurement/software.h"
#include "common/measurement/tally.h"

static uint64_t nanoseconds(double seconds)
{
	return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

struct interval_series *interval_series_new(struct arena *arena, size_t most_bytes)
{
	struct interval_series *series = arena_alloc(arena, sizeof(*series));

	*series = (struct interval_series){ .arena = arena, .most = most_bytes, .each = 1, .nkinds = SOFTWARE_KINDS };
	series->kinds = arena_array(arena, SOFTWARE_KINDS, sizeof(*series->kinds));
	for (unsigned i = 0; i < SOFTWARE_KINDS; i++)
		series->kinds[i] = i;
	return series;
}

/* ---- writing ---- */

#define FIRST_ROOM ((size_t)4096)

void interval_series_grow(struct interval_series *series)
{
	size_t capacity = series->capacity ? 2 * series->capacity : FIRST_ROOM;
	unsigned char *bytes = realloc(series->bytes, capacity);

	if (!bytes)
		memory_ended();
	series->bytes = bytes;
	series->capacity = capacity;
}

static size_t reason_number(struct interval_series *series, const char *reason)
{
	for (size_t i = 0; i < series->nreasons; i++)
		if (!strcmp(series->reasons[i], reason))
			return i;
	series->reasons = arena_grow(series->arena, series->reasons, series->nreasons, &series->reasons_room,
				     sizeof(*series->reasons));
	series->reasons[series->nreasons] = arena_strdup(series->arena, reason);
	return series->nreasons++;
}

/* The reason follows from the numbers, which it names. */
static bool is_reason_plain(const struct count *item, struct arena *arena)
{
	struct count plain = *item;

	if (item->state != COUNT_WITHHELD)
		return false;
	if (is_time_too_short((double)item->running_ns, (double)item->enabled_ns))
		count_withhold_short(&plain, (double)item->running_ns, (double)item->enabled_ns, arena);
	else
		count_withhold_impossible(&plain, item->raw, item->running_ns, arena);
	return !strcmp(plain.reason, item->reason);
}

static size_t column_of(struct interval_series *series, struct series_part *part, const struct count *item,
			size_t expected)
{
	struct series_item *known;

	for (size_t i = 0; i < part->count; i++) {
		size_t k = (expected + i) % part->count;

		known = &part->items[k];
		if (known->group == item->group && (known->event == item->event || !strcmp(known->event, item->event)))
			return k;
	}
	part->items = arena_grow(series->arena, part->items, part->count, &part->capacity, sizeof(*part->items));
	part->items[part->count] = (struct series_item){ arena_strdup(series->arena, item->event), item->group };
	return part->count++;
}

static void put_times(struct interval_series *series, const struct times *times)
{
	series_put(series, times->enabled_ns);
	series_put(series, series_zigzag((int64_t)(times->enabled_ns - times->running_ns)));
}

static bool is_other(double value, double plain)
{
	return fabs(value - plain) > 1e-9 * fabs(plain);
}

static void put_tally(struct interval_series *series, const struct tally *tally, struct times *before)
{
	const struct times times = { tally->enabled_ns, tally->running_ns };
	uint64_t usual_never_ns = tally->running_ns ? 0 : tally->enabled_ns;
	double plain = tally->running_ns ? extrapolated(tally->raw, &times) : 0;
	unsigned flags = 0;

	if (tally->refused)
		flags = CPU_REFUSED;
	else if (!tally->enabled_ns && !tally->raw)
		flags = CPU_NOTHING;
	else if (is_other(tally->value, plain) || tally->never_ran_ns != usual_never_ns)
		flags = CPU_OWN_VALUE;
	if (!(flags & (CPU_REFUSED | CPU_NOTHING)) && !memcmp(&times, before, sizeof(times)))
		flags |= CPU_SAME_TIMES;
	series_put(series, flags);
	if (flags & CPU_REFUSED)
		series_put(series, reason_number(series, tally->refused));
	if (flags & (CPU_REFUSED | CPU_NOTHING))
		return;
	series_put(series, tally->raw);
	if (!(flags & CPU_SAME_TIMES))
		put_times(series, &times);
	if (flags & CPU_OWN_VALUE) {
		series_put_number(series, tally->value);
		series_put(series, tally->never_ran_ns);
	}
	*before = times;
}

static unsigned flags_of(const struct count *item, const struct times *times, const struct coding *coding)
{
	unsigned flags = item->state;

	if (!times->enabled_ns && !times->running_ns)
		flags |= HAS_NO_TIMES;
	else if (!memcmp(times, &coding->times, sizeof(*times)))
		flags |= SAME_TIMES;
	if (item->state == COUNT_OK && is_other(item->value, extrapolated(item->raw, times)))
		flags |= OWN_VALUE;
	if (item->reason && !is_reason_plain(item, coding->arena))
		flags |= HAS_REASON;
	return flags | (item->by_cpu ? HAS_CPUS : 0u);
}

static void put_item(struct interval_series *series, const struct count *item, struct coding *coding)
{
	struct series_part *part = &series->parts[coding->part];
	const struct times times = { item->enabled_ns, item->running_ns };
	size_t column = column_of(series, part, item, coding->column);
	unsigned flags = flags_of(item, &times, coding) | (column != coding->column ? OWN_COLUMN : 0u);

	series_put_byte(series, flags);
	if (flags & OWN_COLUMN)
		series_put(series, column);
	series_put(series, item->raw);
	if (!(flags & (SAME_TIMES | HAS_NO_TIMES)))
		put_times(series, &times);
	if (flags & OWN_VALUE)
		series_put_number(series, item->value);
	if (flags & HAS_REASON)
		series_put(series, reason_number(series, item->reason));
	for (size_t i = 0; flags & HAS_CPUS && i < part->ncpus; i++)
		put_tally(series, &item->by_cpu[i], &coding->by_cpu[i]);
	coding->column = column + 1;
	coding->times = times;
}

static void put_software(struct interval_series *series, const struct software *software)
{
	for (size_t i = 0; i < series->nkinds; i++) {
		const struct software_value *value = &software->values[series->kinds[i]];
		bool is_whole = value->value >= 0 && value->value < 1e15 && !(value->value > floor(value->value));
		size_t word = value->source ? reason_number(series, value->source) : 0;

		if (!isnan(value->value) && value->source) {
			series_put(series, 4 * word + (is_whole ? SOFTWARE_WHOLE : SOFTWARE_NUMBER));
			if (is_whole)
				series_put(series, (uint64_t)value->value);
			else
				series_put_number(series, value->value);
		} else if (value->reason) {
			series_put(series, 4 * reason_number(series, value->reason) + SOFTWARE_WITHHELD);
		} else {
			series_put(series, SOFTWARE_NOTHING);
		}
	}
}

static void put_part(struct interval_series *series, size_t number, const struct counts *counts, struct arena *scratch)
{
	const struct repeat *repeat = &counts->repeats[0];
	const struct count_run *run = repeat->nruns ? &repeat->runs[0] : NULL;
	size_t ncpus = series->parts[number].ncpus;
	struct coding coding = { .part = number,
				 .arena = scratch,
				 .by_cpu = arena_array(scratch, ncpus + 1, sizeof(*coding.by_cpu)) };
	unsigned flags = 0;

	if (run)
		flags = PART_RUN | (isnan(run->cpu_s) ? 0u : PART_CPU_TIME) | (run->cpu_s_by_cpu ? PART_BY_CPU : 0u) |
			(run->software ? PART_SOFTWARE : 0u);
	series_put_byte(series, flags);
	if (flags & PART_RUN)
		series_put(series, nanoseconds(run->wall_s));
	if (flags & PART_CPU_TIME)
		series_put(series, nanoseconds(run->cpu_s));
	for (size_t i = 0; flags & PART_BY_CPU && i < ncpus; i++)
		series_put(series, nanoseconds(run->cpu_s_by_cpu[i]));
	if (flags & PART_SOFTWARE)
		put_software(series, run->software);
	series_put(series, repeat->count);
	for (size_t i = 0; i < repeat->count; i++)
		put_item(series, &repeat->items[i], &coding);
}

static void take_parts(struct interval_series *series, const struct measurement *interval)
{
	series->nparts = interval->count;
	series->parts = arena_array(series->arena, interval->count + 1, sizeof(*series->parts));
	for (size_t i = 0; i < interval->count; i++)
		series->parts[i].ncpus = interval->parts[i].ncpus;
}

/* Behind the others. */
static void put_interval(struct interval_series *series, const struct measurement *interval)
{
	uint64_t from_ns = nanoseconds(interval->from_s), to_ns = nanoseconds(interval->to_s);
	struct arena scratch;

	arena_init(&scratch);
	series->last = series->length;
	series->last_end_ns = series->end_ns;
	series_put(series, series_zigzag((int64_t)(from_ns - series->end_ns)));
	series_put(series, to_ns - from_ns);
	for (size_t i = 0; i < interval->count; i++)
		put_part(series, i, &interval->parts[i], &scratch);
	series->end_ns = to_ns;
	series->count++;
	arena_release(&scratch);
}

/* ---- shorter ---- */

/* Parts that nothing is read from but their shape. */
static struct measurement shape_of(const struct interval_series *series, struct arena *arena)
{
	struct measurement shape = { .count = series->nparts };

	shape.parts = arena_array(arena, series->nparts + 1, sizeof(*shape.parts));
	for (size_t i = 0; i < series->nparts; i++) {
		shape.parts[i].ncpus = series->parts[i].ncpus;
		shape.parts[i].repeats = arena_alloc(arena, sizeof(*shape.parts[i].repeats));
	}
	return shape;
}

/* Pairs become one; of an odd number the last stays alone, and waits for its other half. To be released. */
static struct interval_series *halve(const struct interval_series *series, struct arena *arena)
{
	struct interval_series *half = interval_series_new(arena, series->most);
	struct series_cursor cursor = { .series = series };
	struct measurement shape, first, second;
	struct arena scratch, shapes;

	arena_init(&scratch);
	arena_init(&shapes);
	shape = shape_of(series, &shapes);
	take_parts(half, &shape);
	while (interval_series_next(&first, &cursor, &shape, &scratch)) {
		bool is_pair = interval_series_next(&second, &cursor, &shape, &scratch);

		if (is_pair)
			interval_series_sum(&first, &second, &scratch);
		put_interval(half, &first);
		arena_reset(&scratch);
	}
	half->each = 2 * series->each;
	half->total = series->total;
	half->pending = series->total % half->each;
	arena_release(&scratch);
	arena_release(&shapes);
	return half;
}

/* The last interval of the series, and this one, as one: the series ends before it then. */
static void join_last(struct interval_series *series, struct measurement *joined, const struct measurement *interval,
		      struct arena *arena)
{
	struct series_cursor cursor = { .series = series, .at = series->last, .end_ns = series->last_end_ns };
	const struct measurement shape = shape_of(series, arena);

	if (!interval_series_next(joined, &cursor, &shape, arena)) {
		*joined = *interval;
		return;
	}
	interval_series_sum(joined, interval, arena);
	series->length = series->last;
	series->end_ns = series->last_end_ns;
	series->count--;
}

void interval_series_add(struct interval_series *series, const struct measurement *interval)
{
	struct measurement joined = *interval;
	struct arena scratch;

	arena_init(&scratch);
	if (!series->parts)
		take_parts(series, interval);
	if (series->pending)
		join_last(series, &joined, interval, &scratch);
	put_interval(series, &joined);
	series->total++;
	series->pending = series->total % series->each;
	if (series->length > series->most && series->count > 1) {
		struct interval_series *half = halve(series, series->arena);

		interval_series_release(series);
		*series = *half;
	}
	arena_release(&scratch);
}

struct interval_series *interval_series_within(const struct interval_series *series, size_t most_bytes,
					       struct arena *arena)
{
	struct interval_series *shorter = NULL;

	while (series->length > most_bytes && series->count > 1) {
		struct interval_series *half = halve(series, arena);

		if (shorter)
			interval_series_release(shorter);
		series = shorter = half;
	}
	return shorter;
}

void interval_series_release(struct interval_series *series)
{
	if (series->capacity)
		free(series->bytes);
	series->bytes = NULL;
	series->length = series->capacity = 0;
}
