/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_perf.c - a plan as lines for a shell: perf stat counts each run's groups where topdown is not, and topdown
 * report reads what these lines leave in one file. "$@" is the program, so that the lines can be pasted or saved as a
 * script.
 */
#include <string.h>

#include "present/plan/plan_view.h"

#define FILE_NAME "topdown.txt"

/* perf itself prints the time, and has no counter that is the time stamp of all CPUs. */
static bool is_tool(const struct event *event)
{
	return event->kind == EVENT_DURATION || event->kind == EVENT_TSC;
}

static const char *modifier(const struct event *event)
{
	return event->user_only ? "u" : event->kernel_only ? "k" : "";
}

/* "{cpu/event=0xc2,umask=0x2/,cpu/event=0x3c/}" */
static void plan_perf_add_group(struct string *text, const struct plan_view *planned, const struct plan_group *group)
{
	const char *before = "{";

	for (size_t i = 0; i < group->count; i++) {
		const struct event *event = planned_event(planned, group, i);

		if (is_tool(event))
			continue;
		string_printf(text, "%s%s", before,
			      event_perf_string(event, planned->model->events.pmu, modifier(event), text->arena));
		before = ",";
	}
	string_add(text, *before == ',' ? "}" : "");
}

static void plan_perf_add_names(struct string *text, const struct plan_view *planned, const struct plan_group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct event *event = planned_event(planned, group, i);

		if (!is_tool(event))
			string_printf(text, " %s", event->name);
	}
}

/* Calls add for each group of the run, with a separator between what they add. */
static void for_groups(struct string *text, const struct plan_set *set, size_t run, const char *separator,
		       void (*add)(struct string *text, const struct plan_view *planned,
				   const struct plan_group *group))
{
	const char *before = "";

	for (size_t i = 0; i < set->count; i++) {
		const struct plan_view planned = plan_view_init(&set->parts[i], text->arena);
		const struct plan *plan = planned.plan;

		for (size_t k = 0; run < plan->nruns && k < plan->runs[run].count; k++) {
			size_t length = text->length;

			string_add(text, before);
			add(text, &planned, &plan->groups[plan->runs[run].first + k]);
			before = text->length > length ? separator : before;
		}
	}
}

/* perf counts them for the whole machine only. */
static void add_units(struct string *text, const struct plan_set *set, size_t run)
{
	for (size_t i = 0; i < set->count && set->is_all_cpus; i++) {
		const struct event_set *events = &set->parts[i].model->events;
		const struct plan *plan = set->parts[i].plan;

		for (size_t k = 0; k < plan->nunits; k++)
			for (size_t n = 0; n < plan->units[k].count && plan->units[k].run == run; n++)
				string_printf(text, ",%s",
					      event_perf_string(&events->events[plan->units[k].events[n]], events->pmu,
								"", text->arena));
	}
}

static void add_run(struct string *text, const struct plan_set *set, size_t run)
{
	string_printf(text, "# %zu:", run + 1);
	for_groups(text, set, run, ",", plan_perf_add_names);
	string_printf(text, "\nperf stat -o %s%s%s -e '", FILE_NAME, run ? " --append" : "",
		      set->is_all_cpus ? " -a" : "");
	for_groups(text, set, run, ",", plan_perf_add_group);
	add_units(text, set, run);
	string_add(text, "' -- \"$@\"\n");
}

/* A hybrid CPU's name without the type of cores means all of them. */
static const char *cpu_of(const struct plan_set *set, struct arena *arena)
{
	const char *cpu = set->parts[0].model->cpu;

	return set->count > 1 ? arena_strndup(arena, cpu, strcspn(cpu, ":")) : cpu;
}

static void plan_perf_add_head(struct string *text, const struct plan_set *set, size_t runs)
{
	const struct plan_view planned = plan_view_init(&set->parts[0], text->arena);
	const char *cpu = cpu_of(set, text->arena);

	string_printf(text, "# topdown: %s on %s, %zu run%s of perf stat\n", planned_subject(text->arena, &planned),
		      cpu, runs, runs == 1 ? "" : "s");
	string_printf(text, "# first: set -- %s\n", set->is_all_cpus ? "sleep 10" : "./prog ARG...");
	string_printf(text, "# then these lines, and where topdown is: topdown report ");
	if (planned.plan->level)
		string_add(text, arena_worded(text->arena, "{l}%u ", planned.plan->level));
	string_add(text, arena_worded(text->arena, "{cpu} %s ", cpu));
	string_printf(text, "%s" FILE_NAME "\n",
		      planned.model->events.smt_on ? "" : arena_worded(text->arena, "{smt off} "));
}

void plan_perf(struct string *text, const void *what)
{
	const struct plan_set *set = what;
	size_t runs = 0;

	for (size_t i = 0; i < set->count; i++)
		runs = set->parts[i].plan->nruns > runs ? set->parts[i].plan->nruns : runs;
	plan_perf_add_head(text, set, runs);
	for (size_t run = 0; run < runs; run++)
		add_run(text, set, run);
}
