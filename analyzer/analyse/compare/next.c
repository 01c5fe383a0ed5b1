/* SPDX-License-Identifier: GPL-2.0-or-later */
/* next.c - what to type next: more pairs, a simulation that says why, the code of the first reason, other layouts. */
#include <math.h>
#include <string.h>

#include "analyse/compare/sides.h"
#include "common/base/text.h"

static const char *command_of(const struct compare_side *side)
{
	return side->measured->parts[0].origin.command;
}

/* "topdown compare --run OPTIONS 'A' 'B'"; NULL where a side has no command. */
static const char *run_again(const struct comparing *comparing, const char *options)
{
	const char *commands[] = { command_of(&comparing->request->before), command_of(&comparing->request->after) };
	struct string text = STRING_INIT(comparing->arena);

	string_add(&text, arena_worded(comparing->arena, "topdown compare {run} %s", options));
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (!commands[i])
			return NULL;
		string_add(&text, " ");
		string_add_shell_word(&text, commands[i]);
	}
	return text.text;
}

static bool has_changed(const struct comparison *result)
{
	return result->verdict == VERDICT_SLOWER || result->verdict == VERDICT_FASTER;
}

/* The code of the first reason, where its profile is in a file. */
static const char *annotate(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const struct compared_term *first = result->nterms ? &result->terms[0] : NULL;
	const struct compare_side *side =
		first && first->cycles.value < 0 ? &comparing->request->before : &comparing->request->after;
	const char *file = side->measured->parts[0].origin.file;
	struct string text = STRING_INIT(comparing->arena);

	if (!first || !first->place.function || !file)
		return NULL;
	string_add(&text, arena_worded(comparing->arena, "topdown report {annotate} "));
	string_add_shell_word(&text, first->place.function);
	if (first->node)
		string_add(&text, arena_worded(comparing->arena, " {nodes} %s", first->node));
	string_printf(&text, "%s%s", *file ? " " : "", file);
	return text.text;
}

static const char *next_command(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	bool is_simulated = comparing->before.is_simulated && comparing->after.is_simulated;

	if (result->verdict == VERDICT_UNKNOWN && !is_simulated && result->headline && result->headline->more)
		return run_again(comparing,
				 arena_worded(comparing->arena, "{r} %zu", result->pairs + result->headline->more));
	if (!has_changed(result) || !strcmp(result->headline->name, "wall_s"))
		return NULL;
	return result->nterms ? annotate(comparing) : run_again(comparing, arena_worded(comparing->arena, "{pmu} sim"));
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

	result->next_command = next_command(comparing);
	result->is_layout_suspected = is_layout_suspected(result);
	if (!result->is_layout_suspected)
		return;
	compare_note(comparing, "The instructions are the same, and the frontend takes most of the difference: the "
				"layout of the code may be all that changed.");
	result->layout_command = run_again(comparing, arena_worded(comparing->arena, "{pmu} sim {layouts} 5"));
}
