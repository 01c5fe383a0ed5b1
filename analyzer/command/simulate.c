/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/limits.h"
#include "count/simulable.h"
#include "count/simulate.h"
#include "identify/caches.h"

/* An option that asks for what only a machine has, and why a simulation does not have it. */
struct conflict {
	const char *name;
	bool is_given;
	const char *reason;
};

#define PROGRAM_ONLY "a simulated core runs a program of its own, from its start to its end"
#define ALL_AT_ONCE  "a simulation counts everything at once, without counters"

/* False: there is none. */
static bool find_conflict(struct conflict *conflict, const struct options *options)
{
	const struct conflict rows[] = {
		{ "--cpu", options->cpu, "which core is simulated is said with --sim-core" },
		{ "--pid", options->processes, PROGRAM_ONLY },
		{ "--tid", options->threads, PROGRAM_ONLY },
		{ "--all-cpus", options->is_all_cpus, PROGRAM_ONLY },
		{ "--cpus", options->cpus, PROGRAM_ONLY },
		{ "--cgroup", options->cgroup, PROGRAM_ONLY },
		{ "--interval", options->interval_ms > 0, PROGRAM_ONLY },
		{ "--per-core", options->is_per_core, "each simulated thread has a core of its own (--per-thread)" },
		{ "--per-socket", options->is_per_socket,
		  "each simulated thread has a core of its own (--per-thread)" },
		{ "--timeout", options->timeout_s > 0,
		  "`timeout SECONDS topdown ...` ends a simulation, with a report" },
		{ "--delay", options->delay_ms > 0 || options->delay_ms < 0, PROGRAM_ONLY },
		{ "--control", options->control, PROGRAM_ONLY },
		{ "--mux-interval", options->mux_interval_ms > 0, ALL_AT_ONCE },
		{ "--nmi-watchdog off", options->watchdog == WATCHDOG_OFF, ALL_AT_ONCE },
		{ "--counters", options->counters, ALL_AT_ONCE },
		{ "--kernel", options->is_kernel_only, "only user mode is simulated" },
		{ "--drilldown", options->is_drilldown, "a simulation counts all levels at once (-l 9)" },
		{ "--repeat", options->repeats > 1, "a simulation counts the same each time" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!rows[i].is_given)
			continue;
		*conflict = rows[i];
		return true;
	}
	return false;
}

/* Why nothing can be counted here; false: it can. */
static bool find_obstacle(struct error *reason, const struct target *target)
{
	struct plan_limits limits;

	if (target->pmu && target->pmu->is_real)
		return limits_probe(&limits, target, reason) < 0;
	refusal(reason, ENOENT, &target->machine, NULL);
	return true;
}

int simulation_is_needed(const struct target *target, const struct options *options, struct arena *arena,
			 struct error *err)
{
	struct simulator simulator;
	struct error reason = { .text = "" }, missing = { .text = "" };
	struct conflict conflict;

	/* --sysroot is about another machine, and what runs already can't be simulated. */
	if (options->pmu != PMU_AUTO || *options->sysroot || !options->nwords || options_have_subject(options) ||
	    !find_obstacle(&reason, target))
		return 0;
	if (find_conflict(&conflict, options))
		return error_set(err, "%s. Nothing is simulated instead because of %s: %s", reason.text, conflict.name,
				 conflict.reason);
	if (simulator_find(&simulator, arena, &missing) < 0)
		return error_set(err, "%s. Nothing can be simulated instead: %s", reason.text, missing.text);
	fprintf(stderr, "topdown: the program runs on a SIMULATED core, because nothing can be counted here: %s\n",
		reason.text);
	return 1;
}

int simulation_target(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	struct conflict conflict;
	struct machine machine;
	struct facts facts;
	struct target_request request = {
		.options = options, .cpu = SIMULATED_CPU, .facts = &facts, .events = options->events
	};

	if (find_conflict(&conflict, options))
		return error_set(err, "%s and --pmu sim exclude each other: %s", conflict.name, conflict.reason);
	if (options->is_per_thread && options->wants_lines)
		return error_set(err, "--per-thread and --lines exclude each other: source lines are those of all "
				      "threads together");
	if (machine_identify(&machine, options->sysroot, arena, err) < 0)
		return -1;
	facts = facts_assumed(); /* the machine is not what counts */
	facts.cpuid = machine.cpuid;
	if (target_named(target, &request, arena, err) < 0)
		return -1;
	target->machine = machine;
	target->has_machine = true;
	return 0;
}

/* The machine's own caches, where the core stands for the machine's. */
static void take_caches(struct sim_core *core, const struct options *options, struct arena *arena)
{
	struct cpu_cache *caches;
	size_t count = caches_identify(&caches, options->sysroot, arena);

	for (size_t i = 0; i < count; i++) {
		const struct cpu_cache *cache = &caches[i];
		const char *name = cache->level == 1 ? (cache->holds_data ? "l1d" : "l1i")
						     : arena_printf(arena, "l%u", cache->level);

		/* A hypervisor may tell sizes without ways, or none at all. */
		if (!cache->kib || !cache->ways || cache->ways > 64)
			continue;
		sim_core_set(core, arena_printf(arena, "%s_kib", name), cache->kib);
		sim_core_set(core, arena_printf(arena, "%s_ways", name), cache->ways);
	}
}

/* Is the core the one that stands for this machine's CPU? Only then cycles of both can be compared. */
static bool is_own_core(const struct sim_core *core, const struct target *target, const struct options *options,
			struct arena *arena)
{
	struct error unknown = { .text = "" };
	const char *own = sim_core_match(&target->database, target->machine.cpuid, arena, &unknown);

	return !*options->sysroot && own && !strcmp(own, core->name);
}

/* Why the program is not run natively too; NULL: it is. */
static const char *find_no_anchor(const struct sim_core *core, const struct target *target,
				  const struct options *options, struct arena *arena)
{
	if (options->is_multiplexed || options->max_runs == 1)
		return arena_printf(arena, "the program was to run once only (%s)",
				    options->is_multiplexed ? "--multiplex" : "--max-runs 1");
	if (!is_own_core(core, target, options, arena))
		return arena_printf(arena, "%s is not this machine's core", core->name);
	return NULL;
}

static void explain_no_anchor(struct counts *counts, const char *reason, struct arena *arena)
{
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));

	*anchor = (struct anchor){ .user_s = (double)NAN, .hz = (double)NAN, .reason = reason };
	counts->anchor = anchor;
}

static int find_core(struct sim_core *core, const struct target *target, const struct options *options,
		     struct arena *arena, struct error *err)
{
	const char *name = options->sim_core;

	if (!name)
		name = sim_core_match(&target->database, target->machine.cpuid, arena, err);
	if (!name || sim_core_load(core, &target->database, name, arena, err) < 0)
		return -1;
	if (options->sim_core)
		return 0;
	take_caches(core, options, arena);
	/* A virtual machine's pages are translated twice. */
	sim_core_set(core, "nested_pages", target->machine.hypervisor != NULL);
	return 0;
}

int simulation_count(struct measurement *measured, const struct target *target, const struct options *options,
		     struct arena *arena, struct error *err)
{
	struct simulator simulator;
	struct sim_core core;
	struct program program = { .argv = options->words, .is_heard = options->wants_all_output };
	struct simulation simulation = {
		.simulator = &simulator,
		.core = &core,
		.model = &target->model,
		.program = &program,
		.sample = options->sim_sample,
		.has_children = options->has_children,
		.has_lines = options->wants_lines,
		.has_threads = options->is_per_thread,
	};
	const char *no_anchor;

	if (program_find(&program.path, options->words[0], arena, err) < 0 || simulable_check(program.path, err) < 0 ||
	    find_core(&core, target, options, arena, err) < 0 || simulator_find(&simulator, arena, err) < 0)
		return -1;
	no_anchor = find_no_anchor(&core, target, options, arena);
	simulation.is_anchored = !no_anchor && !options->has_no_anchor;
	measured->parts->machine = arena_printf(arena, "SIMULATED core %s, %s", core.name, core.title);
	if (simulate_program(measured, &simulation, arena, err) < 0)
		return -1;
	if (no_anchor && !options->has_no_anchor)
		explain_no_anchor(&measured->parts[0], no_anchor, arena);
	return 0;
}
