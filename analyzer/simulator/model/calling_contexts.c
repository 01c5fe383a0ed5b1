/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/calling_contexts.h"

#include "simulator/model/host.h"

#define FIRST_SIZE 1024				/* a power of two */
#define GOLDEN	   UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */

static uint32_t calling_contexts_mix(uint64_t a, uint64_t b)
{
	return (uint32_t)(((a * GOLDEN) ^ b) * GOLDEN >> 32);
}

/* ---- the tree ---- */

static uint32_t add_context(struct contexts *contexts, const struct context *context)
{
	uint32_t number = contexts->count, before = contexts->capacity;

	if (number == before) {
		contexts->capacity = 2 * before;
		contexts->all = sim_grow(contexts->all, before * sizeof(*contexts->all),
					 contexts->capacity * sizeof(*contexts->all));
	}
	contexts->all[number] = *context;
	contexts->count++;
	return number;
}

void contexts_init(struct contexts *contexts)
{
	*contexts = (struct contexts){
		.count = 1, .capacity = FIRST_SIZE, .ncells = 1, .edges_size = FIRST_SIZE, .placements_size = FIRST_SIZE
	};
	contexts->all = sim_allocate(FIRST_SIZE, sizeof(*contexts->all));
	contexts->edges = sim_allocate(FIRST_SIZE, sizeof(*contexts->edges));
	contexts->placements = sim_allocate(FIRST_SIZE, sizeof(*contexts->placements));
	contexts->cut = add_context(contexts, &(struct context){ .is_cut = true, .is_end = true });
}

uint32_t contexts_root(struct contexts *contexts, uint32_t task)
{
	return contexts->count < MOST_CONTEXTS ? add_context(contexts, &(struct context){ .task = task })
					       : contexts->cut;
}

/* Where the context is in the table, or is to be put. */
static uint32_t find_edge(const struct contexts *contexts, const struct context *callee)
{
	uint32_t at = calling_contexts_mix(callee->caller, callee->site) & (contexts->edges_size - 1);

	for (; contexts->edges[at]; at = (at + 1) & (contexts->edges_size - 1)) {
		const struct context *context = &contexts->all[contexts->edges[at]];

		if (context->caller == callee->caller && context->site == callee->site &&
		    context->is_folded == callee->is_folded)
			break;
	}
	return at;
}

/* Half of the table stays free. */
static void grow_edges(struct contexts *contexts)
{
	uint32_t *before = contexts->edges, size = contexts->edges_size;

	contexts->edges_size = 2 * size;
	contexts->edges = sim_allocate(contexts->edges_size, sizeof(*contexts->edges));
	for (uint32_t i = 0; i < size; i++)
		if (before[i])
			contexts->edges[find_edge(contexts, &contexts->all[before[i]])] = before[i];
	sim_release(before);
}

/* The last one of the callers that is a call from the function; 0: none is. */
static uint32_t find_function(const struct contexts *contexts, uint32_t context, uint32_t function)
{
	for (; contexts->all[context].site; context = contexts->all[context].caller)
		if (contexts->functions[contexts->all[context].site] == function)
			return context;
	return 0;
}

/* What a call from the site in the caller leads to. False: to nothing else than where it is. */
static bool describe_callee(const struct contexts *contexts, struct context *callee, uint32_t *caller, uint32_t site)
{
	uint32_t function = contexts->functions[site], earlier = find_function(contexts, *caller, function);

	*callee = contexts->all[*caller];
	callee->placements = NULL;
	callee->site = earlier ? function : site;
	callee->is_end = callee->depth == MOST_DEPTH;
	callee->is_folded = false;
	callee->is_cut |= callee->is_end;
	if (earlier && (contexts->count >= FEW_CONTEXTS || callee->is_end)) {
		*caller = contexts->all[earlier].is_folded ? earlier : contexts->all[earlier].caller;
		if (*caller == earlier)
			return false;
		*callee = (struct context){ .site = function,
					    .task = callee->task,
					    .depth = contexts->all[*caller].depth,
					    .is_cut = true,
					    .is_folded = true };
	}
	if (callee->is_end)
		callee->site = 0;
	callee->caller = *caller;
	callee->depth++;
	return true;
}

uint32_t contexts_call(struct contexts *contexts, uint32_t caller, uint32_t site)
{
	struct context callee;
	uint32_t at;

	if (contexts->all[caller].is_end || !describe_callee(contexts, &callee, &caller, site))
		return caller;
	at = find_edge(contexts, &callee);
	if (contexts->edges[at])
		return contexts->edges[at];
	if (contexts->count >= MOST_CONTEXTS)
		return contexts->cut;
	if (2 * ++contexts->nedges >= contexts->edges_size) {
		grow_edges(contexts);
		at = find_edge(contexts, &callee);
	}
	return contexts->edges[at] = add_context(contexts, &callee);
}

/* ---- blocks in it ---- */

static struct placement *placement_at(const struct contexts *contexts, uint32_t number)
{
	return &contexts->pools[(number - 1) / POOL][(number - 1) % POOL];
}

static uint32_t placement_hash(uint32_t context, const struct block *block)
{
	return calling_contexts_mix((uintptr_t)block >> 4, context);
}

/* Where the placement is in the table, or is to be put. */
static uint32_t find_placement(const struct contexts *contexts, uint32_t context, const struct block *block)
{
	uint32_t hash = placement_hash(context, block), at = hash & (contexts->placements_size - 1);

	for (; contexts->placements[at]; at = (at + 1) & (contexts->placements_size - 1)) {
		const struct placement *placement;

		if (contexts->placements[at] >> 32 != hash)
			continue;
		placement = placement_at(contexts, (uint32_t)contexts->placements[at]);
		if (placement->block == block && placement->context == context)
			break;
	}
	return at;
}

/* The hashes are in the table, so that no placement is looked at. */
static void grow_placements(struct contexts *contexts)
{
	uint64_t *before = contexts->placements;
	uint32_t size = contexts->placements_size, at;

	contexts->placements_size = 2 * size;
	contexts->placements = sim_allocate(contexts->placements_size, sizeof(*contexts->placements));
	for (uint32_t i = 0; i < size; i++) {
		if (!before[i])
			continue;
		at = (uint32_t)(before[i] >> 32) & (contexts->placements_size - 1);
		while (contexts->placements[at])
			at = (at + 1) & (contexts->placements_size - 1);
		contexts->placements[at] = before[i];
	}
	sim_release(before);
}

/* The number of another one, which is not filled in. */
static uint32_t new_placement(struct contexts *contexts)
{
	uint32_t number = contexts->nplacements++, npools = number / POOL;

	if (number % POOL)
		return number + 1;
	/* Room for twice as many pools whenever their number is a power of two. */
	if (!(npools & (npools - 1)))
		contexts->pools = sim_grow(contexts->pools, npools * sizeof(struct placement *),
					   (2 * (size_t)npools + 1) * sizeof(struct placement *));
	contexts->pools[npools] = sim_allocate(POOL, sizeof(**contexts->pools));
	return number + 1;
}

static bool has_room(const struct contexts *contexts, uint32_t context, uint32_t count)
{
	return contexts->ncells + count <= (context == contexts->cut ? 2 * MOST_CELLS : MOST_CELLS);
}

/* The first of so many cells. */
static uint32_t add_cells(struct contexts *contexts, uint32_t context, uint32_t count)
{
	struct attribution *cells = &contexts->attribution;
	uint32_t before = cells->capacity, first = contexts->ncells;

	if (!has_room(contexts, context, count))
		return NO_CELLS;
	while (cells->capacity < first + count)
		cells->capacity = cells->capacity ? 2 * cells->capacity : FIRST_SIZE;
	if (cells->capacity > before)
		cells->rows =
			sim_grow(cells->rows, before * sizeof(*cells->rows), cells->capacity * sizeof(*cells->rows));
	if (contexts->has_moved && contexts->moved.capacity < cells->capacity) {
		contexts->moved.rows =
			sim_grow(contexts->moved.rows, contexts->moved.capacity * sizeof(*contexts->moved.rows),
				 cells->capacity * sizeof(*contexts->moved.rows));
		contexts->moved.capacity = cells->capacity;
	}
	contexts->ncells += count;
	return first;
}

static struct placement *add_placement(struct contexts *contexts, uint32_t at, const struct placement *placement)
{
	uint32_t number = new_placement(contexts);
	struct placement *added = placement_at(contexts, number);
	struct context *context = &contexts->all[placement->context];

	if (2 * contexts->nplacements >= contexts->placements_size) {
		grow_placements(contexts);
		at = find_placement(contexts, placement->context, placement->block);
	}
	contexts->placements[at] = (uint64_t)placement_hash(placement->context, placement->block) << 32 | number;
	*added = *placement;
	added->next = context->placements;
	context->placements = added;
	return added;
}

struct placement *contexts_place(struct contexts *contexts, uint32_t context, struct block *block)
{
	uint32_t at = find_placement(contexts, context, block), number = (uint32_t)contexts->placements[at];
	struct placement *placement = number ? placement_at(contexts, number) : NULL;

	if (!placement && context != contexts->cut && !has_room(contexts, context, block->nrows))
		return contexts_place(contexts, contexts->cut, block);
	if (!placement)
		placement = add_placement(contexts, at,
					  &(struct placement){ .block = block,
							       .context = context,
							       .base = add_cells(contexts, context, block->nrows) });
	block->placement = placement;
	return placement;
}

void contexts_forget(struct contexts *contexts)
{
	struct attribution *cells = &contexts->attribution;

	for (uint32_t i = 1; i < contexts->count; i++)
		for (struct placement *p = contexts->all[i].placements; p; p = p->next) {
			p->detailed = 0;
			p->more_slots = 0;
			p->rounds = 0;
		}
	if (contexts->moved.rows)
		__builtin_memset(contexts->moved.rows, 0, contexts->ncells * sizeof(*contexts->moved.rows));
	if (cells->rows)
		__builtin_memset(cells->rows, 0, contexts->ncells * sizeof(*cells->rows));
}
