/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hidden_events.h"

#include <stdio.h>
#include <string.h>

#include "collect/perf/abilities.h"
#include "common/base/text.h"
#include "cpu/identify/units.h"

#define NAMED	4 /* events that are named for one reason; the rest is counted */
#define REASONS 3 /* that are given; of the rest the events are counted */

/* ---- events that the kernel does not list ---- */

/*
 * Arm's common events have codes up to 0x3f and from 0x4000 to 0x403f. PMCEID has a bit for each, which a hypervisor
 * can clear, and the kernel lists those whose bit is set (drivers/perf/arm_pmuv3.c). Since Linux 5.10 it knows the
 * names of all up to 0x3f.
 */
#define ARM_COMMON 0x40
#define ARM_CHAIN  0x1e /* never listed */

static bool knows_arm_events(const char *release)
{
	unsigned major = 0, minor = 0;

	return release && sscanf(release, "%u.%u", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 10));
}

/* "event=0x003f" of some file in events/ */
static bool hidden_events_is_listed(const struct pmu *pmu, uint64_t code, uint64_t umask, struct arena *arena)
{
	for (size_t i = 0; i < pmu->nevents; i++) {
		struct pmu_term terms[EVENT_TERMS];
		struct error err = { .text = "" };
		const char *text = pmu_event(pmu, pmu->events[i].name);
		int count = text ? pmu_parse_terms(text, terms, EVENT_TERMS, arena, &err) : -1;
		uint64_t found[2] = { 0, 0 };

		for (int k = 0; k < count; k++)
			found[!strcmp(terms[k].name, "umask")] = terms[k].value;
		if (count > 0 && found[0] == code && found[1] == umask)
			return true;
	}
	return false;
}

/*
 * Intel's architectural events, which CPUID leaf 0xa can declare absent. The kernel lists those that are there
 * (arch/x86/events/intel/core.c, intel_arch_events_quirk).
 */
static const struct {
	const char *alias;
	uint64_t code, umask;
} architectural[] = {
	/* clang-format off */
	{ "cache-references",    0x2e, 0x4f },
	{ "cache-misses",        0x2e, 0x41 },
	{ "branch-instructions", 0xc4, 0x00 },
	{ "branch-misses",       0xc5, 0x00 },
	/* clang-format on */
};

static bool is_hidden_on_intel(const struct pmu *pmu, const struct event_row *row)
{
	for (size_t i = 0; i < COUNT_OF(architectural); i++)
		if (row->code == architectural[i].code && row->umask == architectural[i].umask)
			return !pmu_event(pmu, architectural[i].alias);
	return false;
}

static bool is_hidden(const struct target *target, const struct event_row *row, struct arena *arena)
{
	const struct pmu *pmu = target->pmu;

	if (row->unit || row->is_metric)
		return false;
	if (target->machine.arch == ARCH_ARM64)
		return row->code < ARM_COMMON && row->code != ARM_CHAIN && knows_arm_events(target->machine.kernel) &&
		       !hidden_events_is_listed(pmu, row->code, 0, arena);
	return has_name_prefix(target->events.vendor, "Intel") && is_hidden_on_intel(pmu, row);
}

void hidden_events_mark_unlisted(struct target *target, struct arena *arena)
{
	struct event_set *set = &target->model.events;
	struct arena scratch;

	if (!target->machine.hypervisor || !target->pmu->is_real || !target->pmu->nevents ||
	    target->machine.lacks_sysfs)
		return;
	arena_init(&scratch);
	for (size_t i = 0; i < set->count; i++) {
		struct event *event = &set->events[i];

		if (!event->row || !is_hidden(target, event->row, &scratch))
			continue;
		event->counters = 0;
		event->absent = arena_printf(arena,
					     "the PMU of this virtual machine does not have the event (it is not in "
					     "/sys/bus/event_source/devices/%s/events)",
					     target->pmu->name);
	}
	arena_release(&scratch);
}

/* ---- events that take two counters ---- */

void hidden_events_mark_paired(struct target *target)
{
	struct event_set *set = &target->model.events;

	if (can_pair_counters(&target->machine))
		return;
	for (size_t i = 0; i < set->count; i++) {
		if (!set->events[i].is_paired)
			continue;
		set->events[i].counters = 0;
		set->events[i].absent = "it takes two counters as one, which a virtual machine's host does not pair, "
					"and would spoil the counts of others";
	}
}

/* ---- events of PMUs beside the cores ---- */

/* NULL: some unit is of the model whose event it is. */
static const char *why_not_compatible(const struct event *event, const struct unit *units, size_t count,
				      struct arena *arena)
{
	for (size_t i = 0; i < count; i++)
		if (unit_is_compatible(&units[i], event->row->compat))
			return NULL;
	return arena_printf(arena,
			    "the event is of another model of %s: this machine's is \"%s\" "
			    "(/sys/bus/event_source/devices/%s/identifier), and the file's is \"%s\"",
			    event->unit, units[0].identifier, units[0].pmu.name, event->row->compat);
}

/* By names alone, and of the few PMUs that say more by that: a start reads no other unit's files. */
static const char *why_no_unit(const struct event *event, const struct machine *machine, struct arena *arena)
{
	bool is_of_model = event->row && event->row->compat;
	struct unit *units;
	size_t count;

	if (!machine_count_units(machine, event->unit))
		return arena_printf(arena, "this machine shows no PMU %s (/sys/bus/event_source/devices)", event->unit);
	if (!event->alias && !is_of_model)
		return NULL;
	count = machine_units(&units, machine, event->unit, arena);
	if (count && is_of_model)
		return why_not_compatible(event, units, count, arena);
	if (!event->alias || !count || pmu_event(&units[0].pmu, event->alias))
		return NULL;
	return arena_printf(arena, "PMU %s of this machine has no event %s (/sys/bus/event_source/devices/%s/events)",
			    units[0].pmu.name, event->alias, units[0].pmu.name);
}

/* The file has as many as each of these processors; the machine may say more. */
static void widen_df(struct event *event, const struct machine *machine)
{
	unsigned count = machine->df_counters < FIXED_COUNTER ? machine->df_counters : FIXED_COUNTER;

	if (count && event->counters && !strcmp(event->unit, "amd_df"))
		event->counters = GENERAL_COUNTERS >> (FIXED_COUNTER - count);
}

void hidden_events_mark_units(struct target *target, struct arena *arena)
{
	struct event_set *set = &target->model.events;

	for (size_t i = 0; i < set->count && target->has_machine; i++)
		if (set->events[i].kind == EVENT_UNIT)
			widen_df(&set->events[i], &target->machine);
	for (size_t i = 0; i < set->count && target->has_machine; i++)
		if (set->events[i].kind == EVENT_UNIT)
			set->events[i].absent = why_no_unit(&set->events[i], &target->machine, arena);
}

/* ---- what can't be counted, found by trying ---- */

/*
 * The kernel takes a fixed counter where an event has one, also where that counts nothing. Cycles in which there is a
 * cycle are the same number, and with a filter they belong on general counters.
 */
static void avoid_idle_cycles(struct event_set *set, uint64_t idle, struct arena *arena)
{
	for (size_t i = 0; i < set->count; i++) {
		struct event *event = &set->events[i];
		struct pmu_term *terms;

		if (!event->row || !(event->counters & idle) || event->nterms == EVENT_TERMS ||
		    !set->database->cycles || !is_same_name(event->row->name, set->database->cycles))
			continue;
		terms = arena_array(arena, event->nterms + 1, sizeof(*terms));
		memcpy(terms, event->terms, event->nterms * sizeof(*terms));
		terms[event->nterms++] = (struct pmu_term){ "cmask", 1 };
		event->terms = terms;
		event->counters &= GENERAL_COUNTERS;
	}
}

static bool is_tried(const struct target *target, const struct found *found)
{
	return target->machine.hypervisor && target->machine.npmus == 1 && found->is_counted;
}

/* Selected metrics keep their numbers: they are the same model's. */
static int check_level_1(struct target *target, const struct plan_request *planned, const struct request *request,
			 struct error *err)
{
	if (target_check_level_1(target, request, err) < 0)
		return -1;
	event_set_use_general(&target->model.events, planned->limits.fixed);
	return 0;
}

struct plan *hidden_events_plan(struct plan_request *planned, struct target *target, const struct found *found,
				const struct request *request, struct error *err)
{
	struct arena *arena = request->arena;
	struct plan *plan = arena_alloc(arena, sizeof(*plan));
	bool is_too_large;

	if (target->machine.arch == ARCH_X86)
		avoid_idle_cycles(&target->model.events, found->idle_fixed, arena);
	for (;;) {
		if (plan_build(plan, &target->model, planned, arena, err) < 0)
			return NULL;
		if (!is_tried(target, found) ||
		    !abilities_find_uncountable(&is_too_large, plan, &target->model, &target->machine, arena))
			return plan;
		/* Each turn leaves out an event or a counter, so there is a last one. */
		if (!is_too_large && check_level_1(target, planned, request, err) < 0)
			return NULL;
		if (!is_too_large)
			continue;
		if (planned->limits.general == 1)
			return plan;
		planned->limits.general--;
	}
}

/* ---- what to say ---- */

struct reasons {
	const char **texts; /* each once */
	struct string *events;
	size_t *counts, count;
};

static void add_reason(struct reasons *reasons, const struct event *event, struct arena *arena)
{
	size_t i = 0;

	while (i < reasons->count && strcmp(reasons->texts[i], event->absent) != 0)
		i++;
	if (i == reasons->count) {
		reasons->texts[reasons->count++] = event->absent;
		reasons->events[i] = STRING_INIT(arena);
	}
	if (reasons->counts[i]++ < NAMED)
		string_printf(&reasons->events[i], "%s%s", reasons->counts[i] > 1 ? ", " : "", event->name);
}

static bool hidden_events_is_wanted(const struct plan *plan, const struct model *model, size_t event)
{
	for (size_t i = 0; i < plan->nwanted; i++)
		for (size_t k = 0; k < model->metrics[plan->wanted[i]].nevents; k++)
			if (model->metrics[plan->wanted[i]].events[k] == event)
				return true;
	for (size_t i = 0; i < model->nasked; i++)
		if (model->asked[i] == event)
			return true;
	return false;
}

const char *hidden_events_remark(const struct plan *plan, const struct model *model, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	size_t count = model->events.count;
	struct reasons reasons = { .texts = arena_array(arena, count + 1, sizeof(*reasons.texts)),
				   .events = arena_array(arena, count + 1, sizeof(*reasons.events)),
				   .counts = arena_array(arena, count + 1, sizeof(*reasons.counts)) };

	for (size_t i = 0; i < count; i++)
		if (model->events.events[i].absent && hidden_events_is_wanted(plan, model, i))
			add_reason(&reasons, &model->events.events[i], arena);
	for (size_t i = 0; i < reasons.count && i < REASONS; i++) {
		string_printf(&text, "%sNot countable here: %s", i ? " " : "", reasons.events[i].text);
		if (reasons.counts[i] > NAMED)
			string_printf(&text, " and %zu more", reasons.counts[i] - NAMED);
		string_printf(&text, ": %s.", reasons.texts[i]);
	}
	if (reasons.count > REASONS)
		string_printf(&text, " There are %zu more such events; their nodes say why they have no value.",
			      reasons.count - REASONS);
	return text.length ? text.text : NULL;
}
