/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/profile.h"

#include <string.h>

#include "common/base/finder.h"
#include "common/base/text.h"

struct profile_index {
	struct finder modules, places, stacks, tasks, rows, deltas;
	size_t module_room, place_room, stack_room, task_room, event_room, row_room, remark_room, group_room,
		delta_room, pair_room;
};

const char *stack_method_name(enum stack_method method)
{
	static const char *const names[STACK_METHODS] = { [STACK_NONE] = "none",
							  [STACK_FP] = "fp",
							  [STACK_CFI] = "dwarf",
							  [STACK_LBR] = "lbr",
							  [STACK_SHADOW] = "shadow" };

	return names[method];
}

void profile_init(struct profile *profile, struct arena *arena)
{
	*profile = (struct profile){ .arena = arena, .index = arena_alloc(arena, sizeof(struct profile_index)) };
}

static const char *copy(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

/* ---- modules ---- */

static bool is_same_module(const void *owner, uint32_t number, const void *key)
{
	const struct profile *profile = owner;
	const struct profile_module *a = &profile->modules[number], *b = key;

	return a->kind == b->kind && a->pid == b->pid && !compare_texts(a->path, b->path) &&
	       !compare_texts(a->build_id, b->build_id);
}

uint32_t profile_module(struct profile *profile, const struct profile_module *module)
{
	struct profile_index *index = profile->index;
	const uint64_t numbers[] = { module->kind, module->pid, hash_text(module->path), hash_text(module->build_id) };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_module, profile, module };
	bool is_new;
	uint32_t number = finder_take(&index->modules, &key, &profile->nmodules, &is_new, profile->arena);

	if (!is_new)
		return number;
	profile->modules = arena_grow(profile->arena, profile->modules, number, &index->module_room, sizeof(*module));
	profile->modules[number] = (struct profile_module){ .kind = module->kind,
							    .path = copy(profile->arena, module->path),
							    .build_id = copy(profile->arena, module->build_id),
							    .remark = copy(profile->arena, module->remark),
							    .pid = module->pid };
	return number;
}

/* ---- places, stacks ---- */

static bool is_same_place(const void *owner, uint32_t number, const void *key)
{
	const struct profile *profile = owner;
	const struct profile_place *a = &profile->places[number], *b = key;

	return a->module == b->module && a->address == b->address;
}

uint32_t profile_place(struct profile *profile, uint32_t module, uint64_t address)
{
	const struct profile_place place = { .module = module, .address = address };
	struct profile_index *index = profile->index;
	const uint64_t numbers[] = { module, address };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_place, profile, &place };
	bool is_new;
	uint32_t number = finder_take(&index->places, &key, &profile->nplaces, &is_new, profile->arena);

	if (!is_new)
		return number;
	profile->places = arena_grow(profile->arena, profile->places, number, &index->place_room, sizeof(place));
	profile->places[number] = place;
	return number;
}

static bool is_same_stack(const void *owner, uint32_t number, const void *key)
{
	const struct profile *profile = owner;
	const struct profile_stack *a = &profile->stacks[number], *b = key;

	return a->place == b->place && a->caller == b->caller;
}

uint32_t profile_stack(struct profile *profile, uint32_t place, uint32_t caller)
{
	const struct profile_stack stack = { .place = place,
					     .caller = caller,
					     .depth = caller == PROFILE_NONE ? 1 : profile->stacks[caller].depth + 1 };
	struct profile_index *index = profile->index;
	const uint64_t numbers[] = { place, caller };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_stack, profile, &stack };
	bool is_new;
	uint32_t number = finder_take(&index->stacks, &key, &profile->nstacks, &is_new, profile->arena);

	if (!is_new)
		return number;
	profile->stacks = arena_grow(profile->arena, profile->stacks, number, &index->stack_room, sizeof(stack));
	profile->stacks[number] = stack;
	return number;
}

/* ---- tasks, events, rows ---- */

static bool is_same_task(const void *owner, uint32_t number, const void *key)
{
	const struct profile *profile = owner;
	const struct profile_task *a = &profile->tasks[number], *b = key;

	return a->pid == b->pid && a->tid == b->tid && !compare_texts(a->name, b->name) &&
	       !compare_texts(a->program, b->program);
}

uint32_t profile_task(struct profile *profile, const struct profile_task *task)
{
	struct profile_index *index = profile->index;
	const uint64_t numbers[] = { task->pid, task->tid, hash_text(task->name), hash_text(task->program) };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_task, profile, task };
	bool is_new;
	uint32_t number = finder_take(&index->tasks, &key, &profile->ntasks, &is_new, profile->arena);

	if (!is_new)
		return number;
	profile->tasks = arena_grow(profile->arena, profile->tasks, number, &index->task_room, sizeof(*task));
	profile->tasks[number] = (struct profile_task){ .pid = task->pid,
							.tid = task->tid,
							.name = copy(profile->arena, task->name),
							.program = copy(profile->arena, task->program) };
	return number;
}

uint32_t profile_event(struct profile *profile, const struct profile_event *event)
{
	uint32_t number = profile->nevents++;
	struct profile_event *added;

	profile->events =
		arena_grow(profile->arena, profile->events, number, &profile->index->event_room, sizeof(*event));
	added = &profile->events[number];
	*added = *event;
	added->event = copy(profile->arena, event->event);
	added->node = copy(profile->arena, event->node);
	added->pmu = copy(profile->arena, event->pmu);
	return number;
}

static bool is_same_row(const void *owner, uint32_t number, const void *key)
{
	const struct profile *profile = owner;
	const struct profile_row *a = &profile->rows[number], *b = key;

	return a->stack == b->stack && a->task == b->task && a->event == b->event && a->method == b->method &&
	       a->is_truncated == b->is_truncated && a->interval == b->interval;
}

static void set_row(struct profile *profile, uint32_t number, const struct profile_row *like)
{
	profile->rows =
		arena_grow(profile->arena, profile->rows, number, &profile->index->row_room, sizeof(*profile->rows));
	profile->rows[number] = (struct profile_row){ .stack = like->stack,
						      .task = like->task,
						      .event = like->event,
						      .method = like->method,
						      .is_truncated = like->is_truncated,
						      .interval = like->interval };
}

struct profile_row *profile_row(struct profile *profile, const struct profile_row *like)
{
	struct profile_index *index = profile->index;
	const uint64_t numbers[] = { like->stack,  like->task,	       like->event,
				     like->method, like->is_truncated, like->interval };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_row, profile, like };
	bool is_new;
	uint32_t number = finder_take(&index->rows, &key, &profile->nrows, &is_new, profile->arena);

	if (is_new)
		set_row(profile, number, like);
	return &profile->rows[number];
}

uint32_t profile_new_row(struct profile *profile, const struct profile_row *like)
{
	set_row(profile, profile->nrows, like);
	return profile->nrows++;
}

/* ---- groups ---- */

uint32_t profile_group(struct profile *profile, const struct profile_group *group)
{
	profile->groups = arena_grow(profile->arena, profile->groups, profile->ngroups, &profile->index->group_room,
				     sizeof(*group));
	profile->groups[profile->ngroups] = *group;
	return profile->ngroups++;
}

static bool is_same_delta(const void *owner, uint32_t number, const void *key)
{
	const struct profile *profile = owner;
	const struct profile_delta *a = &profile->deltas[number], *b = key;

	return a->from == b->from && a->to == b->to && a->group == b->group && a->batch == b->batch &&
	       a->loop == b->loop;
}

struct profile_delta *profile_delta(struct profile *profile, const struct profile_delta *like)
{
	struct profile_index *index = profile->index;
	const uint64_t numbers[] = { like->from, like->to, like->group, like->batch, like->loop };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_delta, profile, like };
	bool is_new;
	uint32_t number = finder_take(&index->deltas, &key, &profile->ndeltas, &is_new, profile->arena);

	if (!is_new)
		return &profile->deltas[number];
	profile->deltas = arena_grow(profile->arena, profile->deltas, number, &index->delta_room, sizeof(*like));
	profile->deltas[number] = (struct profile_delta){
		.from = like->from, .to = like->to, .group = like->group, .batch = like->batch, .loop = like->loop
	};
	profile->deltas[number].values =
		arena_array(profile->arena, profile->groups[like->group].nevents + 1, sizeof(double));
	return &profile->deltas[number];
}

/* The function that is really there, around those that were inlined; NULL: none is known. */
static const struct profile_frame *outermost(const struct profile *profile, uint32_t place)
{
	const struct profile_place *p = place < profile->nplaces ? &profile->places[place] : NULL;

	return p && p->nframes && p->frames[p->nframes - 1].function ? &p->frames[p->nframes - 1] : NULL;
}

static bool is_same_function(const struct profile *profile, uint32_t a, uint32_t b)
{
	const struct profile_frame *one = outermost(profile, a), *other = outermost(profile, b);

	return one && other && profile->places[a].module == profile->places[b].module &&
	       strcmp(one->function, other->function) == 0;
}

static bool has_same_function(const void *owner, uint32_t number, const void *key)
{
	return is_same_function(owner, number, *(const uint32_t *)key);
}

/* For each place the first one of its function; PROFILE_NONE where that has no name. */
static uint32_t *find_firsts(const struct profile *profile)
{
	uint32_t *firsts = arena_array(profile->arena, (size_t)profile->nplaces + 1, sizeof(*firsts));
	struct finder finder = { 0 };

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_frame *frame = outermost(profile, i);
		const uint64_t numbers[] = { profile->places[i].module, hash_text(frame ? frame->function : NULL) };
		const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), has_same_function, profile,
						&i };

		firsts[i] = frame ? finder_find(&finder, &key) : PROFILE_NONE;
		if (!frame || firsts[i] != FINDER_NONE)
			continue;
		firsts[i] = i;
		finder_add(&finder, key.hash, i, profile->arena);
	}
	return firsts;
}

/* That both places of a function are in; 0: none. */
static uint32_t loop_of(const struct profile *profile, const struct profile_delta *delta)
{
	uint32_t loop = profile->places[delta->from].loop;

	return loop == profile->places[delta->to].loop ? loop : 0;
}

void profile_condense(struct profile *profile)
{
	const struct profile_delta *before = profile->deltas;
	const uint32_t count = profile->ndeltas, *firsts;

	if (!count)
		return;
	firsts = find_firsts(profile);
	profile->deltas = NULL;
	profile->ndeltas = 0;
	profile->index->deltas = (struct finder){ 0 };
	profile->index->delta_room = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = before[i].from == PROFILE_NONE ? PROFILE_NONE : firsts[before[i].from];
		uint32_t to = before[i].to == PROFILE_NONE ? PROFILE_NONE : firsts[before[i].to];
		uint32_t place = from == to ? from : PROFILE_NONE;
		const struct profile_delta like = { .from = place,
						    .to = place,
						    .group = before[i].group,
						    .batch = before[i].batch,
						    .loop = place == PROFILE_NONE ? 0 : loop_of(profile, &before[i]) };
		struct profile_delta *delta = profile_delta(profile, &like);

		delta->pairs += before[i].pairs;
		for (size_t k = 0; k < profile->groups[delta->group].nevents; k++)
			delta->values[k] += before[i].values[k];
	}
}

/* ---- intervals and remarks ---- */

void profile_interval(struct profile *profile, uint32_t number, const struct profile_interval *interval)
{
	if (number != profile->nintervals)
		return;
	/* Room for twice as many whenever the number is a power of two. */
	if (!(number & (number - 1))) {
		struct profile_interval *all = arena_array(profile->arena, 2 * (size_t)number + 1, sizeof(*all));

		if (number)
			memcpy(all, profile->intervals, number * sizeof(*all));
		profile->intervals = all;
	}
	profile->intervals[profile->nintervals++] = *interval;
}

void profile_pair(struct profile *profile, const struct profile_pair *pair)
{
	for (uint32_t i = 0; i < profile->npairs; i++) {
		struct profile_pair *known = &profile->pairs[i];

		if (known->place != pair->place || known->partner != pair->partner || known->kind != pair->kind)
			continue;
		known->transfers += pair->transfers;
		return;
	}
	profile->pairs = arena_grow(profile->arena, profile->pairs, profile->npairs, &profile->index->pair_room,
				    sizeof(*profile->pairs));
	profile->pairs[profile->npairs++] = *pair;
}

void profile_remark(struct profile *profile, const char *sentence)
{
	for (size_t i = 0; i < profile->nremarks; i++)
		if (!strcmp(profile->remarks[i], sentence))
			return;
	profile->remarks = arena_grow(profile->arena, profile->remarks, profile->nremarks, &profile->index->remark_room,
				      sizeof(*profile->remarks));
	profile->remarks[profile->nremarks++] = copy(profile->arena, sentence);
}
