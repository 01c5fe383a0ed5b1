/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - topdown plan: the plan that a measurement would follow, without measuring. */
#include "plan/plan.h"

#include "command/commands.h"
#include "command/limits.h"
#include "command/output.h"
#include "command/wanted.h"

/* Counters are probed only where the plan is for this very machine. */
static struct plan_limits find_limits(const struct target *target, const struct options *options)
{
	struct plan_limits limits;
	struct error err = { 0 };

	if (target->has_machine && *options->sysroot && !target->pmu->is_real && !options->cpu)
		fputs("topdown: this machine shows no CPU PMU; planned for the counters that are published for its "
		      "CPU\n",
		      stderr);
	if (!target->has_machine || *options->sysroot || options->cpu || options->smt != TOGGLE_UNSAID)
		return limits_published(target);
	if (limits_probe(&limits, target, &err) == 0)
		return limits;
	fprintf(stderr, "topdown: planned for the counters that are published for this CPU: %s\n", err.text);
	return limits_published(target);
}

/* What the options say of the machine, instead of what was found. More counters than there are would be no plan for it. */
static int assume_limits(struct plan_limits *limits, const struct target *target, const struct options *options,
			 struct error *err)
{
	if (options->assumed_watchdog != TOGGLE_UNSAID)
		limits->has_watchdog = options->assumed_watchdog == TOGGLE_ON;
	if (options->counters > limits->general)
		return error_set(err, "--counters %u: a thread of %s has %u general counter%s%s", options->counters,
				 target->cpu, limits->general, limits->general == 1 ? "" : "s",
				 target->model.facts.smt_on != 0 ? " with SMT on" : "");
	limits_leave(limits, options);
	return 0;
}

int command_plan(const struct options *options, struct arena *arena, struct error *err)
{
	struct plan_request request = { .max_runs = options->is_multiplexed ? 1 : options->max_runs,
					.is_per_node = options->is_per_node };
	struct output output;
	struct target target;
	struct plan plan;

	if (options->nwords)
		return error_set(err, "plan: '%s'? It takes no program, because it measures nothing",
				 options->words[0]);
	if (target_find(&target, options, arena, err) < 0)
		return -1;
	target_warn(&target);
	request.limits = find_limits(&target, options);
	limits_warn(&request.limits, &target);
	if (assume_limits(&request.limits, &target, options, err) < 0 ||
	    wanted_fill(&request, &target.model, options, arena, err) < 0 ||
	    plan_build(&plan, &target.model, &request, arena, err) < 0 ||
	    output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_plan(output.file, &plan, &target.model, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
