/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_plan.c - topdown plan: the plan that a measurement would follow, without measuring. */
#include "cpu/plan/plan.h"

#include <assert.h>
#include <string.h>

#include "command/commands.h"
#include "command/jobs/output.h"
#include "engine/hidden_events.h"
#include "engine/limits.h"
#include "engine/selection.h"

/*
 * A hybrid CPU that is named without a type of cores, for perf: both types, which are counted in the same runs. Of what
 * is named otherwise it finds none.
 */
static int find_both(struct target_types *types, const struct request *request, struct error *err)
{
	static const char *const names[] = { "core", "atom" };
	const char *typed = request->setup->machine.cpu;

	*types = (struct target_types){ .items = arena_array(request->arena, COUNT_OF(names), sizeof(*types->items)) };
	for (size_t i = 0; i < COUNT_OF(names) && !strchr(typed, ':'); i++) {
		struct target_request named = { .cpu = arena_printf(request->arena, "%s:%s", typed, names[i]),
						.events = request->question->events };
		struct error unknown = { .text = "" };

		if (target_named(&types->items[types->count], &named, request, &unknown) == 0)
			types->count++;
	}
	return types->count ? selection_types(types, request, err) : 0;
}

/* A named CPU, or the core types of a machine that have something of what is asked for. */
static int find_types(struct target_types *types, const struct request *request, bool is_for_perf, struct error *err)
{
	struct target *target = arena_alloc(request->arena, sizeof(*target));
	struct target_facts facts = { .identified = target, .is_core_wide = request->setup->subject.is_all_cpus };

	if (is_for_perf && request->setup->machine.cpu && !*request->setup->machine.sysroot) {
		if (find_both(types, request, err) < 0 || types->count)
			return types->count ? 0 : -1;
	}
	if (request->setup->machine.cpu) {
		*types = (struct target_types){ .items = target, .count = 1 };
		return target_find(target, request, err);
	}
	if (target_identify(target, request, err) < 0 || target_types(types, &facts, request, err) < 0)
		return -1;
	return selection_types(types, request, err);
}

static int build(struct plan_part *part, struct target *target, const struct request *request, struct error *err)
{
	const struct packing_choice *packing = &request->setup->packing;
	struct plan_request planned = { .max_runs = packing->max_runs, .is_per_node = packing->is_per_node };
	const char *absent;
	struct found found;

	target_warn(target, request);
	if (limits_find(&found, target, request, err) < 0)
		return -1;
	planned.limits = found.limits;
	limits_warn(&planned.limits, target, request);
	event_set_use_general(&target->model.events, planned.limits.fixed);
	*part = (struct plan_part){ .model = &target->model };
	if (target->has_machine && target->machine.npmus > 1 && !request->setup->machine.cpu)
		part->part = target->pmu->name;
	if (selection_fill(&planned, &target->model, request, err) < 0)
		return -1;
	part->plan = hidden_events_plan(&planned, target, &found, request, err);
	if (!part->plan)
		return -1;
	absent = hidden_events_remark(part->plan, &target->model, request->arena);
	if (absent)
		request_notice(request, NOTICE_WARNING, "%s", absent);
	return 0;
}

static int run_plan(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct target_types types;
	struct plan_part *parts;
	struct plan_set set;
	struct output output;

	if (options->nwords)
		return error_set(err, "plan: '%s'? It takes no program, because it only plans", options->words[0]);
	if (find_types(&types, &request, options->output.format == FORMAT_PERF, err) < 0)
		return -1;
	parts = arena_array(arena, types.count, sizeof(*parts));
	for (size_t i = 0; i < types.count; i++)
		if (build(&parts[i], &types.items[i], &request, err) < 0)
			return -1;
	set = (struct plan_set){ parts, types.count, request.setup->subject.is_all_cpus };
	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (render_plans(output.file, &set, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

static_assert(sizeof(enum toggle) == sizeof(unsigned), "TAKE_CHOICE");

/* The state of a machine can be assumed where nothing is done with it. */
static const struct option_row assumed_rows[] = {
	{ "fixed", 0, TAKE_TEXT, REPEATED_NEVER, "LIST", AT(setup.machine.fixed), NULL,
	  "assume these fixed counters only: 0,2-3, or none" },
	{ "watchdog", 0, TAKE_CHOICE, REPEATED_NEVER, "STATE", AT(setup.machine.assumed_watchdog), toggle_names,
	  "assume the NMI watchdog on or off (default auto)" },
};

static const struct option_set assumed_options = OPTION_SET("CPU and machine", assumed_rows);

const struct command command_plan = {
	.name = "plan",
	.arguments = "[OPTION]...",
	.summary = "which events are counted together, in which run",
	.examples = "topdown plan -l3\n"
		    "topdown plan -l3 --cpu spr\n"
		    "topdown plan -l2 --cpu spr --format perf > count.sh\n",
	.run = run_plan,
	.has_perf_form = true,
	.sets = { &level_options, &selection_options, &event_options, &all_cpus_options, &packing_options, &cpu_options,
		  &form_options, &smt_options, &assumed_options, &sysroot_options, &file_options, &style_options,
		  &general_options },
};
