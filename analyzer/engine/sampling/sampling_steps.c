/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampling_steps.c - the steps of a measurement for sampling: what has to be loaded, and which nodes are looked at. */
#include "engine/sampling/sampling.h"

#include <errno.h>
#include <string.h>

#include "collect/perf/perf.h"
#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "common/request/exclusions.h"
#include "common/system/shortage.h"
#include "engine/limits.h"
#include "engine/reports.h"
#include "engine/selection.h"
#include "engine/steps.h"

/* ---- topdown sample ---- */

/* The core types with their events, as for counting; clocks are no events of theirs. */
static int load_types(struct target_types *types, const struct target_facts *facts, const char *counted,
		      const struct request *request, struct error *err)
{
	struct question question = *request->question;
	struct request own = *request;

	question.events = counted;
	own.question = &question;
	if (target_types(types, facts, &own, err) < 0)
		return -1;
	return question.nodes ? selection_types(types, &own, err) : 0;
}

static int load_bare(struct target_types *types, const struct target_facts *facts, bool has_pmu,
		     const struct request *request)
{
	*types = (struct target_types){ .items = arena_alloc(request->arena, sizeof(*types->items)), .count = 1 };
	target_bare(types->items, facts->identified, request);
	if (!has_pmu)
		types->items->pmu = NULL;
	return 0;
}

/* By cycles, where they can be counted; the kernel knows them on CPUs of which nobody else knows anything. */
static int load_for_time(struct target_types *types, const struct target_facts *facts, const struct request *request)
{
	struct error reason = { .text = "" };

	if (!facts->identified->machine.npmus)
		return load_bare(types, facts, false, request);
	if (load_types(types, facts, NULL, request, &reason) < 0)
		return load_bare(types, facts, true, request);
	if (!limits_find_obstacle(&reason, &types->items[0]))
		return 0;
	/* Where the clock is refused too, for the same reason, that is the error that follows. */
	if (perf_try_dummy(true) == 0)
		request_notice(request, NOTICE_PLAIN,
			       "sampled by the kernel's clock, because no counter can be used: %s", reason.text);
	return load_bare(types, facts, false, request);
}

/* The kernel's software events but the clocks: linux/perf_event.h, as perf calls them. */
static int check_software(const char *list, struct arena *arena, struct error *err)
{
	static const char *const names[] = { "page-faults", "faults",	  "minor-faults",     "major-faults",
					     "cs",	    "migrations", "context-switches", "cpu-migrations",
					     "dummy",	    "bpf-output", "alignment-faults", "emulation-faults" };
	const char *part;
	size_t length;

	while (list && (length = text_next(&list, ",", &part)) > 0)
		for (size_t i = 0; i < COUNT_OF(names); i++)
			if (!strcmp(arena_strndup(arena, part, length), names[i]))
				return error_set(err,
						 "%s can't be sampled: cpu-clock and task-clock are the only software "
						 "events that can",
						 names[i]);
	return 0;
}

static int fail_unknown(const char *name, const struct event_database *events, struct arena *arena, struct error *err)
{
	const char **names = arena_array(arena, events->count + 3, sizeof(*names)), *near;
	size_t count = 0;

	names[count++] = "cycles";
	names[count++] = "cpu-clock";
	names[count++] = "task-clock";
	for (size_t i = 0; i < events->count; i++)
		names[count++] = events->rows[i].name;
	near = nearest_names(arena, name, names, count);
	return error_set(err, "unknown event '%s'%s%s", name,
			 near ? "; did you mean " : ": `topdown list events` has all",
			 near ? arena_printf(arena, "%s?", near) : "");
}

/* Is each an event of this CPU? 0 too where nobody knows the CPU's. */
static int check_spelling(const char *list, const struct target_facts *facts, const struct request *request,
			  struct error *err)
{
	struct error unread = { .text = "" };
	struct target_types types;
	struct event_set set;
	const char *part;
	size_t length;

	if (strpbrk(list, "/@") || load_types(&types, facts, NULL, request, &unread) < 0)
		return 0;
	event_set_init(&set, &types.items->events, types.items->model.events.pmu, false, request->arena);
	while (list && (length = text_next(&list, ",", &part)) > 0) {
		const char *name = arena_strndup(request->arena, part, length);

		if (event_set_add(&set, name, &unread) == TABLE_NONE)
			return fail_unknown(name, &types.items->events, request->arena, err);
	}
	return 0;
}

int sampling_load(struct target_types *types, const struct target_facts *facts, const struct request *request,
		  struct error *err)
{
	const struct question *question = request->question;
	const char *counted;

	if (has_counter_events(&counted, question->events, request->arena) || question->nodes) {
		if (counted && check_software(counted, request->arena, err) < 0)
			return -1;
		if (facts->identified->machine.npmus)
			return load_types(types, facts, counted, request, err);
		if (counted && check_spelling(counted, facts, request, err) < 0)
			return -1;
		refusal(err, ENOENT, &facts->identified->machine, NULL);
		return error_in(err, "%s can't be sampled, only cpu-clock and task-clock can be here",
				counted ? counted : question->nodes);
	}
	if (question->events)
		return load_bare(types, facts, false, request);
	return load_for_time(types, facts, request);
}

/* Numbers that were asked for by name, or several times, are not what samples have: that there are none is an error. */
static bool asks_for_numbers(const struct request *request)
{
	const struct question *question = request->question;

	return question_is_selecting(question) || question->events || request->setup->machine.cpu ||
	       request->setup->packing.repeats > 1;
}

#define LEAST_FILES 16

/* NULL: it can be counted or simulated, or samples are no answer to what was asked. */
static const char *why_sampled(const struct target *identified, const struct request *request)
{
	const struct setup *setup = request->setup;
	struct error reason = { .text = "" };
	const char *obstacle;

	if (setup->sampling.is_only || setup->machine.pmu != PMU_AUTO || identified->machine.npmus ||
	    *setup->machine.sysroot || setup->simulation.core)
		return NULL;
	refusal(&reason, ENOENT, &identified->machine, NULL);
	if (setup->timing.interval_ms > 0 && question_is_located(request->question))
		return arena_printf(request->arena, "functions are sampled by time, and no tree is counted: %s",
				    reason.text);
	if (asks_for_numbers(request) || !(setup->program.nwords || setup_has_subject(setup)))
		return NULL;
	/* Samples would lack the descriptors that a simulation lacks. */
	if (shortage_check(LEAST_FILES, &reason) < 0)
		return NULL;
	obstacle = setup->simulation.seconds < 0
			   ? arena_worded(request->arena, "{sim-seconds} 0 leaves the simulation out")
			   : simulation_obstacle(request, request->arena);
	return obstacle ? arena_printf(
				  request->arena,
				  "no tree here, only where the time goes, by samples: nothing can be counted (%s), "
				  "and %s",
				  first_clause(reason.text, request->arena), obstacle)
			: NULL;
}

void sampled_instead_make(struct sampled_instead *instead, const struct request *request)
{
	*instead = (struct sampled_instead){ .setup = *request->setup, .question = *request->question };
	instead->setup.sampling.is_only = true;
	instead->question.level = instead->question.nper_function = 0;
	instead->question.nodes = instead->question.groups = instead->question.metrics = NULL;
	instead->question.events = NULL;
	instead->question.wants_causes = instead->question.wants_worst_only = false;
	if (!question_is_located(&instead->question))
		instead->question.wants_functions = instead->question.wants_lines = true;
}

bool sampling_is_instead(struct sampled_instead *instead, const struct target *identified,
			 const struct request *request)
{
	const char *why = why_sampled(identified, request);
	struct request asked = *request;
	struct error refused = { .text = "" };

	if (!why)
		return false;
	sampled_instead_make(instead, request);
	if (instead->question.filter.by == BY_NOTHING && request->setup->timing.interval_ms > 0 &&
	    !request->sink->wants_sampled_intervals)
		instead->question.filter.by = BY_INTERVAL;
	asked.setup = &instead->setup;
	asked.question = &instead->question;
	if (exclusions_check(&asked, PMU_CPU, &refused) < 0)
		return false;
	request_notice(request, NOTICE_WARNING, "%s", why);
	return true;
}

/* ---- after the counts ---- */

/* The nodes that were asked for by name, or else the worst one. */
static size_t choose_nodes(const struct metric **nodes, const struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_named)
			nodes[count++] = report->nodes[i].metric;
	if (!count && report->worst)
		nodes[count++] = report->worst->metric;
	return count;
}

/* Of the parts of this core type the one with the most cycles among those with a worst node. */
static const struct report *choose_report(const struct report_set *set, const struct model *model)
{
	const struct report *chosen = NULL;

	for (size_t i = 0; i < set->count; i++) {
		const struct report *report = &set->parts[i];

		if (report->model == model &&
		    (!chosen || (report->worst && !chosen->worst) ||
		     (!report->worst == !chosen->worst && report->summary.cycles > chosen->summary.cycles)))
			chosen = report;
	}
	return chosen;
}

static void announce(const struct sampling *sampling)
{
	struct string text = STRING_INIT(sampling->request->arena);
	size_t groups = 0;

	for (size_t i = 0; i < sampling->nevents; i++) {
		if (sampling->events[i].nmembers)
			groups++;
		else
			string_printf(&text, "%s%s", text.length ? ", " : "", sampling->events[i].name);
	}
	if (groups)
		string_printf(&text, "%scycles, and the tree's events with each sample", text.length ? "; then " : "");
	request_notice(sampling->request, NOTICE_ACTION, "sampling %s (%zu run%s)", text.text, sampling->nruns,
		       sampling->nruns == 1 ? "" : "s");
}

static int choose_for_type(struct sampling *sampling, size_t type, const struct report_set *set,
			   const struct counted *counted, struct error *err)
{
	const struct question *question = sampling->request->question;
	const struct model *model = &counted->types->items[type].model;
	const struct report *report = choose_report(set, model);
	const struct metric **nodes =
		arena_array(sampling->request->arena, model->count + 1, sizeof(const struct metric *));
	size_t count = report ? choose_nodes(nodes, report) : 0;

	if (question_is_located(question) && sampling_choose_nodes(sampling, type, nodes, count, err) < 0)
		return -1;
	if (question->nper_function)
		sampling_choose_groups(sampling, type, counted->plans[type]);
	return 0;
}

int sampling_locate(struct sampling *sampling, const struct counted *counted, struct error *err)
{
	struct report_set set = { .is_series = false };

	if (reports_evaluate(&set, counted->types, counted->so_far, sampling->request->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < counted->types->count; i++)
		if (choose_for_type(sampling, i, &set, counted, err) < 0)
			return -1;
	if (sampling_begin(sampling, counted->runs, err) < 0)
		return -1;
	announce(sampling);
	return 0;
}
