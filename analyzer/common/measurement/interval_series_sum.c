/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_series_sum.c - two neighbouring intervals as one. */
#include <string.h>

#include "common/measurement/interval_series_bytes.h"
#include "common/measurement/software.h"
#include "common/measurement/tally.h"

/* The mean of all samples so far: the later one has more of them. */
static bool is_mean(const struct count *item)
{
	const size_t length = strlen(item->event), ending = strlen(RETIRE_LATENCY);

	return length > ending && !strcmp(item->event + length - ending, RETIRE_LATENCY);
}

/* As if the one that was not on a counter had counted at the other's rate. */
static void add_item(struct count *sum, const struct count *more, struct arena *arena)
{
	uint64_t enabled_ns = sum->enabled_ns + more->enabled_ns;
	const struct count *counted = sum->state == COUNT_OK ? sum : more;

	if (sum->state == COUNT_OK && more->state == COUNT_OK) {
		sum->value += more->value;
	} else if (counted->state == COUNT_OK) {
		sum->value =
			counted->value * (counted->enabled_ns ? (double)enabled_ns / (double)counted->enabled_ns : 1);
		sum->state = COUNT_OK;
		sum->reason = NULL;
	}
	sum->raw += more->raw;
	sum->enabled_ns = enabled_ns;
	sum->running_ns += more->running_ns;
	sum->slices = NULL;
	sum->nslices = 0;
	if (sum->state == COUNT_WITHHELD && is_time_too_short((double)sum->running_ns, (double)sum->enabled_ns))
		count_withhold_short(sum, (double)sum->running_ns, (double)sum->enabled_ns, arena);
}

static void interval_series_sum_add_cpus(struct count *sum, const struct count *more, size_t ncpus, struct arena *arena)
{
	struct tally *tallies;

	if (!sum->by_cpu || !more->by_cpu)
		return;
	tallies = arena_array(arena, ncpus + 1, sizeof(*tallies));
	for (size_t i = 0; i < ncpus; i++) {
		tallies[i] = sum->by_cpu[i];
		tally_merge(&tallies[i], &more->by_cpu[i]);
	}
	sum->by_cpu = tallies;
}

static const struct software *sum_software(const struct count_run *a, const struct count_run *b, struct arena *arena)
{
	struct software *sum;

	if (!a->software || !b->software)
		return NULL;
	sum = arena_alloc(arena, sizeof(*sum));
	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		sum->values[i] = software_sum(a->software->values[i], b->software->values[i]);
	return sum;
}

static void add_run(struct count_run *sum, const struct count_run *more, size_t ncpus, struct arena *arena)
{
	double *cpu_s;

	sum->software = sum_software(sum, more, arena);
	sum->wall_s += more->wall_s;
	sum->cpu_s += more->cpu_s;
	if (!sum->cpu_s_by_cpu || !more->cpu_s_by_cpu)
		return;
	cpu_s = arena_array(arena, ncpus + 1, sizeof(*cpu_s));
	for (size_t i = 0; i < ncpus; i++)
		cpu_s[i] = sum->cpu_s_by_cpu[i] + more->cpu_s_by_cpu[i];
	sum->cpu_s_by_cpu = cpu_s;
}

static struct count *find_item(const struct repeat *repeat, const struct count *like, size_t expected)
{
	for (size_t i = 0; i < repeat->count; i++) {
		struct count *item = &repeat->items[(expected + i) % repeat->count];

		if (item->group == like->group && !strcmp(item->event, like->event))
			return item;
	}
	return NULL;
}

static void interval_series_sum_add_part(struct counts *sum, const struct counts *more, struct arena *arena)
{
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));
	const struct repeat *other = &more->repeats[0], *own = &sum->repeats[0];

	*repeat = *own;
	repeat->items = arena_array(arena, own->count + other->count + 1, sizeof(*repeat->items));
	repeat->runs = arena_alloc(arena, sizeof(*repeat->runs));
	if (own->count)
		memcpy(repeat->items, own->items, own->count * sizeof(*own->items));
	if (own->nruns || other->nruns)
		*repeat->runs = own->nruns ? own->runs[0] : other->runs[0];
	if (own->nruns && other->nruns)
		add_run(repeat->runs, &other->runs[0], sum->ncpus, arena);
	repeat->nruns = own->nruns || other->nruns;
	for (size_t i = 0; i < other->count; i++) {
		struct count *item = find_item(own, &other->items[i], i);

		if (!item) {
			repeat->items[repeat->count++] = other->items[i];
			continue;
		}
		item = &repeat->items[item - own->items];
		if (is_mean(item)) {
			*item = other->items[i];
			continue;
		}
		interval_series_sum_add_cpus(item, &other->items[i], sum->ncpus, arena);
		add_item(item, &other->items[i], arena);
	}
	sum->repeats = repeat;
}

void interval_series_sum(struct measurement *sum, const struct measurement *more, struct arena *arena)
{
	struct counts *parts = arena_array(arena, sum->count + 1, sizeof(*parts));

	for (size_t i = 0; i < sum->count; i++) {
		parts[i] = sum->parts[i];
		interval_series_sum_add_part(&parts[i], &more->parts[i], arena);
	}
	sum->parts = parts;
	sum->to_s = more->to_s;
}
