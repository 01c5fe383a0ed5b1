/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/plan/planner.h"

#include <string.h>

#define COUNTERS 64 /* bits of a counter mask */
#define ANYWHERE UINT16_MAX
#define NO_ITEM	 UINT16_MAX
#define NO_PLACE UINT32_MAX

#define MOST_GROUPS 4096

/*
 * A counter's user: an event, as often as groups hold it, or a stand-in. That of a paired event's second counter comes
 * behind it.
 */
struct item {
	uint16_t event, group; /* group: ANYWHERE while it floats */
	uint32_t place;	       /* group * COUNTERS + counter */
};

/* What a trial may change, in one block, so that it can be undone by a copy. */
struct state {
	size_t nitems;
	struct item *items;
	uint16_t *owners;   /* [place]: item */
	uint64_t *open;	    /* [group]: counters that nobody holds */
	uint64_t *members;  /* [group * words] */
	uint64_t *bound;    /* [words] */
	uint16_t *floating; /* [event]: its item while it floats */
	char *block;
};

struct pack {
	const struct problem *problem;
	size_t ngroups, nhalf, capacity, size, work;
	struct state now;
	size_t saved_items, first_items;
	char *saved, *first; /* copies of now.block: before a trial; after pack_new */
	uint64_t *tried;     /* [group]: counters that this search has looked at */
	uint64_t *wanted;    /* [words] scratch */
};

static uint64_t mask_of(const struct pack *pack, size_t item)
{
	return pack->problem->masks[pack->now.items[item].event];
}

static void pack_take(struct pack *pack, size_t item, size_t group, unsigned counter)
{
	size_t place = group * COUNTERS + counter;

	pack->now.owners[place] = (uint16_t)item;
	pack->now.items[item].place = (uint32_t)place;
	pack->now.open[group] &= ~(1ull << counter);
}

static void pack_leave(struct pack *pack, size_t item)
{
	uint32_t place = pack->now.items[item].place;

	if (place == NO_PLACE)
		return;
	pack->now.owners[place] = NO_ITEM;
	pack->now.open[place / COUNTERS] |= 1ull << (place % COUNTERS);
	pack->now.items[item].place = NO_PLACE;
}

/* Fixed counters first: who has one leaves the general counters to others. */
static unsigned next_counter(uint64_t open)
{
	return (unsigned)__builtin_ctzll(open & ~GENERAL_COUNTERS ? open & ~GENERAL_COUNTERS : open);
}

static bool take_open(struct pack *pack, size_t item, size_t first, size_t last)
{
	for (size_t group = first; group <= last; group++) {
		uint64_t open = mask_of(pack, item) & pack->now.open[group];

		pack->work++;
		if (!open)
			continue;
		pack_take(pack, item, group, next_counter(open));
		return true;
	}
	return false;
}

/* Of those that a floating item may be in: exclusive events have the last groups only. */
static size_t first_group(const struct pack *pack, size_t item)
{
	size_t event = pack->now.items[item].event;

	if (event < pack->problem->count && bits_has(pack->problem->exclusive, event))
		return pack->ngroups - pack->nhalf;
	return 0;
}

/*
 * Finds the item a counter, moving others where they have another. No counter is tried twice, which bounds the depth.
 */
static bool pack_place(struct pack *pack, size_t item)
{
	bool floats = pack->now.items[item].group == ANYWHERE;
	size_t first = floats ? first_group(pack, item) : pack->now.items[item].group;
	size_t last = floats ? pack->ngroups - 1 : first;
	uint64_t open;

	if (take_open(pack, item, first, last))
		return true;
	for (size_t group = first; group <= last; group++)
		while ((open = mask_of(pack, item) & ~pack->tried[group]) != 0) {
			unsigned counter = next_counter(open);

			pack->work++;
			pack->tried[group] |= 1ull << counter;
			if (!pack_place(pack, pack->now.owners[group * COUNTERS + counter]))
				continue;
			pack_take(pack, item, group, counter);
			return true;
		}
	return false;
}

static bool find_place(struct pack *pack, size_t item)
{
	memset(pack->tried, 0, pack->ngroups * sizeof(*pack->tried));
	return pack_place(pack, item);
}

static bool add_item(struct pack *pack, size_t event, size_t group)
{
	struct item *item;

	if (pack->now.nitems == pack->capacity)
		return false;
	item = &pack->now.items[pack->now.nitems++];
	*item = (struct item){ .event = (uint16_t)event, .group = (uint16_t)group, .place = NO_PLACE };
	return find_place(pack, pack->now.nitems - 1);
}

static bool pack_add_event(struct pack *pack, size_t event, size_t group)
{
	const struct problem *problem = pack->problem;

	return add_item(pack, event, group) &&
	       (!bits_has(problem->paired, event) || add_item(pack, problem->count + STAND_IN_SECOND, group));
}

static bool move_item(struct pack *pack, size_t item, size_t group)
{
	pack_leave(pack, item);
	pack->now.items[item].group = (uint16_t)group;
	return find_place(pack, item);
}

static bool bind_event(struct pack *pack, size_t group, size_t event)
{
	const struct problem *problem = pack->problem;
	uint64_t *members = pack->now.members + group * problem->words;
	uint16_t item = pack->now.floating[event];

	if (bits_has(members, event))
		return true;
	if (!problem_has_msr_room(problem, members, event))
		return false;
	bits_add(members, event);
	bits_add(pack->now.bound, event);
	if (!problem->masks[event])
		return true;
	if (item == NO_ITEM)
		return pack_add_event(pack, event, group);
	pack->now.floating[event] = NO_ITEM;
	return move_item(pack, item, group) && (!bits_has(problem->paired, event) || move_item(pack, item + 1u, group));
}

static void save(const struct pack *pack, char *copy, size_t *items)
{
	memcpy(copy, pack->now.block, pack->size);
	*items = pack->now.nitems;
}

static void restore(struct pack *pack, const char *copy, size_t items)
{
	memcpy(pack->now.block, copy, pack->size);
	pack->now.nitems = items;
}

/* Too many for the group's general counters, whatever else is in the way? Most trials end here. */
static bool is_too_full(const struct pack *pack, size_t group)
{
	const struct problem *problem = pack->problem;
	const uint64_t *members = pack_members(pack, group);
	bool is_half = pack_is_half(pack, group);
	size_t count = is_half ? fit_idle(problem->limits) : 0;

	for (size_t i = 0; i < problem->words; i++) {
		uint64_t all = members[i] | pack->wanted[i];

		if (!is_half && all & problem->exclusive[i])
			return true;
		count += bits_count(all & problem->general[i]) + bits_count(all & problem->paired[i]);
	}
	return count > problem->limits->general;
}

static void add_leader(const struct problem *problem, uint64_t *events)
{
	if (problem->slots == NO_EVENT)
		return;
	for (size_t i = bits_next(events, 0, problem->count); i < problem->count;
	     i = bits_next(events, i + 1, problem->count))
		if (!problem->masks[i])
			bits_add(events, problem->slots);
}

bool pack_bind(struct pack *pack, size_t group, const uint64_t *events)
{
	const struct problem *problem = pack->problem;

	memcpy(pack->wanted, events, problem->words * sizeof(*events));
	add_leader(problem, pack->wanted);
	if (is_too_full(pack, group))
		return false;
	save(pack, pack->saved, &pack->saved_items);
	for (size_t i = bits_next(pack->wanted, 0, problem->count); i < problem->count;
	     i = bits_next(pack->wanted, i + 1, problem->count))
		if (!bind_event(pack, group, i)) {
			restore(pack, pack->saved, pack->saved_items);
			return false;
		}
	return true;
}

/* The next part of the block; parts begin at multiples of eight bytes. */
static void *part(struct pack *pack, size_t count, size_t size)
{
	void *start = pack->now.block ? pack->now.block + pack->size : NULL;

	pack->size += (count * size + 7) & ~(size_t)7;
	return start;
}

static void lay_out(struct pack *pack)
{
	struct state *now = &pack->now;
	size_t words = pack->problem->words;

	pack->size = 0;
	now->items = part(pack, pack->capacity, sizeof(*now->items));
	now->owners = part(pack, pack->ngroups * COUNTERS, sizeof(*now->owners));
	now->open = part(pack, pack->ngroups, sizeof(*now->open));
	now->members = part(pack, pack->ngroups * words, sizeof(*now->members));
	now->bound = part(pack, words, sizeof(*now->bound));
	now->floating = part(pack, pack->problem->count, sizeof(*now->floating));
}

static void pack_allocate(struct pack *pack, struct arena *arena)
{
	lay_out(pack); /* once for the size, once for the places */
	pack->now.block = arena_alloc(arena, pack->size);
	lay_out(pack);
	pack->saved = arena_alloc(arena, pack->size);
	pack->first = arena_alloc(arena, pack->size);
	pack->tried = arena_array(arena, pack->ngroups, sizeof(*pack->tried));
	pack->wanted = arena_array(arena, pack->problem->words, sizeof(*pack->wanted));
}

static bool bind_everywhere(struct pack *pack, size_t group)
{
	const struct problem *problem = pack->problem;

	for (size_t i = bits_next(problem->everywhere, 0, problem->count); i < problem->count;
	     i = bits_next(problem->everywhere, i + 1, problem->count))
		if (!bind_event(pack, group, i))
			return false;
	for (size_t i = 0; pack_is_half(pack, group) && i < fit_idle(problem->limits); i++)
		if (!add_item(pack, problem->count + STAND_IN_IDLE, group))
			return false;
	for (unsigned i = 0; i < problem->limits->nheld; i++)
		if (!add_item(pack, problem->count + STAND_IN_HELD + i, group))
			return false;
	return !problem->watchdog || add_item(pack, problem->count + STAND_IN_WATCHDOG, group);
}

static bool float_event(struct pack *pack, size_t event)
{
	const struct problem *problem = pack->problem;

	if (!problem->masks[event] || bits_has(problem->everywhere, event) ||
	    (event == problem->base_event && problem->is_base_event_extra))
		return true;
	pack->now.floating[event] = (uint16_t)pack->now.nitems;
	return pack_add_event(pack, event, ANYWHERE);
}

static bool pack_fill(struct pack *pack)
{
	const struct problem *problem = pack->problem;

	memset(pack->now.owners, 0xff, pack->ngroups * COUNTERS * sizeof(*pack->now.owners));
	memset(pack->now.floating, 0xff, problem->count * sizeof(*pack->now.floating));
	for (size_t i = 0; i < pack->ngroups; i++) {
		pack->now.open[i] = problem->counters;
		if (!bind_everywhere(pack, i))
			return false;
	}
	for (size_t i = 0; i < problem->count; i++)
		if (!float_event(pack, i))
			return false;
	return true;
}

struct pack *pack_new(const struct problem *problem, size_t ngroups, size_t nhalf, struct arena *arena)
{
	struct pack *pack = arena_alloc(arena, sizeof(*pack));

	pack->problem = problem;
	pack->ngroups = ngroups;
	pack->nhalf = nhalf;
	pack->capacity = ngroups * bits_count(problem->counters) + 2 * problem->count + 1;
	if (ngroups > MOST_GROUPS || pack->capacity > NO_ITEM)
		return NULL;
	pack_allocate(pack, arena);
	if (!pack_fill(pack))
		return NULL;
	save(pack, pack->first, &pack->first_items);
	return pack;
}

void pack_reset(struct pack *pack)
{
	restore(pack, pack->first, pack->first_items);
}

const struct problem *pack_problem(const struct pack *pack)
{
	return pack->problem;
}

size_t pack_groups(const struct pack *pack)
{
	return pack->ngroups;
}

bool pack_is_half(const struct pack *pack, size_t group)
{
	return group >= pack->ngroups - pack->nhalf;
}

const uint64_t *pack_members(const struct pack *pack, size_t group)
{
	return pack->now.members + group * pack->problem->words;
}

const uint64_t *pack_bound(const struct pack *pack)
{
	return pack->now.bound;
}

size_t pack_work(const struct pack *pack)
{
	return pack->work;
}
