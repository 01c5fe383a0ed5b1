/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_places.c - in which functions those threads were that another one waited for. */
#include "analyse/hotspots/hotspots.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/functions.h"
#include "analyse/hotspots/weighing.h"

/* What a thread did in a function. */
enum { RAN, WAITED, DEEDS };

struct place_sum {
	uint32_t tid;
	size_t function;
	double times[DEEDS];
	uint64_t samples; /* of what it ran, in all of its functions */
};

struct place_sums {
	struct place_sum *items; /* by thread */
	size_t count;
	struct functions functions;
	bool has_time; /* what it ran is in ns, as what it waited is */
};

static int compare_sums(const void *first, const void *second)
{
	const struct place_sum *a = first, *b = second;
	int order = (a->tid > b->tid) - (a->tid < b->tid);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

/* The first event that is no waiting is what the profile is of; PROFILE_NONE: there is none. */
static uint32_t running_event(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->nevents; i++)
		if (!is_waiting_event(&profile->events[i]))
			return i;
	return PROFILE_NONE;
}

static void take_rows(struct place_sums *sums, const struct profile *profile)
{
	const uint32_t running = running_event(profile);

	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];
		bool is_wait = row->event < profile->nevents && is_waiting_event(&profile->events[row->event]);
		struct place_sum *sum = &sums->items[sums->count];

		if (row->event != running && !is_wait)
			continue;
		*sum = (struct place_sum){
			.tid = profile->tasks[row->task].tid,
			.function = sums->functions.of[sums->functions.first[program_place(profile, row->stack)]],
			.samples = is_wait ? 0 : row->samples
		};
		sum->times[is_wait ? WAITED : RAN] = row->weight;
		sums->count++;
	}
}

/* Of each thread and function one is left. */
static void join(struct place_sums *sums)
{
	size_t count = 0;

	if (sums->count)
		qsort(sums->items, sums->count, sizeof(*sums->items), compare_sums);
	for (size_t i = 0; i < sums->count; i++) {
		struct place_sum *last = count ? &sums->items[count - 1] : NULL;

		if (!last || compare_sums(last, &sums->items[i]) != 0) {
			sums->items[count++] = sums->items[i];
			continue;
		}
		for (size_t k = 0; k < DEEDS; k++)
			last->times[k] += sums->items[i].times[k];
		last->samples += sums->items[i].samples;
	}
	sums->count = count;
}

static size_t first_of(const struct place_sums *sums, uint32_t tid)
{
	size_t low = 0, high = sums->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sums->items[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double sum_time(const struct place_sum *sum, unsigned deeds)
{
	return (deeds & 1u << RAN ? sum->times[RAN] : 0) + (deeds & 1u << WAITED ? sum->times[WAITED] : 0);
}

/* deeds: bits. What it ran is known by samples: of too few of them nothing is said. */
static struct wait_place sums_place(const struct place_sums *sums, uint32_t tid, unsigned deeds)
{
	const struct place_sum *most = NULL;
	uint64_t samples = 0;
	double whole = 0;

	for (size_t i = first_of(sums, tid); i < sums->count && sums->items[i].tid == tid; i++) {
		const struct place_sum *sum = &sums->items[i];

		whole += sum_time(sum, deeds);
		samples += sum->samples;
		most = !most || sum_time(sum, deeds) > sum_time(most, deeds) ? sum : most;
	}
	if (!most || !(whole > 0) || !sums->functions.items[most->function].name ||
	    (most->times[RAN] > most->times[WAITED] && deeds & 1u << RAN && samples < ROUGH_SAMPLES))
		return (struct wait_place){ .function = NULL };
	return (struct wait_place){ .function = sums->functions.items[most->function].name,
				    .share = sum_time(most, deeds) / whole };
}

static void place_links(struct waits *placed, const struct place_sums *sums, struct arena *arena)
{
	struct wait_link *links = arena_array(arena, placed->nlinks + 1, sizeof(*links));

	for (size_t i = 0; i < placed->nlinks; i++) {
		links[i] = placed->links[i];
		if (links[i].what == LINK_RUNS || links[i].what == LINK_WAITS)
			links[i].place =
				sums_place(sums, links[i].tid, links[i].what == LINK_RUNS ? 1u << RAN : 1u << WAITED);
	}
	placed->links = links;
}

/* Whoever has a lock runs, or waits with it. */
static void place_causes(struct waiting_thread *thread, const struct place_sums *sums, struct arena *arena)
{
	struct wait_cause *causes = arena_array(arena, thread->ncauses + 1, sizeof(*causes));

	for (size_t i = 0; i < thread->ncauses; i++) {
		causes[i] = thread->causes[i];
		if (causes[i].by)
			causes[i].by_place =
				sums_place(sums, causes[i].by, 1u << RAN | (sums->has_time ? 1u << WAITED : 0));
	}
	thread->causes = causes;
}

const struct waits *waits_with_places(const struct waits *waits, const struct profile *profile, struct arena *arena)
{
	struct place_sums sums = { .count = 0 };
	struct waits *placed;
	uint32_t running;

	if (!waits || !profile || !profile->nevents)
		return waits;
	running = running_event(profile);
	sums.items = arena_array(arena, profile->nrows + 1, sizeof(*sums.items));
	sums.functions = functions_of(profile, arena);
	sums.has_time = running != PROFILE_NONE && is_time_event(&profile->events[running]);
	take_rows(&sums, profile);
	join(&sums);
	placed = arena_alloc(arena, sizeof(*placed));
	*placed = *waits;
	place_links(placed, &sums, arena);
	placed->threads = arena_array(arena, waits->count + 1, sizeof(*placed->threads));
	for (size_t i = 0; i < waits->count; i++) {
		placed->threads[i] = waits->threads[i];
		place_causes(&placed->threads[i], &sums, arena);
	}
	return placed;
}

static const struct function_tree *tree_of(const struct function_trees *trees, const char *function)
{
	for (size_t i = 0; i < trees->count; i++)
		if (trees->items[i].function && !strcmp(trees->items[i].function, function))
			return &trees->items[i];
	return NULL;
}

const struct waits *waits_with_trees(const struct waits *waits, const struct function_trees *trees, struct arena *arena)
{
	struct waits *joined = arena_alloc(arena, sizeof(*joined));

	*joined = *waits;
	joined->links = arena_array(arena, waits->nlinks + 1, sizeof(*joined->links));
	for (size_t i = 0; i < waits->nlinks; i++) {
		struct wait_link *link = &joined->links[i];
		const struct function_tree *tree;

		*link = waits->links[i];
		if (link->what != LINK_RUNS || !link->place.function)
			continue;
		tree = tree_of(trees, link->place.function);
		if (!tree || !tree->most)
			continue;
		link->place.node = tree->most->title;
		link->place.node_percent = tree->values[tree->most - trees->model->metrics];
	}
	return joined;
}
