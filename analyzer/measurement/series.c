/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurement/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurement/series_bytes.h"
#include "measurement/tally.h"

/* Of an item, in this order behind the flags: column, raw, times, value, reason, CPUs. */
#define STATE	     0x03 /* enum count_state */
#define SAME_TIMES   0x04 /* those of the item before it in the part */
#define OWN_VALUE    0x08 /* else it is raw, extrapolated */
#define OWN_COLUMN   0x10 /* else it is the next one */
#define HAS_REASON   0x20
#define HAS_CPUS     0x40
#define HAS_NO_TIMES 0x80 /* both are 0 */

/* Of a CPU's part of an item. */
#define CPU_SAME_TIMES 0x01
#define CPU_OWN_VALUE  0x02
#define CPU_REFUSED    0x04
#define CPU_NOTHING    0x08

/* Of a part. */
#define PART_RUN      0x01
#define PART_CPU_TIME 0x02
#define PART_BY_CPU   0x04 /* CPU times of each */

struct times {
	uint64_t enabled_ns, running_ns;
};

static double extrapolated(uint64_t raw, const struct times *times)
{
	bool is_part = times->running_ns && times->enabled_ns > times->running_ns;

	return (double)raw * (is_part ? (double)times->enabled_ns / (double)times->running_ns : 1);
}

static uint64_t nanoseconds(double seconds)
{
	return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

struct series *series_new(struct arena *arena, size_t most_bytes)
{
	struct series *series = arena_alloc(arena, sizeof(*series));

	*series = (struct series){ .arena = arena, .most = most_bytes, .each = 1 };
	return series;
}

/* ---- writing ---- */

#define FIRST_ROOM ((size_t)4096)

void series_grow(struct series *series)
{
	size_t capacity = series->capacity ? 2 * series->capacity : FIRST_ROOM;
	unsigned char *bytes = realloc(series->bytes, capacity);

	if (!bytes)
		abort();
	series->bytes = bytes;
	series->capacity = capacity;
}

static size_t reason_number(struct series *series, const char *reason)
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
static bool is_reason_plain(const struct count *item)
{
	return item->state == COUNT_WITHHELD &&
	       (is_time_too_short((double)item->running_ns, (double)item->enabled_ns) ||
		!is_count_possible(item->raw, item->running_ns));
}

static size_t column_of(struct series *series, struct series_part *part, const struct count *item, size_t expected)
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

static void put_times(struct series *series, const struct times *times)
{
	series_put(series, times->enabled_ns);
	series_put(series, series_zigzag((int64_t)(times->enabled_ns - times->running_ns)));
}

static bool is_other(double value, double plain)
{
	return fabs(value - plain) > 1e-9 * fabs(plain);
}

static void put_tally(struct series *series, const struct tally *tally, struct times *before)
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

/* What the items before have left behind. */
struct coding {
	size_t part, column; /* column: expected */
	struct times times;
	struct times *by_cpu; /* [ncpus] */
};

static unsigned flags_of(const struct count *item, const struct times *times, const struct coding *coding)
{
	unsigned flags = item->state;

	if (!times->enabled_ns && !times->running_ns)
		flags |= HAS_NO_TIMES;
	else if (!memcmp(times, &coding->times, sizeof(*times)))
		flags |= SAME_TIMES;
	if (item->state == COUNT_OK && is_other(item->value, extrapolated(item->raw, times)))
		flags |= OWN_VALUE;
	if (item->reason && !is_reason_plain(item))
		flags |= HAS_REASON;
	return flags | (item->by_cpu ? HAS_CPUS : 0u);
}

static void put_item(struct series *series, const struct count *item, struct coding *coding)
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

static void put_part(struct series *series, size_t number, const struct counts *counts, struct arena *scratch)
{
	const struct repeat *repeat = &counts->repeats[0];
	const struct count_run *run = repeat->nruns ? &repeat->runs[0] : NULL;
	size_t ncpus = series->parts[number].ncpus;
	struct coding coding = { .part = number, .by_cpu = arena_array(scratch, ncpus + 1, sizeof(*coding.by_cpu)) };
	unsigned flags = 0;

	if (run)
		flags = PART_RUN | (isnan(run->cpu_s) ? 0u : PART_CPU_TIME) | (run->cpu_s_by_cpu ? PART_BY_CPU : 0u);
	series_put_byte(series, flags);
	if (flags & PART_RUN)
		series_put(series, nanoseconds(run->wall_s));
	if (flags & PART_CPU_TIME)
		series_put(series, nanoseconds(run->cpu_s));
	for (size_t i = 0; flags & PART_BY_CPU && i < ncpus; i++)
		series_put(series, nanoseconds(run->cpu_s_by_cpu[i]));
	series_put(series, repeat->count);
	for (size_t i = 0; i < repeat->count; i++)
		put_item(series, &repeat->items[i], &coding);
}

static void take_parts(struct series *series, const struct measurement *interval)
{
	series->nparts = interval->count;
	series->parts = arena_array(series->arena, interval->count + 1, sizeof(*series->parts));
	for (size_t i = 0; i < interval->count; i++)
		series->parts[i].ncpus = interval->parts[i].ncpus;
}

/* Behind the others. */
static void put_interval(struct series *series, const struct measurement *interval)
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

/* ---- reading ---- */

/* The bytes of one interval while they are read. */
struct reading {
	struct series_reader bytes;
	const struct series *series;
	struct arena *arena;
};

static struct times get_times(struct series_reader *bytes)
{
	struct times times = { .enabled_ns = series_get(bytes) };

	times.running_ns = times.enabled_ns - (uint64_t)series_unzigzag(series_get(bytes));
	return times;
}

static const char *get_reason(struct reading *r)
{
	uint64_t number = series_get(&r->bytes);

	if (number < r->series->nreasons)
		return r->series->reasons[number];
	r->bytes.has_failed = true;
	return "";
}

static void get_tally(struct tally *tally, struct reading *r, struct times *before)
{
	uint64_t flags = series_get(&r->bytes);

	*tally = (struct tally){ .raw = 0 };
	if (flags & CPU_REFUSED)
		tally->refused = get_reason(r);
	if (flags & (CPU_REFUSED | CPU_NOTHING))
		return;
	tally->raw = series_get(&r->bytes);
	if (!(flags & CPU_SAME_TIMES))
		*before = get_times(&r->bytes);
	tally->enabled_ns = before->enabled_ns;
	tally->running_ns = before->running_ns;
	tally->value = before->running_ns ? extrapolated(tally->raw, before) : 0;
	tally->never_ran_ns = before->running_ns ? 0 : before->enabled_ns;
	if (flags & CPU_OWN_VALUE) {
		tally->value = series_get_number(&r->bytes);
		tally->never_ran_ns = series_get(&r->bytes);
		r->bytes.has_failed |= !(tally->value >= 0) || tally->never_ran_ns > tally->enabled_ns;
	}
	if (tally->running_ns && !is_count_possible(tally->raw, tally->running_ns)) {
		tally->impossible = tally->raw;
		tally->impossible_ns = tally->running_ns;
	}
}

static void withhold(struct count *item, struct arena *arena)
{
	if (is_time_too_short((double)item->running_ns, (double)item->enabled_ns))
		count_withhold_short(item, (double)item->running_ns, (double)item->enabled_ns, arena);
	else
		count_withhold_impossible(item, item->raw, item->running_ns, arena);
}

static void get_cpus(struct count *item, struct reading *r, struct coding *coding)
{
	size_t ncpus = r->series->parts[coding->part].ncpus;
	struct tally *tallies = arena_array(r->arena, ncpus + 1, sizeof(*tallies));

	for (size_t i = 0; i < ncpus; i++)
		get_tally(&tallies[i], r, &coding->by_cpu[i]);
	item->by_cpu = tallies;
}

static void get_value(struct count *item, struct reading *r, unsigned flags, const struct times *times)
{
	item->value = item->state == COUNT_OK ? extrapolated(item->raw, times) : NOT_COUNTED;
	if (flags & OWN_VALUE) {
		item->value = series_get_number(&r->bytes);
		r->bytes.has_failed |= item->state != COUNT_OK || !isfinite(item->value);
	}
	if (flags & HAS_REASON)
		item->reason = get_reason(r);
	else if (item->state == COUNT_WITHHELD)
		withhold(item, r->arena);
}

static void get_item(struct count *item, struct reading *r, struct coding *coding)
{
	const struct series_part *part = &r->series->parts[coding->part];
	unsigned flags = series_get_byte(&r->bytes);
	uint64_t column = flags & OWN_COLUMN ? series_get(&r->bytes) : coding->column;

	*item = (struct count){ .state = (enum count_state)(flags & STATE), .raw = series_get(&r->bytes) };
	if (column >= part->count) {
		r->bytes.has_failed = true;
		return;
	}
	item->event = part->items[column].event;
	item->group = part->items[column].group;
	if (flags & HAS_NO_TIMES)
		coding->times = (struct times){ 0 };
	else if (!(flags & SAME_TIMES))
		coding->times = get_times(&r->bytes);
	item->enabled_ns = coding->times.enabled_ns;
	item->running_ns = coding->times.running_ns;
	get_value(item, r, flags, &coding->times);
	if (flags & HAS_CPUS)
		get_cpus(item, r, coding);
	coding->column = column + 1;
}

static void get_run(struct repeat *repeat, struct reading *r, size_t ncpus)
{
	unsigned flags = series_get_byte(&r->bytes);
	struct count_run *run;
	double *cpu_s;

	if (!(flags & PART_RUN))
		return;
	repeat->runs = run = arena_alloc(r->arena, sizeof(*run));
	repeat->nruns = 1;
	run->wall_s = (double)series_get(&r->bytes) * 1e-9;
	run->cpu_s = flags & PART_CPU_TIME ? (double)series_get(&r->bytes) * 1e-9 : NOT_COUNTED;
	if (!(flags & PART_BY_CPU))
		return;
	run->cpu_s_by_cpu = cpu_s = arena_array(r->arena, ncpus + 1, sizeof(*cpu_s));
	for (size_t i = 0; i < ncpus; i++)
		cpu_s[i] = (double)series_get(&r->bytes) * 1e-9;
}

static void get_part(struct counts *counts, struct reading *r, size_t number)
{
	const struct series_part *part = &r->series->parts[number];
	struct repeat *repeat = arena_alloc(r->arena, sizeof(*repeat));
	struct coding coding = { .part = number,
				 .by_cpu = arena_array(r->arena, part->ncpus + 1, sizeof(*coding.by_cpu)) };
	uint64_t count;

	*repeat = (struct repeat){ .planned_runs = 1, .ngroups = counts->repeats[0].ngroups };
	get_run(repeat, r, part->ncpus);
	count = series_get(&r->bytes);
	if (count > part->count || (count && !repeat->nruns)) {
		r->bytes.has_failed = true;
		return;
	}
	repeat->items = arena_array(r->arena, count + 1, sizeof(*repeat->items));
	for (; repeat->count < count && !r->bytes.has_failed; repeat->count++)
		get_item(&repeat->items[repeat->count], r, &coding);
	counts->repeats = repeat;
	counts->nrepeats = 1;
	counts->planned_repeats = 0;
}

bool series_next(struct measurement *interval, struct series_cursor *cursor, const struct measurement *whole,
		 struct arena *arena)
{
	const struct series *series = cursor->series;
	struct reading r = { .bytes = { series->bytes, cursor->at, series->length, false },
			     .series = series,
			     .arena = arena };
	uint64_t from_ns;

	if (cursor->at >= series->length || whole->count != series->nparts)
		return false;
	from_ns = cursor->end_ns + (uint64_t)series_unzigzag(series_get(&r.bytes));
	cursor->end_ns = from_ns + series_get(&r.bytes);
	*interval = (struct measurement){ .count = series->nparts };
	interval->from_s = (double)from_ns * 1e-9;
	interval->to_s = (double)cursor->end_ns * 1e-9;
	interval->parts = arena_array(arena, series->nparts + 1, sizeof(*interval->parts));
	for (size_t i = 0; i < series->nparts && !r.bytes.has_failed; i++) {
		interval->parts[i] = whole->parts[i];
		get_part(&interval->parts[i], &r, i);
	}
	if (r.bytes.has_failed)
		return false;
	cursor->at = r.bytes.at;
	cursor->number++;
	return true;
}

static bool fits(const struct series *series, const struct measurement *whole)
{
	if (series->nparts != whole->count || !series->each)
		return false;
	for (size_t i = 0; i < series->nparts; i++) {
		const struct series_part *part = &series->parts[i];

		if (part->ncpus != whole->parts[i].ncpus)
			return false;
		for (size_t k = 0; k < part->count; k++)
			if (part->items[k].group >= whole->parts[i].repeats[0].ngroups)
				return false;
	}
	return true;
}

bool series_is_sound(const struct series *series, const struct measurement *whole)
{
	struct series_cursor cursor = { .series = series };
	struct measurement interval;
	struct arena arena;

	if (!fits(series, whole))
		return false;
	arena_init(&arena);
	while (series_next(&interval, &cursor, whole, &arena))
		arena_reset(&arena);
	arena_release(&arena);
	return cursor.at == series->length && cursor.number == series->count;
}

/* ---- shorter ---- */

/* Parts that nothing is read from but their shape. */
static struct measurement shape_of(const struct series *series, struct arena *arena)
{
	struct measurement shape = { .count = series->nparts };

	shape.parts = arena_array(arena, series->nparts + 1, sizeof(*shape.parts));
	for (size_t i = 0; i < series->nparts; i++) {
		shape.parts[i].ncpus = series->parts[i].ncpus;
		shape.parts[i].repeats = arena_alloc(arena, sizeof(*shape.parts[i].repeats));
	}
	return shape;
}

/* Pairs of intervals become one; of an odd number the last stays alone, and waits for its other half. To be released. */
static struct series *halve(const struct series *series, struct arena *arena)
{
	struct series *half = series_new(arena, series->most);
	struct series_cursor cursor = { .series = series };
	struct measurement shape, first, second;
	struct arena scratch, shapes;

	arena_init(&scratch);
	arena_init(&shapes);
	shape = shape_of(series, &shapes);
	take_parts(half, &shape);
	while (series_next(&first, &cursor, &shape, &scratch)) {
		bool is_pair = series_next(&second, &cursor, &shape, &scratch);

		if (is_pair)
			series_sum(&first, &second, &scratch);
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
static void join_last(struct series *series, struct measurement *joined, const struct measurement *interval,
		      struct arena *arena)
{
	struct series_cursor cursor = { .series = series, .at = series->last, .end_ns = series->last_end_ns };
	const struct measurement shape = shape_of(series, arena);

	if (!series_next(joined, &cursor, &shape, arena)) {
		*joined = *interval;
		return;
	}
	series_sum(joined, interval, arena);
	series->length = series->last;
	series->end_ns = series->last_end_ns;
	series->count--;
}

void series_add(struct series *series, const struct measurement *interval)
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
		struct series *half = halve(series, series->arena);

		series_release(series);
		*series = *half;
	}
	arena_release(&scratch);
}

struct series *series_within(const struct series *series, size_t most_bytes, struct arena *arena)
{
	struct series *shorter = NULL;

	while (series->length > most_bytes && series->count > 1) {
		struct series *half = halve(series, arena);

		if (shorter)
			series_release(shorter);
		series = shorter = half;
	}
	return shorter;
}

void series_release(struct series *series)
{
	if (series->capacity)
		free(series->bytes);
	series->bytes = NULL;
	series->length = series->capacity = 0;
}
