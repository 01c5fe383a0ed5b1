/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - from the wanted metrics to groups and runs. The fewest groups that have room for all events are found
 * exactly (pack.c), then the events are distributed among so many (choose.c).
 */
#include "cpu/plan/plan.h"

#include <string.h>

#include "cpu/plan/planner.h"

/* Numbers of groups with exclusive events among which the best is chosen. */
#define MOST_HALVES 4

struct planner {
	struct plan *plan;
	const struct model *model;
	struct arena *arena;
	struct problem problem;
};

/*
 * Nodes by level, so that the upper levels are complete in the first groups; then the metrics that explain
 * them. Without a tree all metrics.
 */
static void want_level(struct planner *p)
{
	const struct model *model = p->model;
	struct plan *plan = p->plan;

	for (unsigned level = 1; level <= plan->level; level++)
		for (size_t i = 0; i < model->nnodes; i++)
			if (model->metrics[i].level == level && !model->metrics[i].failure)
				plan->wanted[plan->nwanted++] = i;
	for (size_t i = model->nnodes; (plan->level > 1 || !model->nnodes) && i < model->count - model->nadded; i++)
		if (!model->metrics[i].failure && !model->metrics[i].is_of_machine &&
		    (model->metrics[i].is_explaining || !model->nnodes))
			plan->wanted[plan->nwanted++] = i;
}

static void choose_wanted(struct planner *p, const struct plan_request *request)
{
	struct plan *plan = p->plan;

	plan->wanted = arena_array(p->arena, p->model->count, sizeof(*plan->wanted));
	if (!request->wanted)
		want_level(p);
	for (size_t i = 0; request->wanted && i < request->nwanted; i++)
		if (!p->model->metrics[request->wanted[i]].failure)
			plan->wanted[plan->nwanted++] = request->wanted[i];
	for (size_t i = 0; i < request->nbeside; i++)
		plan->wanted[plan->nwanted++] = request->beside[i];
}

static bool is_among(const size_t *events, size_t count, size_t event)
{
	for (size_t i = 0; i < count; i++)
		if (events[i] == event)
			return true;
	return false;
}

static bool plan_has_event(const struct plan_group *group, size_t event)
{
	return is_among(group->events, group->count, event);
}

/*
 * An event that the group does not need goes into it where there is room: fixed-role events, for the summary and for
 * ratios between runs.
 */
static void plan_add_event(const struct planner *p, struct plan_group *group, size_t event)
{
	if (event == TABLE_NONE || plan_has_event(group, event))
		return;
	group->events[group->count] = event;
	if (plan_fits(&p->plan->limits, &p->model->events, group->events, group->count + 1, NULL))
		group->count++;
}

/* Slots leads its group, then the PERF_METRICS fields, then the rest in the order of the plan. */
static int plan_rank(const struct event *event)
{
	return event->kind == EVENT_SLOTS ? 0 : event->kind == EVENT_METRIC ? 1 : 2;
}

static void finish_group(struct planner *p, struct plan_group *group)
{
	const struct event_set *set = &p->model->events;

	for (size_t i = 1; i < group->count; i++) /* insertion keeps equal ranks in order */
		for (size_t k = i;
		     k > 0 && plan_rank(&set->events[group->events[k]]) < plan_rank(&set->events[group->events[k - 1]]);
		     k--) {
			size_t swap = group->events[k];

			group->events[k] = group->events[k - 1];
			group->events[k - 1] = swap;
		}
	group->counters = arena_array(p->arena, group->count, sizeof(*group->counters));
	(void)plan_fits(&p->plan->limits, set, group->events, group->count, group->counters);
	group->metrics = arena_array(p->arena, p->plan->nwanted, sizeof(*group->metrics));
}

static bool is_counter_event(const struct event *event)
{
	return !event->is_retire_latency && !is_beside_core(event->kind);
}

/* Has every event of another PMU that the metric reads a place? */
static bool has_units(const struct planner *p, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (p->model->events.events[metric->events[i]].kind == EVENT_UNIT &&
		    !p->plan->counted[metric->events[i]])
			return false;
	return true;
}

static bool is_complete_in(const struct planner *p, const struct plan_group *group, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(&p->model->events.events[metric->events[i]]) &&
		    !plan_has_event(group, metric->events[i]))
			return false;
	return true;
}

/* The first group, from one on, that has all that the metric reads of the cores, or ngroups. */
static size_t find_complete(const struct planner *p, const struct metric *metric, size_t group)
{
	while (group < p->plan->ngroups && !is_complete_in(p, &p->plan->groups[group], metric))
		group++;
	return group;
}

/* The first group of the run by which other PMUs have counted all that the metric reads of them. */
static size_t group_of_units(const struct planner *p, const struct metric *metric)
{
	const struct plan *plan = p->plan;
	size_t run = 0;

	for (size_t i = 0; i < plan->nunits; i++)
		for (size_t k = 0; k < metric->nevents && plan->units[i].run > run; k++)
			if (is_among(plan->units[i].events, plan->units[i].count,
				     p->model->events.events[metric->events[k]].same_as))
				run = plan->units[i].run;
	return plan->runs[run].first;
}

static bool plan_is_counted(const struct planner *p, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(&p->model->events.events[metric->events[i]]) &&
		    !p->plan->counted[metric->events[i]])
			return false;
	return true;
}

/* Each wanted metric is complete in a group, or combined from several, or can't be had. */
static void assign_metrics(struct planner *p)
{
	struct plan *plan = p->plan;

	plan->split = arena_array(p->arena, plan->nwanted, sizeof(*plan->split));
	plan->missing = arena_array(p->arena, plan->nwanted, sizeof(*plan->missing));
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &p->model->metrics[plan->wanted[i]];
		size_t group = find_complete(p, metric, group_of_units(p, metric));
		bool has_all = has_units(p, metric);

		if (group == plan->ngroups)
			group = find_complete(p, metric, 0);
		if (has_all && group < plan->ngroups)
			plan->groups[group].metrics[plan->groups[group].nmetrics++] = plan->wanted[i];
		else if (has_all && plan_is_counted(p, metric))
			plan->split[plan->nsplit++] = plan->wanted[i];
		else
			plan->missing[plan->nmissing++] = plan->wanted[i];
	}
}

size_t plan_divide(struct plan_run *runs, size_t ngroups, size_t max_runs)
{
	size_t nruns = max_runs && max_runs < ngroups ? max_runs : ngroups, next = 0;

	for (size_t i = 0; i < nruns; i++) {
		bool is_larger = i >= nruns - ngroups % nruns;

		runs[i] = (struct plan_run){ .first = next, .count = ngroups / nruns + is_larger };
		next += runs[i].count;
	}
	return nruns;
}

void plan_keep_run(struct plan *plan, uint64_t number)
{
	const size_t kept = plan->nruns ? (size_t)(number % plan->nruns) : 0;
	size_t count = 0;

	if (!plan->nruns)
		return;
	for (size_t i = 0; i < plan->nunits; i++)
		if (plan->units[i].run == kept)
			plan->units[count++] = plan->units[i];
	for (size_t i = 0; i < count; i++)
		plan->units[i].run = 0;
	plan->nunits = count;
	plan->runs[0] = plan->runs[kept];
	plan->nruns = 1;
}

/* PERF_METRICS take no counter: level 1 rides along, so that what another run or another part of the time did shows. */
static void add_level_1(const struct planner *p, struct plan_group *group)
{
	const struct model *model = p->model;

	for (size_t i = 0; i < model->nnodes; i++)
		for (size_t k = 0; model->metrics[i].level == 1 && k < model->metrics[i].nevents; k++)
			if (model->events.events[model->metrics[i].events[k]].kind == EVENT_METRIC)
				plan_add_event(p, group, model->metrics[i].events[k]);
}

static void take_group(const struct planner *p, struct plan_group *group, const uint64_t *members)
{
	const struct problem *problem = &p->problem;

	group->events = arena_array(p->arena, p->model->events.count + ROLE_COUNT, sizeof(*group->events));
	group->count = 0;
	for (size_t i = bits_next(members, 0, problem->count); i < problem->count;
	     i = bits_next(members, i + 1, problem->count))
		group->events[group->count++] = problem->events[i];
	for (size_t i = 0; i < ROLE_COUNT; i++)
		plan_add_event(p, group, p->plan->roles[i]);
}

/* Where the group comes in the plan: by the first wanted metric that it completes, or else that it has a part of. */
static size_t group_rank(const struct planner *p, const uint64_t *members)
{
	const struct problem *problem = &p->problem;
	size_t part = problem->nneeds;

	for (size_t i = 0; i < problem->nneeds; i++) {
		if (bits_within(problem->needs[i].events, members, problem->words))
			return i;
		for (size_t k = 0; k < problem->words && part == problem->nneeds; k++)
			if (problem->needs[i].events[k] & members[k] & ~problem->everywhere[k])
				part = i;
	}
	return problem->nneeds + part;
}

static void take_groups(struct planner *p, const struct pack *pack)
{
	struct plan *plan = p->plan;
	size_t *ranks = arena_array(p->arena, pack_groups(pack), sizeof(*ranks));

	plan->groups = arena_array(p->arena, pack_groups(pack), sizeof(*plan->groups));
	for (size_t i = 0; i < pack_groups(pack); i++) {
		size_t rank = group_rank(p, pack_members(pack, i)), place = plan->ngroups++;

		for (; place > 0 && ranks[place - 1] > rank; place--) {
			ranks[place] = ranks[place - 1];
			plan->groups[place] = plan->groups[place - 1];
		}
		ranks[place] = rank;
		plan->groups[place] = (struct plan_group){ .events = NULL };
		take_group(p, &plan->groups[place], pack_members(pack, i));
		if (pack_groups(pack) > 1)
			add_level_1(p, &plan->groups[place]);
	}
}

/* What the report's head says of the cores, where nothing else is asked of them. */
static void take_roles(const struct planner *p, struct plan_group *group)
{
	*group = (struct plan_group){ .events = arena_array(p->arena, p->model->events.count + ROLE_COUNT,
							    sizeof(*group->events)) };
	for (size_t i = 0; i < ROLE_COUNT; i++)
		plan_add_event(p, group, p->plan->roles[i]);
}

/* Where units have more groups than the cores, further runs: so none shares its PMU's counters with another. */
static void add_unit_runs(struct planner *p, size_t max_runs)
{
	struct plan *plan = p->plan;
	size_t runs = plan_unit_runs(plan), bound = plan_unit_bound(plan, p->model);
	struct plan_group *groups;

	if (max_runs && runs > max_runs)
		runs = max_runs;
	if (runs <= plan->ngroups)
		return;
	groups = arena_array(p->arena, runs, sizeof(*groups));
	for (size_t i = 0; i < plan->ngroups; i++)
		groups[i] = plan->groups[i];
	for (size_t i = plan->ngroups; i < runs; i++) {
		take_roles(p, &groups[i]);
		if (p->problem.count)
			add_level_1(p, &groups[i]);
		finish_group(p, &groups[i]);
	}
	plan->nfor_units = runs - plan->ngroups;
	plan->groups = groups;
	plan->ngroups = runs;
	if (bound > plan->lower_bound)
		plan->lower_bound = bound < runs ? bound : runs;
}

static void plan_finish(struct planner *p, size_t max_runs)
{
	struct plan *plan = p->plan;

	for (size_t i = 0; i < plan->ngroups; i++)
		finish_group(p, &plan->groups[i]);
	plan->nevents = p->model->events.count;
	plan->counted = arena_array(p->arena, plan->nevents, sizeof(*plan->counted));
	for (size_t i = 0; i < plan->ngroups; i++)
		for (size_t k = 0; k < plan->groups[i].count; k++)
			plan->counted[plan->groups[i].events[k]] = true;
	plan_place_units(plan, p->model, p->arena);
	add_unit_runs(p, max_runs);
	plan->runs = arena_array(p->arena, plan->ngroups, sizeof(*plan->runs));
	plan->nruns = plan_divide(plan->runs, plan->ngroups, max_runs);
	plan_divide_units(plan);
	assign_metrics(p);
}

static size_t count_whole(const struct pack *pack, unsigned tier)
{
	const struct problem *problem = pack_problem(pack);
	size_t count = 0;

	for (size_t i = 0; i < problem->nneeds; i++)
		for (size_t group = 0; problem->needs[i].tier == tier && group < pack_groups(pack); group++)
			if (bits_within(problem->needs[i].events, pack_members(pack, group), problem->words)) {
				count++;
				break;
			}
	return count;
}

/* Has it more whole formulas, lower tiers first? */
static bool plan_is_better(const struct pack *pack, const struct pack *other)
{
	for (unsigned tier = 0; other && tier < TIERS; tier++) {
		size_t here = count_whole(pack, tier), there = count_whole(other, tier);

		if (here != there)
			return here > there;
	}
	return !other;
}

/*
 * The groups of one way to see the problem, where that many are enough. Each number of them that may have exclusive
 * events is tried, from the fewest that hold them; where there are none, it is 0.
 */
static bool try_groups(struct planner *p, const struct problem *problem, size_t groups, bool is_per_node)
{
	size_t exclusive = bits_common(problem->exclusive, problem->exclusive, problem->words), tries = 0;
	struct pack *best = NULL;

	for (size_t half = problem_half_groups(problem, exclusive); half <= groups && tries < MOST_HALVES; half++) {
		struct pack *pack = pack_new(problem, groups, half, p->arena);

		if (pack && !p->plan->lower_bound)
			p->plan->lower_bound = groups;
		if (pack && choose_groups(pack, is_per_node, p->arena) && ++tries && plan_is_better(pack, best))
			best = pack;
		if (!exclusive)
			break;
	}
	if (best)
		take_groups(p, best);
	return best != NULL;
}

/*
 * The fewest groups first: the first number that has room for all events is the lower bound,
 * and nearly always the answer.
 */
static int find_groups(struct planner *p, bool is_per_node, struct error *err)
{
	size_t most = p->problem.count + p->problem.nneeds; /* a group for each event and for each formula is enough */
	struct problem widened;
	bool has_widened = !is_per_node && problem_base_in_all(&widened, &p->problem, p->arena);

	for (size_t groups = problem_msr_groups(&p->problem, p->arena); groups <= most; groups++)
		if (try_groups(p, &p->problem, groups, is_per_node) ||
		    (has_widened && try_groups(p, &widened, groups, false)))
			return 0;
	return error_set(err, "no number of groups can hold the %zu events of level %u", p->problem.count,
			 p->plan->level);
}

/* Of what is planned, does any need another PMU that is there? */
static bool reads_units(const struct planner *p)
{
	const struct event_set *set = &p->model->events;

	for (size_t i = 0; i < p->plan->nwanted; i++) {
		const struct metric *metric = &p->model->metrics[p->plan->wanted[i]];

		for (size_t k = 0; k < metric->nevents; k++)
			if (set->events[metric->events[k]].kind == EVENT_UNIT && !set->events[metric->events[k]].absent)
				return true;
	}
	for (size_t i = 0; i < p->model->nasked; i++)
		if (set->events[p->model->asked[i]].kind == EVENT_UNIT && !set->events[p->model->asked[i]].absent)
			return true;
	return false;
}

int plan_build(struct plan *plan, const struct model *model, const struct plan_request *request, struct arena *arena,
	       struct error *err)
{
	struct planner p = { .plan = plan, .model = model, .arena = arena };

	*plan = (struct plan){ .limits = request->limits, .level = request->level };
	for (size_t i = 0; i < ROLE_COUNT; i++)
		plan->roles[i] = model->roles[i];
	if (!plan->limits.has_metrics && model->form == FORM_PERF_METRICS)
		plan->roles[ROLE_SLOTS] = TABLE_NONE;
	choose_wanted(&p, request);
	problem_init(&p.problem, plan, model, arena);
	if (!p.problem.count && reads_units(&p)) {
		plan->groups = arena_alloc(arena, sizeof(*plan->groups));
		plan->ngroups = plan->lower_bound = 1;
		take_roles(&p, &plan->groups[0]);
		plan_finish(&p, request->max_runs);
		return 0;
	}
	if (!p.problem.count && request->wanted)
		return error_set(err, "nothing that was asked for can be counted on this PMU");
	if (!p.problem.count)
		return error_set(err, "no event of level %u can be counted on this PMU", plan->level);
	if (find_groups(&p, request->is_per_node, err) < 0)
		return -1;
	plan_finish(&p, request->max_runs);
	return 0;
}

/* ---- a plan that grows while it is measured ---- */

/* Both lists of numbers, one after the other. */
bool plan_is_multiplexed(const struct plan *plan)
{
	for (size_t i = 0; i < plan->nruns; i++)
		if (plan->runs[i].count > 1)
			return true;
	return false;
}

static size_t *plan_join(const size_t *first, size_t nfirst, const size_t *second, size_t nsecond, struct arena *arena)
{
	size_t *all = arena_array(arena, nfirst + nsecond + 1, sizeof(*all));

	for (size_t i = 0; i < nfirst; i++)
		all[i] = first[i];
	for (size_t i = 0; i < nsecond; i++)
		all[nfirst + i] = second[i];
	return all;
}

static void append_groups(struct plan *plan, const struct plan *extension, struct arena *arena)
{
	struct plan_group *groups = arena_array(arena, plan->ngroups + extension->ngroups, sizeof(*groups));

	for (size_t i = 0; i < plan->ngroups; i++)
		groups[i] = plan->groups[i];
	for (size_t i = 0; i < extension->ngroups; i++)
		groups[plan->ngroups + i] = extension->groups[i];
	plan->groups = groups;
}

static void append_runs(struct plan *plan, const struct plan *extension, size_t made, struct arena *arena)
{
	size_t count = made > plan->nruns ? made : plan->nruns;
	struct plan_run *runs = arena_array(arena, count + extension->nruns, sizeof(*runs));

	for (size_t i = 0; i < count; i++)
		runs[i] = i < plan->nruns ? plan->runs[i] : (struct plan_run){ .first = plan->ngroups };
	for (size_t i = 0; i < extension->nruns; i++) {
		runs[count + i] = extension->runs[i];
		runs[count + i].first += plan->ngroups;
	}
	plan->runs = runs;
	plan->nruns = count + extension->nruns;
}

/* made: as below, before the runs are appended. */
static void append_units(struct plan *plan, const struct plan *extension, size_t made, struct arena *arena)
{
	struct plan_unit *units = arena_array(arena, plan->nunits + extension->nunits + 1, sizeof(*units));

	for (size_t i = 0; i < plan->nunits; i++)
		units[i] = plan->units[i];
	for (size_t i = 0; i < extension->nunits; i++) {
		units[plan->nunits + i] = extension->units[i];
		units[plan->nunits + i].run += made > plan->nruns ? made : plan->nruns;
	}
	plan->units = units;
	plan->nunits += extension->nunits;
}

void plan_append(struct plan *plan, const struct plan *extension, size_t made, struct arena *arena)
{
	append_groups(plan, extension, arena);
	append_units(plan, extension, made, arena);
	append_runs(plan, extension, made, arena);
	plan->ngroups += extension->ngroups;
	plan->wanted = plan_join(plan->wanted, plan->nwanted, extension->wanted, extension->nwanted, arena);
	plan->nwanted += extension->nwanted;
	plan->split = plan_join(plan->split, plan->nsplit, extension->split, extension->nsplit, arena);
	plan->nsplit += extension->nsplit;
	plan->missing = plan_join(plan->missing, plan->nmissing, extension->missing, extension->nmissing, arena);
	plan->nmissing += extension->nmissing;
	plan->nfor_units = extension->nfor_units;
	plan->lower_bound += extension->lower_bound;
	for (size_t i = 0; i < plan->nevents; i++)
		plan->counted[i] = plan->counted[i] || extension->counted[i];
}
