/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_series_read.c - the intervals of a series, one after the other; of a file nothing is trusted. */
#include <math.h>

#include "common/measurement/interval_series_bytes.h"
#include "common/measurement/software.h"
#include "common/measurement/tally.h"

/* The bytes of one interval while they are read. */
struct reading {
	struct bytes bytes;
	const struct interval_series *series;
	struct arena *arena;
};

static struct times get_times(struct bytes *bytes)
{
	struct times times = { .enabled_ns = bytes_uleb(bytes) };

	times.running_ns = times.enabled_ns - (uint64_t)series_unzigzag(bytes_uleb(bytes));
	return times;
}

static const char *get_reason(struct reading *r)
{
	uint64_t number = bytes_uleb(&r->bytes);

	if (number < r->series->nreasons)
		return r->series->reasons[number];
	r->bytes.is_broken = true;
	return "";
}

static void get_tally(struct tally *tally, struct reading *r, struct times *before)
{
	uint64_t flags = bytes_uleb(&r->bytes);

	*tally = (struct tally){ .raw = 0 };
	if (flags & CPU_REFUSED)
		tally->refused = get_reason(r);
	if (flags & (CPU_REFUSED | CPU_NOTHING))
		return;
	tally->raw = bytes_uleb(&r->bytes);
	if (!(flags & CPU_SAME_TIMES))
		*before = get_times(&r->bytes);
	tally->enabled_ns = before->enabled_ns;
	tally->running_ns = before->running_ns;
	tally->value = before->running_ns ? extrapolated(tally->raw, before) : 0;
	tally->never_ran_ns = before->running_ns ? 0 : before->enabled_ns;
	if (flags & CPU_OWN_VALUE) {
		tally->value = bytes_double(&r->bytes);
		tally->never_ran_ns = bytes_uleb(&r->bytes);
		r->bytes.is_broken |= !(tally->value >= 0) || tally->never_ran_ns > tally->enabled_ns;
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
		item->value = bytes_double(&r->bytes);
		r->bytes.is_broken |= item->state != COUNT_OK || !isfinite(item->value);
	}
	if (flags & HAS_REASON)
		item->reason = get_reason(r);
	else if (item->state == COUNT_WITHHELD)
		withhold(item, r->arena);
}

static void get_item(struct count *item, struct reading *r, struct coding *coding)
{
	const struct series_part *part = &r->series->parts[coding->part];
	unsigned flags = (unsigned)bytes_unsigned(&r->bytes, 1);
	uint64_t column = flags & OWN_COLUMN ? bytes_uleb(&r->bytes) : coding->column;

	*item = (struct count){ .state = (enum count_state)(flags & STATE), .raw = bytes_uleb(&r->bytes) };
	if (column >= part->count) {
		r->bytes.is_broken = true;
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

static struct software *get_software(struct reading *r)
{
	struct software *software = arena_alloc(r->arena, sizeof(*software));

	*software = software_unknown();
	for (size_t i = 0; i < r->series->nkinds && !r->bytes.is_broken; i++) {
		uint64_t code = bytes_uleb(&r->bytes), word = code / 4;
		struct software_value value = { .value = NOT_COUNTED };

		if (code % 4 == SOFTWARE_WHOLE)
			value.value = (double)bytes_uleb(&r->bytes);
		else if (code % 4 == SOFTWARE_NUMBER)
			value.value = bytes_double(&r->bytes);
		r->bytes.is_broken |= code && word >= r->series->nreasons;
		if (r->bytes.is_broken || !code || r->series->kinds[i] >= SOFTWARE_KINDS)
			continue;
		if (code % 4 == SOFTWARE_WITHHELD)
			value.reason = r->series->reasons[word];
		else
			value.source = r->series->reasons[word];
		software->values[r->series->kinds[i]] = value;
	}
	return software;
}

static void get_run(struct repeat *repeat, struct reading *r, size_t ncpus)
{
	unsigned flags = (unsigned)bytes_unsigned(&r->bytes, 1);
	struct count_run *run;
	double *cpu_s;

	if (!(flags & PART_RUN))
		return;
	repeat->runs = run = arena_alloc(r->arena, sizeof(*run));
	repeat->nruns = 1;
	run->wall_s = (double)bytes_uleb(&r->bytes) * 1e-9;
	run->cpu_s = flags & PART_CPU_TIME ? (double)bytes_uleb(&r->bytes) * 1e-9 : NOT_COUNTED;
	if (flags & PART_BY_CPU) {
		run->cpu_s_by_cpu = cpu_s = arena_array(r->arena, ncpus + 1, sizeof(*cpu_s));
		for (size_t i = 0; i < ncpus; i++)
			cpu_s[i] = (double)bytes_uleb(&r->bytes) * 1e-9;
	}
	if (flags & PART_SOFTWARE)
		run->software = get_software(r);
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
	count = bytes_uleb(&r->bytes);
	if (count > part->count || (count && !repeat->nruns)) {
		r->bytes.is_broken = true;
		return;
	}
	repeat->items = arena_array(r->arena, count + 1, sizeof(*repeat->items));
	for (; repeat->count < count && !r->bytes.is_broken; repeat->count++)
		get_item(&repeat->items[repeat->count], r, &coding);
	counts->repeats = repeat;
	counts->nrepeats = 1;
	counts->planned_repeats = 0;
}

bool interval_series_next(struct measurement *interval, struct series_cursor *cursor, const struct measurement *whole,
			  struct arena *arena)
{
	const struct interval_series *series = cursor->series;
	struct reading r = { .series = series, .arena = arena };
	uint64_t from_ns;

	if (cursor->at >= series->length || whole->count != series->nparts)
		return false;
	r.bytes = (struct bytes){ .at = series->bytes + cursor->at, .end = series->bytes + series->length };
	from_ns = cursor->end_ns + (uint64_t)series_unzigzag(bytes_uleb(&r.bytes));
	cursor->end_ns = from_ns + bytes_uleb(&r.bytes);
	*interval = (struct measurement){ .count = series->nparts };
	interval->from_s = (double)from_ns * 1e-9;
	interval->to_s = (double)cursor->end_ns * 1e-9;
	interval->parts = arena_array(arena, series->nparts + 1, sizeof(*interval->parts));
	for (size_t i = 0; i < series->nparts && !r.bytes.is_broken; i++) {
		interval->parts[i] = whole->parts[i];
		get_part(&interval->parts[i], &r, i);
	}
	if (r.bytes.is_broken)
		return false;
	cursor->at = (size_t)(r.bytes.at - series->bytes);
	cursor->number++;
	return true;
}

static bool interval_series_read_fits(const struct interval_series *series, const struct measurement *whole)
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

bool interval_series_is_sound(const struct interval_series *series, const struct measurement *whole)
{
	struct series_cursor cursor = { .series = series };
	struct measurement interval;
	struct arena arena;

	if (!interval_series_read_fits(series, whole))
		return false;
	arena_init(&arena);
	while (interval_series_next(&interval, &cursor, whole, &arena))
		arena_reset(&arena);
	arena_release(&arena);
	return cursor.at == series->length && cursor.number == series->count;
}
