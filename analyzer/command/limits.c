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

const char *limits_remark(const struct plan_limits *limits, const struct target *target, struct arena *arena)
{
	struct plan_limits published = limits_published(target);

	if (limits->general >= published.general)
		return NULL;
	return arena_printf(
		arena,
		"Only %u of this CPU's %u general counters could be opened (a hypervisor or somebody else has the "
		"others), so that the events need more groups; `topdown doctor` tells more.",
		limits->general, published.general);
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

/* Counters are probed only where the plan is for this very machine. */
static struct plan_limits offered(const struct target *target, const struct options *options)
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

int limits_find(struct plan_limits *limits, const struct target *target, const struct options *options,
		struct error *err)
{
	*limits = offered(target, options);
	return assume_limits(limits, target, options, err);
}
