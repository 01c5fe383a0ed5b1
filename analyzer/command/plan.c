/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - topdown plan: the plan that a measurement would follow, without measuring. */
#include "plan/plan.h"

#include "command/commands.h"
#include "command/limits.h"
#include "command/output.h"
#include "command/wanted.h"

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
	if (limits_find(&request.limits, &target, options, err) < 0)
		return -1;
	limits_warn(&request.limits, &target);
	if (wanted_fill(&request, &target.model, options, arena, err) < 0 ||
	    plan_build(&plan, &target.model, &request, arena, err) < 0 ||
	    output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_plan(output.file, &plan, &target.model, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
