/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/export/call_tree.h"

#include <string.h>

#include "common/base/cells.h"
#include "common/base/finder.h"

struct call_index {
	struct arena *arena;
	struct finder calls; /* by caller and function */
	size_t room;
	uint32_t *call_of; /* of each stack, below the root that stamps has */
	uint32_t *stamps;  /* root call + 1; 0: none yet */
	uint32_t *chain;   /* room for the deepest stack */
};

static bool is_same_call(const void *owner, uint32_t number, const void *key)
{
	const struct call *a = &((const struct call_tree *)owner)->calls[number], *b = key;

	return a->parent == b->parent && a->function == b->function && a->is_task == b->is_task;
}

static struct finder_key key_of(const struct call_tree *tree, const struct call *wanted)
{
	const uint64_t numbers[] = { wanted->parent, wanted->function, wanted->is_task };

	return (struct finder_key){ hash_numbers(numbers, COUNT_OF(numbers)), is_same_call, tree, wanted };
}

static uint32_t take_call(struct call_tree *tree, const struct call *wanted)
{
	const struct finder_key key = key_of(tree, wanted);
	struct call_index *index = tree->index;
	bool is_new;
	uint32_t number = finder_take(&index->calls, &key, &tree->count, &is_new, index->arena);

	if (is_new) {
		tree->calls = arena_grow(index->arena, tree->calls, number, &index->room, sizeof(*tree->calls));
		tree->calls[number] = *wanted;
	}
	return number;
}

/* PROFILE_NONE where nobody made this call. */
static uint32_t find_call(const struct call_tree *tree, const struct call *wanted)
{
	const struct finder_key key = key_of(tree, wanted);

	return finder_find(&tree->index->calls, &key);
}

/* ---- stacks ---- */

/* The stacks from this one up to the one that is known, or the outermost; their number. */
static uint32_t climb(const struct call_tree *tree, uint32_t stack, uint32_t root)
{
	const struct profile *profile = tree->profile;
	uint32_t count = 0;

	for (; stack != PROFILE_NONE && tree->index->stamps[stack] != root + 1; stack = profile->stacks[stack].caller)
		if (count < profile->nstacks)
			tree->index->chain[count++] = stack;
	return count;
}

static uint32_t call_of_stack(struct call_tree *tree, uint32_t stack, uint32_t root)
{
	const struct profile_stack *stacks = tree->profile->stacks;
	struct call_index *index = tree->index;
	uint32_t count = climb(tree, stack, root), call = root;

	if (!count)
		return index->call_of[stack];
	if (stacks[index->chain[count - 1]].caller != PROFILE_NONE)
		call = index->call_of[stacks[index->chain[count - 1]].caller];
	while (count--) {
		uint32_t here = index->chain[count], place = stacks[here].place;

		for (uint32_t i = tree->functions->first[place]; i < tree->functions->first[place + 1]; i++) {
			struct call wanted = { .function = tree->functions->frames[i].function, .parent = call };

			call = take_call(tree, &wanted);
		}
		index->call_of[here] = call;
		index->stamps[here] = root + 1;
	}
	return call;
}

/* ---- the roots of --by ---- */

static uint32_t first_of_process(const struct profile *profile, uint32_t task)
{
	for (uint32_t i = 0; i < task; i++)
		if (profile->tasks[i].pid == profile->tasks[task].pid)
			return i;
	return task;
}

static void choose_roots(struct call_tree *tree, enum export_roots roots, struct arena *arena)
{
	const struct profile *profile = tree->profile;

	tree->root = arena_array(arena, (size_t)profile->ntasks + 1, sizeof(*tree->root));
	for (uint32_t i = 0; i < profile->ntasks; i++)
		tree->root[i] = roots == ROOTS_NONE	 ? PROFILE_NONE
				: roots == ROOTS_PROCESS ? first_of_process(profile, i)
							 : i;
}

static uint32_t root_of(struct call_tree *tree, const struct profile_row *row)
{
	struct call wanted = { .is_task = true };

	if (row->task >= tree->profile->ntasks || tree->root[row->task] == PROFILE_NONE)
		return 0;
	wanted.function = tree->root[row->task];
	return take_call(tree, &wanted);
}

/* ---- the tree ---- */

static void call_tree_add_rows(struct call_tree *tree, const struct weighing *weighing)
{
	for (uint32_t i = 0; i < tree->profile->nrows; i++) {
		const struct profile_row *row = &tree->profile->rows[i];
		uint32_t call;

		tree->leaf[i] = PROFILE_NONE;
		if (!(weighing->weights[i] > 0))
			continue;
		call = call_of_stack(tree, row->stack, root_of(tree, row));
		tree->leaf[i] = call;
		tree->calls[call].self += weighing->weights[i];
		tree->calls[call].samples += weighing->is_exact ? 0 : row->samples;
	}
	for (uint32_t i = 0; i < tree->count; i++)
		tree->calls[i].total = tree->calls[i].self;
	for (uint32_t i = tree->count; i-- > 1;) {
		struct call *parent = &tree->calls[tree->calls[i].parent];

		parent->total += tree->calls[i].total;
		parent->samples += tree->calls[i].samples;
	}
}

/* Tasks stand before functions; a function's number is the rank of its name. */
static uint32_t call_tree_rank(const struct call_tree *tree, const struct call *call)
{
	return call->is_task ? call->function : tree->profile->ntasks + call->function;
}

/* Sorted by rank, then, with that order kept, by parent: each by counting. */
static void sort_children(struct call_tree *tree, struct arena *arena)
{
	uint32_t nranks = tree->profile->ntasks + tree->functions->count;
	uint32_t *begins = arena_array(arena, (size_t)nranks + 2, sizeof(*begins));
	uint32_t *ranked = arena_array(arena, (size_t)tree->count + 1, sizeof(*ranked));
	uint32_t *fill = arena_array(arena, (size_t)tree->count + 2, sizeof(*fill));

	tree->order = arena_array(arena, (size_t)tree->count + 1, sizeof(*tree->order));
	tree->first = arena_array(arena, (size_t)tree->count + 2, sizeof(*tree->first));
	for (uint32_t i = 1; i < tree->count; i++) {
		begins[call_tree_rank(tree, &tree->calls[i]) + 1]++;
		tree->first[tree->calls[i].parent + 1]++;
	}
	for (uint32_t i = 0; i < nranks; i++)
		begins[i + 1] += begins[i];
	for (uint32_t i = 0; i < tree->count; i++)
		tree->first[i + 1] += tree->first[i];
	for (uint32_t i = 1; i < tree->count; i++)
		ranked[begins[call_tree_rank(tree, &tree->calls[i])]++] = i;
	memcpy(fill, tree->first, (tree->count + (size_t)1) * sizeof(*fill));
	for (uint32_t i = 0; i + 1 < tree->count; i++)
		tree->order[fill[tree->calls[ranked[i]].parent]++] = ranked[i];
}

void call_tree_init(struct call_tree *tree, const struct export_subject *subject, const struct weighing *weighing,
		    const struct export_frames *functions, struct arena *arena)
{
	const struct profile *profile = subject->profile;
	struct call_index *index = arena_alloc(arena, sizeof(*index));
	const struct call all = { .parent = PROFILE_NONE };

	*index = (struct call_index){ .arena = arena,
				      .call_of = arena_array(arena, (size_t)profile->nstacks + 1, sizeof(uint32_t)),
				      .stamps = arena_array(arena, (size_t)profile->nstacks + 1, sizeof(uint32_t)),
				      .chain = arena_array(arena, (size_t)profile->nstacks + 1, sizeof(uint32_t)) };
	*tree = (struct call_tree){ .profile = profile,
				    .functions = functions,
				    .leaf = arena_array(arena, (size_t)profile->nrows + 1, sizeof(uint32_t)),
				    .index = index };
	choose_roots(tree, subject->roots, arena);
	take_call(tree, &all);
	call_tree_add_rows(tree, weighing);
	sort_children(tree, arena);
}

uint32_t call_tree_find(const struct call_tree *tree, uint32_t row)
{
	const struct profile *profile = tree->profile;
	uint32_t stack = profile->rows[row].stack, task = profile->rows[row].task, call = 0, count = 0;
	struct call wanted = { .is_task = true };

	if (task < profile->ntasks && tree->root[task] != PROFILE_NONE) {
		wanted.function = tree->root[task];
		call = find_call(tree, &wanted);
		if (call == PROFILE_NONE)
			return 0;
	}
	for (; stack != PROFILE_NONE && count < profile->nstacks; stack = profile->stacks[stack].caller)
		tree->index->chain[count++] = stack;
	while (count--) {
		uint32_t place = profile->stacks[tree->index->chain[count]].place;

		for (uint32_t i = tree->functions->first[place]; i < tree->functions->first[place + 1]; i++) {
			uint32_t next;

			wanted = (struct call){ .function = tree->functions->frames[i].function, .parent = call };
			next = find_call(tree, &wanted);
			if (next == PROFILE_NONE)
				return call;
			call = next;
		}
	}
	return call;
}

const char *call_name(const struct call_tree *tree, uint32_t call, enum export_roots roots, struct arena *arena)
{
	const struct call *wanted = &tree->calls[call];
	const struct profile_task *task;
	const char *name;

	if (!call)
		return "all";
	if (!wanted->is_task)
		return tree->functions->items[wanted->function].name;
	task = &tree->profile->tasks[wanted->function];
	name = roots == ROOTS_PROCESS && task->program ? last_part(task->program) : task->name;
	name = cells_safe(arena, name && *name ? name : "unknown", true);
	return roots == ROOTS_PROCESS ? arena_printf(arena, "%s (pid %u)", name, task->pid)
				      : arena_printf(arena, "%s (tid %u)", name, task->tid);
}
