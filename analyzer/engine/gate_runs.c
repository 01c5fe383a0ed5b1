/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <string.h>

#include "common/base/text.h"
#include "common/request/exclusions.h"
#include "engine/limits.h"
#include "engine/pairs.h"
#include "store/session/session.h"

#define USUAL_LAYOUTS 5
#define USUAL_REPEATS 10

/* ---- how ---- */

static bool can_count(const struct setup *setup, const struct question *question, struct arena *arena)
{
	static const struct sink silent = { .notice = NULL };
	const struct request request = { .setup = setup, .question = question, .sink = &silent, .arena = arena };
	struct target *identified = arena_alloc(arena, sizeof(*identified));
	struct error unknown = { .text = "" };

	return target_identify(identified, &request, &unknown) == 0 && limits_have_counters(identified, &request);
}

static void set_simulated(struct setup *setup, struct arena *arena)
{
	struct simulation_choice *simulation = &setup->simulation;

	setup->machine.pmu = PMU_SIM;
	simulation->is_pinned = true;
	simulation->anchor = ANCHOR_NEVER;
	if (!simulation->layouts)
		simulation->layouts = USUAL_LAYOUTS;
	setup->packing.repeats = 0;
	setup->options = arena_worded(arena, "{pinned} {layouts} %u", simulation->layouts);
	if (simulation->core)
		setup->options = arena_worded(arena, "%s {sim-core} %s", setup->options, simulation->core);
	setup->options_unsplit = setup->options;
}

int gate_runs_choose(struct setup *setup, struct question *question, enum pmu_choice was, struct arena *arena,
		     struct error *err)
{
	bool is_simulated = setup->machine.pmu == PMU_SIM;
	const struct request request = { .setup = setup, .question = question, .arena = arena };
	bool is_named = setup->simulation.is_pinned || setup->simulation.layouts > 1;

	if (setup->machine.pmu == PMU_AUTO)
		is_simulated = was == PMU_AUTO ? is_named || !can_count(setup, question, arena) : was == PMU_SIM;
	if (exclusions_check(&request, is_simulated ? PMU_SIM : PMU_CPU, err) < 0)
		return error_in(err, is_named && was == PMU_CPU ? "gate: the baseline was counted" : "gate");
	if (!question_is_where(question))
		question->wants_functions = true;
	if (is_simulated) {
		set_simulated(setup, arena);
		question->level = DEEPEST_LEVEL;
	} else if (!setup->packing.repeats) {
		setup->packing.repeats = USUAL_REPEATS;
	}
	return 0;
}

/* ---- measuring ---- */

/* What the program as it is now is measured into, and who is to know of it. */
struct listener {
	struct measurement *measured;
	const struct sink *sink;
	struct arena *arena;
};

static int gate_runs_on_measured(void *context, struct measurement *measured, struct error *err)
{
	struct listener *listener = context;

	return session_copy(listener->measured, measured, listener->arena, err);
}

static void gate_runs_on_progress(void *context, size_t run, size_t runs)
{
	const struct sink *sink = ((struct listener *)context)->sink;

	if (sink->progress)
		sink->progress(sink->context, run, runs);
}

static void gate_runs_on_simulated(void *context, const struct simulated_so_far *so_far)
{
	const struct sink *sink = ((struct listener *)context)->sink;

	if (sink->simulated)
		sink->simulated(sink->context, so_far);
}

static void gate_runs_on_notice(void *context, enum severity severity, const char *sentence)
{
	const struct sink *sink = ((struct listener *)context)->sink;

	if (sink->notice)
		sink->notice(sink->context, severity, sentence);
}

static int measure_alone(struct measurement *measured, const struct gate_runs_request *request, const struct sink *sink,
			 struct arena *arena, struct error *err)
{
	struct listener listener = { measured, sink, arena };
	const struct sink own = { .context = &listener,
				  .measured = gate_runs_on_measured,
				  .progress = gate_runs_on_progress,
				  .simulated = gate_runs_on_simulated,
				  .has_line = sink->has_line,
				  .notice = gate_runs_on_notice };

	return engine_measure(&(struct request){ request->question, request->setup, &own, arena }, err);
}

/* The same arguments behind the program as it was. */
static int measure_both(struct gate_runs *runs, const struct gate_runs_request *request, const struct sink *sink,
			struct arena *arena, struct error *err)
{
	const struct program_choice *program = &request->setup->program;
	struct pairs *pairs = arena_alloc(arena, sizeof(*pairs));
	char **words = arena_array(arena, program->nwords + 1, sizeof(*words));
	const struct pair_request both = {
		.setup = request->setup,
		.question = request->question,
		.commands = { { request->before, { words, program->nwords } },
			      { program->words[0], { program->words, program->nwords } } },
		.takes_failures = true, /* the gate has its own verdict about them */
	};

	memcpy(words, program->words, program->nwords * sizeof(*words));
	words[0] = arena_printf(arena, "%s%s", strchr(request->before, '/') ? "" : "./", request->before);
	if (pairs_measure(pairs, &both, sink, arena, err) < 0)
		return -1;
	runs->before = pairs->sides[0];
	runs->now = pairs->sides[1];
	return 0;
}

int gate_runs_measure(struct gate_runs *runs, const struct gate_runs_request *request, const struct sink *sink,
		      struct arena *arena, struct error *err)
{
	*runs = (struct gate_runs){ .now = { .count = 0 } };
	if ((request->before ? measure_both(runs, request, sink, arena, err)
			     : measure_alone(&runs->now, request, sink, arena, err)) < 0)
		return -1;
	return runs->now.count ? 0 : error_set(err, "gate: nothing was measured, so nothing can be judged");
}
