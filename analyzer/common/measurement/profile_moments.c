/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "common/base/finder.h"
#include "common/measurement/profile.h"

#define SHORTEST_S 0.01

/* Of a profile that still grows. */
struct moment_taking {
	double length_s; /* of each moment */
	struct finder finder;
	size_t room;
};

static struct moment_taking *taking_of(struct profile *profile)
{
	if (!profile->taking) {
		profile->taking = arena_alloc(profile->arena, sizeof(*profile->taking));
		profile->taking->length_s = SHORTEST_S;
	}
	return profile->taking;
}

static bool is_same_moment(const void *owner, uint32_t number, const void *key)
{
	const struct profile_moment *a = &((const struct profile *)owner)->moments[number], *b = key;

	return a->row == b->row && a->number == b->number;
}

static void add(struct profile *profile, struct moment_taking *taking, const struct profile_moment *part)
{
	const uint64_t numbers[] = { part->row, part->number };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_moment, profile, part };
	bool is_new;
	uint32_t number = finder_take(&taking->finder, &key, &profile->nmoments, &is_new, profile->arena);

	if (!is_new) {
		profile->moments[number].weight += part->weight;
		return;
	}
	profile->moments =
		arena_grow(profile->arena, profile->moments, number, &taking->room, sizeof(*profile->moments));
	profile->moments[number] = *part;
}

/* Two moments become one. A part is put where it was or before it, so that none is lost. */
static void join_pairs(struct profile *profile, struct moment_taking *taking)
{
	uint32_t count = profile->nmoments;

	taking->length_s *= 2;
	taking->finder = (struct finder){ .count = 0 };
	profile->nmoments = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct profile_moment part = profile->moments[i];

		part.number /= 2;
		add(profile, taking, &part);
	}
}

void profile_moment(struct profile *profile, uint32_t row, double at_s, double weight)
{
	struct moment_taking *taking = taking_of(profile);
	struct profile_moment part = { .row = row, .weight = weight };

	while (at_s >= taking->length_s * PROFILE_MOMENTS)
		join_pairs(profile, taking);
	if (profile->nmoments >= PROFILE_MOMENT_PARTS && profile->nmoments / 2 >= profile->nrows)
		join_pairs(profile, taking);
	if (at_s > 0)
		part.number = (uint32_t)(at_s / taking->length_s);
	add(profile, taking, &part);
}

void profile_moments_spread(struct profile *profile, uint32_t row, const struct profile_interval *over, double weight)
{
	double length_s = over->to_s - over->from_s;
	double step_s = fmax(taking_of(profile)->length_s, length_s / PROFILE_MOMENTS);
	size_t steps = (size_t)fmax(ceil(length_s / step_s), 1);

	for (size_t i = 0; i < steps; i++)
		profile_moment(profile, row, over->from_s + ((double)i + 0.5) * length_s / (double)steps,
			       weight / (double)steps);
}

void profile_moments_end(struct profile *profile, double length_s)
{
	profile->moment_s = taking_of(profile)->length_s;
	if (length_s > profile->moments_s)
		profile->moments_s = length_s;
	if (profile->moments_s <= profile->moment_s)
		profile_moments_drop(profile);
}

void profile_moments_drop(struct profile *profile)
{
	profile->taking = NULL;
	profile->nmoments = 0;
	profile->moment_s = profile->moments_s = 0;
}
