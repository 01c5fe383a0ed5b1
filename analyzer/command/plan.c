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
	if (!target->has_machine || *options->sysroot || options->cpu)
		return limits_published(target);
	if (limits_probe(&limits, target, &err) == 0)
		return limits;
	fprintf(stderr, "topdown: planned for the counters that are published for this CPU: %s\n", err.text);
	return limits_published(target);
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
	if (wanted_fill(&request, &target.model, options, arena, err) < 0 ||
	    plan_build(&plan, &target.model, &request, arena, err) < 0 ||
	    output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_plan(output.file, &plan, &target.model, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
