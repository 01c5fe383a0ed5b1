/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "evaluate/sampled_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measurement/statistics.h"

#define ALL_BATCHES PROFILE_BATCHES /* none is left out */

/* A group, and where its events stand in the model. */
struct read_group {
	const struct profile_group *group;
	bool is_used;  /* it is of the model's core type */
	size_t *bound; /* event of the model, or TABLE_NONE, for each of its events */
	size_t cycles; /* which of its events; TABLE_NONE: none */
	size_t first;  /* of its values among those of a batch */
};

/* What belongs to a function, or to none. */
struct heap {
	uint32_t place; /* one of the function's; PROFILE_NONE: mixed */
	uint64_t pairs;
	double cycles;
	double *values; /* [PROFILE_BATCHES * nvalues]; NULL: the function gets no tree */
	bool has[PROFILE_BATCHES];
};

struct orchard {
	const struct profile *profile;
	const struct sampled_model *of;
	struct read_group *groups;
	size_t nvalues; /* of all groups */
	struct heap *heaps;
	size_t nheaps;
	uint64_t pairs; /* of all */
	double cycles;
	struct arena *arena;
};

/* ---- groups ---- */

static struct read_group bind_group(const struct orchard *o, const struct profile_group *group, size_t first)
{
	const struct profile_event *event = &o->profile->events[group->event];
	struct read_group bound = { .group = group, .cycles = TABLE_NONE, .first = first };

	bound.is_used = compare_texts(event->pmu, o->of->pmu) == 0;
	bound.bound = arena_array(o->arena, group->nevents + 1, sizeof(*bound.bound));
	for (size_t i = 0; i < group->nevents; i++) {
		bound.bound[i] = event_set_find(&o->of->model->events, group->events[i]);
		if (!strcmp(group->events[i], event->event))
			bound.cycles = i;
	}
	bound.is_used = bound.is_used && bound.cycles != TABLE_NONE;
	return bound;
}

static void bind_groups(struct orchard *o)
{
	o->groups = arena_array(o->arena, o->profile->ngroups + 1u, sizeof(*o->groups));
	for (uint32_t i = 0; i < o->profile->ngroups; i++) {
		o->groups[i] = bind_group(o, &o->profile->groups[i], o->nvalues);
		o->nvalues += o->profile->groups[i].nevents;
	}
}

/* ---- heaps ---- */

/* numbers: of each place and, at the end, of mixed: its heap + 1. */
static struct heap *heap_of(struct orchard *o, uint32_t *numbers, uint32_t place)
{
	uint32_t *number = &numbers[place == PROFILE_NONE ? o->profile->nplaces : place];

	if (!*number) {
		*number = (uint32_t)++o->nheaps;
		o->heaps[o->nheaps - 1] = (struct heap){ .place = place };
	}
	return &o->heaps[*number - 1];
}

/* The mixed heap first, which there always is. */
static void sum_cycles(struct orchard *o, uint32_t *numbers)
{
	heap_of(o, numbers, PROFILE_NONE);
	for (uint32_t i = 0; i < o->profile->ndeltas; i++) {
		const struct profile_delta *delta = &o->profile->deltas[i];
		const struct read_group *group = &o->groups[delta->group];
		struct heap *heap;

		if (!group->is_used)
			continue;
		heap = heap_of(o, numbers, delta->from == delta->to ? delta->from : PROFILE_NONE);
		heap->pairs += delta->pairs;
		heap->cycles += delta->values[group->cycles];
		o->pairs += delta->pairs;
		o->cycles += delta->values[group->cycles];
	}
}

/* Of the heaps that have room for them. */
static void sum_values(struct orchard *o, uint32_t *numbers)
{
	for (uint32_t i = 0; i < o->profile->ndeltas; i++) {
		const struct profile_delta *delta = &o->profile->deltas[i];
		const struct read_group *group = &o->groups[delta->group];
		struct heap *heap = heap_of(o, numbers, delta->from == delta->to ? delta->from : PROFILE_NONE);

		if (!group->is_used || !heap->values)
			continue;
		heap->has[delta->batch] = true;
		for (size_t k = 0; k < group->group->nevents; k++)
			heap->values[delta->batch * o->nvalues + group->first + k] += delta->values[k];
	}
}

/* ---- trees ---- */

static double value_of(const struct orchard *o, const struct heap *heap, size_t value, size_t left_out)
{
	double sum = 0;

	for (size_t i = 0; i < PROFILE_BATCHES; i++)
		if (i != left_out)
			sum += heap->values[i * o->nvalues + value];
	return sum;
}

/* Each group as if it had been read for as many cycles of the function as the first one. */
static void fill_events(double *events, const struct orchard *o, const struct heap *heap, size_t left_out)
{
	double base = 0;

	for (size_t i = 0; i < o->of->model->events.count; i++)
		events[i] = NOT_COUNTED;
	for (uint32_t i = 0; i < o->profile->ngroups; i++) {
		const struct read_group *group = &o->groups[i];
		double cycles = group->is_used ? value_of(o, heap, group->first + group->cycles, left_out) : 0;

		if (!(cycles > 0))
			continue;
		base = base > 0 ? base : cycles;
		for (size_t k = 0; k < group->group->nevents; k++)
			if (group->bound[k] != TABLE_NONE && isnan(events[group->bound[k]]))
				events[group->bound[k]] =
					value_of(o, heap, group->first + k, left_out) * (base / cycles);
	}
}

/*
 * The jackknife over batches (Quenouille 1956, Tukey 1958): how the values change where a part of the samples is left
 * out.
 */
static void fill_intervals(struct function_tree *tree, const struct orchard *o, const struct heap *heap)
{
	const size_t nnodes = o->of->model->nnodes;
	double *events = arena_array(o->arena, o->of->model->events.count + 1, sizeof(*events));
	double *sums = arena_array(o->arena, nnodes + 1, sizeof(*sums));
	double *squares = arena_array(o->arena, nnodes + 1, sizeof(*squares));
	double n = 0, t;

	for (size_t i = 0; i < PROFILE_BATCHES; i++) {
		struct function_tree part;

		if (!heap->has[i])
			continue;
		fill_events(events, o, heap, i);
		function_tree_evaluate(&part, o->of->model, events, o->arena);
		for (size_t k = 0; k < nnodes; k++) {
			double difference = part.values[k] - tree->values[k];

			sums[k] += difference;
			squares[k] += difference * difference;
		}
		n++;
	}
	t = n > 1 ? student_t95((size_t)n - 1) : NOT_COUNTED;
	for (size_t k = 0; k < nnodes; k++) {
		double variance = (squares[k] - sums[k] * sums[k] / n) * (n - 1) / n;
		double half = t * sqrt(fmax(variance, 0));

		tree->low[k] = tree->values[k] - half;
		tree->high[k] = tree->values[k] + half;
	}
}

static void name_tree(struct function_tree *tree, const struct orchard *o, uint32_t number)
{
	const struct profile_place *place = &o->profile->places[number];

	tree->function = place->nframes ? place->frames[place->nframes - 1].function : NULL;
	tree->module = o->profile->modules[place->module].path;
}

static void grow(struct function_tree *tree, const struct orchard *o, const struct heap *heap)
{
	const struct weighing whole = { .whole = o->cycles, .samples = o->pairs };
	double *events = arena_array(o->arena, o->of->model->events.count + 1, sizeof(*events));

	fill_events(events, o, heap, ALL_BATCHES);
	function_tree_evaluate(tree, o->of->model, events, o->arena);
	tree->cycles = share_of_weight(&whole, heap->cycles, heap->pairs);
	tree->low = arena_array(o->arena, o->of->model->nnodes + 1, sizeof(*tree->low));
	tree->high = arena_array(o->arena, o->of->model->nnodes + 1, sizeof(*tree->high));
	fill_intervals(tree, o, heap);
	tree->is_mixed = heap->place == PROFILE_NONE;
	if (!tree->is_mixed)
		name_tree(tree, o, heap->place);
}

/* The most cycles first; the mixed heap stands at the end. */
static int compare_heaps(const void *first, const void *second)
{
	const struct heap *const *one = first, *const *other = second;
	const struct heap *a = *one, *b = *other;
	int order = (a->place == PROFILE_NONE) - (b->place == PROFILE_NONE);

	if (!order)
		order = (a->cycles < b->cycles) - (a->cycles > b->cycles);
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The hottest get room for their values, and so does what is mixed. Returns their number. */
static size_t choose(struct heap **chosen, struct orchard *o, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < o->nheaps; i++)
		chosen[i] = &o->heaps[i];
	qsort(chosen, o->nheaps, sizeof(struct heap *), compare_heaps);
	for (size_t i = 0; i < o->nheaps; i++)
		if (chosen[i]->cycles > 0 && (count < most || chosen[i]->place == PROFILE_NONE)) {
			chosen[i]->values = arena_array(o->arena, PROFILE_BATCHES * o->nvalues + 1, sizeof(double));
			chosen[count++] = chosen[i];
		}
	return count;
}

bool sampled_trees_fill(struct function_trees *trees, const struct profile *profile, const struct sampled_model *of,
			size_t most, struct arena *arena)
{
	struct orchard o = { .profile = profile, .of = of, .arena = arena };
	uint32_t *numbers = arena_array(arena, profile->nplaces + 1u, sizeof(*numbers));
	struct heap **chosen;
	size_t count;

	*trees = (struct function_trees){ .model = of->model, .rest = 100, .is_sampled = true };
	bind_groups(&o);
	o.heaps = arena_array(arena, profile->nplaces + 2u, sizeof(*o.heaps));
	sum_cycles(&o, numbers);
	chosen = arena_array(arena, o.nheaps, sizeof(struct heap *));
	count = choose(chosen, &o, most);
	sum_values(&o, numbers);
	trees->items = arena_array(arena, count + 1, sizeof(*trees->items));
	for (size_t i = 0; i < count; i++) {
		grow(&trees->items[trees->count++], &o, chosen[i]);
		trees->rest -= trees->items[i].cycles.percent;
	}
	return count > 0;
}
