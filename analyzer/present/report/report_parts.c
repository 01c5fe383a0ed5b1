/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_parts.c - many parts of a measurement: a row for each with level 1 and its worst node, and no tree. */
#include <string.h>

#include "present/document/human.h"
#include "present/report/report_fields.h"

/* Beside those of the nodes of level 1. */
enum { PART_NAME, PART_CYCLES, PART_TIMES, PART_IPC, PART_NODES };

#define MOST_TREES  4 /* more do not fit a screen */
#define CORE_MODELS "core model"

static bool is_same_text(const char *a, const char *b)
{
	return compare_texts(a, b) == 0;
}

static size_t alike(const struct report_set *set, size_t first)
{
	const struct report *parts = set->parts;
	size_t count = 1;

	while (first + count < set->count && parts[first + count].model == parts[first].model &&
	       is_same_text(parts[first + count].summary.part_kind, parts[first].summary.part_kind))
		count++;
	return count;
}

bool are_core_models(const struct report_set *set)
{
	return set->count > 1 && is_same_text(set->parts[0].summary.part_kind, CORE_MODELS);
}

size_t report_many(const struct document *doc, const struct report_set *set, size_t first)
{
	size_t count = alike(set, first);

	return (count > MOST_TREES || are_core_models(set)) && !doc->style->is_verbose && set->parts[first].nnodes
		       ? count
		       : 0;
}

/* "Backend", "Bad_Spec": what leaves room for the others. */
static const char *short_title(const struct metric *metric, struct arena *arena)
{
	static const struct {
		const char *end, *shown;
	} rows[] = { { "_Bound", "" }, { "_Speculation", "_Spec" }, { "_Contention", "" } };
	size_t length = strlen(metric->title);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t end = strlen(rows[i].end);

		if (length > end && !strcmp(metric->title + length - end, rows[i].end))
			return arena_printf(arena, "%.*s%s", (int)(length - end), metric->title, rows[i].shown);
	}
	return metric->title;
}

static size_t count_roots(const struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->nnodes; i++)
		count += report->nodes[i].metric->level == 1;
	return count;
}

static struct grid *new_grid(struct document *doc, const struct report *report)
{
	size_t count = PART_NODES;
	struct column *columns = arena_array(doc->arena, PART_NODES + count_roots(report) + 1, sizeof(*columns));
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	bool is_model = is_same_text(report->summary.part_kind, CORE_MODELS);

	columns[PART_NAME] =
		(struct column){ .heading = is_model ? "Core" : "Part", .flags = COLUMN_SHRINKS, .least = 8 };
	columns[PART_CYCLES] = (struct column){ .heading = "Cycles", .flags = COLUMN_RIGHT, .gap = 2 };
	if (is_model)
		columns[PART_TIMES] = (struct column){ .heading = "Times", .flags = COLUMN_RIGHT, .gap = 2 };
	else /* the instructions of all models are the same */
		columns[PART_IPC] = (struct column){ .heading = "IPC", .flags = COLUMN_RIGHT, .gap = 2 };
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].metric->level == 1)
			columns[count++] = (struct column){ .heading = short_title(report->nodes[i].metric, doc->arena),
							    .flags = COLUMN_RIGHT,
							    .gap = 2 };
	columns[count++] = (struct column){ .heading = "Worst", .flags = COLUMN_TO_END, .gap = 2, .least = 8 };
	*grid = (struct grid){ .columns = columns, .ncolumns = count, .has_heads = true };
	return grid;
}

static enum ink value_ink(const struct result *node)
{
	return node->is_on_worst_path ? INK_PATH : node->is_bottleneck ? INK_BOLD : INK_PLAIN;
}

/* "core 3": which CPUs it has is said by -v. */
static const char *short_name(const struct summary *summary, struct arena *arena)
{
	const char *name = summary->part ? summary->part : "all", *cpus = strstr(name, " (CPU ");
	const char *end = cpus ? strchr(cpus, ')') : NULL;

	return end ? arena_printf(arena, "%.*s%s", (int)(cpus - name), name, end + 1) : name;
}

/* least: the cycles of the part that has the fewest. */
static void report_parts_add_row(struct document *doc, struct grid *grid, const struct report *report, double least)
{
	struct cell *cells = arena_array(doc->arena, grid->ncolumns, sizeof(*cells));
	const struct summary *summary = &report->summary;
	size_t count = PART_NODES;

	cells[PART_NAME] = shown_cell(short_name(summary, doc->arena), INK_PLAIN);
	cells[PART_CYCLES] = shown_cell(human_count(doc->arena, summary->cycles), INK_PLAIN);
	cells[PART_TIMES] = shown_cell(human_fixed(doc->arena, summary->cycles / least, 2), INK_PLAIN);
	cells[PART_IPC] = shown_cell(human_fixed(doc->arena, summary->ipc, 2), INK_PLAIN);
	for (size_t i = 0; i < report->nnodes && count < grid->ncolumns - 1; i++) {
		const struct result *node = &report->nodes[i];
		double value = is_measured(node) ? node->value : NOT_COUNTED;

		if (node->metric->level == 1)
			cells[count++] = shown_cell(human_value(doc->arena, node->metric, value), value_ink(node));
	}
	cells[grid->ncolumns - 1] = shown_cell(report->worst ? report->worst->metric->title : "", INK_WORST);
	grid_add(grid, cells, doc->arena);
}

void report_parts(struct document *doc, const struct report *parts, size_t count)
{
	struct grid *grid = new_grid(doc, &parts[0]);
	double least = INFINITY;

	for (size_t i = 0; i < count; i++)
		least = fmin(least, parts[i].summary.cycles);
	for (size_t i = 0; i < count; i++)
		report_parts_add_row(doc, grid, &parts[i], least);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_gap(doc);
	doc_sentence(doc, "Level 1 in percent of the slots, and the worst node: -v shows the tree of each part");
	if (grid->columns[PART_TIMES].heading)
		doc_sentence(
			doc,
			"Times: the cycles by the fewest. Clock rates are not modelled, so cycles of two cores may "
			"last differently long.");
}

/* ---- remarks ---- */

static bool has_note(const struct report *report, const char *note)
{
	for (size_t i = 0; i < report->nnotes; i++)
		if (!strcmp(report->notes[i], note))
			return true;
	return false;
}

#define MOST_NAMES 3

/* "CPU 1, CPU 2, CPU 5 and 4 more: ..."; a remark on all of them stands by itself. */
static const char *note_text(const struct document *doc, const struct report *parts, size_t count, const char *note)
{
	struct string names = STRING_INIT(doc->arena);
	size_t having = 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_note(&parts[i], note))
			continue;
		if (having++ < MOST_NAMES)
			string_printf(&names, "%s%s", names.length ? ", " : "", parts[i].summary.part);
	}
	if (having == count)
		return note;
	if (having > MOST_NAMES)
		string_printf(&names, " and %zu more", having - MOST_NAMES);
	return arena_printf(doc->arena, "%s: %s", names.text, note);
}

void report_part_notes(struct document *doc, const struct report *parts, size_t count)
{
	bool is_first = true;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < parts[i].nnotes; k++) {
			const char *note = parts[i].notes[k];
			size_t before = 0;

			while (before < i && !has_note(&parts[before], note))
				before++;
			if (before < i)
				continue;
			if (is_first)
				doc_gap(doc);
			is_first = false;
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = note_text(doc, parts, count, note) });
		}
}

const char *idle_text(struct arena *arena, const struct report_set *set)
{
	struct string text = STRING_INIT(arena);

	if (!set->nidle)
		return NULL;
	string_add(
		&text,
		arena_worded(arena,
			     "Left out as idle, with less than %g %% of the cycles of the busiest ({idle-threshold}): ",
			     set->idle_percent));
	for (size_t i = 0; i < set->nidle; i++)
		string_printf(&text, "%s%s", i ? ", " : "", set->idle[i]);
	return text.text;
}
