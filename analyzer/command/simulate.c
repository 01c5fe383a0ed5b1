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

/* An option that asks for what only a machine has; NULL: none. */
static const char *find_conflict(const struct options *options)
{
	const struct {
		const char *name;
		bool is_given;
	} rows[] = {
		{ "--cpu", options->cpu },
		{ "--pid", options->processes },
		{ "--tid", options->threads },
		{ "--all-cpus", options->is_all_cpus },
		{ "--cpus", options->cpus },
		{ "--cgroup", options->cgroup },
		{ "--interval", options->interval_ms > 0 },
		{ "--per-core", options->is_per_core },
		{ "--per-socket", options->is_per_socket },
		{ "--timeout", options->timeout_s > 0 },
		{ "--delay", options->delay_ms > 0 || options->delay_ms < 0 },
		{ "--control", options->control },
		{ "--mux-interval", options->mux_interval_ms > 0 },
		{ "--kernel", options->is_kernel_only },
		{ "--drilldown", options->is_drilldown },
		{ "--repeat", options->repeats > 1 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].is_given)
			return rows[i].name;
	return NULL;
}

int simulation_is_needed(const struct target *target, const struct options *options, struct arena *arena,
			 struct error *err)
{
	struct simulator simulator;
	struct plan_limits limits;
	struct error reason = { .text = "" }, missing = { .text = "" };

	/* --sysroot is about another machine. */
	if (options->pmu != PMU_AUTO || *options->sysroot || find_conflict(options))
		return 0;
	if (target->pmu->is_real && limits_probe(&limits, target, &reason) == 0)
		return 0;
	if (!target->pmu->is_real)
		refusal(&reason, ENOENT, &target->machine, NULL);
	if (simulator_find(&simulator, arena, &missing) < 0)
		return error_set(err, "%s. Nothing can be simulated instead: %s", reason.text, missing.text);
	fprintf(stderr, "topdown: the program runs on a SIMULATED core, because nothing can be counted here: %s\n",
		reason.text);
	return 1;
}

int simulation_target(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	struct machine machine;
	struct facts facts;
	struct target_request request = {
		.options = options, .cpu = SIMULATED_CPU, .facts = &facts, .events = options->events
	};

	if (find_conflict(options))
		return error_set(
			err,
			"%s and --pmu sim exclude each other: a simulated core runs a program from its start to its "
			"end, in user mode; which core it is, is said with --sim-core",
			find_conflict(options));
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

static void explain_no_anchor(struct counts *counts, const struct sim_core *core, struct arena *arena)
{
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));

	*anchor = (struct anchor){ .user_s = (double)NAN, .hz = (double)NAN };
	anchor->reason = arena_printf(arena, "%s is not this machine's core", core->name);
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
	bool is_own;

	if (program_find(&program.path, options->words[0], arena, err) < 0 || simulable_check(program.path, err) < 0 ||
	    find_core(&core, target, options, arena, err) < 0 || simulator_find(&simulator, arena, err) < 0)
		return -1;
	is_own = is_own_core(&core, target, options, arena);
	simulation.is_anchored = is_own && !options->has_no_anchor;
	measured->parts->machine = arena_printf(arena, "SIMULATED core %s, %s", core.name, core.title);
	if (simulate_program(measured, &simulation, arena, err) < 0)
		return -1;
	if (!is_own && !options->has_no_anchor)
		explain_no_anchor(&measured->parts[0], &core, arena);
	return 0;
}
