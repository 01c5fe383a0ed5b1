/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/limits.h"

#include <errno.h>

#include "collect/count/count.h"
#include "collect/perf/abilities.h"
#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "cpu/plan/bits.h"
#include "engine/steps.h"

const struct event_row *limits_probe_row(const struct event_database *database)
{
	const struct event_row *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < database->count; i++) {
		const struct event_row *row = &database->rows[i];
		size_t counters = bits_count(row->counters & GENERAL_COUNTERS);

		if (row->unit || row->msr || row->is_metric || row->is_deprecated ||
		    row->counters & ~GENERAL_COUNTERS || counters <= most)
			continue;
		best = row;
		most = counters;
	}
	return best;
}

struct plan_limits limits_published(const struct target *target)
{
	struct plan_limits limits = plan_limits_published(&target->events, target->model.facts.smt_on != 0);

	limits.has_metrics = limits.has_metrics && target->model.form == FORM_PERF_METRICS;
	if (!target->has_machine || !target->pmu->is_real)
		return limits;
	limits.has_watchdog = target->machine.nmi_watchdog;
	limits.has_metrics =
		limits.has_metrics && pmu_event(target->pmu, "slots") && pmu_event(target->pmu, "topdown-retiring");
	return limits;
}

struct plan_limits limits_shown(const struct target *target)
{
	struct plan_limits limits = limits_published(target);

	if (target->has_machine && target->pmu->is_real && target->machine.general_counters &&
	    target->machine.general_counters < limits.general)
		limits.general = target->machine.general_counters;
	return limits;
}

void limits_leave(struct plan_limits *limits, const struct request *request)
{
	if (request->setup->packing.counters && request->setup->packing.counters < limits->general)
		limits->general = request->setup->packing.counters;
}

int limits_probe(struct found *found, const struct target *target, struct error *err)
{
	const struct event_row *row = limits_probe_row(&target->events);
	const struct plan_limits published = limits_published(target);
	const struct ability_probe probe = { .pmu = target->pmu,
					     .machine = &target->machine,
					     .database = &target->events,
					     .general = row,
					     .published = &published };
	struct arena scratch;
	int result;

	if (!row)
		return error_set(err, "%s: no event to probe the counters with", target->cpu);
	arena_init(&scratch);
	result = found_probe(found, &probe, &scratch, err);
	arena_release(&scratch);
	return result;
}

bool limits_find_obstacle(struct error *reason, const struct target *target)
{
	const struct event_row *row = limits_probe_row(&target->events);

	if (target->pmu && target->pmu->is_real && row)
		return abilities_probe_counters(target->pmu, row, &target->machine, reason) == 0;
	refusal(reason, ENOENT, &target->machine, NULL);
	return true;
}

bool limits_have_counters(const struct target *identified, const struct request *request)
{
	static const struct sink silent = { .notice = NULL };
	const struct request quiet = {
		.setup = request->setup, .question = request->question, .sink = &silent, .arena = request->arena
	};
	const struct target_facts facts = { .identified = identified };
	struct error unknown = { .text = "" };
	struct target_types types;

	return identified->machine.npmus && target_types(&types, &facts, &quiet, &unknown) == 0 &&
	       !limits_find_obstacle(&unknown, &types.items[0]);
}

static void remark_general(struct string *text, const struct found *found, const struct plan_limits *published)
{
	if (found->opened < published->general)
		string_printf(text,
			      "Only %u of this CPU's %u general counters could be opened (a hypervisor or another user "
			      "has the others), so the events need more groups; `topdown doctor` says more.",
			      found->opened, published->general);
	if (found->limits.general < found->opened)
		string_printf(text,
			      "%sOf %u general counters that open, %u count%s here; groups are planned for those.",
			      text->length ? " " : "", found->opened, found->limits.general,
			      found->limits.general == 1 ? "s" : "");
}

/* The form of the formulas says that there is none. */
static uint64_t counter_of_slots(const struct event_database *database)
{
	const struct event_row *row =
		database->slots_event ? event_database_find(database, database->slots_event) : NULL;

	return row ? row->counters : 0;
}

static void remark_fixed(struct string *text, const struct found *found, const struct plan_limits *published,
			 const struct event_database *database)
{
	uint64_t none = published->fixed & ~found->limits.fixed & ~found->idle_fixed & ~counter_of_slots(database);
	const char *absent = event_database_roles(database, none, text->arena);
	const char *idle = event_database_roles(database, found->idle_fixed, text->arena);

	if (absent)
		string_printf(text,
			      "%sThis machine has no fixed counter for %s, so they take general counters, or can't be "
			      "counted.",
			      text->length ? " " : "", absent);
	if (idle)
		string_printf(text, "%sThe fixed counter of this machine for %s opens, but counts nothing.",
			      text->length ? " " : "", idle);
}

const char *limits_remark(const struct found *found, const struct target *target, struct arena *arena)
{
	struct plan_limits published = limits_published(target);
	struct string text = STRING_INIT(arena);

	remark_general(&text, found, &published);
	remark_fixed(&text, found, &published, &target->events);
	return text.length ? text.text : NULL;
}

void limits_warn(const struct plan_limits *limits, const struct target *target, const struct request *request)
{
	const struct event_database *events = &target->events;

	if (!events->slots_event || limits->has_metrics || target->model.form == FORM_GENERAL)
		return;
	request_notice(request, NOTICE_WARNING,
		       "this kernel shows no slots and topdown events for the CPU's PMU (a virtual machine without "
		       "PERF_METRICS, or a kernel older than the CPU), so what %s computes from them can't be measured",
		       target->cpu);
}

/* Counters are probed only where the plan is for this very machine. */
static struct found offered(const struct target *target, const struct request *request)
{
	const struct machine_choice *choice = &request->setup->machine;
	const struct found published = { .limits = limits_shown(target) };
	struct found found;
	struct error err = { 0 };

	if (target->has_machine && *choice->sysroot && !target->pmu->is_real && !choice->cpu)
		request_notice(
			request, NOTICE_PLAIN,
			"this machine shows no CPU PMU; planned for the counters that are published for its CPU");
	if (!target->has_machine || *choice->sysroot || choice->cpu || choice->smt != TOGGLE_UNSAID)
		return published;
	if (limits_probe(&found, target, &err) == 0)
		return found;
	request_notice(request, NOTICE_PLAIN, "planned for the counters that are published for this CPU: %s", err.text);
	return published;
}

int limits_fixed(uint64_t *counters, const char *list, struct error *err)
{
	const char *rest = is_same_name(list, "none") ? "" : list, *part;
	uint64_t low, high;
	size_t length;

	*counters = 0;
	if (!*list)
		return error_set(err, "{fixed}: which ones? \"0,2-3\" or \"none\"");
	while ((length = text_next(&rest, ",", &part)) > 0) {
		if (!text_range(part, length, &low, &high) || high >= FIXED_COUNTER)
			return error_set(err, "{fixed} %s: '%.*s' is not a number or range of fixed counters", list,
					 (int)length, part);
		for (uint64_t i = low; i <= high; i++)
			*counters |= 1ull << (FIXED_COUNTER + i);
	}
	return 0;
}

bool limits_have_slots(uint64_t fixed, const struct event_database *database)
{
	const struct event_row *slots =
		database->slots_event ? event_database_find(database, database->slots_event) : NULL;

	return !slots || !slots->counters || slots->counters & fixed;
}

/* Without the counter of slots there is no PERF_METRICS. */
static int assume_fixed(struct plan_limits *limits, const struct target *target, const char *list, struct error *err)
{
	uint64_t fixed;

	if (limits_fixed(&fixed, list, err) < 0)
		return -1;
	if (fixed & ~limits->fixed)
		return error_set(err, "{fixed} %s: %s has no fixed counter %d", list, target->cpu,
				 __builtin_ctzll(fixed & ~limits->fixed) - FIXED_COUNTER);
	limits->fixed = fixed;
	limits->has_metrics = limits->has_metrics && limits_have_slots(fixed, &target->events);
	return 0;
}

/*
 * What the options say of the machine, instead of what was found. More counters than there are would be no plan for it.
 */
static int assume_limits(struct plan_limits *limits, const struct target *target, const struct request *request,
			 struct error *err)
{
	if (request->setup->machine.assumed_watchdog != TOGGLE_UNSAID)
		limits->has_watchdog = request->setup->machine.assumed_watchdog == TOGGLE_ON;
	if (request->setup->machine.fixed && assume_fixed(limits, target, request->setup->machine.fixed, err) < 0)
		return -1;
	if (request->setup->packing.counters > limits->general)
		return error_set(err, "{counters} %u: a thread of %s has %u general counter%s%s",
				 request->setup->packing.counters, target->cpu, limits->general,
				 limits->general == 1 ? "" : "s",
				 target->model.facts.smt_on != 0 ? " with SMT on" : "");
	limits_leave(limits, request);
	return 0;
}

int limits_find(struct found *found, const struct target *target, const struct request *request, struct error *err)
{
	*found = offered(target, request);
	return assume_limits(&found->limits, target, request, err);
}

void settings_restore(struct settings *settings)
{
	while (settings->count > 0)
		setting_restore(&settings->items[--settings->count]);
}

static int change_all(struct settings *settings, const struct target_types *types, const struct request *request,
		      struct error *err)
{
	const struct machine_choice *choice = &request->setup->machine;

	if (choice->watchdog == WATCHDOG_OFF &&
	    watchdog_switch_off(&settings->items[settings->count++], choice->sysroot, err) < 0)
		return -1;
	for (size_t i = 0; choice->mux_interval_ms && i < types->count; i++) {
		const struct mux_interval wanted = { .sysroot = choice->sysroot,
						     .pmu = types->items[i].pmu->name,
						     .ms = choice->mux_interval_ms };

		if (mux_interval_set(&settings->items[settings->count++], &wanted, err) < 0)
			return -1;
	}
	return 0;
}

int settings_change(struct settings *settings, const struct target_types *types, const struct request *request,
		    struct error *err)
{
	settings->count = 0;
	settings->items = arena_array(request->arena, 1 + types->count, sizeof(*settings->items));
	if (change_all(settings, types, request, err) == 0)
		return 0;
	settings_restore(settings);
	return -1;
}
