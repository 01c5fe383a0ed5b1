/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uncorrected.c - nodes of which only a correction was not counted: their value without it, which is an estimate. */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

#define NAMED_NODES 4 /* nodes that the note names; the rest is counted */

/* The corrections for which 0 stands in anyway are the same for all metrics that take this context. */
static size_t find_made(const struct evaluation *e, const struct context *from, const bool *stands_in)
{
	for (size_t i = e->repeat->ngroups + 1; i < e->ncontexts; i++)
		if (e->contexts[i].stands_in && e->contexts[i].running_shares == from->running_shares &&
		    !memcmp(e->contexts[i].stands_in, stands_in, e->model->events.count * sizeof(*stands_in)))
			return i;
	return TABLE_NONE;
}

size_t without_context(struct evaluation *e, size_t number, const struct metric *metric)
{
	size_t events = e->model->events.count, made;
	bool *stands_in = arena_array(e->arena, events + 1, sizeof(*stands_in));
	struct context from = e->contexts[number];

	for (size_t i = 0; i < metric->ncorrections; i++)
		stands_in[metric->corrections[i]] = isnan(from.events[metric->corrections[i]]);
	made = find_made(e, &from, stands_in);
	if (made != TABLE_NONE)
		return made;
	made = context_add(e);
	memcpy(e->contexts[made].events, from.events, events * sizeof(*from.events));
	for (size_t i = 0; i < events; i++)
		if (stands_in[i])
			e->contexts[made].events[i] = 0;
	from.events = e->contexts[made].events;
	from.stands_in = stands_in;
	e->contexts[made] = from;
	return made;
}

void without_explain(const struct evaluation *e, struct result *result)
{
	const struct metric *metric = result->metric;
	size_t context = e->context_of[metric - e->model->metrics];
	const bool *stands_in = context == TABLE_NONE ? NULL : e->contexts[context].stands_in;

	if (!stands_in)
		return;
	result->without = arena_array(e->arena, metric->ncorrections, sizeof(*result->without));
	for (size_t i = 0; i < metric->ncorrections; i++)
		if (stands_in[metric->corrections[i]])
			result->without[result->nwithout++] = e->model->events.events[metric->corrections[i]].name;
}

/* The events that stand for a shown node's correction, into is_missing. Their number. */
static size_t find_missing(const struct evaluation *e, bool *is_missing, struct string *nodes)
{
	size_t count = 0;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		struct result one = e->results[i];

		if (!e->shown[i] || one.quality == QUALITY_NONE)
			continue;
		without_explain(e, &one);
		if (!one.nwithout)
			continue;
		for (size_t k = 0; k < one.metric->ncorrections; k++)
			is_missing[one.metric->corrections[k]] |=
				e->contexts[e->context_of[i]].stands_in[one.metric->corrections[k]];
		if (count++ < NAMED_NODES)
			string_printf(nodes, "%s%s", nodes->length ? ", " : "", one.metric->title);
	}
	return count;
}

void note_without(struct evaluation *e)
{
	bool *is_missing = arena_array(e->arena, e->model->events.count + 1, sizeof(*is_missing));
	struct string nodes = STRING_INIT(e->arena), events = STRING_INIT(e->arena);
	size_t count = find_missing(e, is_missing, &nodes), missing = 0;

	if (!count)
		return;
	if (count > NAMED_NODES)
		string_printf(&nodes, " and %zu more", count - NAMED_NODES);
	for (size_t i = 0; i < e->model->events.count; i++)
		if (is_missing[i])
			string_printf(&events, "%s%s", missing++ ? " and " : "", e->model->events.events[i].name);
	note_add(e, "Estimated without %s: %s not counted, and %s %s.", events.text,
		 missing > 1 ? "they were" : "it was", missing > 1 ? "correct" : "corrects", nodes.text);
}
