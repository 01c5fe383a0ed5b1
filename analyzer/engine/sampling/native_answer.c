/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/simulation_parts.h"

#include "collect/count/supervisor.h"
#include "collect/simulate/native.h"
#include "common/base/text.h"
#include "engine/reports.h"
#include "engine/sampling/sampling.h"

#define USUAL_BUDGET_S 30.0
#define LEAST_JUDGED_S 0.1 /* of CPU time, from which on ticks of the clock show parts of it */
#define LEAST_PART     0.1 /* of the CPU time: a simulation of less, before an effect, is no answer */

bool native_is_first(const struct request *request)
{
	const struct setup *setup = request->setup;
	const struct simulation_choice *choice = &setup->simulation;

	return request->sink->native && setup->program.nwords && setup->machine.pmu == PMU_AUTO && !choice->core &&
	       choice->anchor == ANCHOR_AUTO && !choice->is_pinned && !choice->toggle && choice->layouts <= 1 &&
	       !(setup->timing.delay.instructions > 0) && setup->packing.max_runs != 1 && supervisor_is_possible();
}

double native_budget(const struct request *request)
{
	const struct simulation_choice *choice = &request->setup->simulation;

	if (choice->seconds > 0)
		return choice->seconds;
	return choice->usual_seconds > 0 ? choice->usual_seconds : USUAL_BUDGET_S;
}

/* Why only the native run is shown, as a clause; NULL: the program can be simulated too. */
static const char *find_obstacle(const struct native_answer *answer, const struct native_first *first)
{
	struct arena *arena = answer->request->arena;

	if (first->is_interrupted)
		return "it was interrupted";
	if (first->effects.has_listened)
		return arena_worded(
			arena, "it is a server, of which a second one would be in the way ({anchor} never simulates "
			       "it in its only run)");
	if (first->run.status > STATUS_OF_SIGNAL)
		return arena_printf(arena, "it ended with status %d", first->run.status);
	if (first->effects.call && first->run.cpu_s >= LEAST_JUDGED_S &&
	    first->effect_cpu_s < LEAST_PART * first->run.cpu_s)
		return arena_worded(arena, "%s, which is not done twice ({anchor} never simulates it in its only run)",
				    native_effect(&first->effects, arena));
	return NULL;
}

static void answer_measure(struct native_answer *answer, const struct native_first *first)
{
	struct request own = *answer->request;
	struct target *bare = arena_alloc(own.arena, sizeof(*bare));
	struct repeat *repeat;

	sampled_instead_make(&answer->instead, &own);
	own.setup = &answer->instead.setup;
	own.question = &answer->instead.question;
	target_bare(bare, answer->target, &own);
	bare->pmu = NULL;
	anchor_samples_finish(answer->samples);
	answer->measured = (struct measurement){ .parts = describe(bare, 0, false, &own),
						 .count = 1,
						 .from_s = NOT_COUNTED,
						 .to_s = NOT_COUNTED,
						 .profile = &answer->samples->own };
	repeat = &answer->measured.parts[0].repeats[0];
	repeat->runs = arena_alloc(own.arena, sizeof(*repeat->runs));
	repeat->runs[0] = first->run;
	repeat->nruns = repeat->planned_runs = 1;
	answer->measured.parts[0].origin.scope = answer->measured.profile->scope;
	answer->measured.parts[0].origin.has_profile = answer->measured.profile->nrows > 0;
}

static void answer_show(const struct native_answer *answer)
{
	const struct sink *sink = answer->request->sink;
	struct request own = *answer->request;
	struct report_set reports = { .is_series = false };
	const struct outcome outcome = { .measured = &answer->measured, .reports = &reports };
	struct error unknown = { .text = "" };

	own.setup = &answer->instead.setup;
	own.question = &answer->instead.question;
	reports_sampled(&reports, &answer->measured, own.arena);
	if (reports_locate(&reports, &answer->measured, &own, own.arena, &unknown) == 0)
		sink->native(sink->context, &outcome, answer->budget_s);
}

bool native_answer_give(void *context, const struct native_first *first)
{
	struct native_answer *answer = context;
	const char *obstacle;

	if (first->is_held) {
		request_notice(answer->request, NOTICE_ACTION,
			       "the program is to run once only (%s): now from its start, on the simulated core",
			       native_effect(&first->effects, answer->request->arena));
		return true;
	}
	obstacle = find_obstacle(answer, first);
	answer_measure(answer, first);
	if (obstacle && !first->is_interrupted)
		answer->measured.parts[0].origin.options = arena_worded(answer->request->arena, "{anchor} never");
	if (obstacle)
		answer->why = arena_printf(answer->request->arena,
					   "no tree here, only where the time goes, by samples: %s", obstacle);
	else
		answer_show(answer);
	return !obstacle;
}
