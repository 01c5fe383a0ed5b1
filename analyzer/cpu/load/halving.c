/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * halving.c - cores whose threads share their slots, and formulas that are right for both threads together:
 * "(X / 2) if #SMT_on" halves what each thread counts for the whole core. Intel publishes those for whole cores only
 * (models/README.md).
 */
#include <ctype.h>
#include <string.h>

#include "cpu/load/model_internal.h"

enum state { STATE_UNKNOWN, STATE_OPEN /* being looked at */, STATE_NO, STATE_YES };

/* A formula that asks whether whole cores are counted has an answer for both. */
static bool is_halving(const char *text)
{
	const char *half = text;

	if (!strstr(text, "#SMT_on") || strstr(text, "#core_wide"))
		return false;
	while ((half = strstr(half, "/ 2")) != NULL && (isdigit((unsigned char)half[3]) || half[3] == '.'))
		half += 3;
	return half != NULL;
}

/* The next metric that the text names, or TABLE_NONE at its end. */
static size_t next_metric(const struct model *model, const char **text, struct arena *scratch)
{
	size_t number = TABLE_NONE;

	while (**text && number == TABLE_NONE) {
		size_t length;

		*text += strcspn(*text, "abcdefghijklmnopqrstuvwxyz");
		length = strspn(*text, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (length)
			number = table_get(&model->by_name, arena_strndup(scratch, *text, length));
		*text += length;
	}
	return number;
}

static bool is_halved(struct model *model, size_t number, enum state *states, struct arena *scratch)
{
	const char *text = program_text(model->program, number);
	size_t other;

	if (states[number] != STATE_UNKNOWN || !text)
		return states[number] == STATE_YES;
	model->metrics[number].halves = is_halving(text);
	states[number] = model->metrics[number].halves ? STATE_YES : STATE_OPEN;
	while (states[number] != STATE_YES && (other = next_metric(model, &text, scratch)) != TABLE_NONE)
		if (is_halved(model, other, states, scratch))
			states[number] = STATE_YES;
	if (states[number] != STATE_YES)
		states[number] = STATE_NO;
	return states[number] == STATE_YES;
}

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

void model_find_halved(struct model *model)
{
	enum state *states;
	struct arena scratch;

	model->has_shared_slots = has_shared_slots(model);
	if (model->facts.smt_on != 1 || !model->has_shared_slots)
		return;
	arena_init(&scratch);
	states = arena_array(&scratch, model->count + 1, sizeof(*states));
	for (size_t i = 0; i < model->count; i++)
		model->metrics[i].is_halved = is_halved(model, i, states, &scratch);
	arena_release(&scratch);
}
