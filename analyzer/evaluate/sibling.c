/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sibling.c - cores that count slots for both of their threads (Intel up to Skylake): there a program's share of them is an
 * estimate while its sibling is busy.
 */
#include <math.h>

#include "evaluate/internal.h"

#define BUSY_LIMIT 0.05 /* of the time: what a sibling that is busy for less changes is less than what is printed */

/* The events of such a core's level 1 are counted for any of its threads ("any=1"), which newer cores can't. */
static bool is_of_both_threads(const struct model *model, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++) {
		const struct event_row *row = model->events.events[metric->events[i]].row;

		if (row && row->any)
			return true;
	}
	return false;
}

static bool has_shared_slots(const struct model *model)
{
	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].level == 1 && is_of_both_threads(model, &model->metrics[i]))
			return true;
	return false;
}

/* Of the time of the thread that was counted. core cycles = cycles / 2 * (1 + share of the time alone) */
static double busy_share(const struct evaluation *e)
{
	size_t metric = model_find(e->model, "tma_info_core_core_clks"), cycles = e->model->roles[ROLE_CYCLES];

	if (metric == TABLE_NONE || cycles == TABLE_NONE || e->chosen[metric] == TABLE_NONE)
		return NAN;
	return 2 - 2 * e->results[metric].value / e->contexts[e->chosen[metric]].events[cycles];
}

static void mark(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].quality == QUALITY_EXACT && has_name_prefix(e->results[i].metric->domain, "Slots"))
			e->results[i].quality = QUALITY_ESTIMATED;
}

void sibling_judge(struct evaluation *e)
{
	double busy;

	if (e->model->facts.smt_on != 1 || e->model->facts.core_wide == 1 || !has_shared_slots(e->model))
		return;
	busy = busy_share(e);
	if (!(busy > BUSY_LIMIT))
		return;
	mark(e);
	note_add(e,
		 "Level 1 is an estimate: this CPU counts slots for both threads of a core, and the other thread was "
		 "busy "
		 "for %.0f %% of the time, in which half of the slots are taken to be its own. Keep it idle, or count "
		 "whole "
		 "cores with -a.",
		 fmin(busy, 1) * 100);
}
