/* SPDX-License-Identifier: GPL-2.0-or-later */
/* totals.c - the counts of each part: what its sites have read, summed. */
#include <math.h>
#include <string.h>

#include "collect/count/collector.h"
#include "common/base/text.h"
#include "common/measurement/tally.h"

#define LEAST_ACTIVE_NS 100000 /* in which a program does something, in whatever mode is counted */

/* The sums of one part. */
struct sums {
	struct tally *tallies; /* for each event of each group of the run, group by group */
	uint64_t cpu_ns;
	struct tally *by_cpu; /* of each event those of the part's CPUs; NULL: it has none */
	double *cpu_s_by_cpu;
};

static const struct plan_run *run_of(const struct collector *c, size_t type)
{
	const struct plan *plan = c->request->types[type].plan;

	return c->run < plan->nruns ? &plan->runs[c->run] : NULL;
}

/* That its plan needs, and those beside it. */
static size_t runs_of(const struct collector *c, size_t type)
{
	const size_t planned = c->request->types[type].plan->nruns, beside = observers_runs(c->request->observers);

	return planned > beside ? planned : beside;
}

static size_t count_items(const struct plan *plan, const struct plan_run *run)
{
	size_t items = 0;

	for (size_t i = 0; run && i < run->count; i++)
		items += plan->groups[run->first + i].count;
	return items;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What the item shows for the span. */
static struct count item_in(const struct site *site, size_t group, size_t i, enum span span)
{
	const struct count *now = &site->groups[group].items[i];

	return span == SPAN_RUN ? *now : count_since(now, &site->before[group][i]);
}

/* Times of a site's group: all of its events share them. */
static struct count group_in(const struct site *site, size_t group, enum span span)
{
	struct count times = { .raw = 0 };

	for (size_t i = 0; i < site->groups[group].plan->count; i++) {
		struct count item = item_in(site, group, i, span);

		times.enabled_ns = max(times.enabled_ns, item.enabled_ns);
		times.running_ns = max(times.running_ns, item.running_ns);
	}
	return times;
}

/*
 * The time in which the site's events could have counted: what the kernel calls enabled, which passes for a task
 * wherever it runs; so where the site is one CPU, or a core type, it is the time that its groups together were on
 * counters there. Groups that count in some intervals only stand for the whole run.
 */
static uint64_t time_of_group(const struct collector *c, const struct site *site, size_t group, enum span span)
{
	uint64_t enabled = group_in(site, group, span).enabled_ns, all_enabled = 0, all_running = 0, longest = 0;

	for (size_t i = 0; i < site->ngroups; i++) {
		struct count times = group_in(site, i, span);

		all_enabled += times.enabled_ns;
		all_running += times.running_ns;
		longest = max(longest, times.enabled_ns);
	}
	if (c->turns.is_shuffled) /* all but the first one sat out at times */
		enabled = longest;
	if (span == SPAN_RUN && is_multiplexed_by_interval(c))
		enabled = all_enabled;
	return is_site_confined(site, c->request) ? min(enabled, all_running) : enabled;
}

static void add_site(const struct collector *c, struct sums *sums, const struct site *site, enum span span)
{
	size_t ncpus = c->sites.parts[site->part].ncpus, number = 0;
	uint64_t cpu_ns = 0;

	for (size_t g = 0; g < site->ngroups; g++) {
		uint64_t enabled = time_of_group(c, site, g, span);

		cpu_ns = max(cpu_ns, enabled);
		for (size_t i = 0; i < site->groups[g].plan->count; i++) {
			struct count item = item_in(site, g, i, span);

			tally_add(&sums->tallies[number], &item, enabled);
			if (ncpus)
				tally_add(&sums->by_cpu[number * ncpus + site->own_cpu], &item, enabled);
			number++;
		}
	}
	sums->cpu_ns += cpu_ns;
	if (ncpus)
		sums->cpu_s_by_cpu[site->own_cpu] += (double)cpu_ns * 1e-9;
}

/* What belongs to single CPUs is kept, in arena. */
static struct sums *add_sites(const struct collector *c, enum span span, struct arena *scratch, struct arena *arena)
{
	struct sums *sums = arena_array(scratch, c->sites.nparts, sizeof(*sums));

	for (size_t i = 0; i < c->sites.nparts; i++) {
		size_t type = c->sites.parts[i].type, ncpus = c->sites.parts[i].ncpus;
		size_t items = count_items(c->request->types[type].plan, run_of(c, type));

		sums[i].tallies = arena_array(scratch, items, sizeof(*sums[i].tallies));
		if (!ncpus)
			continue;
		sums[i].by_cpu = arena_array(arena, items * ncpus, sizeof(*sums[i].by_cpu));
		sums[i].cpu_s_by_cpu = arena_array(arena, ncpus, sizeof(*sums[i].cpu_s_by_cpu));
	}
	for (size_t i = 0; i < c->sites.count; i++)
		if (!c->sites.items[i].is_gone)
			add_site(c, &sums[c->sites.items[i].part], &c->sites.items[i], span);
	return sums;
}

/* What comes from a clock instead of the kernel's counters. */
static void fill_tool_item(struct count *item, const struct event *event, const struct count_run *run, double tsc_hz)
{
	double value = event->kind == EVENT_TSC	       ? run->wall_s * tsc_hz
		       : event->kind == EVENT_CPU_TIME ? run->cpu_s
						       : run->wall_s;

	item->enabled_ns = item->running_ns = (uint64_t)(run->wall_s * 1e9);
	if (isnan(value)) {
		item->state = COUNT_REFUSED;
		item->reason = event->kind == EVENT_TSC ? "the frequency of the time stamp counter is unknown"
							: "the CPU time of what was counted is unknown";
		return;
	}
	item->state = COUNT_OK;
	item->value = value;
	item->raw = event->kind == EVENT_TSC ? (uint64_t)value : (uint64_t)(value * 1e9);
}

/* A part of the result that is being filled from its sums. */
struct filling {
	const struct collector *c;
	const struct count_type *type;
	struct repeat *repeat;
	const struct sums *sums;
	size_t part;
	enum span span;
	struct arena *arena;
};

static bool has_role(const struct model *model, size_t event)
{
	for (size_t i = 0; i < ROLE_COUNT; i++)
		if (model->roles[i] == event)
			return true;
	return false;
}

/* What level 1's share of retired operations is computed from, where that is one event beside cycles or slots. */
static bool is_retired(const struct model *model, size_t event)
{
	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *metric = &model->metrics[i];
		size_t others = 0, own = 0;

		if (metric->level != 1 || !is_same_name(metric->title, "Retiring"))
			continue;
		for (size_t k = 0; k < metric->nevents; k++) {
			own += metric->events[k] == event;
			others += metric->events[k] != event && !has_role(model, metric->events[k]);
		}
		return own && !others && model->events.events[event].kind == EVENT_CORE;
	}
	return false;
}

/*
 * A program that ran has spent cycles and retired instructions: a count of 0 comes from a hypervisor that lets an event
 * be programmed and does not count it. (CPUs can be idle, and what is attached need not have been in the mode counted.)
 */
static void withhold_zero(struct count *item, const struct model *model, size_t event)
{
	if (item->state != COUNT_OK || item->value > 0 || item->running_ns < LEAST_ACTIVE_NS ||
	    !(has_role(model, event) || is_retired(model, event)))
		return;
	item->state = COUNT_WITHHELD;
	item->value = NOT_COUNTED;
	item->reason = "it was on a counter and counted 0, which is impossible: a hypervisor lets it be opened, but "
		       "does not count it";
}

static bool is_never_idle(const struct collector *c)
{
	return c->request->subject.kind == SUBJECT_PROGRAM && c->scope != SCOPE_KERNEL;
}

static size_t cpus_of(const struct filling *f)
{
	return f->c->sites.parts[f->part].ncpus;
}

/* The parts of what a clock measured: of CPU time only, which is not the same everywhere. */
static void keep_tool_cpus(struct count *item, const struct event *event, const struct filling *f,
			   const struct count_run *run)
{
	struct tally *by_cpu;

	if (event->kind != EVENT_CPU_TIME || !run->cpu_s_by_cpu)
		return;
	by_cpu = arena_array(f->arena, cpus_of(f), sizeof(*by_cpu));
	for (size_t i = 0; i < cpus_of(f); i++)
		by_cpu[i] = (struct tally){ .value = run->cpu_s_by_cpu[i],
					    .raw = (uint64_t)(run->cpu_s_by_cpu[i] * 1e9),
					    .enabled_ns = item->enabled_ns,
					    .running_ns = item->running_ns };
	item->by_cpu = by_cpu;
}

static void fill_group(const struct filling *f, size_t group, const struct tally *tallies)
{
	const struct tally *by_cpu = f->sums->by_cpu;
	size_t first = (size_t)(tallies - f->sums->tallies), ncpus = cpus_of(f);
	const struct plan_group *plan = &f->type->plan->groups[group];
	struct turn_slot slot = { f->part, (size_t)(tallies - f->sums->tallies), f->span };
	size_t run = f->repeat->nruns - 1;

	for (size_t i = 0; i < plan->count; i++) {
		const struct event *event = &f->type->model->events.events[plan->events[i]];
		struct count *item = &f->repeat->items[f->repeat->count++];

		*item = (struct count){ .event = event->name, .group = group, .run = run };
		if (is_kernel_event(event)) {
			tally_finish(item, &tallies[i], f->arena);
			item->by_cpu = by_cpu ? &by_cpu[(first + i) * ncpus] : NULL;
			if (is_never_idle(f->c))
				withhold_zero(item, f->type->model, plan->events[i]);
			turns_fill(f->c, &slot, item, f->arena);
		} else if (event->kind == EVENT_SOFTWARE) { /* an observer has it, where there is one */
			item->state = COUNT_NEVER_RAN;
			item->value = NOT_COUNTED;
		} else {
			fill_tool_item(item, event, &f->repeat->runs[run], f->c->request->machine->tick_hz);
			keep_tool_cpus(item, event, f, &f->repeat->runs[run]);
		}
		slot.item++;
	}
}

/* An interval that has a group of its own must not report the others as never run. */
static bool is_reported(const struct filling *f, const struct plan_run *run, size_t group)
{
	return f->span == SPAN_RUN || !is_multiplexed_by_interval(f->c) || group == f->c->ninterval % run->count;
}

/* Only sampled, a run counts nothing, and no CPU time either. */
static bool has_groups(const struct filling *f)
{
	for (size_t i = 0; i < f->c->request->ntypes; i++) {
		const struct plan_run *run = run_of(f->c, i);

		if (run && run->count)
			return true;
	}
	return false;
}

/*
 * The CPU time that the program ended with has that from fork to exec in it, when nothing was counted; the groups' own
 * has what others took of a virtual CPU. The program's is less than either. Of CPUs one by one a group's time is that
 * on a counter, which is no measure of the program's.
 */
static double cpu_seconds(const struct filling *f, double ended_with)
{
	const struct collector *c = f->c;
	double counted = (double)f->sums->cpu_ns * 1e-9;

	if (c->request->subject.kind == SUBJECT_CPUS || (isnan(ended_with) && !has_groups(f)))
		return NOT_COUNTED;
	if (f->span != SPAN_RUN || c->sites.nparts != 1 || isnan(ended_with))
		return counted;
	return is_site_confined(&c->sites.items[0], c->request) || !(counted > 0) ? ended_with
										  : fmin(ended_with, counted);
}

static void fill_part(const struct filling *f, const struct count_run *result)
{
	const size_t type = (size_t)(f->type - f->c->request->types);
	const struct plan_run *run = run_of(f->c, type);
	const struct tally *tallies = f->sums->tallies;
	struct repeat *repeat = f->repeat;
	struct observed beside = { .part = f->part,
				   .repeat = repeat,
				   .first = repeat->count,
				   .is_interval = f->span == SPAN_INTERVAL,
				   .arena = f->arena };

	if (f->c->run >= runs_of(f->c, type))
		return;
	repeat->runs[repeat->nruns] = *result;
	repeat->runs[repeat->nruns].cpu_s = cpu_seconds(f, result->cpu_s);
	if (f->c->request->subject.kind != SUBJECT_CPUS)
		repeat->runs[repeat->nruns].cpu_s_by_cpu = f->sums->cpu_s_by_cpu;
	repeat->nruns++;
	for (size_t i = 0; run && i < run->count; i++) {
		if (is_reported(f, run, i))
			fill_group(f, run->first + i, tallies);
		tallies += f->type->plan->groups[run->first + i].count;
	}
	if (run)
		repeat->ngroups = run->first + run->count;
	beside.count = repeat->count - beside.first;
	observers_add(f->c->request->observers, &beside);
}

/* measured is the collector's own, or one of its intervals, which arena outlives. */
static void fill_parts(const struct collector *c, struct measurement *measured, const struct count_run *result,
		       struct arena *arena)
{
	enum span span = measured == c->measured ? SPAN_RUN : SPAN_INTERVAL;
	struct arena scratch;
	struct sums *sums;

	arena_init(&scratch);
	sums = add_sites(c, span, &scratch, arena);
	for (size_t i = 0; i < measured->count; i++) {
		const struct filling filling = {
			.c = c,
			.type = &c->request->types[c->sites.parts[i].type],
			.repeat = &measured->parts[i].repeats[c->repeat],
			.sums = &sums[i],
			.part = i,
			.span = span,
			.arena = arena,
		};

		fill_part(&filling, result);
	}
	arena_release(&scratch);
}

/* For all that the plan counts, behind what is there. */
static void totals_make_room(struct repeat *repeat, const struct collector *c, size_t type)
{
	const struct plan *plan = c->request->types[type].plan;
	struct count_run *runs = arena_array(c->arena, c->nruns, sizeof(*runs));
	struct count *items;
	size_t all = 0;

	for (size_t i = 0; i < plan->ngroups; i++)
		all += plan->groups[i].count;
	for (size_t i = 0; i < plan->nunits; i++)
		all += plan->units[i].count;
	items = arena_array(c->arena, all, sizeof(*items));
	for (size_t i = 0; i < repeat->count; i++)
		items[i] = repeat->items[i];
	for (size_t i = 0; i < repeat->nruns; i++)
		runs[i] = repeat->runs[i];
	repeat->planned_runs = runs_of(c, type);
	repeat->items = items;
	repeat->runs = runs;
}

static void make_repeat(struct repeat *repeat, const struct collector *c, size_t number)
{
	const struct count_type *type = &c->request->types[number];

	*repeat = type->template->nrepeats ? type->template->repeats[0] : (struct repeat){ .planned_runs = 0 };
	totals_make_room(repeat, c, number);
}

static void make_part(struct counts *counts, const struct collector *c, const struct part *part)
{
	const struct count_type *type = &c->request->types[part->type];

	*counts = *type->template;
	counts->origin.part = part->label;
	counts->origin.part_kind = c->request->subject.is_by_thread ? "thread" : part->label ? "core type" : NULL;
	counts->cpus = part->cpus;
	counts->ncpus = part->ncpus;
	counts->origin.target = c->request->subject.name;
	counts->origin.selector = (struct selector){ c->request->subject.kind, c->request->subject.list };
	counts->origin.scope = scope_name(c->scope);
	counts->repeats = arena_array(c->arena, repeats_of(c), sizeof(*counts->repeats));
	make_repeat(&counts->repeats[0], c, part->type);
	counts->nrepeats = 1;
}

void parts_make(struct measurement *measured, const struct collector *c)
{
	*measured = (struct measurement){ .from_s = NOT_COUNTED, .to_s = NOT_COUNTED };
	measured->count = c->sites.nparts;
	measured->parts = arena_array(c->arena, measured->count, sizeof(*measured->parts));
	for (size_t i = 0; i < measured->count; i++)
		make_part(&measured->parts[i], c, &c->sites.parts[i]);
}

void parts_repeat(struct measurement *measured, const struct collector *c)
{
	for (size_t i = 0; i < measured->count; i++)
		make_repeat(&measured->parts[i].repeats[c->repeat], c, c->sites.parts[i].type);
}

void parts_grow(struct measurement *measured, const struct collector *c)
{
	for (size_t i = 0; i < measured->count; i++)
		totals_make_room(&measured->parts[i].repeats[0], c, c->sites.parts[i].type);
}

double group_seconds(const struct collector *c, const struct site *site, size_t group)
{
	return (double)time_of_group(c, site, group, SPAN_RUN) * 1e-9;
}

void totals_add_run(struct collector *c, const struct count_run *run)
{
	fill_parts(c, c->measured, run, c->arena);
	if (c->run == 0)
		remark_first_run(c, run);
}

/* From now on the next interval is counted. */
static void remember(struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++) {
		struct site *site = &c->sites.items[i];

		for (size_t k = 0; k < site->ngroups; k++)
			memcpy(site->before[k], site->groups[k].items,
			       site->groups[k].plan->count * sizeof(struct count));
	}
}

void totals_make_interval(struct collector *c, double from_s, double to_s)
{
	const struct count_run run = { .wall_s = to_s - from_s, .cpu_s = NOT_COUNTED };

	arena_reset(&c->interval_arena);
	c->interval.from_s = from_s;
	c->interval.to_s = to_s;
	for (size_t i = 0; i < c->interval.count; i++)
		c->interval.parts[i].repeats[0].count = c->interval.parts[i].repeats[0].nruns = 0;
	turns_take(c);
	fill_parts(c, &c->interval, &run, &c->interval_arena);
	turns_end_interval(c);
	remember(c);
}
