/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - nodes and metrics explained: words, place in the tree, formula, threshold, what to sample. */
#include "present/document/data.h"

#define LABEL 11 /* columns */

enum {
	NODE,
	NAME,
	ALSO_CALLED,
	SOURCE,
	MEANS,
	HURTS,
	TRY,
	DOMAIN,
	FORMULA,
	THRESHOLD,
	EVENTS,
	PARENT,
	CHILDREN,
	NEXT_GROUPS,
	SAMPLE,
	PMUS,
	FAILURE,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
	[NODE] = { .key = "path", .heading = "Node" },
	[NAME] = { .key = "name", .heading = "Name" },
	[ALSO_CALLED] = { .key = "also_called", .heading = "Also" },
	[SOURCE] = { .key = "source", .heading = "Source" },
	[MEANS] = { .key = "means", .heading = "Means" },
	[HURTS] = { .key = "hurts", .heading = "Hurts" },
	[TRY] = { .key = "try", .heading = "Try" },
	[DOMAIN] = { .key = "domain", .heading = "Domain" },
	[FORMULA] = { .key = "formula", .heading = "Formula" },
	[THRESHOLD] = { .key = "threshold", .heading = "Threshold" },
	[EVENTS] = { .key = "events", .heading = "Events" },
	[PARENT] = { .key = "parent", .heading = "Parent" },
	[CHILDREN] = { .key = "children", .heading = "Children" },
	[NEXT_GROUPS] = { .key = "next_groups", .heading = "Then" },
	[SAMPLE] = { .key = "sample", .heading = "Sample" },
	[PMUS] = { .key = "pmus", .heading = "PMUs" },
	[FAILURE] = { .key = "failure", .heading = "Not here" },
};

static const char *events_of(const struct model *model, const struct metric *metric, struct arena *arena)
{
	struct string list = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nevents; i++)
		string_printf(&list, "%s%s", i ? ";" : "", model->events.events[metric->events[i]].name);
	return list.text;
}

/* PMUs beside the cores whose events it reads, each once; they count for the whole machine. */
static const char *pmus_of(const struct model *model, const struct metric *metric, struct arena *arena)
{
	struct string list = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nevents; i++) {
		const char *unit = model->events.events[metric->events[i]].unit;

		if (unit && !has_word(list.text, ";", unit))
			string_printf(&list, "%s%s", list.length ? ";" : "", unit);
	}
	return list.text;
}

static const char *children_of(const struct model *model, size_t number, struct arena *arena)
{
	struct string list = STRING_INIT(arena);

	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].parent == number)
			string_printf(&list, "%s%s", list.length ? ";" : "", model->metrics[i].title);
	return list.text;
}

static void add_explanation(struct grid *table, const struct model *model, const struct explanation *explained,
			    struct arena *arena)
{
	size_t number = explained->metric;
	const struct metric *metric = &model->metrics[number];
	const struct glossary_entry *words = &explained->words;
	const struct cell cells[COLUMNS] = {
		[NODE] = word_cell(metric->path),
		[NAME] = word_cell(metric->name),
		[ALSO_CALLED] = parts_cell(metric->also_called),
		[SOURCE] = word_cell(metric->is_ours || model->is_simulated ? "topdown" : "vendor"),
		[MEANS] = word_cell(words->means ? words->means : "(no words about it yet)"),
		[HURTS] = word_cell(words->hurts),
		[TRY] = word_cell(words->advice),
		[DOMAIN] = word_cell(metric->domain),
		[FORMULA] = word_cell(program_text(model->program, number)),
		[THRESHOLD] = word_cell(metric->has_threshold ? program_text(model->thresholds, number) : NULL),
		[EVENTS] = parts_cell(events_of(model, metric, arena)),
		[PARENT] = word_cell(metric->parent == NO_PARENT ? NULL : model->metrics[metric->parent].title),
		[CHILDREN] = parts_cell(children_of(model, number, arena)),
		[NEXT_GROUPS] = parts_cell(metric->next_groups),
		[SAMPLE] = names_cell(arena, metric->samples, metric->nsamples),
		[PMUS] = parts_cell(pmus_of(model, metric, arena)),
		[FAILURE] = word_cell(metric->failure),
	};

	grid_add(table, cells, arena);
}

static struct grid explained(const struct explanation_set *set, struct arena *arena)
{
	struct grid table = { .columns = columns, .ncolumns = COLUMNS };

	for (size_t i = 0; i < set->count; i++)
		add_explanation(&table, set->model, &set->items[i], arena);
	return table;
}

/* A card for each: their texts are too long to stand beside each other. */
static void explanation_document(struct document *doc, const void *what)
{
	const struct explanation_set *set = what;
	const struct grid table = explained(set, doc->arena);

	if (doc->is_page)
		doc_add(doc, (struct block){ .kind = BLOCK_TITLE,
					     .level = 1,
					     .text = arena_printf(doc->arena, "Explained, of %s", set->model->cpu) });
	for (size_t i = 0; i < table.count; i++) {
		struct fact *facts = arena_array(doc->arena, COLUMNS, sizeof(*facts));

		for (size_t j = 0; j < COLUMNS; j++)
			facts[j] = (struct fact){ .label = columns[j].heading,
						  .text = cell_shown(doc->arena, &table.rows[i].cells[j]) };
		if (i)
			doc_gap(doc);
		if (doc->is_page)
			doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
						     .level = 2,
						     .text = cell_shown(doc->arena, &table.rows[i].cells[NODE]) });
		doc_add(doc, (struct block){ .kind = BLOCK_CARD, .facts = facts, .nfacts = COLUMNS, .label = LABEL });
	}
}

static void explanation_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct explanation_set *set = what;
	const struct grid table = explained(set, arena);

	json_members(writer, MEMBERS({ "format", text_cell("topdown-explanation") }, { "version", whole_cell(1) },
				     { "cpu", text_cell(set->model->cpu) }, { "explained", rows_cell(&table) }));
}

static void explanation_csv(struct sheet *sheet, const void *what)
{
	const struct grid table = explained(what, sheet->arena);

	csv_grid(sheet, &table);
}

const struct view explanation_view = { .document = explanation_document,
				       .json = explanation_json,
				       .csv = explanation_csv };
