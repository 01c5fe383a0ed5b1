/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.c - groups that share the counters take turns. What each has counted is read time and again, and kept as slices
 * of the run, which say how much it varies; and now and then one of them sits out, so that the kernel's turns, which
 * are as regular as a clock, do not keep in step with phases of the program.
 */
#include <math.h>
#include <string.h>

#include "collect/count/collector.h"
#include "common/measurement/slices.h"
#include "common/system/loop.h"

#define TURN_S	    0.004 /* the kernel's usual multiplexing interval */
#define ROUNDS	    1.5	  /* between two looks, on average */
#define LEAST_S	    0.020 /* likewise */
#define COST	    0.003 /* of the time may go into it; where it takes more, it is done less often, */
#define PART	    0.03  /* but after this part of the run so far: a short run needs its slices most. */
#define MOST_COST   0.1	  /* Never more than this, */
#define FIRST_COST  0.2	  /* or than this while there are too few slices */
#define MOST_SLICES 64	  /* of a run: when they are there, two and two become one */
#define MOST_PARTS  64	  /* more would make a session too large */
#define SHARED	    0.95  /* a group that ran for a smaller share of its time shares the counters */

/* Slices of the time since it began; each has so many readings. */
struct series {
	uint64_t *values; /* [MOST_SLICES][items] */
	size_t count;
	size_t readings, left; /* of a slice; of the last one that are still to come */
};

struct turn_part {
	size_t items;
	uint64_t *sums, *before; /* [items]: what its sites have counted, now and at the last reading */
	struct series series[2]; /* by enum span */
};

static double chance(struct turns *turns)
{
	turns->chance ^= turns->chance << 13;
	turns->chance ^= turns->chance >> 7;
	turns->chance ^= turns->chance << 17;
	return (double)(turns->chance >> 11) / 9007199254740992.0;
}

static size_t most_groups(const struct collector *c)
{
	size_t most = 0;

	for (size_t i = 0; i < c->sites.count; i++)
		if (!c->sites.items[i].is_gone && c->sites.items[i].ngroups > most)
			most = c->sites.items[i].ngroups;
	return most;
}

/* Of the part's sites, which all have the same groups. */
static size_t count_items(const struct collector *c, size_t part)
{
	size_t items = 0;

	for (size_t i = 0; i < c->sites.count; i++) {
		const struct site *site = &c->sites.items[i];

		if (site->part != part)
			continue;
		for (size_t k = 0; k < site->ngroups; k++)
			items += site->groups[k].plan->count;
		return items;
	}
	return 0;
}

static void make_part(struct turn_part *part, size_t items, struct arena *arena)
{
	*part = (struct turn_part){ .items = items };
	part->sums = arena_array(arena, items + 1, sizeof(*part->sums));
	part->before = arena_array(arena, items + 1, sizeof(*part->before));
	for (size_t i = 0; i < COUNT_OF(part->series); i++)
		part->series[i] =
			(struct series){ .values = arena_array(arena, MOST_SLICES * items + 1, sizeof(uint64_t)),
					 .readings = 1 };
}

bool turns_begin(struct collector *c)
{
	struct turns *turns = &c->turns;

	*turns = (struct turns){ .chance = (uint64_t)(clock_now() * 1e9) | 1, .off = TABLE_NONE, .since = clock_now() };
	turns->ngroups = most_groups(c);
	if (turns->ngroups < 2 || is_multiplexed_by_interval(c) || c->sites.nparts > MOST_PARTS)
		return false;
	turns->order = arena_array(c->arena, turns->ngroups, sizeof(*turns->order));
	turns->parts = arena_array(c->arena, c->sites.nparts, sizeof(*turns->parts));
	for (size_t i = 0; i < c->sites.nparts; i++)
		make_part(&turns->parts[i], count_items(c, i), c->arena);
	return true;
}

static void halve(struct series *series, size_t items)
{
	series->count /= 2;
	series->readings *= 2;
	for (size_t i = 0; i < series->count; i++)
		for (size_t k = 0; k < items; k++)
			series->values[i * items + k] =
				series->values[2 * i * items + k] + series->values[(2 * i + 1) * items + k];
}

static void series_add(struct series *series, const struct turn_part *part)
{
	uint64_t *slice;

	if (!series->left) {
		if (series->count == MOST_SLICES)
			halve(series, part->items);
		memset(&series->values[series->count++ * part->items], 0, part->items * sizeof(*series->values));
		series->left = series->readings;
	}
	series->left--;
	slice = &series->values[(series->count - 1) * part->items];
	for (size_t k = 0; k < part->items; k++)
		slice[k] += part->sums[k] > part->before[k] ? part->sums[k] - part->before[k] : 0;
}

static void add_sites(const struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++) {
		const struct site *site = &c->sites.items[i];
		uint64_t *sum = c->turns.parts[site->part].sums;

		for (size_t g = 0; g < site->ngroups && !site->is_gone; g++)
			for (size_t k = 0; k < site->groups[g].plan->count; k++)
				*sum++ += site->groups[g].items[k].raw;
	}
}

void turns_take(struct collector *c)
{
	if (!c->turns.parts)
		return;
	for (size_t i = 0; i < c->sites.nparts; i++) {
		struct turn_part *part = &c->turns.parts[i];

		memcpy(part->before, part->sums, part->items * sizeof(*part->sums));
		memset(part->sums, 0, part->items * sizeof(*part->sums));
	}
	add_sites(c);
	for (size_t i = 0; i < c->sites.nparts; i++)
		for (size_t k = 0; k < COUNT_OF(c->turns.parts[i].series); k++)
			series_add(&c->turns.parts[i].series[k], &c->turns.parts[i]);
}

void turns_fill(const struct collector *c, const struct turn_slot *slot, struct count *item, struct arena *arena)
{
	const struct turn_part *part = c->turns.parts ? &c->turns.parts[slot->part] : NULL;
	const struct series *series = part ? &part->series[slot->span] : NULL;
	uint64_t *slices;

	if (!part || series->count < 2 || slot->item >= part->items)
		return;
	slices = arena_array(arena, series->count, sizeof(*slices));
	for (size_t i = 0; i < series->count; i++)
		slices[i] = series->values[i * part->items + slot->item];
	item->slices = slices;
	item->nslices = series->count;
}

void turns_end_interval(struct collector *c)
{
	for (size_t i = 0; c->turns.parts && i < c->sites.nparts; i++) {
		struct series *series = &c->turns.parts[i].series[SPAN_INTERVAL];

		series->count = series->left = 0;
		series->readings = 1;
	}
}

/* Does the kernel multiplex? Groups that fit side by side count all the time, and are left alone. */
static bool is_shared(const struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++) {
		const struct site *site = &c->sites.items[i];

		for (size_t g = 0; g < site->ngroups && !site->is_gone; g++) {
			const struct count *item = site->groups[g].leader < 0 ? NULL : &site->groups[g].items[0];

			if (item && item->running_ns && (double)item->running_ns < SHARED * (double)item->enabled_ns)
				return true;
		}
	}
	return false;
}

static void switch_group(const struct collector *c, size_t number, bool is_on)
{
	for (size_t i = 0; i < c->sites.count; i++) {
		const struct site *site = &c->sites.items[i];

		if (number < site->ngroups && !site->is_gone)
			perf_group_switch(&site->groups[number], is_on);
	}
}

/* Each group but the first once, in an order by chance; then in another one. */
static size_t next_group(struct turns *turns)
{
	if (!turns->nordered) {
		turns->nordered = turns->ngroups - 1;
		for (size_t i = 0; i < turns->nordered; i++) {
			size_t other = (size_t)(chance(turns) * (double)(i + 1));

			turns->order[i] = turns->order[other];
			turns->order[other] = i + 1;
		}
	}
	return turns->order[--turns->nordered];
}

/*
 * A group that is off loses its place to those behind it. The first one never is, because its enabled time is that of
 * all. The kernel leaves the counters of a group that was switched off free until its next turn, but looks for whom
 * they are when another one is switched on.
 */
static void sit_out(struct collector *c)
{
	c->turns.off = next_group(&c->turns);
	switch_group(c, c->turns.off, false);
	switch_group(c, 0, false);
	switch_group(c, 0, true);
	c->turns.is_shuffled = true;
}

void turns_pause(struct collector *c)
{
	c->turns.off = TABLE_NONE;
}

/* Too few to say anything: the last one comes when the run ends. */
static bool is_beginning(const struct turns *turns)
{
	return turns->parts[0].series[SPAN_RUN].readings == 1 &&
	       turns->parts[0].series[SPAN_RUN].count + 1 < LEAST_SLICES;
}

/* A short run needs slices, more than it needs other turns: one about every round, and nobody sits out. */
static double next_beginning(struct collector *c, double round)
{
	double start = clock_now();

	groups_read(c);
	turns_take(c);
	return fmax(fmax(round * (0.75 + chance(&c->turns) / 2), TURN_S), (clock_now() - start) / FIRST_COST);
}

double turns_next(struct collector *c)
{
	struct turns *turns = &c->turns;
	double round = TURN_S * (double)turns->ngroups, start = clock_now(), pause, cost;

	if (is_beginning(turns))
		return next_beginning(c, round);

	if (turns->off != TABLE_NONE) {
		switch_group(c, turns->off, true);
		turns->off = TABLE_NONE;
		pause = fmax(ROUNDS * round, LEAST_S) * (0.5 + chance(turns)) - turns->sat_out;
	} else {
		groups_read(c);
		turns_take(c);
		turns->sat_out = round * (0.5 + chance(turns));
		pause = turns->sat_out;
		if (is_shared(c) && clock_now() - start < MOST_COST * pause)
			sit_out(c);
	}
	cost = clock_now() - start;
	pause = fmax(fmax(pause, TURN_S), cost / MOST_COST);
	return fmax(pause, fmin(cost / COST, PART * (start - turns->since)));
}
