/* SPDX-License-Identifier: GPL-2.0-or-later */
/* append.c - a plan that grows while it is measured. */
#include "plan/plan.h"

/* Both lists of numbers, one after the other. */
static size_t *join(const size_t *first, size_t nfirst, const size_t *further, size_t nfurther, struct arena *arena)
{
	size_t *all = arena_array(arena, nfirst + nfurther + 1, sizeof(*all));

	for (size_t i = 0; i < nfirst; i++)
		all[i] = first[i];
	for (size_t i = 0; i < nfurther; i++)
		all[nfirst + i] = further[i];
	return all;
}

static void append_groups(struct plan *plan, const struct plan *further, struct arena *arena)
{
	struct plan_group *groups = arena_array(arena, plan->ngroups + further->ngroups, sizeof(*groups));

	for (size_t i = 0; i < plan->ngroups; i++)
		groups[i] = plan->groups[i];
	for (size_t i = 0; i < further->ngroups; i++)
		groups[plan->ngroups + i] = further->groups[i];
	plan->groups = groups;
}

static void append_runs(struct plan *plan, const struct plan *further, size_t made, struct arena *arena)
{
	size_t count = made > plan->nruns ? made : plan->nruns;
	struct plan_run *runs = arena_array(arena, count + further->nruns, sizeof(*runs));

	for (size_t i = 0; i < count; i++)
		runs[i] = i < plan->nruns ? plan->runs[i] : (struct plan_run){ .first = plan->ngroups };
	for (size_t i = 0; i < further->nruns; i++) {
		runs[count + i] = further->runs[i];
		runs[count + i].first += plan->ngroups;
	}
	plan->runs = runs;
	plan->nruns = count + further->nruns;
}

void plan_append(struct plan *plan, const struct plan *further, size_t made, struct arena *arena)
{
	append_groups(plan, further, arena);
	append_runs(plan, further, made, arena);
	plan->ngroups += further->ngroups;
	plan->wanted = join(plan->wanted, plan->nwanted, further->wanted, further->nwanted, arena);
	plan->nwanted += further->nwanted;
	plan->split = join(plan->split, plan->nsplit, further->split, further->nsplit, arena);
	plan->nsplit += further->nsplit;
	plan->missing = join(plan->missing, plan->nmissing, further->missing, further->nmissing, arena);
	plan->nmissing += further->nmissing;
	plan->lower_bound += further->lower_bound;
	for (size_t i = 0; i < plan->nevents; i++)
		plan->counted[i] = plan->counted[i] || further->counted[i];
}
