/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/machine_check.h"

#include "collect/perf/abilities.h"
#include "collect/simulate/simulate.h"
#include "engine/hidden_events.h"
#include "engine/limits.h"

#define LEVEL_ASKED 3

/* Only a CPU that nobody knows is a finding; files that can't be read are topdown's own failure. */
int machine_check_target(struct target *target, const struct request *request, struct error *err)
{
	struct error unknown = { .text = "" };

	if (target_machine(target, request, &unknown) == 0)
		return 0;
	if (target->machine.cpuid && !target->cpu && !request->setup->machine.cpu)
		return 0;
	return error_set(err, "%s", unknown.text);
}

/* What the measurement would do, as far as it gets. */
static void try_level(struct abilities *abilities, struct examination *about, struct target *target,
		      const struct request *request)
{
	struct arena *arena = request->arena;
	struct plan_request planned = { .level = about->level };
	struct error err = { .text = "" };
	struct ability_probe probe = {
		.pmu = target->pmu,
		.machine = &target->machine,
		.database = &target->events,
		.general = limits_probe_row(&target->events),
		.published = about->published,
	};
	struct plan *plan;

	if (limits_probe(&abilities->found, target, &err) < 0) {
		abilities->refusal = arena_strdup(arena, err.text);
		return;
	}
	planned.limits = abilities->found.limits;
	event_set_use_general(&target->model.events, planned.limits.fixed);
	abilities_probe(abilities, &probe, arena);
	plan = hidden_events_plan(&planned, target, &abilities->found, request, &err);
	if (!plan) {
		abilities->trial.failure = arena_strdup(arena, err.text);
		return;
	}
	about->plan = plan;
	abilities_try(&abilities->trial, plan, &target->model, &target->machine, arena);
}

/* What the machine's files say, where it can't be tried. */
static void plan_level(struct examination *about, const struct target *target, struct arena *arena)
{
	struct plan_request request = { .level = about->level };
	struct error err = { .text = "" };
	struct plan *plan = arena_alloc(arena, sizeof(*plan));
	struct plan_limits *shown = arena_alloc(arena, sizeof(*shown));

	*shown = request.limits = limits_shown(target);
	about->shown = shown;
	if (plan_build(plan, &target->model, &request, arena, &err) == 0)
		about->plan = plan;
}

/* What would take the counters' place. */
static void look_for_simulator(struct abilities *abilities, const struct target *target, struct arena *arena)
{
	struct simulator simulator;
	struct error missing = { .text = "" };
	const char *core = NULL;

	if (simulator_find(&simulator, arena, &missing) == 0)
		core = sim_core_match(target->database, target->machine.cpuid, arena, &missing);
	abilities->simulated_core = core;
	abilities->no_simulator = core ? NULL : arena_printf(arena, "Nothing can be simulated: %s.", missing.text);
}

void examine(struct diagnosis *diagnosis, struct target *target, const struct request *request)
{
	struct arena *arena = request->arena;
	struct surroundings *around = arena_alloc(arena, sizeof(*around));
	struct abilities *abilities = arena_alloc(arena, sizeof(*abilities));
	struct plan_limits *published = arena_alloc(arena, sizeof(*published));
	struct examination about = {
		.machine = &target->machine,
		.around = around,
		.level = request->question->level ? request->question->level : LEVEL_ASKED,
	};

	surroundings_identify(around, request->setup->machine.sysroot, arena);
	about.wants_steadiness = request->setup->machine.steady;
	if (about.wants_steadiness && around->is_live) {
		struct steadiness *steadiness = arena_alloc(arena, sizeof(*steadiness));

		steadiness_measure(steadiness, arena);
		about.steadiness = steadiness;
	}
	if (target->cpu) {
		*published = limits_published(target);
		about.cpu = target->cpu;
		about.database = &target->events;
		about.model = &target->model;
		about.published = published;
	}
	if (around->is_live) {
		about.abilities = abilities;
		abilities_probe_process(abilities);
		look_for_simulator(abilities, target, arena);
		abilities->refusal = target->cpu ? NULL : "Without the CPU's events there is nothing to try.";
		if (target->cpu)
			try_level(abilities, &about, target, request);
	} else if (target->cpu && target->machine.npmus) {
		plan_level(&about, target, arena);
	}
	diagnose(diagnosis, &about, arena);
}
