/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/reports.h"

#include <math.h>

#include "analyse/evaluate/evaluate.h"
#include "analyse/hotspots/sampled.h"
#include "analyse/hotspots/whereabouts.h"
#include "analyse/roofline/placed.h"
#include "common/base/text.h"
#include "common/measurement/division.h"

bool is_target_of(const struct target *target, const struct counts *counts)
{
	const struct model *model = &target->model;
	bool is_core_open = model->has_shared_slots && model->facts.smt_on == 1 && !counts->origin.is_flat;

	return counts->origin.cpu && is_same_name(target->cpu, counts->origin.cpu) &&
	       (!is_core_open || model->facts.core_wide == counts->origin.facts.core_wide);
}

const struct target *target_of(const struct target_types *types, const struct counts *counts)
{
	for (size_t i = 0; i < types->count; i++)
		if (is_target_of(&types->items[i], counts))
			return &types->items[i];
	return &types->items[0];
}

/* The most cycles of the parts of the same kind. */
static double busiest(const struct report_set *set, const struct report *like)
{
	double most = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->parts[i].model == like->model &&
		    compare_texts(set->parts[i].summary.part_kind, like->summary.part_kind) == 0)
			most = fmax(most, set->parts[i].summary.cycles);
	return most;
}

/* Cycles that are not known are no reason, unless nothing ran there. */
static bool is_idle(const struct report_set *set, size_t part, const struct counts *counts)
{
	const struct report *report = &set->parts[part];

	return report->summary.part && (report->summary.cycles < set->idle_percent / 100 * busiest(set, report) ||
					!has_run(&counts->repeats[0]));
}

static void leave_out_idle(struct report_set *set, const struct measurement *measured, struct arena *arena)
{
	bool *is_left_out = arena_array(arena, set->count + 1, sizeof(*is_left_out));
	size_t count = 0;

	set->idle = arena_array(arena, set->count + 1, sizeof(*set->idle));
	set->nidle = 0;
	for (size_t i = 0; i < set->count; i++)
		is_left_out[i] = is_idle(set, i, &measured->parts[i]);
	for (size_t i = 0; i < set->count; i++)
		if (is_left_out[i])
			set->idle[set->nidle++] = set->parts[i].summary.part;
		else
			set->parts[count++] = set->parts[i];
	set->count = count;
}

int reports_evaluate(struct report_set *set, const struct target_types *types, const struct measurement *measured,
		     struct arena *arena, struct error *err)
{
	set->parts = arena_array(arena, measured->count, sizeof(*set->parts));
	set->count = measured->count;
	set->from_s = measured->from_s;
	set->to_s = measured->to_s;
	for (size_t i = 0; i < measured->count; i++) {
		const struct target *target = target_of(types, &measured->parts[i]);

		if (isnan(measured->from_s) && target_judge(target, err) < 0)
			return -1;
		if (evaluate(&set->parts[i], &target->model, &measured->parts[i], arena, err) < 0)
			return -1;
		if (isnan(measured->from_s))
			target_words(&set->parts[i], target, arena);
	}
	if (isnan(measured->from_s) && measured->parts[0].question.wants_roofline)
		set->roofline = placed_of(set, measured, arena);
	if (set->idle_percent > 0 && set->count > 1)
		leave_out_idle(set, measured, arena);
	return 0;
}

void reports_sampled(struct report_set *set, const struct measurement *measured, struct arena *arena)
{
	struct sampled *sampled = arena_alloc(arena, sizeof(*sampled));

	set->parts = NULL;
	set->count = 0;
	set->from_s = measured->from_s;
	set->to_s = measured->to_s;
	sampled_fill(sampled, measured, arena);
	set->sampled = sampled;
}

int reports_locate(struct report_set *set, const struct measurement *measured, const struct question *question,
		   struct arena *arena, struct error *err)
{
	const struct whereabouts_request request = { measured, set, question };
	struct whereabouts *where = arena_alloc(arena, sizeof(*where));

	set->where = NULL;
	if (!isnan(measured->from_s) || !question_is_where(question) || !has_whereabouts(measured))
		return 0;
	if (whereabouts_fill(where, &request, arena, err) < 0 ||
	    (question->annotated && annotate(where, measured, arena, err) < 0))
		return -1;
	set->where = where;
	return 0;
}

#define MOST_TREES 10 /* functions of a ticket */

int reports_locate_implied(struct report_set *set, const struct measurement *measured, const struct question *question,
			   struct arena *arena, struct error *err)
{
	struct question *own = arena_alloc(arena, sizeof(*own));

	if (question_is_where(question))
		return reports_locate(set, measured, question, arena, err);
	*own = *question;
	own->wants_functions = own->wants_lines = true;
	own->nper_function = MOST_TREES;
	own->is_implied = true;
	return reports_locate(set, measured, own, arena, err);
}
