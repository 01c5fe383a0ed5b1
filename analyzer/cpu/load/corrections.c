/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corrections.c - events that only correct a node: without them its value is an estimate, not nothing. Which they are
 * is no matter of the formula's form, but of what the events count; models/README.md ("Corrections") has the reasons.
 */
#include "common/base/text.h"
#include "cpu/load/model_internal.h"

#define MOST_SLOTS 8 /* nodes that one event corrects */

static const struct correction {
	const char *event;
	const char *metrics[MOST_SLOTS]; /* whose own formula adds it or takes it off */
} corrections[] = {
	/* clang-format off */
	{ "INT_MISC.UOP_DROPPING", { "tma_frontend_bound", "tma_fetch_latency" } },
	{ "INT_MISC.CLEARS_COUNT",
	  { "tma_backend_bound", "tma_bad_speculation", "tma_memory_bound", "tma_core_bound" } },
	{ "BR_MIS_PRED",           { "frontend_bound", "bad_speculation", "backend_bound" } },
	/* clang-format on */
};

static size_t find_slots(size_t slots[MOST_SLOTS], const struct model *model, const struct correction *correction)
{
	size_t count = 0;

	for (size_t i = 0; i < MOST_SLOTS && correction->metrics[i]; i++) {
		size_t metric = table_get(&model->by_name, correction->metrics[i]);

		if (metric != TABLE_NONE)
			slots[count++] = metric;
	}
	return count;
}

static bool reads(const struct metric *metric, size_t event)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (metric->events[i] == event)
			return true;
	return false;
}

static void corrections_add(struct metric *metric, size_t event, struct arena *arena)
{
	if (!metric->corrections)
		metric->corrections = arena_array(arena, COUNT_OF(corrections), sizeof(*metric->corrections));
	metric->corrections[metric->ncorrections++] = event;
}

/* The metrics that read the event only through these nodes. */
static void corrections_mark(struct model *model, size_t event, const size_t *slots, size_t count, struct arena *arena)
{
	bool *is_essential = arena_array(arena, model->count, sizeof(*is_essential));

	program_reads_beside(model->program, event, slots, count, is_essential);
	for (size_t i = 0; i < model->count; i++)
		if (!is_essential[i] && reads(&model->metrics[i], event))
			corrections_add(&model->metrics[i], event, arena);
}

void model_find_corrections(struct model *model, struct arena *arena)
{
	for (size_t i = 0; i < COUNT_OF(corrections); i++) {
		size_t event = table_get(&model->events.by_name, corrections[i].event), slots[MOST_SLOTS];
		size_t count = event == TABLE_NONE ? 0 : find_slots(slots, model, &corrections[i]);

		if (count)
			corrections_mark(model, event, slots, count, arena);
	}
}
