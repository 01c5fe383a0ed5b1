/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/limits.h"

#include "count/count.h"

const struct event_row *limits_probe_row(const struct event_database *database)
{
	const struct event_row *best = NULL;
	int most = 0;

	for (size_t i = 0; i < database->count; i++) {
		const struct event_row *row = &database->rows[i];
		int counters = __builtin_popcountll(row->counters & GENERAL_COUNTERS);

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

	if (!target->has_machine || !target->pmu->is_real)
		return limits;
	limits.has_watchdog = target->machine.nmi_watchdog;
	limits.has_metrics =
		limits.has_metrics && pmu_event(target->pmu, "slots") && pmu_event(target->pmu, "topdown-retiring");
	return limits;
}

void limits_leave(struct plan_limits *limits, const struct options *options)
{
	if (options->counters && options->counters < limits->general)
		limits->general = options->counters;
}

int limits_probe(struct plan_limits *limits, const struct target *target, struct error *err)
{
	const struct event_row *row = limits_probe_row(&target->events);

	if (!row)
		return error_set(err, "%s: no event to probe the counters with", target->cpu);
	*limits = limits_published(target);
	limits->general = count_probe_counters(target->pmu, row, &target->machine, err);
	return limits->general ? 0 : -1;
}

void limits_warn(const struct plan_limits *limits, const struct target *target)
{
	const struct event_database *events = &target->events;

	if (!events->slots_event || limits->has_metrics)
		return;
	fprintf(stderr,
		"topdown: warning: this kernel shows no slots and topdown events for the CPU's PMU (a virtual machine "
		"without "
		"PERF_METRICS, or a kernel older than the CPU), so what %s computes from them can't be measured\n",
		target->cpu);
}
