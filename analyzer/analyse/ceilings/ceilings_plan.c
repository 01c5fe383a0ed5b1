/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/ceilings/ceilings.h"
#include "analyse/ceilings/kernels.h"

#include <math.h>
#include <string.h>

#include "cpu/identify/surroundings.h"

#define ARRAYS	      3 /* of a triad */
#define KIB	      1024ull
#define MIB	      (1024 * KIB)
#define LEAST_DRAM    (64 * MIB) /* of an array, all threads together */
#define TIMES_CACHE   4		 /* an array in memory is as many times the last caches: STREAM's rule */
#define PART_OF_FREE  4		 /* of the free memory that all arrays take at most: a fourth */
#define ASSUMED_CACHE 512	 /* KiB, of level 2 */

struct planning {
	struct ceilings_plan *plan;
	const struct resources *resources;
	const struct resource_cpu **workers; /* [plan->ncpus] */
	size_t capacity;
	struct arena *arena;
};

/* A team with its scope. */
struct group {
	enum ceiling_scope scope;
	unsigned place;
	struct team team;
};

/* ---- who works ---- */

static bool is_core_taken(const struct planning *planning, unsigned core)
{
	for (size_t i = 0; i < planning->plan->ncpus; i++)
		if (planning->workers[i]->core == core)
			return true;
	return false;
}

static void choose_workers(struct planning *planning)
{
	const struct resources *resources = planning->resources;
	struct ceilings_plan *plan = planning->plan;
	size_t most = resources->count;

	if (resources->quota_cpus < (double)most)
		most = resources->quota_cpus >= 2 ? (size_t)resources->quota_cpus : 1;
	planning->workers = arena_array(planning->arena, resources->count, sizeof(struct resource_cpu *));
	plan->cpus = arena_array(planning->arena, resources->count, sizeof(*plan->cpus));
	plan->regions = arena_array(planning->arena, resources->count, sizeof(*plan->regions));
	for (size_t i = 0; i < resources->count; i++) {
		if (is_core_taken(planning, resources->cpus[i].core))
			continue;
		if (plan->ncpus == most) {
			plan->is_quota = true;
			return;
		}
		plan->cpus[plan->ncpus] = resources->cpus[i].number;
		planning->workers[plan->ncpus++] = &resources->cpus[i];
	}
}

static unsigned ceilings_plan_place_of(const struct resource_cpu *cpu, enum ceiling_scope scope)
{
	return scope == CEILING_SOCKET ? cpu->package : scope == CEILING_NODE ? cpu->node : 0;
}

static struct group group_of(const struct planning *planning, enum ceiling_scope scope, unsigned place)
{
	size_t *members = arena_array(planning->arena, planning->plan->ncpus, sizeof(*members));
	struct group group = { scope, place, { members, 0 } };

	for (size_t i = 0; i < planning->plan->ncpus; i++)
		if (ceilings_plan_place_of(planning->workers[i], scope) == place && (scope != CEILING_THREAD || i == 0))
			members[group.team.count++] = i;
	return group;
}

/* ---- sizes ---- */

/* What a member may use of its cache, beside the members that share it; the least of all members. 0: there is none. */
static uint64_t share_of(const struct planning *planning, const struct team *team, size_t level)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < team->count; i++) {
		const struct resource_cache *cache = &planning->workers[team->members[i]]->caches[level];
		uint64_t sharing = 0;

		for (size_t k = 0; k < team->count; k++)
			sharing += planning->workers[team->members[k]]->caches[level].first == cache->first;
		if (cache->bytes / sharing < least)
			least = cache->bytes / sharing;
	}
	return team->count ? least : 0;
}

/* Bytes of all members' last caches, each counted once. */
static uint64_t last_caches(const struct planning *planning, const struct team *team)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < team->count; i++) {
		size_t level = CACHE_LEVELS - 1;
		const struct resource_cache *caches = planning->workers[team->members[i]]->caches;
		bool is_new = true;

		while (level && !caches[level].bytes)
			level--;
		for (size_t k = 0; k < i; k++)
			is_new &= planning->workers[team->members[k]]->caches[level].first != caches[level].first;
		sum += is_new ? caches[level].bytes : 0;
	}
	return sum;
}

/*
 * Half of the share. Where that would fit into twice the level below, which may hold other lines than this one, the
 * size of that level is added.
 */
static uint64_t size_in_cache(const struct planning *planning, const struct team *team, size_t level)
{
	uint64_t share = share_of(planning, team, level), below = level ? share_of(planning, team, level - 1) : 0;

	if (!share)
		return 0;
	return share / 2 < 2 * below ? below + share / 2 : share / 2;
}

/* Of each member's array in memory. */
static uint64_t array_in_memory(const struct planning *planning, const struct team *team, bool *is_less)
{
	uint64_t wanted = TIMES_CACHE * last_caches(planning, team);
	uint64_t most = planning->resources->memory / PART_OF_FREE / ARRAYS;

	if (wanted < LEAST_DRAM)
		wanted = LEAST_DRAM;
	*is_less = most && wanted > most;
	return (*is_less ? most : wanted) / team->count;
}

static uint64_t in_steps(uint64_t bytes)
{
	bytes -= bytes % STREAM_STEP;
	return bytes ? bytes : STREAM_STEP;
}

/* ---- rows ---- */

static struct planned_ceiling *ceilings_plan_add_row(struct planning *planning, const struct group *group)
{
	struct ceilings_plan *plan = planning->plan;
	struct planned_ceiling *row;

	plan->rows = arena_grow(planning->arena, plan->rows, plan->count, &planning->capacity, sizeof(*plan->rows));
	row = &plan->rows[plan->count];
	*row = (struct planned_ceiling){ .team = group->team, .twin = plan->count++ };
	row->row = (struct ceiling){ .scope = group->scope,
				     .place = group->place,
				     .threads = (unsigned)group->team.count,
				     .value = NOT_COUNTED,
				     .spread = NOT_COUNTED,
				     .clock_hz = NOT_COUNTED };
	return row;
}

static void add_compute(struct planning *planning, const struct group *group, const struct compute_kernel *kernel,
			unsigned bits)
{
	struct planned_ceiling *row = ceilings_plan_add_row(planning, group);

	row->compute = kernel;
	row->row.kind = CEILING_COMPUTE;
	row->row.type = kernel->type;
	row->row.operation = kernel->operation;
	row->row.bits = bits;
	row->row.is_scalable = kernel->is_scalable;
}

static void add_stream(struct planning *planning, const struct group *group, const struct stream_kernel *kernel,
		       enum ceiling_level level)
{
	unsigned arrays = stream_arrays(kernel->pattern);
	bool is_less = false;
	uint64_t array = level == CEILING_DRAM ? array_in_memory(planning, &group->team, &is_less)
					       : size_in_cache(planning, &group->team, level - CEILING_L1) / arrays;
	struct planned_ceiling *row;

	if (!array)
		return;
	row = ceilings_plan_add_row(planning, group);
	row->stream = kernel;
	row->array = in_steps(array);
	row->row.kind = CEILING_BANDWIDTH;
	row->row.level = level;
	row->row.pattern = kernel->pattern;
	row->row.is_scalable = kernel->is_scalable;
	row->row.bytes = row->array * arrays;
	row->row.limits = is_less ? CEILING_BY_MEMORY : 0;
	planning->plan->is_memory |= is_less;
	for (size_t i = 0; i < group->team.count; i++) {
		uint64_t *region = &planning->plan->regions[group->team.members[i]];
		uint64_t size = ARRAYS * (row->array + STREAM_STAGGER) + STREAM_PLACES * STREAM_SHIFT;

		if (*region < size)
			*region = size;
	}
}

static bool is_non_temporal(enum ceiling_pattern pattern)
{
	return pattern >= CEILING_WRITE_NT;
}

static unsigned bits_of(const struct kernel_set *set, unsigned bits)
{
	return bits ? bits : set->scalable_bits();
}

/* The widest vectors; of the same width scalable ones, which come later. */
static const struct stream_kernel *widest_stream(enum ceiling_pattern pattern, unsigned *bits)
{
	const struct kernel_set *sets[MOST_KERNEL_SETS];
	const struct stream_kernel *best = NULL;
	size_t nsets = kernel_sets(sets);

	*bits = 0;
	for (size_t s = 0; s < nsets; s++)
		for (size_t i = 0; i < sets[s]->nstreams; i++) {
			const struct stream_kernel *kernel = &sets[s]->streams[i];

			if (kernel->pattern != pattern || !kernel->is_there() || bits_of(sets[s], kernel->bits) < *bits)
				continue;
			best = kernel;
			*bits = bits_of(sets[s], kernel->bits);
		}
	return best;
}

static void add_streams(struct planning *planning, const struct group *group, enum ceiling_level from)
{
	for (enum ceiling_level level = from; level <= CEILING_DRAM; level++)
		for (enum ceiling_pattern pattern = CEILING_READ; pattern < CEILING_PATTERNS; pattern++) {
			unsigned bits;
			const struct stream_kernel *kernel = widest_stream(pattern, &bits);
			size_t before = planning->plan->count;

			if (!kernel || (is_non_temporal(pattern) && level != CEILING_DRAM))
				continue;
			add_stream(planning, group, kernel, level);
			if (planning->plan->count > before)
				planning->plan->rows[before].row.bits = bits;
		}
}

static void add_computes(struct planning *planning, const struct group *group, enum ceiling_type type)
{
	const struct kernel_set *sets[MOST_KERNEL_SETS];
	size_t nsets = kernel_sets(sets);

	for (size_t s = 0; s < nsets; s++)
		for (size_t i = 0; i < sets[s]->ncompute; i++) {
			const struct compute_kernel *kernel = &sets[s]->compute[i];

			if (kernel->type == type && kernel->is_there())
				add_compute(planning, group, kernel, bits_of(sets[s], kernel->bits));
		}
}

/* ---- the whole ---- */

/* A scope with one place only is what CEILING_ALL is. */
static bool has_places(const struct planning *planning, enum ceiling_scope scope)
{
	for (size_t i = 1; i < planning->plan->ncpus; i++)
		if (ceilings_plan_place_of(planning->workers[i], scope) !=
		    ceilings_plan_place_of(planning->workers[0], scope))
			return true;
	return false;
}

static bool is_first_of_place(const struct planning *planning, size_t worker, enum ceiling_scope scope)
{
	for (size_t i = 0; i < worker; i++)
		if (ceilings_plan_place_of(planning->workers[i], scope) ==
		    ceilings_plan_place_of(planning->workers[worker], scope))
			return false;
	return true;
}

/* Sockets differ in what they share, from the third level on; nodes in their memory. */
static void add_places(struct planning *planning, enum ceiling_scope scope, enum ceiling_level from)
{
	for (size_t i = 0; has_places(planning, scope) && i < planning->plan->ncpus; i++) {
		if (!is_first_of_place(planning, i, scope))
			continue;

		struct group group = group_of(planning, scope, ceilings_plan_place_of(planning->workers[i], scope));

		if (scope == CEILING_SOCKET)
			add_computes(planning, &group, CEILING_F64);
		add_streams(planning, &group, from);
	}
}

static bool is_same_work(const struct planned_ceiling *a, const struct planned_ceiling *b)
{
	return a->compute == b->compute && a->stream == b->stream && a->row.level == b->row.level &&
	       a->team.count == b->team.count &&
	       memcmp(a->team.members, b->team.members, a->team.count * sizeof(*a->team.members)) == 0;
}

static void find_twins(struct ceilings_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		for (size_t k = 0; k < i && plan->rows[i].twin == i; k++)
			if (is_same_work(&plan->rows[i], &plan->rows[k]))
				plan->rows[i].twin = k;
}

/* Where nobody knows the caches: what every core of the last decade has, so that level 1 and memory are right. */
static const struct resources *with_caches(struct ceilings_plan *plan, const struct resources *resources,
					   struct arena *arena)
{
	struct resources *assumed = arena_alloc(arena, sizeof(*assumed));

	plan->sizes = resources->has_caches ? CEILING_SIZES_SYSFS : CEILING_SIZES_LIBRARY;
	if (resources->cpus[0].caches[0].bytes)
		return resources;
	plan->sizes = CEILING_SIZES_ASSUMED;
	*assumed = *resources;
	assumed->cpus = arena_array(arena, resources->count, sizeof(*assumed->cpus));
	for (size_t i = 0; i < resources->count; i++) {
		struct resource_cpu *cpu = &assumed->cpus[i];

		*cpu = resources->cpus[i];
		cpu->caches[0] = (struct resource_cache){ 32 * KIB, cpu->number, 1 };
		cpu->caches[1] = (struct resource_cache){ ASSUMED_CACHE * KIB, cpu->number, 1 };
	}
	return assumed;
}

void ceilings_plan(struct ceilings_plan *plan, const struct resources *resources, struct arena *arena)
{
	struct planning planning = { .plan = plan, .arena = arena };

	*plan = (struct ceilings_plan){ .count = 0 };
	planning.resources = with_caches(plan, resources, arena);
	choose_workers(&planning);
	for (enum ceiling_scope scope = CEILING_THREAD; scope <= CEILING_ALL; scope++) {
		struct group group = group_of(&planning, scope, 0);

		for (enum ceiling_type type = CEILING_F64; type < CEILING_TYPES; type++)
			add_computes(&planning, &group, type);
		add_streams(&planning, &group, CEILING_L1);
	}
	add_places(&planning, CEILING_SOCKET, CEILING_L3);
	add_places(&planning, CEILING_NODE, CEILING_DRAM);
	find_twins(plan);
}
