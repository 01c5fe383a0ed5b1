/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_cards.c - what a page says of each node and metric when its name is asked: words, formula, events. */
#include <string.h>

#include "cpu/load/glossary.h"
#include "present/document/human.h"
#include "present/report/report_page.h"

enum { CARD_MEANS, CARD_HURTS, CARD_TRY, CARD_DOMAIN, CARD_FORMULA, CARD_LIMIT, CARD_EVENTS, CARD_SAMPLE, CARD_FACTS };

/* The first part with the model, whose number its cards have. */
static size_t first_of_model(const struct report_set *set, const struct model *model)
{
	size_t first = 0;

	while (set->parts[first].model != model)
		first++;
	return first;
}

/* System calls are metrics of no model. */
static bool is_of_model(const struct model *model, const struct metric *metric)
{
	return metric >= model->metrics && metric < model->metrics + model->count;
}

const char *page_row_id(const struct report_set *set, const struct report *report, const struct metric *metric,
			struct arena *arena)
{
	if (!is_of_model(report->model, metric))
		return NULL;
	return arena_printf(arena, "n%zu.%zu", (size_t)(report - set->parts),
			    (size_t)(metric - report->model->metrics));
}

const char *page_card_id(const struct report_set *set, const struct metric *metric, const struct model *model,
			 struct arena *arena)
{
	if (!is_of_model(model, metric))
		return NULL;
	return arena_printf(arena, "m%zu.%zu", first_of_model(set, model), (size_t)(metric - model->metrics));
}

static const char *events_of(const struct model *model, const struct metric *metric, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nevents; i++)
		string_printf(&text, "%s%s", i ? ", " : "", model->events.events[metric->events[i]].name);
	return text.text ? text.text : "";
}

static const char *samples_of(const struct metric *metric, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nsamples; i++)
		string_printf(&text, "%s%s", i ? ", " : "", metric->samples[i]);
	return text.text ? text.text : "";
}

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

/* Of a metric without words, and where the glossary can't be read, they are empty. */
static struct glossary_entry words_of(const struct report *report, const struct metric *metric, struct arena *arena)
{
	struct glossary_entry entry = { .means = NULL };
	struct error unread = { .text = "" };

	if (!report->glossary || glossary_read_entry(&entry, report->glossary, metric->name, arena, &unread) < 0)
		return (struct glossary_entry){ .means = NULL };
	return entry;
}

static void add_card(struct document *doc, const struct report_set *set, const struct report *report, size_t number)
{
	const struct model *model = report->model;
	const struct metric *metric = &model->metrics[number];
	const struct glossary_entry entry = words_of(report, metric, doc->arena);
	const struct fact facts[CARD_FACTS] = {
		[CARD_MEANS] = { .label = "Means", .text = or_nothing(entry.means) },
		[CARD_HURTS] = { .label = "Hurts", .text = or_nothing(entry.hurts) },
		[CARD_TRY] = { .label = "Try", .text = or_nothing(entry.advice) },
		[CARD_DOMAIN] = { .label = "Share of", .text = or_nothing(metric->domain) },
		[CARD_FORMULA] = { .label = "Formula",
				   .text = or_nothing(program_text(model->program, number)),
				   .is_code = true },
		[CARD_LIMIT] = { .label = "Threshold",
				 .text = metric->has_threshold ? or_nothing(program_text(model->thresholds, number))
							       : "",
				 .is_code = true },
		[CARD_EVENTS] = { .label = "Events", .text = events_of(model, metric, doc->arena), .is_code = true },
		[CARD_SAMPLE] = { .label = "Sample", .text = samples_of(metric, doc->arena), .is_code = true },
	};
	struct fact *copies = arena_array(doc->arena, CARD_FACTS, sizeof(*copies));

	memcpy(copies, facts, sizeof(facts));
	doc_add(doc, (struct block){ .kind = BLOCK_CARD,
				     .text = metric->path,
				     .facts = copies,
				     .nfacts = CARD_FACTS,
				     .id = page_card_id(set, metric, model, doc->arena) });
}

static void node_cards_mark(bool *is_shown, const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		is_shown[report->nodes[i].metric - report->model->metrics] = true;
	for (size_t i = 0; i < report->nmetrics; i++)
		if (is_of_model(report->model, report->metrics[i].metric))
			is_shown[report->metrics[i].metric - report->model->metrics] = true;
}

void page_cards(struct document *doc, const struct report_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct model *model = set->parts[i].model;
		bool *is_shown = arena_array(doc->arena, model->count + 1, sizeof(*is_shown));

		if (first_of_model(set, model) != i)
			continue;
		for (size_t k = i; k < set->count; k++)
			if (set->parts[k].model == model)
				node_cards_mark(is_shown, &set->parts[k]);
		for (size_t k = 0; k < model->count; k++)
			if (is_shown[k])
				add_card(doc, set, &set->parts[i], k);
	}
}
