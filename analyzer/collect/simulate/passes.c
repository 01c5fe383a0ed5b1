/* SPDX-License-Identifier: GPL-2.0-or-later */
/* passes.c - the runs of a simulation: layouts, other cores, cores without a cause, and a native one. */
#include "collect/simulate/simulate_internal.h"

#include <math.h>

#include "collect/simulate/anchor.h"
#include "collect/simulate/native.h"
#include "common/base/text.h"
#include "common/measurement/sampled_windows.h"

static const char *hidden_work_of(const struct outcome *outcome, const struct simulation *simulation,
				  struct arena *arena)
{
	return hidden_code_work(&simulation->hidden, outcome->processes.profile, &outcome->counts->repeats[0], arena);
}

#define LEAST_NATIVE_S 0.010

static void add_anchor(const struct outcome *outcome, const struct simulation *simulation, struct plain_run run,
		       struct arena *arena)
{
	struct counts *counts = outcome->counts;
	const struct unsimulated unsimulated = find_unsimulated(outcome, simulation);
	const char *more = unsimulated_reason(&unsimulated, arena);
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));
	const struct simulated_end_of_run simulated = { .status = counts->repeats[0].runs[0].status,
							.wall_s = counts->repeats[0].runs[0].wall_s,
							.cycles = count_of(counts, "core.cycles"),
							.effects = &outcome->processes.effects,
							.more = more };

	run.program = simulation->program;
	run.is_confined = simulation->anchor.choice != ANCHOR_ALWAYS;
	counts->anchor = anchor;
	anchor_measure(anchor, &simulated, &simulation->anchor, &run, arena);
	anchor->hidden = simulation->hidden.features;
	anchor->hidden_code = hidden_work_of(outcome, simulation, arena);
}

/* Why the run that came first is not what the modelled cycles are held against; NULL: it is. */
static const char *first_obstacle(const struct native_first *first, const struct outcome *outcome,
				  const struct simulation *simulation, struct arena *arena)
{
	const struct unsimulated unsimulated = find_unsimulated(outcome, simulation);
	const int status = outcome->counts->repeats[0].runs[0].status;

	if (first->is_held)
		return arena_worded(arena, "%s; {anchor} always runs it once more",
				    native_effect(&first->effects, arena));
	if (outcome->is_stopped)
		return "only a part of it was simulated";
	if (status != first->run.status)
		return arena_printf(arena, "the native run ended with status %d, the simulated one with %d",
				    first->run.status, status);
	if (!(first->anchor.cpu_s >= LEAST_NATIVE_S))
		return "a native run takes under 10 ms, too short to compare";
	return unsimulated_reason(&unsimulated, arena);
}

static void add_first(const struct outcome *outcome, const struct simulation *simulation,
		      const struct native_first *first, struct arena *arena)
{
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));

	*anchor = first->anchor;
	anchor->reason = first_obstacle(first, outcome, simulation, arena);
	if (anchor->reason)
		anchor->user_s = NOT_COUNTED;
	if (first->is_held)
		*anchor = (struct anchor){ .user_s = NOT_COUNTED, .hz = NOT_COUNTED, .reason = anchor->reason };
	anchor->hidden = simulation->hidden.features;
	anchor->hidden_code = hidden_work_of(outcome, simulation, arena);
	outcome->counts->anchor = anchor;
	if (!first->is_held)
		outcome->counts->repeats[0].runs[0].status = first->run.status;
}

/* Where no native run is held against the counts. */
static void remark_hidden_code(const struct outcome *outcome, const struct simulation *simulation, struct arena *arena)
{
	const char *clause = hidden_work_of(outcome, simulation, arena);

	if (clause)
		add_remark(outcome->counts, arena_printf(arena, "%s.", clause), arena);
}

/* ---- thread by thread ---- */

/* The processes' CPU time is no single thread's. */
static struct count_run *part_runs(const struct repeat *whole, struct arena *arena)
{
	struct count_run *runs = arena_array(arena, whole->nruns, sizeof(*runs));

	for (size_t i = 0; i < whole->nruns; i++) {
		runs[i] = whole->runs[i];
		runs[i].cpu_s = NOT_COUNTED;
	}
	return runs;
}

static const char *left_out_text(size_t count, struct arena *arena)
{
	return arena_worded(arena, "%zu more thread%s ended before a window of {sim-sample} fell into %s.", count,
			    count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

/*
 * Each thread is a part, and the native run's time is that of all, so it stands with the first. Regions are parts
 * behind all of the program.
 */
static void split(struct measurement *measured, const struct simulated_threads *threads, struct arena *arena)
{
	struct counts whole = measured->parts[0], *parts = arena_array(arena, threads->count + 1, sizeof(*parts));
	struct repeat *repeats = arena_array(arena, threads->count, sizeof(*repeats));
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));
	size_t count = 0;
	bool has_regions = threads->count && threads->items[0].is_region;

	if (whole.anchor && !has_regions) {
		*anchor = *whole.anchor;
		anchor->cycles = count_of(&whole, "core.cycles");
	}
	if (has_regions) {
		parts[count] = whole;
		parts[count].origin.part = "all";
		parts[count++].origin.part_kind = "all";
	}
	for (size_t i = 0; i < threads->count; i++) {
		struct counts *part = &parts[count];

		*part = whole;
		part->origin.part = threads->items[i].label;
		part->origin.part_kind = has_regions ? "region" : NULL;
		part->repeats = &repeats[i];
		part->trials = NULL; /* whose cycles are those of the whole program */
		part->ntrials = 0;
		repeats[i] = whole.repeats[0];
		repeats[i].items = threads->items[i].items;
		repeats[i].calls = NULL; /* by number they are counted of the whole process */
		repeats[i].ncalls = 0;
		repeats[i].runs = part_runs(&repeats[i], arena);
		part->anchor = whole.anchor && !count ? anchor : NULL;
		count += count_of(part, "inst.modelled") > 0;
	}
	*measured = (struct measurement){ .parts = parts, .count = count, .from_s = NOT_COUNTED, .to_s = NOT_COUNTED };
	if (threads->has_unbegun)
		add_remark(&parts[0],
			   "topdown_end() was called where no region had begun in its thread, and did nothing: each "
			   "belongs to one topdown_begin().",
			   arena);
	if (!has_regions && count < threads->count)
		add_remark(&parts[0], left_out_text(threads->count - count, arena), arena);
}

/*
 * A program that caught the signal, and ended with 0, does not hide that it was cut; nor does one that was sent SIGTERM
 * in the signal's place; nor do layouts made before.
 */
static bool passes_is_cut(const struct outcome *outcome, const struct signals *signals)
{
	const struct counts *counts = outcome->counts;
	int status = counts->repeats[0].runs[0].status;

	return signals->is_interrupted &&
	       (status == 0 || (status == STATUS_OF_SIGNAL + SIGTERM && signals->number != SIGTERM) ||
		counts->nrepeats < counts->planned_repeats);
}

/* Each layout is a repeat. The first has the profile and what the program did; one that a signal cut is left out. */
static int simulate_further(struct outcome *outcome, const struct simulation *simulation, struct plain_run run,
			    struct arena *arena, struct error *err)
{
	struct counts *counts = outcome->counts;
	struct repeat *repeats = arena_array(arena, simulation->layouts + 1, sizeof(*repeats));
	size_t made = 1;

	repeats[0] = counts->repeats[0];
	while (made < simulation->layouts && !run.signals->is_interrupted) {
		struct counts own = *counts;
		struct outcome further = { .counts = &own };

		own.repeats = &repeats[made];
		run.number = made;
		if (simulate_pass(&further, simulation, run, arena, err) < 0)
			return -1;
		made += !run.signals->is_interrupted;
	}
	counts->repeats = repeats;
	counts->nrepeats = made;
	counts->planned_repeats = simulation->layouts;
	return 0;
}

/* ---- on other cores ---- */

/* The same on another core, without what only the first run has: lines, stacks, threads. */
static struct simulation on_core(const struct simulation *simulation, const struct sim_core *core)
{
	struct simulation other = *simulation;

	other.core = core;
	other.by_instruction = NULL;
	other.has_lines = other.has_loops = other.has_stacks = other.has_threads = false;
	return other;
}

/* A part for each. One that fails costs nobody the others; what an interrupted run has is left out. */
static void simulate_others(struct measurement *measured, const struct simulation *simulation, struct plain_run *run,
			    struct arena *arena)
{
	struct counts *parts = measured->parts;

	for (size_t i = 0; i < simulation->nothers && !run->signals->is_interrupted; i++) {
		const struct simulation other = on_core(simulation, &simulation->others[i]);
		struct outcome outcome = { .counts = &parts[i + 1] };
		struct error err = { .text = "" };

		run->number++;
		if (simulate_pass(&outcome, &other, *run, arena, &err) < 0)
			add_remark(parts, arena_worded(arena, "{sim-core} %s: %s.", other.core->name, err.text), arena);
		else if (!run->signals->is_interrupted)
			parts[measured->count++] = parts[i + 1];
	}
	if (run->signals->is_interrupted && simulation->nothers)
		add_remark(parts, "It was interrupted before it had run on all cores.", arena);
}

#define MOST_MORE 0.005 /* of the instructions; a program with threads or clocks never repeats exactly */

/* A trial that did another amount of work says little. */
static void check_trial(struct counts *first, const struct counts *counts, const char *name, struct arena *arena)
{
	double before = count_of(first, "inst.retired"), more = count_of(counts, "inst.retired") / before - 1;

	if (fabs(more) > MOST_MORE)
		add_remark(first,
			   arena_worded(arena,
					"With {what-if} %s the program ran %.1f %% %s instructions, so the speed-up "
					"includes that too.",
					name, 100 * fabs(more), more > 0 ? "more" : "fewer"),
			   arena);
}

/* 0: none. */
static double cycles_ci95(const struct counts *counts)
{
	struct sampled_windows windows;

	return sampled_windows_read(&windows, &counts->repeats[0])
		       ? fmax(sampled_windows_cycles_error(&windows) * count_of(counts, "core.cycles"), 0)
		       : 0;
}

static void add_trial(struct counts *first, const struct sim_trial *trial, const struct counts *counts,
		      struct arena *arena)
{
	struct tried *kept = &first->trials[first->ntrials++];

	*kept = (struct tried){ .name = trial->name,
				.what = trial->what,
				.nodes = arena_array(arena, TRIAL_NODES, sizeof(*kept->nodes)),
				.cycles = count_of(counts, "core.cycles"),
				.cycles_ci95 = cycles_ci95(counts) };
	while (kept->nnodes < TRIAL_NODES && trial->nodes[kept->nnodes]) {
		kept->nodes[kept->nnodes] = trial->nodes[kept->nnodes];
		kept->nnodes++;
	}
	check_trial(first, counts, trial->name, arena);
}

/* One that fails costs nobody the others, nor what was counted before. */
static void simulate_trials(struct counts *first, const struct simulation *simulation, struct plain_run *run,
			    struct arena *arena)
{
	const struct sim_trials *trials = simulation->trials.find(simulation->trials.context, first);

	first->trials = arena_array(arena, trials->count + 1, sizeof(*first->trials));
	for (size_t i = 0; i < trials->count && !run->signals->is_interrupted; i++) {
		const struct simulation other = on_core(simulation, &trials->items[i].core);
		struct counts counts = *first;
		struct outcome outcome = { .counts = &counts };
		struct error err = { .text = "" };

		counts.repeats = arena_alloc(arena, sizeof(*counts.repeats));
		run->number++;
		if (simulate_pass(&outcome, &other, *run, arena, &err) < 0)
			add_remark(first, arena_worded(arena, "{what-if} %s: %s.", trials->items[i].name, err.text),
				   arena);
		else if (!run->signals->is_interrupted)
			add_trial(first, &trials->items[i], &counts, arena);
	}
	if (run->signals->is_interrupted)
		add_remark(first, arena_worded(arena, "{what-if} was interrupted; what it had tried by then is here."),
			   arena);
}

/* Other cores, and trials on the same one. */
static void simulate_variants(struct measurement *measured, const struct simulation *simulation, struct plain_run *run,
			      struct arena *arena)
{
	simulate_others(measured, simulation, run, arena);
	if (simulation->trials.find && !run->signals->is_interrupted)
		simulate_trials(measured->parts, simulation, run, arena);
}

/* Does the program run more than once? */
static bool is_run_again(const struct simulation *simulation)
{
	return simulation->layouts > 1 || simulation->nothers || simulation->trials.find ||
	       simulation->anchor.choice != ANCHOR_NEVER;
}

/* What was modelled of a program that has not ended in the simulation. */
static void remark_stopped(const struct outcome *outcome, const struct native_first *first, double budget_s,
			   struct arena *arena)
{
	const struct counts *counts = outcome->counts;
	double share = 100 * count_of(counts, "core.cycles") / first->anchor.hz / first->anchor.user_s;
	const char *part =
		isfinite(share) && share < 100 ? arena_printf(arena, ", some %.0f %% of its time", fmax(share, 1)) : "";
	double instructions = count_of(counts, "inst.retired");
	const char *number = instructions >= 1e9 ? arena_printf(arena, "%.3g G", instructions / 1e9)
						 : arena_printf(arena, "%.3g M", instructions / 1e6);

	counts->repeats[0].runs[0].is_cut = true;
	if (outcome->stopping_effect)
		add_remark(
			outcome->counts,
			arena_worded(arena,
				     "Simulated: its first %s instructions%s. Behind them %s, which is not done twice "
				     "({anchor} never simulates it in its only run).",
				     number, part, outcome->stopping_effect),
			arena);
	else
		add_remark(outcome->counts,
			   arena_worded(arena, "Simulated: its first %s instructions%s, in %.0f s.", number, part,
					budget_s),
			   arena);
}

/* What follows the native run. */
struct following {
	struct simulation simulation;
	struct native_first first;
	bool is_first; /* there was such a run */
};

#define WHOLE_S	   3.0 /* of CPU time: so much, and not much more, is simulated to its end in the usual budget */
#define LEAST_PART 0.1

/* Of a long program less of the beginning is modelled in full: then the budget reaches further into it. */
static void hurry(struct simulation *simulation, const struct native_first *first)
{
	double part = WHOLE_S / first->run.cpu_s;

	if (part < 1 && !(simulation->sample > 0))
		simulation->seconds =
			fmax(part, LEAST_PART) * (simulation->seconds > 0 ? simulation->seconds : USUAL_SECONDS);
}

/*
 * The native run, where it is to come first. 0: a simulation follows. A program that was held starts anew as if nothing
 * had been.
 */
static int begin_natively(struct following *following, struct plain_run *run, struct arena *arena, struct error *err)
{
	struct simulation *simulation = &following->simulation;
	struct native_first *first = &following->first;

	run->program = simulation->program;
	if (native_run_first(first, &simulation->anchor, run, arena, err) < 0)
		return -1;
	following->is_first = true;
	simulation->anchor.choice = ANCHOR_NEVER;
	if (!simulation->native.ended(simulation->native.context, first))
		return SIMULATED_NATIVELY;
	if (first->is_held)
		return 0;
	native_repeat_first(first, &simulation->anchor, run, arena);
	hurry(simulation, first);
	run->number++;
	simulation->budget_s = simulation->native.budget_s;
	simulation->has_no_scratch = first->has_left_scratch;
	simulation->listener.has_line = false; /* nothing of the program is in its way */
	return 0;
}

#define SLOWER 4 /* times as slow as the first simulation, which another load of the machine may make a trial */

/* A trial is compared with as much of the program. */
static void limit_variants(struct simulation *simulation, const struct outcome *outcome)
{
	if (outcome->is_stopped)
		simulation->limit = fmax(count_of(outcome->counts, "inst.retired"), 1);
	simulation->budget_s *= SLOWER;
}

int simulate_program(struct measurement *measured, const struct simulation *wanted, struct arena *arena,
		     struct error *err)
{
	struct signals signals = { 0 };
	struct input input;
	struct plain_run run = { .signals = &signals, .input = &input };
	struct outcome outcome = { .counts = measured->parts };
	struct following following = { .simulation = *wanted };
	struct simulation *simulation = &following.simulation;
	int cut_by, status = 0;

	if (signals_hold(&signals, err) < 0)
		return -1;
	input_init(&input, is_run_again(simulation) ? 2 : 1);
	if (simulation->native.is_first)
		status = begin_natively(&following, &run, arena, err);
	signals.is_simulated = true;
	if (status == 0)
		status = simulate_pass(&outcome, simulation, run, arena, err);
	if (status == 0)
		limit_variants(simulation, &outcome);
	measured->profile = status == 0 ? outcome.processes.profile : NULL;
	if (status == 0 && simulation->layouts > 1)
		status = simulate_further(&outcome, simulation, run, arena, err);
	run.number += simulation->layouts > 1 ? simulation->layouts - 1 : 0;
	if (status == 0)
		simulate_variants(measured, simulation, &run, arena);
	cut_by = status == 0 && passes_is_cut(&outcome, &signals) ? signals.number : 0;
	run.number++;
	if (status == 0 && following.is_first)
		add_first(&outcome, simulation, &following.first, arena);
	if (status == 0 && outcome.is_stopped)
		remark_stopped(&outcome, &following.first, simulation->native.budget_s, arena);
	if (status == 0 && simulation->anchor.choice != ANCHOR_NEVER)
		add_anchor(&outcome, simulation, run, arena);
	else if (status == 0 && !following.is_first)
		remark_hidden_code(&outcome, simulation, arena);
	input_release(&input);
	signals_release(&signals);
	if (status == 0 && outcome.processes.threads.count && !simulation->nothers)
		split(measured, &outcome.processes.threads, arena);
	measured->cut_by = cut_by;
	measured->interrupted_by = signals.number;
	if (status < 0 && signals.number) {
		err->interrupted_by = signals.number;
		err->status = STATUS_OF_SIGNAL + signals.number;
	}
	measured->profile = status == 0 ? outcome.processes.profile : NULL; /* the parts took its place */
	return status;
}
