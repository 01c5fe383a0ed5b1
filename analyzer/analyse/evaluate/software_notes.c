/* SPDX-License-Identifier: GPL-2.0-or-later */
/* software_notes.c - what the kernel's own counters say of the tree: where it is about a part of the time only. */
#include <string.h>

#include "analyse/evaluate/evaluation.h"

#define SHORTEST_RATED_S 0.1 /* of CPU time: the start of a program is no rate */
#define MOSTLY		 0.5 /* of the CPU time */

/* What is said of it, in the figures of one measurement. */
struct told {
	struct evaluation *e;
	const struct software_list *list;
	const struct kernel_bound *bounds;
	const char *who; /* "The program" */
	double cpu_s;
};

static double value(const struct told *t, enum software_kind kind)
{
	return software_result_value(t->list, kind);
}

static bool is_beyond(const struct told *t, enum kernel_remark remark, double figure)
{
	return figure >= t->bounds[remark].least; /* false where either is unknown */
}

/* Of several threads it is the least that the time says. That others had the CPU is not the program's doing. */
static void note_off_cpu(const struct told *t)
{
	struct time_used used = time_used(t->e);
	double ready_s = t->e->counts->origin.part ? 0 : used.ready_s, off = 1 - (t->cpu_s + ready_s) / t->list->wall_s;

	if (t->e->model->is_simulated && !(used.wall_s > 0))
		return;
	if (is_beyond(t, KERNEL_OFF_CPU, off) && !t->e->report->has_waited)
		note_add(t->e, "%s was off CPU for %.0f %% of the time: the tree covers the other %.0f %%.", t->who,
			 100 * off, 100 * (1 - off));
}

static void note_delay(const struct told *t)
{
	double share = value(t, SOFTWARE_RUN_DELAY) / t->list->wall_s;

	if (is_beyond(t, KERNEL_RUN_DELAY, share))
		note_add(t->e,
			 "%s was runnable but waited for a CPU for %.2g s, %.0f %% of the time: others used the CPUs.",
			 t->who, value(t, SOFTWARE_RUN_DELAY), 100 * share);
}

static void note_system(const struct told *t)
{
	double user = value(t, SOFTWARE_USER), system = value(t, SOFTWARE_SYSTEM), share = system / (user + system);
	const char *scope = t->e->counts->origin.scope;
	bool is_user = scope && !strcmp(scope, "user");

	/* Then the verdict says it. */
	if (is_user && share >= MOSTLY && t->cpu_s >= SHORTEST_RATED_S)
		t->e->report->kernel_percent = 100 * share;
	else if (is_beyond(t, KERNEL_SYSTEM, share))
		note_add(t->e, "%.0f %% of the CPU time was spent in the kernel%s.", 100 * share,
			 is_user ? ", which this tree does not cover" : "");
}

/* Rates by CPU time; a sleeping program makes nothing slower. */
static void note_rate(const struct told *t, enum kernel_remark remark, double count, const char *what)
{
	double rate = count / t->cpu_s;

	if (is_beyond(t, remark, rate))
		note_add(t->e, "%s (%.0f per second of CPU time): %s.", what, rate, t->bounds[remark].source);
}

void software_notes(struct evaluation *e)
{
	const struct assessment_rules *rules = e->model->assessment;
	const struct software_list *list = &e->report->software;
	struct told t = { .e = e, .list = list, .cpu_s = software_result_value(list, SOFTWARE_TASK_CLOCK) };

	if (!rules || !rules->is_loaded || !list->count || !(list->wall_s > 0))
		return;
	t.bounds = rules->kernel;
	t.who = e->counts->origin.selector.kind == SUBJECT_PROGRAM ? "The program" : "What was measured";
	note_off_cpu(&t);
	note_delay(&t);
	if (!(t.cpu_s >= SHORTEST_RATED_S))
		return;
	note_system(&t);
	note_rate(&t, KERNEL_SWITCHES, value(&t, SOFTWARE_SWITCHES), "There were many context switches");
	note_rate(&t, KERNEL_MIGRATIONS, value(&t, SOFTWARE_MIGRATIONS), "Its threads changed CPUs often");
	note_rate(&t, KERNEL_MAJOR, value(&t, SOFTWARE_MAJOR), "Page faults waited for storage");
	note_rate(&t, KERNEL_FIXED_UP, value(&t, SOFTWARE_ALIGNMENT) + value(&t, SOFTWARE_EMULATION),
		  "The kernel had to complete or emulate instructions");
}
