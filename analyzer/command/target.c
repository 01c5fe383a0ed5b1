/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/target.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "load/glossary.h"

/* What formulas may ask of the machine, on the cores of this PMU (NULL: it shows none). */
static struct facts machine_facts(const struct machine *machine, const struct pmu *pmu, struct arena *arena)
{
	struct facts facts = facts_assumed();
	const char *slots = pmu ? pmu_cap(pmu, "slots") : NULL;
	uint64_t number;

	facts.smt_on = machine_smt_on(machine, pmu, arena);
	facts.num_cpus = facts.num_cpus_online = machine->online_cpus;
	facts.num_cores = machine->cores;
	facts.num_dies = machine->dies;
	facts.num_packages = machine->packages;
	facts.system_tsc_freq = machine->tsc_hz;
	facts.cpuid = pmu && pmu->cpuid ? pmu->cpuid : machine->cpuid;
	if (slots && text_u64(slots, &number) && number)
		facts.slots = (double)number;
	return facts;
}

/* --smt plans for a machine that is not this one. */
static void assume_smt(struct facts *facts, const struct options *options)
{
	if (options->smt != TOGGLE_UNSAID)
		facts->smt_on = options->smt == TOGGLE_ON;
}

/* Without a glossary there are no words about nodes, and no other names. */
static int add_names(struct target *target, struct arena *arena, struct error *err)
{
	struct error missing = { .text = "" };
	const char *path = database_file(&target->database, "models", "glossary", arena, &missing);

	return path ? model_add_names(&target->model, path, arena, err) : 0;
}

/* The PMU that the events are for, where the machine has it. */
static const struct pmu *pmu_of_events(const struct target *target)
{
	const struct machine *machine = &target->machine;

	for (size_t i = 0; i < machine->npmus; i++)
		if (is_same_name(machine->pmus[i].name, target->events.pmu))
			return &machine->pmus[i];
	return machine_core_pmu(machine);
}

static int load_events(struct target *target, struct arena *arena, struct error *err)
{
	const char *events = database_file(&target->database, "events", target->cpu, arena, err);

	if (!events || event_database_load(&target->events, events, arena, err) < 0)
		return -1;
	if (!target->events.cpu[0])
		target->events.cpu = target->cpu; /* upstream files have no header */
	if (!target->pmu && target->has_machine)
		target->pmu = pmu_of_events(target);
	if (!target->pmu)
		target->pmu = pmu_assumed(target->events.pmu, target->events.vendor, arena);
	return 0;
}

static int load_model(struct target *target, const char *asked, const struct facts *facts, struct arena *arena,
		      struct error *err)
{
	const char *models = database_file(&target->database, "models", target->cpu, arena, err);
	struct model_target model_target = {
		.database = &target->events, .pmu = target->pmu, .facts = facts, .events = asked
	};

	return models ? model_load(&target->model, models, &model_target, arena, err) : -1;
}

static int unknown_cpu(const struct target *target, struct error *err)
{
	const struct machine *machine = &target->machine;
	const char *cpuid = target->pmu && target->pmu->cpuid ? target->pmu->cpuid : machine->cpuid;

	return error_set(err,
			 "no events are known for this CPU (%s%s%s): name a similar one with --cpu, or give its files "
			 "with --db",
			 cpuid, machine->model_name ? ", " : "", machine->model_name ? machine->model_name : "");
}

/* The core type is the end of the PMU's name: "cpu_atom". */
static const char *find_cpu(struct target *target)
{
	const char *cpuid = target->machine.cpuid, *name = target->pmu ? target->pmu->name : "", *found = NULL;

	if (target->pmu && target->pmu->cpuid)
		cpuid = target->pmu->cpuid;
	if (has_name_prefix(name, "cpu_"))
		found = database_match_type(&target->database, cpuid, name + strlen("cpu_"));
	return found ? found : database_match(&target->database, cpuid);
}

static int load_machine(struct target *target, const struct options *options, bool is_core_wide, struct arena *arena,
			struct error *err)
{
	struct facts facts;

	if (load_events(target, arena, err) < 0)
		return -1;
	facts = machine_facts(&target->machine, target->pmu, arena);
	facts.core_wide = is_core_wide;
	assume_smt(&facts, options);
	return load_model(target, options->events, &facts, arena, err);
}

int target_identify(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	*target = (struct target){ .has_machine = true };
	if (database_open(&target->database, options->database, arena, err) < 0)
		return -1;
	if (machine_identify(&target->machine, options->sysroot, arena, err) < 0)
		return -1;
	/* What is planned is what will be counted: then it is off. */
	if (options->watchdog == WATCHDOG_OFF)
		target->machine.nmi_watchdog = false;
	return 0;
}

/* --cpu decides both the events and, by them, the PMU; else the first PMU decides. */
static int find_first(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	if (options->cpu) {
		target->cpu = database_name(&target->database, options->cpu, arena, err);
		return target->cpu ? 0 : -1;
	}
	target->pmu = machine_core_pmu(&target->machine);
	target->cpu = find_cpu(target);
	return target->cpu ? 0 : unknown_cpu(target, err);
}

int target_machine(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	if (target_identify(target, options, arena, err) < 0 || find_first(target, options, arena, err) < 0 ||
	    load_machine(target, options, options->is_all_cpus, arena, err) < 0)
		return -1;
	return add_names(target, arena, err);
}

/* A type that is measured needs other names only where something is asked for by its name. */
static int load_type(struct target *target, const struct target_facts *facts, const struct options *options,
		     struct arena *arena, struct error *err)
{
	if (load_machine(target, options, facts->is_core_wide, arena, err) < 0)
		return -1;
	return options->nodes || options->groups || options->metrics ? add_names(target, arena, err) : 0;
}

static void warn_of_unknown_type(const struct target *target)
{
	fprintf(stderr,
		"topdown: warning: no events are known for the cores of %s (CPUs %s), so what runs there is not "
		"counted\n",
		target->pmu->name, target->pmu->cpus ? target->pmu->cpus : "-");
}

int target_types(struct target_types *types, const struct target_facts *facts, const struct options *options,
		 struct arena *arena, struct error *err)
{
	const struct machine *machine = &facts->identified->machine;
	struct target target = *facts->identified;

	*types = (struct target_types){ .items = arena_array(arena, machine->npmus + 1, sizeof(*types->items)) };
	if (options->cpu || machine->npmus < 2) {
		types->items[types->count++] = target;
		return find_first(types->items, options, arena, err) < 0
			       ? -1
			       : load_type(types->items, facts, options, arena, err);
	}
	for (size_t i = 0; i < machine->npmus; i++) {
		target.pmu = &machine->pmus[i];
		target.cpu = find_cpu(&target);
		if (!target.cpu) {
			warn_of_unknown_type(&target);
			continue;
		}
		types->items[types->count] = target;
		if (load_type(&types->items[types->count++], facts, options, arena, err) < 0)
			return -1;
	}
	return types->count ? 0 : unknown_cpu(&target, err);
}

int target_named(struct target *target, const struct target_request *request, struct arena *arena, struct error *err)
{
	struct facts assumed = facts_assumed();

	*target = (struct target){ .has_machine = false };
	assumed.core_wide = request->options->is_all_cpus;
	assume_smt(&assumed, request->options);
	if (database_open(&target->database, request->options->database, arena, err) < 0)
		return -1;
	target->cpu = database_name(&target->database, request->cpu, arena, err);
	if (!target->cpu || load_events(target, arena, err) < 0)
		return -1;
	if (load_model(target, request->events, request->facts ? request->facts : &assumed, arena, err) < 0)
		return -1;
	return add_names(target, arena, err);
}

int target_find(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	struct target_request request = { .options = options, .cpu = options->cpu, .events = options->events };

	if (options->pmu == PMU_SIM) {
		request.cpu = SIMULATED_CPU;
		if (options->cpu && !is_same_name(options->cpu, SIMULATED_CPU))
			return error_set(err, "--cpu %s and --pmu sim exclude each other", options->cpu);
		return target_named(target, &request, arena, err);
	}
	if (options->cpu && !*options->sysroot)
		return target_named(target, &request, arena, err);
	return target_machine(target, options, arena, err);
}

void target_words(struct report *report, const struct target *target, struct arena *arena)
{
	struct error err = { .text = "" };
	const char *path = report->worst ? database_file(&target->database, "models", "glossary", arena, &err) : NULL;
	struct glossary_entry entry;

	if (!path || glossary_read_entry(&entry, path, report->worst->metric->name, arena, &err) < 0)
		return;
	report->means = entry.means;
	report->advice = entry.advice;
}

#define WARNINGS_SHOWN 5

static void warn(const char *const *warnings, size_t count)
{
	for (size_t i = 0; i < count && i < WARNINGS_SHOWN; i++)
		fprintf(stderr, "topdown: warning: %s\n", warnings[i]);
	if (count > WARNINGS_SHOWN)
		fprintf(stderr, "topdown: warning: and %zu more of this kind\n", count - WARNINGS_SHOWN);
}

void target_warn(const struct target *target)
{
	warn(target->events.warnings, target->events.nwarnings);
	warn(target->model.warnings, target->model.nwarnings);
}
