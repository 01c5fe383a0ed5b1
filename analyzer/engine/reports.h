/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reports.h - what was counted, evaluated part by part, each with the model of its core type. */
#ifndef TOPDOWN_ENGINE_REPORTS_H
#define TOPDOWN_ENGINE_REPORTS_H

#include "analyse/hotspots/hotspots.h"
#include "engine/target.h"

/* Is it the core type that the counts are of, with formulas for as many of a core's threads as were counted? */
bool is_target_of(const struct target *target, const struct counts *counts);

/* The core type that the counts are of; the first where none is. */
const struct target *target_of(const struct target_types *types, const struct counts *counts);

/*
 * Fills the set's parts and times, without those that its idle_percent leaves out. Of all of the time the worst nodes
 * get their words from the glossary; an interval has none. Everything that this takes is in arena.
 */
int reports_evaluate(struct report_set *set, const struct target_types *types, const struct measurement *measured,
		     struct arena *arena, struct error *err) MUST_CHECK;

/* The same where nothing was counted, but sampled: the head of its report. */
void reports_sampled(struct report_set *set, const struct measurement *measured, struct arena *arena);

/*
 * Where it happened (set->where), when the set is there: as it was asked for, or, where nobody asked and the sink says
 * where by itself, functions, lines and trees (question.is_implied). -1 and err where what was asked for is not in the
 * profile: the set is as good as before. Nothing is done where nothing is known.
 */
int reports_locate(struct report_set *set, const struct measurement *measured, const struct request *asked,
		   struct arena *arena, struct error *err) MUST_CHECK;

/* Reads what an annotated function is shown with: its instructions and its source. */

/*
 * --annotate of the first of where's tables. -1 where the function is not there. What can't be read costs that half
 * alone, with a sentence.
 */
int annotate(struct hotspots *where, const struct measurement *measured, struct arena *arena,
	     struct error *err) MUST_CHECK;

#endif
