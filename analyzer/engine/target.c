/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/target.h"

#include <string.h>

#include "collect/perf/abilities.h"
#include "collect/perf/probe.h"
#include "common/base/text.h"
#include "common/request/exclusions.h"
#include "common/system/shortage.h"
#include "cpu/identify/units.h"
#include "cpu/load/assessment.h"
#include "cpu/load/glossary.h"
#include "cpu/load/roofline_events.h"
#include "cpu/load/select.h"
#include "engine/hidden_events.h"
#include "engine/limits.h"

/* ---- what is read once ---- */

struct identified {
	const char *option, *sysroot; /* what they are read by */
	struct database *database;    /* NULL: not asked for yet */
	struct machine *machine;
	struct arena *arena;
};

static struct identified *identified_new(const struct machine_choice *choice, struct arena *arena)
{
	struct identified *identified = arena_alloc(arena, sizeof(*identified));

	*identified = (struct identified){ .option = choice->database, .sysroot = choice->sysroot, .arena = arena };
	return identified;
}

void identified_keep(struct machine_choice *choice, struct arena *arena)
{
	choice->identified = identified_new(choice, arena);
}

static struct identified *identified_of(const struct request *request)
{
	const struct machine_choice *choice = &request->setup->machine;
	struct identified *kept = choice->identified;

	return kept && kept->option == choice->database && kept->sysroot == choice->sysroot
		       ? kept
		       : identified_new(choice, request->arena);
}

struct database *identified_database(const struct request *request, struct error *err)
{
	struct identified *identified = identified_of(request);
	struct database *database = identified->database;

	if (database)
		return database;
	database = arena_alloc(identified->arena, sizeof(*database));
	if (database_open(database, identified->option, identified->arena, err) < 0)
		return NULL;
	return identified->database = database;
}

/*
 * PERF_METRICS that count nothing are as good as none: what is chosen by the kernel's list of events (the model's form,
 * the plan) takes them for absent.
 */
static void hide_dead_metrics(struct machine *machine)
{
	struct pmu *pmu = machine->npmus == 1 ? machine->pmus : NULL;
	size_t count = 0;

	if (!pmu || has_live_metrics(pmu, machine))
		return;
	for (size_t i = 0; i < pmu->nevents; i++)
		if (strcmp(pmu->events[i].name, "slots") != 0 && !has_name_prefix(pmu->events[i].name, "topdown-"))
			pmu->events[count++] = pmu->events[i];
	pmu->nevents = count;
	pmu->has_dead_metrics = true;
}

const struct machine *identified_machine(const struct request *request, struct error *err)
{
	struct identified *identified = identified_of(request);
	struct machine *machine = identified->machine;

	if (machine)
		return machine;
	machine = arena_alloc(identified->arena, sizeof(*machine));
	if (machine_identify(machine, identified->sysroot, identified->arena, err) < 0)
		return NULL;
	if (!*identified->sysroot)
		hide_dead_metrics(machine);
	return identified->machine = machine;
}

void identified_forget_machine(const struct request *request)
{
	identified_of(request)->machine = NULL;
}

#define READING_FILES 2 /* that are open at a time while the machine and the database are read */

int target_identify(struct target *target, const struct request *request, struct error *err)
{
	const struct machine *machine;

	*target = (struct target){ .has_machine = true };
	if (shortage_check(READING_FILES, err) < 0)
		return -1;
	target->database = identified_database(request, err);
	machine = target->database ? identified_machine(request, err) : NULL;
	if (!machine)
		return -1;
	target->machine = *machine;
	/* What is planned is what will be counted: then it is off. */
	if (request->setup->machine.watchdog == WATCHDOG_OFF)
		target->machine.nmi_watchdog = false;
	return 0;
}

/* ---- what is loaded ---- */

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
	facts.system_tsc_freq = machine->tick_hz;
	facts.chas_per_socket = (double)machine_count_units(machine, "uncore_cha");
	facts.cpuid = pmu && pmu->cpuid ? pmu->cpuid : machine->cpuid;
	if (slots && text_u64(slots, &number) && number)
		facts.slots = (double)number;
	return facts;
}

/* --smt plans for a machine that is not this one. */
static void assume_smt(struct facts *facts, const struct request *request)
{
	if (request->setup->machine.smt != TOGGLE_UNSAID)
		facts->smt_on = request->setup->machine.smt == TOGGLE_ON;
}

/* Without a glossary there are no words about nodes, and no other names. Those are vendors', none of a simulation. */
static int target_add_names(struct target *target, struct arena *arena, struct error *err)
{
	struct error missing = { .text = "" };
	const char *path = database_file(target->database, "models", "glossary", arena, &missing);

	return path && !target->model.is_simulated ? model_add_names(&target->model, path, arena, err) : 0;
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

#define MOST_SYSTEMS 8

/*
 * The files of kind ("events", "models") that the CPU's own names, for PMUs of the system that it is in. One that no
 * directory has is left out. They end with NULL.
 */
static const char *const *system_files(const struct target *target, const char *kind, struct arena *arena)
{
	const char **files = arena_array(arena, MOST_SYSTEMS + 1, sizeof(*files));
	const char *names = target->events.system, *name, *found;
	size_t length, count = 0;

	while (names && count < MOST_SYSTEMS && (length = text_next(&names, ",", &name)) > 0) {
		found = database_find(target->database,
				      arena_printf(arena, "%s/system/%.*s.json", kind, (int)length, name), arena);
		if (found)
			files[count++] = found;
	}
	return files;
}

static int load_system_events(struct target *target, struct arena *arena, struct error *err)
{
	for (const char *const *file = system_files(target, "events", arena); *file; file++)
		if (event_database_add(&target->events, *file, arena, err) < 0)
			return -1;
	return 0;
}

static int load_events(struct target *target, struct arena *arena, struct error *err)
{
	const char *events = database_file(target->database, "events", target->cpu, arena, err);

	if (!events || event_database_load(&target->events, events, arena, err) < 0 ||
	    load_system_events(target, arena, err) < 0)
		return -1;
	if (!target->events.cpu[0])
		target->events.cpu = target->cpu; /* upstream files have no header */
	if (!target->pmu && target->has_machine)
		target->pmu = pmu_of_events(target);
	if (!target->pmu)
		target->pmu = pmu_assumed(target->events.pmu, target->events.vendor, arena);
	return 0;
}

static enum roofline_wish roofline_of(bool is_wanted, const struct request *request)
{
	if (!is_wanted)
		return ROOFLINE_UNASKED;
	return request->question->nper_function ? ROOFLINE_OF_FUNCTIONS : ROOFLINE_OF_WHOLE;
}

/* With the events that a roofline needs, where there is to be one. */
static int add_roofline(const struct roofline_sets **found, const char **asked, const struct target *target,
			struct arena *arena, struct error *err)
{
	struct roofline_sets *sets = arena_alloc(arena, sizeof(*sets));
	const char *path = target->roofline ? database_file(target->database, "models", "roofline", arena, err) : "";
	const struct roofline_reader reader = { .path = path, .cpu = target->cpu, .database = &target->events };
	const char *events;

	if (!path)
		return -1;
	if (!*path)
		return 0;
	if (roofline_events_load(sets, &reader, arena, err) < 0)
		return -1;
	*found = sets;
	events = roofline_events_list(sets, target->model.facts.core_wide == 1, target->roofline, arena);
	if (events)
		*asked = *asked ? arena_printf(arena, "%s,%s", *asked, events) : events;
	return 0;
}

static int load_model(struct target *target, const char *asked, const struct facts *facts, struct arena *arena,
		      struct error *err)
{
	struct error missing = { .text = "" };
	const struct roofline_sets *roofline = NULL;
	const char *models = database_file(target->database, "models", target->cpu, arena, err);
	struct model_target model_target = {
		.database = &target->events,
		.pmu = target->pmu,
		.facts = facts,
		.events = asked,
		.common = database_file(target->database, "models", "common", arena, &missing),
		.system = system_files(target, "models", arena),
		.form = target->form,
		.wants_stalls = target->wants_stalls,
	};

	if (!models || add_roofline(&roofline, &model_target.events, target, arena, err) < 0 ||
	    model_load(&target->model, models, &model_target, arena, err) < 0)
		return -1;
	target->model.roofline = roofline;
	target->model.assessment = arena_array(arena, 1, sizeof(*target->model.assessment));
	return 0;
}

/* --fixed may leave slots without a counter; what it says wrong is an error of the limits. */
static bool is_slots_assumed(const struct target *target, const char *fixed)
{
	struct error unused = { .text = "" };
	uint64_t counters;

	return !fixed || limits_fixed(&counters, fixed, &unused) < 0 || limits_have_slots(counters, &target->events);
}

/* What the kernel shows decides; a CPU that is not at hand has all that its kind has. */
static enum model_form form_of(const struct target *target, const struct machine_choice *machine,
			       enum form_choice choice)
{
	bool is_shown = !target->has_machine || !target->pmu->is_real ||
			(pmu_event(target->pmu, "slots") && pmu_event(target->pmu, "topdown-retiring"));

	if (choice != FORM_CHOICE_AUTO)
		return choice == FORM_CHOICE_GENERAL ? FORM_GENERAL : FORM_PERF_METRICS;
	return is_shown && is_slots_assumed(target, machine->fixed) ? FORM_PERF_METRICS : FORM_GENERAL;
}

/* What this machine can't count, it can't count in another form of the model either. */
static void keep_absent(struct event_set *set, const struct event_set *before)
{
	for (size_t i = 0; i < before->count; i++) {
		size_t number = before->events[i].absent ? event_set_find(set, before->events[i].name) : TABLE_NONE;

		if (number == TABLE_NONE)
			continue;
		set->events[number].absent = before->events[i].absent;
		set->events[number].counters = before->events[i].counters;
	}
}

int target_take_form(struct target *target, enum model_form form, const char *asked, const struct request *request,
		     struct error *err)
{
	struct event_set before = target->model.events;
	struct facts facts = target->model.facts;

	target->form = form;
	if (load_model(target, asked, &facts, request->arena, err) < 0)
		return -1;
	keep_absent(&target->model.events, &before);
	return target_add_names(target, request->arena, err);
}

int target_take_stalls(struct target *target, const bool *is_countable, const struct question *question,
		       const struct request *request, struct error *err)
{
	const struct select_request asked = { question->nodes, question->groups, question->metrics, question->level,
					      question->wants_causes };

	if (is_selecting(&asked) || !model_needs_stalls(&target->model, is_countable))
		return 0;
	target->wants_stalls = true;
	return target_take_form(target, target->form, question->events, request, err);
}

int target_check_level_1(struct target *target, const struct request *request, struct error *err)
{
	const struct event_set *set = &target->model.events;
	bool *is_countable = arena_array(request->arena, set->count + 1, sizeof(*is_countable));

	for (size_t i = 0; i < set->count; i++)
		is_countable[i] = !set->events[i].absent;
	return target_take_stalls(target, is_countable, request->question, request, err);
}

/* What sysfs shows may still be refused. */
static int check_form(struct target *target, const struct request *request, struct error *err)
{
	const struct machine_choice *choice = &request->setup->machine;

	if (!target->model.has_forms || target->model.form == FORM_GENERAL || choice->form != FORM_CHOICE_AUTO ||
	    *choice->sysroot || !target->pmu->is_real ||
	    abilities_probe_metrics(target->pmu, &target->events, &target->machine, request->arena) != ANSWER_NO)
		return 0;
	return target_take_form(target, FORM_GENERAL, request->question->events, request, err);
}

static int unknown_cpu(const struct target *target, struct error *err)
{
	const struct machine *machine = &target->machine;
	const char *cpuid = target->pmu && target->pmu->cpuid ? target->pmu->cpuid : machine->cpuid;

	return error_set(err,
			 "no events are known for this CPU (%s%s%s): name a similar one with {cpu}, or give its files "
			 "with {db}",
			 cpuid, machine->model_name ? ", " : "", machine->model_name ? machine->model_name : "");
}

/* The core type is the end of the PMU's name: "cpu_atom". */
static const char *find_cpu(struct target *target)
{
	const char *cpuid = target->machine.cpuid, *name = target->pmu ? target->pmu->name : "", *found = NULL;

	if (target->pmu && target->pmu->cpuid)
		cpuid = target->pmu->cpuid;
	if (has_name_prefix(name, "cpu_"))
		found = database_match_type(target->database, cpuid, target->pmu);
	return found ? found : database_match(target->database, cpuid, target->pmu);
}

void target_bare(struct target *target, const struct target *identified, const struct request *request)
{
	*target = *identified;
	target->pmu = target->machine.npmus ? &target->machine.pmus[0] : NULL;
	target->cpu = find_cpu(target);
	if (!target->cpu)
		target->cpu = "unknown";
	target->model.facts = machine_facts(&target->machine, target->pmu, request->arena);
}

static int load_machine(struct target *target, const struct request *request, bool is_core_wide, struct error *err)
{
	struct facts facts;

	if (load_events(target, request->arena, err) < 0)
		return -1;
	facts = machine_facts(&target->machine, target->pmu, request->arena);
	facts.core_wide = is_core_wide;
	assume_smt(&facts, request);
	target->form = form_of(target, &request->setup->machine, request->setup->machine.form);
	target->roofline = roofline_of(request->question->wants_roofline, request);
	if (load_model(target, request->question->events, &facts, request->arena, err) < 0)
		return -1;
	if (check_form(target, request, err) < 0)
		return -1;
	hidden_events_mark_unlisted(target, request->arena);
	hidden_events_mark_paired(target);
	hidden_events_mark_units(target, request->arena);
	return target_check_level_1(target, request, err);
}

/* --cpu decides both the events and, by them, the PMU; else the first PMU decides. */
static int find_first(struct target *target, const struct request *request, struct error *err)
{
	if (request->setup->machine.cpu) {
		target->cpu = database_name(target->database, request->setup->machine.cpu, request->arena, err);
		return target->cpu ? 0 : -1;
	}
	target->pmu = machine_core_pmu(&target->machine);
	target->cpu = find_cpu(target);
	return target->cpu ? 0 : unknown_cpu(target, err);
}

int target_check_form(const struct target_types *types, const struct request *request, struct error *err)
{
	bool is_general = request->setup->machine.form == FORM_CHOICE_GENERAL;

	if (request->setup->machine.form == FORM_CHOICE_AUTO)
		return 0;
	for (size_t i = 0; i < types->count; i++)
		if (types->items[i].model.has_forms)
			return 0;
	return error_set(err, "{form} %s: the formulas of %s have one form only",
			 is_general ? "general" : "perf-metrics", types->items[0].cpu);
}

static int check_one_form(struct target *target, const struct request *request, struct error *err)
{
	return target_check_form(&(struct target_types){ .items = target, .count = 1 }, request, err);
}

int target_machine(struct target *target, const struct request *request, struct error *err)
{
	if (target_identify(target, request, err) < 0 || find_first(target, request, err) < 0 ||
	    load_machine(target, request, request->setup->subject.is_all_cpus, err) < 0 ||
	    check_one_form(target, request, err) < 0)
		return -1;
	return target_add_names(target, request->arena, err);
}

static int find_type(struct target *target, const char *pmu, struct error *err)
{
	for (size_t i = 0; i < target->machine.npmus; i++)
		if (!strcmp(target->machine.pmus[i].name, pmu))
			target->pmu = &target->machine.pmus[i];
	if (!target->pmu)
		return error_set(err, "this machine has no PMU %s", pmu);
	target->cpu = find_cpu(target);
	return target->cpu ? 0 : unknown_cpu(target, err);
}

int target_machine_type(struct target *target, const char *pmu, const struct request *request, struct error *err)
{
	if (!pmu)
		return target_machine(target, request, err);
	if (target_identify(target, request, err) < 0 || find_type(target, pmu, err) < 0 ||
	    load_machine(target, request, false, err) < 0)
		return -1;
	return target_add_names(target, request->arena, err);
}

/* A type that is measured needs other names only where something is asked for by its name. */
static int load_type(struct target *target, const struct target_facts *facts, const struct request *request,
		     struct error *err)
{
	if (load_machine(target, request, facts->is_core_wide, err) < 0)
		return -1;
	return question_is_selecting(request->question) ? target_add_names(target, request->arena, err) : 0;
}

static void warn_of_unknown_type(const struct target *target, const struct request *request)
{
	request_notice(request, NOTICE_WARNING,
		       "no events are known for the cores of %s (CPUs %s), so what runs there is not counted",
		       target->pmu->name, target->pmu->cpus ? target->pmu->cpus : "-");
}

int target_types(struct target_types *types, const struct target_facts *facts, const struct request *request,
		 struct error *err)
{
	const struct machine *machine = &facts->identified->machine;
	struct target target = *facts->identified;

	*types = (struct target_types){ .items = arena_array(request->arena, machine->npmus + 1,
							     sizeof(*types->items)) };
	if (request->setup->machine.cpu || machine->npmus < 2) {
		types->items[types->count++] = target;
		if (find_first(types->items, request, err) < 0 || load_type(types->items, facts, request, err) < 0)
			return -1;
		return target_check_form(types, request, err);
	}
	for (size_t i = 0; i < machine->npmus; i++) {
		target.pmu = &machine->pmus[i];
		target.cpu = find_cpu(&target);
		if (!target.cpu) {
			warn_of_unknown_type(&target, request);
			continue;
		}
		types->items[types->count] = target;
		if (load_type(&types->items[types->count++], facts, request, err) < 0)
			return -1;
	}
	return types->count ? target_check_form(types, request, err) : unknown_cpu(&target, err);
}

int target_named(struct target *target, const struct target_request *named, const struct request *request,
		 struct error *err)
{
	const struct machine_choice *machine = &request->setup->machine;
	struct facts assumed = facts_assumed();

	*target = (struct target){ .database = identified_database(request, err) };
	if (!target->database)
		return -1;
	assumed.core_wide = request->setup->subject.is_all_cpus;
	assume_smt(&assumed, request);
	target->roofline = roofline_of(named->wants_roofline || request->question->wants_roofline, request);
	target->cpu = database_name(target->database, named->cpu, request->arena, err);
	if (!target->cpu || load_events(target, request->arena, err) < 0)
		return -1;
	target->form = form_of(target, machine, named->form != FORM_CHOICE_AUTO ? named->form : machine->form);
	if (load_model(target, named->events, named->facts ? named->facts : &assumed, request->arena, err) < 0)
		return -1;
	return target_add_names(target, request->arena, err);
}

int target_find(struct target *target, const struct request *request, struct error *err)
{
	const struct machine_choice *choice = &request->setup->machine;
	struct target_request named = { .cpu = choice->cpu, .events = request->question->events };

	if (choice->pmu == PMU_SIM) {
		named.cpu = SIMULATED_CPU;
		if (choice->cpu && !is_same_name(choice->cpu, SIMULATED_CPU) &&
		    exclusions_check(request, PMU_SIM, err) < 0)
			return -1;
	} else if (!choice->cpu || *choice->sysroot) {
		return target_machine(target, request, err);
	}
	return target_named(target, &named, request, err) < 0 ? -1 : check_one_form(target, request, err);
}

int target_followed(struct target *target, const struct request *request, struct error *err)
{
	struct setup *setup = arena_alloc(request->arena, sizeof(*setup));
	struct request followed = *request;
	const struct machine *machine;
	struct error unknown = { .text = "" };

	*setup = *request->setup;
	followed.setup = setup;
	machine = setup->machine.cpu || setup->machine.pmu != PMU_AUTO || *setup->machine.sysroot
			  ? NULL
			  : identified_machine(request, &unknown);
	if (machine && !machine->npmus)
		setup->machine.pmu = PMU_SIM;
	return target_find(target, &followed, err);
}

#define WARNINGS_SHOWN 5

static void warn(const char *const *warnings, size_t count, const struct request *request)
{
	for (size_t i = 0; i < count && i < WARNINGS_SHOWN; i++)
		request_notice(request, NOTICE_WARNING, "%s", warnings[i]);
	if (count > WARNINGS_SHOWN)
		request_notice(request, NOTICE_WARNING, "and %zu more of this kind", count - WARNINGS_SHOWN);
}

void target_warn(const struct target *target, const struct request *request)
{
	warn(target->events.warnings, target->events.nwarnings, request);
	warn(target->model.warnings, target->model.nwarnings, request);
}
