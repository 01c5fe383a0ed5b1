/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampling_begin.c - what was chosen is divided among runs, and the sampler begins; in the end, what it has found. */
#include "analyse/hotspots/locating.h"
#include "common/base/text.h"
#include "engine/sampling/sampling.h"
#include "program/code/profile_loops.h"

/* ---- runs ---- */

static bool has_model(const struct sampled_type *type)
{
	return type->target->model.database != NULL;
}

static int find_limits(struct sampled_type *type, const struct request *request, struct error *err)
{
	struct found found;

	if (type->has_limits)
		return 0;
	if (limits_probe(&found, type->target, err) < 0)
		return -1;
	type->limits = found.limits;
	limits_leave(&type->limits, request);
	type->has_limits = true;
	return 0;
}

/* What no counter can hold is left out. */
static void leave_out(struct sampling *sampling, size_t number)
{
	request_notice(sampling->request, NOTICE_WARNING, "%s is not sampled: %s", sampling->events[number].name,
		       sampling->is_beside ? "the groups that are counted meanwhile leave it no counter"
					   : "none of these counters can count it");
	sampling->nevents--;
	for (size_t i = number; i < sampling->nevents; i++) {
		sampling->events[i] = sampling->events[i + 1];
		sampling->numbers[i] = sampling->numbers[i + 1];
	}
}

/* Does it share the counters of this type with others? Clocks take none, and are in the first run. */
static bool takes_counter(const struct sampling *sampling, size_t event, size_t type)
{
	const struct sample_event *chosen = &sampling->events[event];

	return chosen->source == SAMPLE_EVENT && chosen->type == type && !chosen->nmembers;
}

/* The events of the type, as numbers of its set; room for all. */
static size_t find_members(size_t *members, const struct sampling *sampling, size_t type)
{
	size_t count = 0;

	for (size_t i = 0; i < sampling->nevents; i++)
		if (takes_counter(sampling, i, type))
			members[count++] = sampling->numbers[i];
	return count;
}

/* runs: of the type's events, in their order. */
static void take_runs(struct sampling *sampling, size_t type, const size_t *runs)
{
	struct sampled_type *owner = &sampling->types[type];

	for (size_t i = 0; i < sampling->nevents;) {
		struct sample_event *event = &sampling->events[i];

		if (!takes_counter(sampling, i, type)) {
			i++;
			continue;
		}
		/* The set may have moved while it grew. */
		event->event = &owner->set.events[sampling->numbers[i]];
		event->run = *runs++;
		if (event->run == NO_RUN)
			leave_out(sampling, i);
		else
			i++;
	}
}

#define LEAST_SHARED 4 /* general counters: with fewer, what is left for groups holds few formulas whole */

/* What is sampled beside groups gets half of their counters at most. */
static struct plan_limits limits_of(const struct sampling *sampling, const struct sampled_type *type)
{
	struct plan_limits limits = type->limits;

	if (sampling->is_beside)
		limits.general = limits.general < LEAST_SHARED ? 0 : limits.general / 2;
	return limits;
}

/* Of the only run no more than there are general counters for: cycles need one too. Returns the number of runs. */
static size_t leave_later(size_t *runs, size_t count, unsigned general)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		runs[i] = runs[i] == 0 && kept < general && kept < MOST_HELD ? 0 : NO_RUN;
		kept += runs[i] == 0;
	}
	return kept > 0;
}

/* The fewest runs in which the type's counters can hold its events. */
static int divide_type(struct sampling *sampling, size_t number, struct error *err)
{
	struct sampled_type *type = &sampling->types[number];
	struct arena *arena = sampling->request->arena;
	size_t *members = arena_array(arena, sampling->nevents + 1, sizeof(*members));
	size_t *runs = arena_array(arena, sampling->nevents + 1, sizeof(*runs));
	size_t count = find_members(members, sampling, number), nruns;
	struct plan_limits limits;

	if (!count)
		return 0;
	if (find_limits(type, sampling->request, err) < 0)
		return -1;
	limits = limits_of(sampling, type);
	nruns = sampling_runs(runs, &limits, &type->set, members, count);
	if (sampling->is_beside)
		nruns = leave_later(runs, count, limits.general);
	sampling->nruns = nruns > sampling->nruns ? nruns : sampling->nruns;
	take_runs(sampling, number, runs);
	return 0;
}

/* The groups of a type follow each other, each in a run of its own, from this one on. Returns the run after them. */
static size_t take_group_runs(struct sampling *sampling, size_t type, size_t first)
{
	for (size_t i = 0; i < sampling->nevents; i++)
		if (sampling->events[i].nmembers && sampling->events[i].type == type)
			sampling->events[i].run = first++;
	return first;
}

static bool has_others(const struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->nevents; i++)
		if (!sampling->events[i].nmembers)
			return true;
	return false;
}

/* All types' events at once; behind them all types' groups. */
static int sampling_begin_divide(struct sampling *sampling, struct error *err)
{
	size_t first, last;

	sampling->nruns = has_others(sampling);
	for (size_t i = 0; i < sampling->ntypes; i++)
		if (divide_type(sampling, i, err) < 0)
			return -1;
	first = last = sampling->nruns;
	for (size_t i = 0; i < sampling->ntypes; i++) {
		size_t end = take_group_runs(sampling, i, first);

		last = end > last ? end : last;
	}
	sampling->nruns = last;
	return 0;
}

/* ---- the most that there may be ---- */

/* Runs that sampling this node alone takes. */
static size_t runs_of_node(const struct sampled_type *type, const struct metric *node, struct arena *arena)
{
	const struct model *model = &type->target->model;
	struct locating_event events[MOST_LOCATING];
	size_t numbers[MOST_LOCATING], runs[MOST_LOCATING], count = locating_events(events, model, node);
	struct error ignored = { .text = "" };
	struct event_set set;

	event_set_init(&set, model->database, type->set.pmu, type->set.smt_on, arena);
	for (size_t i = 0; i < count; i++)
		numbers[i] = event_set_add(&set, events[i].row->name, &ignored);
	return sampling_runs(runs, &type->limits, &set, numbers, count);
}

static size_t most_of_type(const struct sampled_type *type, unsigned level, struct arena *arena)
{
	const struct model *model = &type->target->model;
	size_t most = 0;

	for (size_t i = 0; i < model->nnodes; i++) {
		size_t runs = model->metrics[i].level > level ? 0 : runs_of_node(type, &model->metrics[i], arena);

		most = runs > most ? runs : most;
	}
	return most;
}

size_t sampling_most_runs(const struct sampling *sampling, struct plan *const *plans, unsigned level,
			  struct arena *arena)
{
	const struct question *question = sampling->request->question;
	size_t most = question_is_located(question), groups = 0, count;

	for (size_t i = 0; i < sampling->ntypes; i++) {
		bool is_known = question_is_located(question) && sampling->types[i].has_limits;
		size_t runs = is_known ? most_of_type(&sampling->types[i], level, arena) : 0;

		most = runs > most ? runs : most;
		count = question->nper_function ? sampling_count_groups(sampling, i, plans[i]) : 0;
		groups = count > groups ? count : groups;
	}
	return most + groups;
}

/* ---- the sampler ---- */

static enum sample_stacks stacks_of(enum stacks_choice choice)
{
	static const enum sample_stacks stacks[] = { [STACKS_AUTO] = SAMPLE_STACKS_AUTO,
						     [STACKS_BY_FP] = SAMPLE_STACKS_FP,
						     [STACKS_BY_CFI] = SAMPLE_STACKS_CFI,
						     [STACKS_BY_LBR] = SAMPLE_STACKS_LBR,
						     [STACKS_LEFT_OUT] = SAMPLE_STACKS_NONE };

	return stacks[choice];
}

/* Trees per function need the place alone. Copies of stacks would be in what the groups count of the kernel. */
static enum sample_stacks choose_stacks(const struct sampling *sampling)
{
	enum stacks_choice choice = sampling->request->setup->sampling.stacks;

	if (choice == STACKS_AUTO && sampling->is_beside)
		return SAMPLE_STACKS_FP;
	return choice == STACKS_AUTO && !has_others(sampling) ? SAMPLE_STACKS_NONE : stacks_of(choice);
}

int sampling_begin(struct sampling *sampling, size_t first_run, struct error *err)
{
	struct sample_request request = { .machine = sampling->machine, .is_beside = sampling->is_beside };

	sampling->first_run = first_run;
	if (sampling_begin_divide(sampling, err) < 0)
		return -1;
	if (!sampling->nevents && sampling->is_beside) {
		sampling_choose_clock(sampling);
		sampling->nruns = 1;
	}
	if (!sampling->nevents)
		return error_set(err, "nothing can be sampled: no counter can count any of these events; "
				      "`topdown sample {e} cpu-clock` samples by time");
	request.stacks = choose_stacks(sampling);
	request.events = sampling->events;
	request.nevents = sampling->nevents;
	profile_init(&sampling->profile, sampling->request->arena);
	sampling->late.sampler = sampler_new(&sampling->profile, &request);
	sampling->late.observer.runs = first_run + sampling->nruns;
	return 0;
}

/* ---- beside groups ---- */

#define MSR_LOAD_LATENCY 0x3f6
#define AUXILIARY	 "mem-loads-aux" /* opened beside load latency (collect/perf/perf_sampling.c) */

/* Cycles may be on any general counter, where their own is the groups'. */
static uint64_t counters_of(const struct sampled_type *type, const struct event *event)
{
	const char *cycles = has_model(type) ? type->target->model.database->cycles : NULL;
	bool is_cycles = !event || (event->row && cycles && is_same_name(event->row->name, cycles));

	if (is_cycles)
		return GENERAL_COUNTERS;
	return event->counters & GENERAL_COUNTERS ? event->counters & GENERAL_COUNTERS : event->counters;
}

static void hold(struct plan_limits *limits, uint64_t counters)
{
	if (limits->nheld < MOST_HELD)
		limits->held[limits->nheld++] = counters;
}

void sampling_hold(struct plan_limits *limits, const struct sampling *sampling, size_t type)
{
	const struct sampled_type *owner = &sampling->types[type];

	for (size_t i = 0; i < sampling->nevents; i++) {
		const struct sample_event *event = &sampling->events[i];

		if (event->type != type || (event->source != SAMPLE_EVENT && event->source != SAMPLE_CYCLES))
			continue;
		hold(limits, counters_of(owner, event->event));
		if (event->event && event->event->msr == MSR_LOAD_LATENCY && pmu_event(owner->target->pmu, AUXILIARY))
			hold(limits, GENERAL_COUNTERS);
	}
}

/* ---- after the last run ---- */

/* Of the functions with the most pairs of samples, which come by cycles. */
static void find_loops(struct profile *profile, const struct symbol_request *symbols, const struct request *request)
{
	double *weights = arena_array(request->arena, (size_t)profile->nplaces + 1, sizeof(*weights));
	const struct loop_request loops = { .symbols = symbols,
					    .weights = weights,
					    .most = request->question->nper_function };

	for (uint32_t i = 0; i < profile->ndeltas; i++)
		if (profile->deltas[i].to != PROFILE_NONE)
			weights[profile->deltas[i].to] += (double)profile->deltas[i].pairs;
	if (profile->ndeltas)
		profile_loops_find(profile, &loops);
}

int sampled_finish(struct sampler *sampler, struct profile *profile, const char *whose, const struct request *request,
		   struct error *err)
{
	const struct symbol_request lookup = { .sysroot = request->setup->machine.sysroot };
	struct error unnamed = { .text = "" };

	if (!sampler)
		return 0;
	if (sampler_finish(sampler, err) < 0)
		return -1;
	if (symbols_resolve(profile, &lookup, &unnamed) < 0)
		profile_remark(profile, arena_printf(profile->arena, "%s have no names: %s.", whose, unnamed.text));
	if (request->question->wants_roofline && request->question->nper_function)
		find_loops(profile, &lookup, request);
	profile_condense(profile);
	return 0;
}

int sampled_fail(struct sampler *sampler)
{
	struct error ignored = { .text = "" };

	if (sampler && sampler_finish(sampler, &ignored) < 0)
		return -1;
	return -1;
}

int sampling_finish(struct sampling *sampling, struct measurement *measured, struct error *err)
{
	if (!sampling->late.sampler)
		return 0;
	if (sampled_finish(sampling->late.sampler, &sampling->profile, "Functions", sampling->request, err) < 0)
		return -1;
	measured->profile = &sampling->profile;
	return 0;
}
