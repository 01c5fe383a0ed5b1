/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <math.h>
#include <string.h>

#include "common/base/table.h"

static double length_of(const struct perf_interval *interval)
{
	return interval->to_s - interval->from_s;
}

/* Starts at the end of the one before, which is of the same output. */
static struct perf_interval perf_intervals_interval_of(const struct perf_line *line, const struct perf_interval *before,
						       size_t first)
{
	bool has_before = before && before->output == line->output && before->to_s < line->until_s;

	return (struct perf_interval){
		.output = line->output, .from_s = has_before ? before->to_s : 0, .to_s = line->until_s, .first = first
	};
}

struct perf_intervals perf_intervals_find(const struct perf_record *record)
{
	struct perf_intervals intervals = { .count = 0 };
	size_t capacity = 0;

	for (size_t i = 0; i < record->count; i++) {
		const struct perf_line *line = &record->lines[i];
		struct perf_interval *last = intervals.count ? &intervals.items[intervals.count - 1] : NULL;

		if (!(line->until_s >= 0))
			continue;
		if (!last || last->output != line->output || last->to_s != line->until_s) {
			struct perf_interval next = perf_intervals_interval_of(line, last, i);

			intervals.items = arena_grow(record->arena, intervals.items, intervals.count, &capacity,
						     sizeof(*intervals.items));
			intervals.items[intervals.count++] = next;
			last = &intervals.items[intervals.count - 1];
		}
		last->count = i + 1 - last->first;
	}
	return intervals;
}

/* A sum, and the times behind its percentage. */
struct sum {
	double enabled, running, running_ns;
};

struct adder {
	struct perf_record record;
	struct sum *sums; /* [lines of record] */
	struct table by_key;
	struct table copies; /* of an event in the interval at hand */
};

/* The same event may be there several times: its first copy is added to the first one, and so on. */
static const char *key_of(struct adder *adder, const struct perf_line *line)
{
	const char *name = arena_printf(adder->record.arena, "%zu %s %s", line->output, line->place ? line->place : "",
					line->event);
	size_t before = table_get(&adder->copies, name), copy = before == TABLE_NONE ? 0 : before + 1;

	table_set(&adder->copies, name, copy);
	return arena_printf(adder->record.arena, "%zu %s", copy, name);
}

static void add_times(struct sum *sum, const struct perf_line *line, const struct perf_interval *interval)
{
	double percent = line->percent > 0 ? line->percent : 100;
	double enabled = isnan(line->running_ns) ? length_of(interval) : line->running_ns * 100 / percent;

	sum->enabled += enabled;
	sum->running += enabled * percent / 100;
	sum->running_ns += line->running_ns;
}

/* The mean over the time in which perf printed it. */
static void add_percentage(struct perf_line *all, struct sum *sum, double percent, double length)
{
	if (isnan(percent))
		return;
	sum->enabled += length;
	sum->running += percent * length;
	all->value = sum->running / sum->enabled;
}

static size_t find_sum(struct adder *adder, const struct perf_line *line)
{
	const char *key = key_of(adder, line);
	size_t number = table_get(&adder->by_key, key);
	struct perf_line none = *line;

	if (number != TABLE_NONE)
		return number;
	number = adder->record.count++;
	none.value = NOT_COUNTED;
	none.until_s = NOT_COUNTED;
	adder->record.lines[number] = none;
	adder->sums[number] = (struct sum){ .enabled = 0 };
	table_set(&adder->by_key, key, number);
	return number;
}

static void add_line(struct adder *adder, const struct perf_line *line, const struct perf_interval *interval)
{
	size_t number = find_sum(adder, line);
	struct perf_line *all = &adder->record.lines[number];
	struct sum *sum = &adder->sums[number];

	if (line->kind == PERF_PRINTED)
		add_percentage(all, sum, line->value, length_of(interval));
	if (line->kind != PERF_COUNTED)
		return;
	all->value = isnan(all->value) ? line->value : all->value + line->value;
	all->kind = PERF_COUNTED;
	add_times(sum, line, interval);
	all->percent = sum->enabled > 0 ? 100 * sum->running / sum->enabled : 100;
	all->running_ns = sum->running_ns;
}

struct perf_record perf_intervals_sum(const struct perf_record *record, const struct perf_intervals *intervals)
{
	struct arena *arena = record->arena;
	struct adder adder = { .record = *record, .by_key = TABLE_INIT(arena), .copies = TABLE_INIT(arena) };

	adder.record.lines = arena_array(arena, record->count + 1, sizeof(*adder.record.lines));
	adder.record.count = 0;
	adder.record.outputs = arena_array(arena, record->noutputs, sizeof(*adder.record.outputs));
	memcpy(adder.record.outputs, record->outputs, record->noutputs * sizeof(*record->outputs));
	adder.sums = arena_array(arena, record->count + 1, sizeof(*adder.sums));
	for (size_t i = 0; i < intervals->count; i++) {
		const struct perf_interval *interval = &intervals->items[i];
		struct perf_output *output = &adder.record.outputs[interval->output];

		adder.copies = TABLE_INIT(arena);
		output->wall_s = isnan(output->wall_s) ? interval->to_s : fmax(output->wall_s, interval->to_s);
		for (size_t k = interval->first; k < interval->first + interval->count; k++)
			if (record->lines[k].until_s >= 0)
				add_line(&adder, &record->lines[k], interval);
	}
	return adder.record;
}

struct perf_record perf_interval_lines(const struct perf_record *record, const struct perf_intervals *intervals,
				       size_t number)
{
	const struct perf_interval *interval = &intervals->items[number];
	struct perf_record part = *record;

	part.lines = arena_array(record->arena, interval->count, sizeof(*part.lines));
	part.count = part.capacity = 0;
	part.outputs = arena_array(record->arena, 1, sizeof(*part.outputs));
	part.noutputs = 1;
	part.left_out = 0; /* a remark of all of the time */
	part.outputs[0] = record->outputs[interval->output];
	part.outputs[0].wall_s = length_of(interval);
	part.outputs[0].user_s = part.outputs[0].system_s = NOT_COUNTED;
	for (size_t i = interval->first; i < interval->first + interval->count; i++) {
		if (!(record->lines[i].until_s >= 0))
			continue;
		part.lines[part.count] = record->lines[i];
		part.lines[part.count++].output = 0;
	}
	return part;
}

#define MOST_EVENTS    5000 /* different ones */
#define MOST_PLACES    8192 /* as Linux has CPUs */
#define MOST_INTERVALS 100000

int perf_amount_check(const struct perf_record *record, const struct perf_intervals *intervals, const char *source,
		      struct error *err)
{
	struct table events = TABLE_INIT(record->arena), places = TABLE_INIT(record->arena);

	for (size_t i = 0; i < record->count; i++) {
		table_set(&events, record->lines[i].event, i);
		if (record->lines[i].place)
			table_set(&places, record->lines[i].place, i);
	}
	if (events.count > MOST_EVENTS)
		return error_set(err, "%s: %zu different events, where perf stat's output has up to %d", source,
				 events.count, MOST_EVENTS);
	if (places.count > MOST_PLACES)
		return error_set(err, "%s: %zu CPUs or sockets, where perf stat's output has up to %d", source,
				 places.count, MOST_PLACES);
	if (intervals->count > MOST_INTERVALS)
		return error_set(err,
				 "%s: %zu intervals are more than the %d that can be shown; count with longer ones "
				 "(perf stat -I), or give a part of the file",
				 source, intervals->count, MOST_INTERVALS);
	return 0;
}
