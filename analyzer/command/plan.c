/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - topdown plan: the plan that a measurement would follow, without measuring. */
#include "plan/plan.h"

#include "command/commands.h"
#include "command/limits.h"
#include "command/output.h"
#include "command/wanted.h"

/* A named CPU, or the core types of a machine that have something of what is asked for. */
static int find_types(struct target_types *types, const struct options *options, struct arena *arena, struct error *err)
{
	struct target *target = arena_alloc(arena, sizeof(*target));
	struct target_facts facts = { .identified = target, .is_core_wide = options->is_all_cpus };

	if (options->cpu) {
		*types = (struct target_types){ .items = target, .count = 1 };
		return target_find(target, options, arena, err);
	}
	return target_identify(target, options, arena, err) < 0 || target_types(types, &facts, options, arena, err) < 0
		       ? -1
		       : wanted_types(types, options, arena, err);
}

static int build(struct plan_part *part, const struct target *target, const struct options *options,
		 struct arena *arena, struct error *err)
{
	struct plan_request request = { .max_runs = options->is_multiplexed ? 1 : options->max_runs,
					.is_per_node = options->is_per_node };
	struct plan *plan = arena_alloc(arena, sizeof(*plan));

	target_warn(target);
	if (limits_find(&request.limits, target, options, err) < 0)
		return -1;
	limits_warn(&request.limits, target);
	*part = (struct plan_part){ .plan = plan, .model = &target->model };
	if (target->has_machine && target->machine.npmus > 1 && !options->cpu)
		part->part = target->pmu->name;
	return wanted_fill(&request, &target->model, options, arena, err) < 0
		       ? -1
		       : plan_build(plan, &target->model, &request, arena, err);
}

int command_plan(const struct options *options, struct arena *arena, struct error *err)
{
	struct target_types types;
	struct plan_part *parts;
	struct output output;

	if (options->nwords)
		return error_set(err, "plan: '%s'? It takes no program, because it measures nothing",
				 options->words[0]);
	if (find_types(&types, options, arena, err) < 0)
		return -1;
	parts = arena_array(arena, types.count, sizeof(*parts));
	for (size_t i = 0; i < types.count; i++)
		if (build(&parts[i], &types.items[i], options, arena, err) < 0)
			return -1;
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_plans(output.file, parts, types.count, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
