/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/function_deltas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/measurement/statistics.h"

struct delta_group {
	const struct profile_group *group;
	bool is_used;  /* it is of the core type that was asked for */
	size_t *bound; /* event of the set, or TABLE_NONE, for each of its events */
	size_t cycles; /* which of its events; TABLE_NONE: none */
	size_t first;  /* of its values among those of a batch */
	double read;   /* cycles of all functions; 0: no sample was taken */
};

/* While functions are chosen: all that have cycles. */
struct heap {
	uint32_t place; /* one of the function's; PROFILE_NONE: mixed */
	uint64_t pairs;
	double cycles;
	struct function_delta *chosen; /* NULL: it is not among the most */
};

struct heaps {
	struct function_deltas *deltas;
	struct heap *items;
	size_t count;
	uint32_t *numbers; /* of each place and, at the end, of mixed: its heap + 1 */
};

/* ---- groups ---- */

static struct delta_group bind_group(const struct delta_request *request, const struct profile_group *group,
				     size_t first, struct arena *arena)
{
	const struct profile_event *event = &request->profile->events[group->event];
	struct delta_group bound = { .group = group, .cycles = TABLE_NONE, .first = first };

	bound.is_used = compare_texts(event->pmu, request->pmu) == 0;
	bound.bound = arena_array(arena, group->nevents + 1, sizeof(*bound.bound));
	for (size_t i = 0; i < group->nevents; i++) {
		bound.bound[i] = event_set_find(request->events, group->events[i]);
		if (!strcmp(group->events[i], event->event))
			bound.cycles = i;
	}
	bound.is_used = bound.is_used && bound.cycles != TABLE_NONE;
	return bound;
}

static void bind_groups(struct function_deltas *deltas, const struct delta_request *request, struct arena *arena)
{
	deltas->groups = arena_array(arena, request->profile->ngroups + 1u, sizeof(*deltas->groups));
	for (uint32_t i = 0; i < request->profile->ngroups; i++) {
		deltas->groups[i] = bind_group(request, &request->profile->groups[i], deltas->nvalues, arena);
		deltas->nvalues += request->profile->groups[i].nevents;
	}
}

/* ---- which functions ---- */

static struct heap *heap_of(struct heaps *heaps, const struct profile_delta *delta)
{
	uint32_t place = delta->from == delta->to ? delta->from : PROFILE_NONE;
	uint32_t *number = &heaps->numbers[place == PROFILE_NONE ? heaps->deltas->profile->nplaces : place];

	if (!*number) {
		*number = (uint32_t)++heaps->count;
		heaps->items[heaps->count - 1] = (struct heap){ .place = place };
	}
	return &heaps->items[*number - 1];
}

static void sum_cycles(struct heaps *heaps)
{
	struct function_deltas *deltas = heaps->deltas;

	for (uint32_t i = 0; i < deltas->profile->ndeltas; i++) {
		const struct profile_delta *delta = &deltas->profile->deltas[i];
		struct delta_group *group = &deltas->groups[delta->group];
		struct heap *heap;

		if (!group->is_used)
			continue;
		heap = heap_of(heaps, delta);
		heap->pairs += delta->pairs;
		heap->cycles += delta->values[group->cycles];
		group->read += delta->values[group->cycles];
		deltas->pairs += delta->pairs;
		deltas->cycles += delta->values[group->cycles];
	}
	for (uint32_t i = deltas->profile->ngroups; i-- > 0;)
		if (deltas->groups[i].read > 0)
			deltas->run_cycles = deltas->groups[i].read;
}

static void function_deltas_add_values(struct function_delta *function, const struct function_deltas *deltas,
				       const struct profile_delta *delta)
{
	const struct delta_group *group = &deltas->groups[delta->group];

	function->has[delta->batch] = true;
	function->read[delta->group] += delta->pairs;
	for (size_t k = 0; k < group->group->nevents; k++)
		function->values[delta->batch * deltas->nvalues + group->first + k] += delta->values[k];
}

/* Of those that have room for them. */
static void sum_values(struct heaps *heaps)
{
	const struct function_deltas *deltas = heaps->deltas;

	for (uint32_t i = 0; i < deltas->profile->ndeltas; i++) {
		const struct profile_delta *delta = &deltas->profile->deltas[i];
		const struct delta_group *group = &deltas->groups[delta->group];
		struct function_delta *function = group->is_used ? heap_of(heaps, delta)->chosen : NULL;

		if (function)
			function_deltas_add_values(function, deltas, delta);
	}
}

/* The most cycles first; what is mixed stands at the end. */
static int compare_heaps(const void *first, const void *second)
{
	const struct heap *const *one = first, *const *other = second;
	const struct heap *a = *one, *b = *other;
	int order = (a->place == PROFILE_NONE) - (b->place == PROFILE_NONE);

	if (!order)
		order = (a->cycles < b->cycles) - (a->cycles > b->cycles);
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static void function_deltas_make_room(struct function_delta *function, const struct function_deltas *deltas,
				      struct arena *arena)
{
	function->values = arena_array(arena, PROFILE_BATCHES * deltas->nvalues + 1, sizeof(double));
	function->read = arena_array(arena, deltas->profile->ngroups + 1u, sizeof(*function->read));
}

static struct function_delta chosen_of(const struct heap *heap, const struct function_deltas *deltas,
				       struct arena *arena)
{
	const struct profile *profile = deltas->profile;
	struct function_delta function = { .place = heap->place,
					   .is_mixed = heap->place == PROFILE_NONE,
					   .pairs = heap->pairs,
					   .cycles = heap->cycles };

	function_deltas_make_room(&function, deltas, arena);
	if (!function.is_mixed) {
		const struct profile_place *place = &profile->places[heap->place];

		function.function = place->nframes ? place->frames[place->nframes - 1].function : NULL;
		function.module = profile->modules[place->module].path;
	}
	return function;
}

/* The hottest get room for their values, and so does what is mixed. */
static void function_deltas_choose(struct heaps *heaps, size_t most, struct arena *arena)
{
	struct function_deltas *deltas = heaps->deltas;
	struct heap **sorted = arena_array(arena, heaps->count + 1, sizeof(struct heap *));

	for (size_t i = 0; i < heaps->count; i++)
		sorted[i] = &heaps->items[i];
	if (heaps->count)
		qsort(sorted, heaps->count, sizeof(struct heap *), compare_heaps);
	deltas->items = arena_array(arena, heaps->count + 1, sizeof(*deltas->items));
	for (size_t i = 0; i < heaps->count; i++)
		if (sorted[i]->cycles > 0 && (deltas->count < most || sorted[i]->place == PROFILE_NONE)) {
			sorted[i]->chosen = &deltas->items[deltas->count++];
			*sorted[i]->chosen = chosen_of(sorted[i], deltas, arena);
		}
}

bool function_deltas_fill(struct function_deltas *deltas, const struct delta_request *request, struct arena *arena)
{
	const struct profile *profile = request->profile;
	struct heaps heaps = { .deltas = deltas };

	*deltas = (struct function_deltas){ .profile = profile, .events = request->events };
	bind_groups(deltas, request, arena);
	heaps.items = arena_array(arena, profile->nplaces + 2u, sizeof(*heaps.items));
	heaps.numbers = arena_array(arena, profile->nplaces + 1u, sizeof(*heaps.numbers));
	sum_cycles(&heaps);
	function_deltas_choose(&heaps, request->most, arena);
	sum_values(&heaps);
	return deltas->count > 0;
}

/* ---- loops ---- */

static int compare_loops(const void *first, const void *second)
{
	const struct function_delta *a = first, *b = second;
	int order = (a->cycles < b->cycles) - (a->cycles > b->cycles);

	return order ? order : (a->loop > b->loop) - (a->loop < b->loop);
}

static bool is_in_loop(const struct function_deltas *deltas, const struct function_delta *function,
		       const struct profile_delta *delta)
{
	return delta->loop && delta->from == function->place && delta->to == function->place &&
	       deltas->groups[delta->group].is_used;
}

/* All of them, without their values. */
static size_t sum_loops(struct function_delta *loops, const struct function_deltas *deltas,
			const struct function_delta *function, size_t *numbers)
{
	size_t count = 0;

	for (uint32_t i = 0; i < deltas->profile->ndeltas; i++) {
		const struct profile_delta *delta = &deltas->profile->deltas[i];
		size_t *number = &numbers[delta->loop];

		if (!is_in_loop(deltas, function, delta))
			continue;
		if (!*number) {
			*number = ++count;
			loops[count - 1] = *function;
			loops[count - 1].loop = delta->loop;
			loops[count - 1].cycles = 0;
			loops[count - 1].pairs = 0;
			memset(loops[count - 1].has, 0, sizeof(function->has));
		}
		loops[*number - 1].pairs += delta->pairs;
		loops[*number - 1].cycles += delta->values[deltas->groups[delta->group].cycles];
	}
	return count;
}

struct function_delta *function_deltas_loops(size_t *count, const struct function_deltas *deltas,
					     const struct function_delta *function, size_t most, struct arena *arena)
{
	const struct profile *profile = deltas->profile;
	struct function_delta *loops = arena_array(arena, profile->nloops + 1u, sizeof(*loops));
	size_t *numbers = arena_array(arena, profile->nloops + 1u, sizeof(*numbers));

	*count = sum_loops(loops, deltas, function, numbers);
	if (*count)
		qsort(loops, *count, sizeof(*loops), compare_loops);
	*count = *count < most ? *count : most;
	for (size_t i = 0; i < *count; i++) {
		function_deltas_make_room(&loops[i], deltas, arena);
		for (uint32_t k = 0; k < profile->ndeltas; k++)
			if (profile->deltas[k].loop == loops[i].loop &&
			    is_in_loop(deltas, function, &profile->deltas[k]))
				function_deltas_add_values(&loops[i], deltas, &profile->deltas[k]);
	}
	return loops;
}

/* ---- sums ---- */

static double function_deltas_value_of(const struct function_deltas *deltas, const struct function_delta *function,
				       size_t value, size_t left_out)
{
	double sum = 0;

	for (size_t i = 0; i < PROFILE_BATCHES; i++)
		if (i != left_out)
			sum += function->values[i * deltas->nvalues + value];
	return sum;
}

void function_deltas_sum(struct delta_sums *sums, const struct function_deltas *deltas,
			 const struct function_delta *function, size_t left_out)
{
	sums->cycles = 0;
	for (size_t i = 0; i < deltas->events->count; i++)
		sums->events[i] = NOT_COUNTED;
	for (uint32_t i = 0; i < deltas->profile->ngroups; i++) {
		const struct delta_group *group = &deltas->groups[i];
		double cycles = group->is_used ? function_deltas_value_of(deltas, function,
									  group->first + group->cycles, left_out)
					       : 0;

		if (!(cycles > 0))
			continue;
		sums->cycles = sums->cycles > 0 ? sums->cycles : cycles;
		for (size_t k = 0; k < group->group->nevents; k++)
			if (group->bound[k] != TABLE_NONE && isnan(sums->events[group->bound[k]]))
				sums->events[group->bound[k]] =
					function_deltas_value_of(deltas, function, group->first + k, left_out) *
					(sums->cycles / cycles);
	}
}

static bool function_deltas_has_event(const struct delta_group *group, size_t event)
{
	for (size_t k = 0; group->is_used && k < group->group->nevents; k++)
		if (group->bound[k] == event)
			return true;
	return false;
}

bool function_deltas_has(const struct function_deltas *deltas, size_t event)
{
	for (uint32_t i = 0; i < deltas->profile->ngroups; i++)
		if (deltas->groups[i].read > 0 && function_deltas_has_event(&deltas->groups[i], event))
			return true;
	return false;
}

/* As function_deltas_sum takes it: from the first group that has counted anything there. */
uint64_t function_deltas_samples(const struct function_deltas *deltas, const struct function_delta *function,
				 size_t event)
{
	for (uint32_t i = 0; i < deltas->profile->ngroups; i++) {
		const struct delta_group *group = &deltas->groups[i];

		if (function_deltas_has_event(group, event) &&
		    function_deltas_value_of(deltas, function, group->first + group->cycles, ALL_BATCHES) > 0)
			return function->read[i];
	}
	return 0;
}

/* ---- intervals ---- */

/* How the values change where a part of the samples is left out. */
struct changes {
	double *sums, *squares, n;
};

static void add_change(struct changes *changes, const double *values, const double *whole, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		double difference = values[k] - whole[k];

		changes->sums[k] += difference;
		changes->squares[k] += difference * difference;
	}
	changes->n++;
}

/* The jackknife over batches (Quenouille 1956, Tukey 1958). */
struct delta_estimates function_deltas_estimate(const struct delta_formula *formula,
						const struct function_deltas *deltas,
						const struct function_delta *function, struct arena *arena)
{
	const size_t count = formula->count;
	struct delta_sums sums = { arena_array(arena, deltas->events->count + 1, sizeof(double)), 0 };
	struct delta_estimates estimates = { arena_array(arena, count + 1, sizeof(double)),
					     arena_array(arena, count + 1, sizeof(double)),
					     arena_array(arena, count + 1, sizeof(double)) };
	struct changes changes = { arena_array(arena, count + 1, sizeof(double)),
				   arena_array(arena, count + 1, sizeof(double)), 0 };
	double *part = arena_array(arena, count + 1, sizeof(*part)), t;

	function_deltas_sum(&sums, deltas, function, ALL_BATCHES);
	formula->compute(formula->context, estimates.values, &sums);
	for (size_t i = 0; i < PROFILE_BATCHES; i++) {
		if (!function->has[i])
			continue;
		function_deltas_sum(&sums, deltas, function, i);
		formula->compute(formula->context, part, &sums);
		add_change(&changes, part, estimates.values, count);
	}
	t = changes.n > 1 ? student_t95((size_t)changes.n - 1) : NOT_COUNTED;
	for (size_t k = 0; k < count; k++) {
		double variance = (changes.squares[k] - changes.sums[k] * changes.sums[k] / changes.n) *
				  (changes.n - 1) / changes.n;
		double half = t * sqrt(isnan(variance) ? variance : fmax(variance, 0));

		estimates.low[k] = estimates.values[k] - half;
		estimates.high[k] = estimates.values[k] + half;
	}
	return estimates;
}
