/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor.c - topdown doctor: what this machine can measure, what not, why, and the command that changes it. It changes nothing. */
#include "render/doctor.h"

#include "command/commands.h"
#include "command/limits.h"
#include "command/output.h"
#include "count/abilities.h"
#include "count/simulate.h"

#define LEVEL_ASKED 3

/* Only a CPU that nobody knows is a finding; files that can't be read are topdown's own failure. */
static int find_target(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	struct options as_it_is = *options;
	struct error unknown = { .text = "" };

	as_it_is.watchdog = WATCHDOG_KEEP;
	if (target_machine(target, &as_it_is, arena, &unknown) == 0)
		return 0;
	if (target->machine.cpuid && !target->cpu && !options->cpu)
		return 0;
	return error_set(err, "%s", unknown.text);
}

/* What the measurement would do, as far as it gets. */
static void try_level(struct abilities *abilities, struct examination *about, const struct target *target,
		      struct arena *arena)
{
	struct plan_request request = { .level = about->level };
	struct error err = { .text = "" };
	struct ability_probe probe = {
		.pmu = target->pmu,
		.machine = &target->machine,
		.database = &target->events,
		.general = limits_probe_row(&target->events),
		.published = about->published,
	};
	struct plan plan;

	if (limits_probe(&request.limits, target, &err) < 0) {
		abilities->refusal = arena_strdup(arena, err.text);
		return;
	}
	abilities->general = request.limits.general;
	abilities_probe(abilities, &probe, arena);
	if (plan_build(&plan, &target->model, &request, arena, &err) < 0)
		abilities->trial.failure = arena_strdup(arena, err.text);
	else
		abilities_try(&abilities->trial, &plan, &target->model, &target->machine, arena);
}

/* What would take the counters' place. */
static void look_for_simulator(struct abilities *abilities, const struct target *target, struct arena *arena)
{
	struct simulator simulator;
	struct error missing = { .text = "" };
	const char *core = NULL;

	if (simulator_find(&simulator, arena, &missing) == 0)
		core = sim_core_match(&target->database, target->machine.cpuid, arena, &missing);
	abilities->simulated_core = core;
	abilities->no_simulator = core ? NULL : arena_printf(arena, "Nothing can be simulated: %s.", missing.text);
}

static void examine(struct diagnosis *diagnosis, const struct target *target, const struct options *options,
		    struct arena *arena)
{
	struct surroundings *around = arena_alloc(arena, sizeof(*around));
	struct abilities *abilities = arena_alloc(arena, sizeof(*abilities));
	struct plan_limits *published = arena_alloc(arena, sizeof(*published));
	struct examination about = {
		.machine = &target->machine,
		.around = around,
		.level = options->level ? options->level : LEVEL_ASKED,
	};

	surroundings_identify(around, options->sysroot, arena);
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
			try_level(abilities, &about, target, arena);
	}
	diagnose(diagnosis, &about, arena);
}

int command_doctor(const struct options *options, struct arena *arena, struct error *err)
{
	struct diagnosis diagnosis;
	struct output output;
	struct target target;

	if (options->nwords)
		return error_set(err, "doctor: '%s'? It takes no words: it looks at this machine", options->words[0]);
	if (find_target(&target, options, arena, err) < 0)
		return -1;
	examine(&diagnosis, &target, options, arena);
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_diagnosis(output.file, &diagnosis, &output.style, err) < 0)
		return output_failed(&output, err);
	if (output_close(&output, err) < 0)
		return -1;
	return diagnosis.can_measure ? 0 : 1;
}
