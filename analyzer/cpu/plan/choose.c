/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/plan/planner.h"

#include <string.h>

/* Passes end when they don't help any more; a limit in time would give other plans on other machines. */
#define MOST_PASSES 40
#define WORK_LIMIT  400000

#define MOST_ATTEMPTS 8

/* Passes differ in what a second copy of an event costs, compared with one that no group has yet. */
static const size_t copy_prices[] = { 4, 1, 2 };

/* A step of a pass: a need that became whole in a group. */
struct step {
	size_t need, group;
};

struct pass {
	struct step *steps;
	size_t count;
	size_t whole[TIERS];
};

#define UNKNOWN	 SIZE_MAX
#define NO_GROUP SIZE_MAX

struct candidate {
	size_t need, group;
	unsigned urgency;
	size_t cost; /* events that the group lacks; those that others have already at the price of the pass */
};

struct chooser {
	struct pack *pack;
	const struct problem *problem;
	bool *is_done;		/* [need] */
	bool *is_dead;		/* [need * groups + group]: there was no room, so there will be none */
	bool *is_empty;		/* [group]: it has only what each has */
	unsigned *urgency;	/* [need]: passes that left it over */
	struct candidate *best; /* [need]: its best group, while that is known */
	unsigned *blame;	/* [event]: attempts in which it found no group; such events are bound first */
	size_t work, copy_price;
	uint64_t *events; /* scratch */
	struct arena *arena;
};

static bool choose_is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->urgency != b->urgency)
		return a->urgency > b->urgency;
	return a->cost < b->cost;
}

static bool is_empty(const struct chooser *c, size_t group)
{
	return bits_within(pack_members(c->pack, group), c->problem->everywhere, c->problem->words);
}

static void find_empty(struct chooser *c)
{
	for (size_t group = 0; group < pack_groups(c->pack); group++)
		c->is_empty[group] = is_empty(c, group);
}

/*
 * What the need costs in any group: the events that none has yet, which cost the same in all of them. Fills c->events
 * with those that some group has. PERF_METRICS fields are free.
 */
static size_t weigh_new(const struct chooser *c, size_t need)
{
	const uint64_t *events = c->problem->needs[need].events, *bound = pack_bound(c->pack);
	size_t count = 0;

	for (size_t i = 0; i < c->problem->words; i++) {
		uint64_t counted = events[i] & c->problem->counted[i];

		c->events[i] = counted & bound[i];
		count += bits_count(counted & ~bound[i]);
	}
	return count;
}

/* The number of c->events that the group lacks. */
static size_t count_copies(const struct chooser *c, size_t group)
{
	const uint64_t *members = pack_members(c->pack, group);
	size_t count = 0;

	for (size_t i = 0; i < c->problem->words; i++)
		count += bits_count(c->events[i] & ~members[i]);
	return count;
}

/*
 * The group that takes the need at the least cost. Of the empty ones only the first of each kind is looked at, with all
 * counters and with half of them: they are alike.
 */
static void weigh_groups(struct chooser *c, size_t need)
{
	struct candidate *best = &c->best[need];
	size_t groups = pack_groups(c->pack), least = weigh_new(c, need);
	const bool *is_dead = &c->is_dead[need * groups];
	bool has_empty[2] = { false, false };

	*best = (struct candidate){ .need = need, .group = NO_GROUP, .urgency = c->urgency[need], .cost = SIZE_MAX };
	c->work += groups;
	for (size_t group = 0; group < groups && best->cost > least; group++) {
		bool *has_alike = &has_empty[pack_is_half(c->pack, group)];
		size_t cost;

		if (is_dead[group] || (c->is_empty[group] && *has_alike))
			continue;
		*has_alike = *has_alike || c->is_empty[group];
		cost = least + c->copy_price * count_copies(c, group);
		if (cost >= best->cost)
			continue;
		best->cost = cost;
		best->group = group;
	}
}

static const struct candidate *find_best(struct chooser *c, unsigned tier)
{
	const struct candidate *best = NULL;

	for (size_t i = 0; i < c->problem->nneeds; i++) {
		const struct need *need = &c->problem->needs[i];

		if (need->tier != tier || !need->can_be_whole || c->is_done[i])
			continue;
		if (c->best[i].need == UNKNOWN)
			weigh_groups(c, i);
		if (c->best[i].group != NO_GROUP && (!best || choose_is_better(&c->best[i], best)))
			best = &c->best[i];
	}
	return best;
}

/* After a step: what shares events with it, or counted on its group, has other costs now. */
static void forget_costs(struct chooser *c, const struct candidate *step)
{
	const struct problem *problem = c->problem;

	for (size_t i = 0; i < problem->nneeds; i++)
		if (c->best[i].group == step->group ||
		    bits_common(problem->needs[i].events, problem->needs[step->need].events, problem->words))
			c->best[i].need = UNKNOWN;
}

/* An empty group that has no room stands for all that are alike. */
static void mark_dead(struct chooser *c, const struct candidate *candidate)
{
	size_t groups = pack_groups(c->pack);
	bool empty = c->is_empty[candidate->group], half = pack_is_half(c->pack, candidate->group);

	for (size_t group = candidate->group; group < groups; group++)
		if (group == candidate->group || (empty && c->is_empty[group] && half == pack_is_half(c->pack, group)))
			c->is_dead[candidate->need * groups + group] = true;
}

static void choose_tier(struct chooser *c, unsigned tier, struct pass *pass)
{
	const struct candidate *best;

	while ((best = find_best(c, tier)) != NULL) {
		struct candidate step = *best;

		c->best[step.need].need = UNKNOWN;
		if (!pack_bind(c->pack, step.group, c->problem->needs[step.need].events)) {
			mark_dead(c, &step);
			continue;
		}
		forget_costs(c, &step);
		c->is_empty[step.group] = is_empty(c, step.group);
		c->is_done[step.need] = true;
		pass->steps[pass->count++] = (struct step){ step.need, step.group };
		pass->whole[tier]++;
	}
}

/* Is the event in a group that can be related to others? */
static bool is_settled(const struct chooser *c, size_t event)
{
	size_t base_event = c->problem->base_event;

	if (base_event == NO_EVENT || bits_has(c->problem->everywhere, base_event))
		return bits_has(pack_bound(c->pack), event);
	for (size_t group = 0; group < pack_groups(c->pack); group++)
		if (bits_has(pack_members(c->pack, group), event) && bits_has(pack_members(c->pack, group), base_event))
			return true;
	return false;
}

/* Binds c->events to the group with most of these other events that has room; the first of them. */
static bool bind_near(struct chooser *c, const uint64_t *others)
{
	size_t groups = pack_groups(c->pack), words = c->problem->words;

	for (size_t common = bits_common(others, others, words) + 1; common > 0; common--)
		for (size_t group = 0; group < groups; group++)
			if (bits_common(others, pack_members(c->pack, group), words) == common - 1 &&
			    pack_bind(c->pack, group, c->events))
				return true;
	return false;
}

/* The event goes to a group where it can be related to others; to any group, where nothing can stand beside it. */
static bool settle_event(struct chooser *c, size_t event, const uint64_t *others)
{
	size_t base_event = c->problem->base_event;

	if (is_settled(c, event))
		return true;
	memset(c->events, 0, c->problem->words * sizeof(*c->events));
	bits_add(c->events, event);
	if (base_event == NO_EVENT)
		return bind_near(c, others);
	bits_add(c->events, base_event);
	if (problem_fits(c->problem, c->events, c->arena))
		return bind_near(c, others);
	memset(c->events, 0, c->problem->words * sizeof(*c->events));
	bits_add(c->events, event);
	return bits_has(pack_bound(c->pack), event) || bind_near(c, others);
}

/* All events of the need, in the model's order. False, and the event is blamed, when one finds no group. */
static bool settle_need(struct chooser *c, const struct need *need, const uint64_t *others)
{
	for (size_t i = 0; i < c->problem->set->count; i++) {
		size_t event = c->problem->numbers[i];

		if (event == NO_EVENT || !bits_has(need->events, event) || settle_event(c, event, others))
			continue;
		c->blame[event]++;
		return false;
	}
	return true;
}

static bool settle(struct chooser *c)
{
	for (size_t i = 0; i < c->problem->nneeds; i++)
		if (!c->is_done[i] && !settle_need(c, &c->problem->needs[i], c->problem->needs[i].events))
			return false;
	return true;
}

/* The events that attempts before this one could not place, the most often blamed first. */
static void bind_blamed(struct chooser *c)
{
	unsigned most = 0;

	for (size_t i = 0; i < c->problem->count; i++)
		most = c->blame[i] > most ? c->blame[i] : most;
	for (; most > 0; most--)
		for (size_t i = 0; i < c->problem->count; i++)
			if (c->blame[i] == most)
				(void)settle_event(c, i, c->problem->needs[0].events);
}

static void start_pass(struct chooser *c)
{
	pack_reset(c->pack);
	bind_blamed(c);
	find_empty(c);
	memset(c->is_done, 0, c->problem->nneeds * sizeof(*c->is_done));
}

/* True when nothing was left over. */
static bool make_pass(struct chooser *c, struct pass *pass)
{
	size_t needs = c->problem->nneeds, left = 0;

	start_pass(c);
	memset(c->is_dead, 0, needs * pack_groups(c->pack) * sizeof(*c->is_dead));
	for (size_t i = 0; i < needs; i++)
		c->best[i].need = UNKNOWN;
	memset(pass->whole, 0, sizeof(pass->whole));
	pass->count = 0;
	for (unsigned tier = 0; tier < TIERS; tier++)
		choose_tier(c, tier, pass);
	for (size_t i = 0; i < needs; i++)
		if (c->problem->needs[i].can_be_whole && !c->is_done[i]) {
			c->urgency[i]++;
			left++;
		}
	return !left;
}

static bool is_better_pass(const struct pass *a, const struct pass *b)
{
	for (unsigned tier = 0; tier < TIERS; tier++)
		if (a->whole[tier] != b->whole[tier])
			return a->whole[tier] > b->whole[tier];
	return false;
}

static void replay(struct chooser *c, const struct pass *pass)
{
	start_pass(c);
	for (size_t i = 0; i < pass->count; i++)
		c->is_done[pass->steps[i].need] =
			pack_bind(c->pack, pass->steps[i].group, c->problem->needs[pass->steps[i].need].events);
}

/* True when every formula that fits an empty group is whole. */
static bool make_whole(struct chooser *c, struct arena *arena)
{
	struct pass passes[2], *best = &passes[0], *next = &passes[1];
	bool is_all;

	for (size_t i = 0; i < 2; i++)
		passes[i].steps = arena_array(arena, c->problem->nneeds + 1, sizeof(*passes[i].steps));
	c->copy_price = copy_prices[0];
	is_all = make_pass(c, best);
	for (size_t i = 1; i < MOST_PASSES && !is_all && c->work + pack_work(c->pack) < WORK_LIMIT; i++) {
		c->copy_price = copy_prices[i % COUNT_OF(copy_prices)];
		is_all = make_pass(c, next);
		if (is_better_pass(next, best)) {
			struct pass *swap = best;

			best = next;
			next = swap;
		}
	}
	replay(c, best);
	return is_all;
}

/* start: of the groups, which are gone through in a circle. */
static bool bind_first(struct chooser *c, const struct need *need, size_t start)
{
	size_t groups = pack_groups(c->pack);

	for (size_t i = 0; i < groups; i++)
		if (pack_bind(c->pack, (start + i) % groups, need->events))
			return true;
	return false;
}

/*
 * Need by need, each into the first group from start on that has room: what finds room so has nothing better to be
 * hoped for.
 */
static bool fit_first(struct chooser *c, bool needs_whole, size_t start)
{
	uint64_t *nothing = arena_array(c->arena, c->problem->words, sizeof(*nothing));

	pack_reset(c->pack);
	for (size_t i = 0; i < c->problem->nneeds; i++) {
		const struct need *need = &c->problem->needs[i];

		if (bind_first(c, need, start))
			continue;
		if ((needs_whole && need->can_be_whole) || !settle_need(c, need, nothing))
			return false;
	}
	return true;
}

bool choose_groups(struct pack *pack, bool needs_whole, struct arena *arena)
{
	const struct problem *problem = pack_problem(pack);
	struct chooser chooser = { .pack = pack, .problem = problem, .arena = arena };

	chooser.is_done = arena_array(arena, problem->nneeds + 1, sizeof(*chooser.is_done));
	chooser.is_dead = arena_array(arena, problem->nneeds * pack_groups(pack) + 1, sizeof(*chooser.is_dead));
	chooser.is_empty = arena_array(arena, pack_groups(pack), sizeof(*chooser.is_empty));
	chooser.urgency = arena_array(arena, problem->nneeds + 1, sizeof(*chooser.urgency));
	chooser.best = arena_array(arena, problem->nneeds + 1, sizeof(*chooser.best));
	chooser.blame = arena_array(arena, problem->count, sizeof(*chooser.blame));
	chooser.events = arena_array(arena, problem->words, sizeof(*chooser.events));
	for (size_t i = 0; i < MOST_ATTEMPTS; i++) {
		if (!make_whole(&chooser, arena) && needs_whole)
			break;
		if (settle(&chooser))
			return true;
	}
	for (size_t i = 0; i < pack_groups(pack); i++) /* where exclusive events may be only one group is the first */
		if ((i == 0 || pack_is_half(pack, i)) && fit_first(&chooser, needs_whole, i))
			return true;
	return false;
}
