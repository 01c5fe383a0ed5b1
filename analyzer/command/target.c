/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/target.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "load/glossary.h"

struct facts machine_facts(const struct machine *machine)
{
	struct facts facts = facts_assumed();
	const struct pmu *pmu = machine_core_pmu(machine);
	const char *slots = pmu ? pmu_cap(pmu, "slots") : NULL;
	uint64_t number;

	facts.smt_on = machine->smt_on;
	facts.num_cpus = facts.num_cpus_online = machine->online_cpus;
	facts.num_cores = machine->cores;
	facts.num_dies = machine->dies;
	facts.num_packages = machine->packages;
	facts.system_tsc_freq = machine->tsc_hz;
	facts.cpuid = machine->cpuid;
	if (slots && text_u64(slots, &number) && number)
		facts.slots = (double)number;
	return facts;
}

/* Without a glossary there are no words about nodes, and no other names. */
static int add_names(struct target *target, struct arena *arena, struct error *err)
{
	struct error missing = { .text = "" };
	const char *path = database_file(&target->database, "models", "glossary", arena, &missing);

	return path ? model_add_names(&target->model, path, arena, err) : 0;
}

static int load(struct target *target, const char *asked, const struct facts *facts, struct arena *arena,
		struct error *err)
{
	const char *events = database_file(&target->database, "events", target->cpu, arena, err), *models;
	struct model_target model_target = { .database = &target->events, .facts = facts, .events = asked };

	models = events ? database_file(&target->database, "models", target->cpu, arena, err) : NULL;
	if (!models || event_database_load(&target->events, events, arena, err) < 0)
		return -1;
	if (!target->events.cpu[0])
		target->events.cpu = target->cpu; /* upstream files have no header */
	if (!target->pmu)
		target->pmu = pmu_assumed(target->events.pmu, target->events.vendor, arena);
	model_target.pmu = target->pmu;
	return model_load(&target->model, models, &model_target, arena, err) < 0 ? -1 : add_names(target, arena, err);
}

static int identify_cpu(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	const struct machine *machine = &target->machine;

	if (options->cpu)
		target->cpu = database_name(&target->database, options->cpu, arena, err);
	else
		target->cpu = database_match(&target->database, machine->cpuid);
	if (!target->cpu && !options->cpu)
		error_set(err,
			  "no events are known for this CPU (%s%s%s): name a similar one with --cpu, or give its files "
			  "with --db",
			  machine->cpuid, machine->model_name ? ", " : "",
			  machine->model_name ? machine->model_name : "");
	return target->cpu ? 0 : -1;
}

int target_machine(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	struct facts facts;

	*target = (struct target){ .has_machine = true };
	if (database_open(&target->database, options->database, arena, err) < 0 ||
	    machine_identify(&target->machine, options->sysroot, arena, err) < 0 ||
	    identify_cpu(target, options, arena, err) < 0)
		return -1;
	target->pmu = machine_core_pmu(&target->machine);
	facts = machine_facts(&target->machine);
	return load(target, options->events, &facts, arena, err);
}

int target_named(struct target *target, const struct target_request *request, struct arena *arena, struct error *err)
{
	struct facts assumed = facts_assumed();

	*target = (struct target){ .has_machine = false };
	if (database_open(&target->database, request->options->database, arena, err) < 0)
		return -1;
	target->cpu = database_name(&target->database, request->cpu, arena, err);
	if (!target->cpu)
		return -1;
	return load(target, request->events, request->facts ? request->facts : &assumed, arena, err);
}

int target_find(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	struct target_request request = { .options = options, .cpu = options->cpu, .events = options->events };

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
