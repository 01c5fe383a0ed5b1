/* SPDX-License-Identifier: GPL-2.0-or-later */
/* next.c - what to do next: more pairs, a simulation that says why, the code of the first reason, other layouts. */
#include <math.h>
#include <string.h>

#include "analyse/compare/sides.h"
#include "common/base/text.h"

static const char *command_of(const struct compare_side *side)
{
	return side->measured->parts[0].origin.command;
}

/* Both commands measured once more; none where a side has no command. */
static struct action run_again(const struct comparing *comparing, const struct action *how)
{
	struct action action = *how;

	action.before = command_of(&comparing->request->before);
	action.after = command_of(&comparing->request->after);
	action.kind = action.before && action.after ? ACTION_PAIRS : ACTION_NONE;
	return action_make(&action, comparing->arena);
}

static bool has_changed(const struct comparison *result)
{
	return result->verdict == VERDICT_SLOWER || result->verdict == VERDICT_FASTER;
}

/* The code of the first reason, where its profile is in a file. */
static struct action annotate(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const struct compared_term *first = result->nterms ? &result->terms[0] : NULL;
	const struct compare_side *side =
		first && first->cycles.value < 0 ? &comparing->request->before : &comparing->request->after;
	const struct origin *origin = &side->measured->parts[0].origin;
	struct action action = { .origin = origin };

	if (!first || !first->place.function || !origin->file)
		return action;
	action.kind = ACTION_REPORT;
	action.question = (struct question){ .annotated = first->place.function, .nodes = first->node };
	return action_make(&action, comparing->arena);
}

static struct action next_action(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	bool is_simulated = comparing->before.is_simulated && comparing->after.is_simulated;

	if (result->verdict == VERDICT_UNKNOWN && !is_simulated && result->headline && result->headline->more)
		return run_again(comparing, &(struct action){ .repeats = result->pairs + result->headline->more });
	if (!has_changed(result) || !strcmp(result->headline->name, "wall_s"))
		return (struct action){ .kind = ACTION_NONE };
	return result->nterms ? annotate(comparing) : run_again(comparing, &(struct action){ .is_simulated = true });
}

/* ---- layout ---- */

#define SAME_INSTRUCTIONS 0.001
#define MOSTLY		  0.5 /* of the difference */

static double frontend_part(const struct comparison *result)
{
	double sum = 0;

	for (size_t i = 0; i < result->nterms; i++)
		if (result->terms[i].path && has_name_prefix(result->terms[i].path, "Frontend_Bound"))
			sum += result->terms[i].cycles.value;
	return sum / (result->cycles_after - result->cycles_before);
}

/* The same instructions in other cycles, most of which the frontend takes: their addresses may be all that differs. */
static bool is_layout_suspected(const struct comparison *result)
{
	const struct compared_metric *instructions = comparison_metric(result, "instructions");

	return has_changed(result) && !result->is_layouts && instructions &&
	       fabs(instructions->ratio.value - 1) < SAME_INSTRUCTIONS && frontend_part(result) > MOSTLY;
}

void next_find(struct comparing *comparing)
{
	struct comparison *result = comparing->result;

	result->next = next_action(comparing);
	result->is_layout_suspected = is_layout_suspected(result);
	if (!result->is_layout_suspected)
		return;
	compare_note(comparing, "The instructions are the same, and the frontend takes most of the difference: the "
				"layout of the code may be all that changed.");
	result->change_layouts = run_again(comparing, &(struct action){ .is_simulated = true, .layouts = 5 });
}
