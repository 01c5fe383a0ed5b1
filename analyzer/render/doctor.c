/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor.c - a diagnosis: a row for each check, and what it comes to. */
#include "render/data.h"

#define STATE_WIDTH 9 /* "missing" and a gap */
#define TITLE_WIDTH 18

enum { CHECK, STATE, TITLE, FOUND, MEANS, CHANGE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[CHECK] = { .key = "check" },
	[STATE] = { .key = "state", .heading = "State", .least = STATE_WIDTH },
	[TITLE] = { .key = "title", .heading = "Title", .least = TITLE_WIDTH },
	[FOUND] = { .key = "found", .heading = "Found", .flags = COLUMN_WRAP },
	[MEANS] = { .key = "means", .heading = "Means", .flags = COLUMN_BELOW, .gap = STATE_WIDTH + TITLE_WIDTH },
	[CHANGE] = { .key = "change",
		     .heading = "Change",
		     .flags = COLUMN_BELOW | COLUMN_LABEL,
		     .gap = STATE_WIDTH + TITLE_WIDTH },
};

static struct grid *checks(const struct diagnosis *diagnosis, bool is_verbose, struct arena *arena)
{
	static const enum ink inks[] = {
		[FINDING_OK] = INK_PLAIN,
		[FINDING_LIMITS] = INK_BOLD,
		[FINDING_MISSING] = INK_WORST,
		[FINDING_UNKNOWN] = INK_DIM,
	};
	struct grid *table = arena_alloc(arena, sizeof(*table));

	*table = (struct grid){ .columns = columns, .ncolumns = COLUMNS, .is_catalog = true };
	for (size_t i = 0; i < diagnosis->count; i++) {
		const struct finding *finding = &diagnosis->findings[i];
		struct cell cells[COLUMNS] = {
			[CHECK] = text_cell(finding->key),     [STATE] = text_cell(finding_state_name(finding->state)),
			[TITLE] = text_cell(finding->title),   [FOUND] = text_cell(finding->found),
			[MEANS] = text_cell(finding->meaning), [CHANGE] = text_cell(finding->remedy),
		};

		cells[STATE].ink = inks[finding->state];
		grid_add(table, cells, arena)->has_more = is_verbose || finding->state != FINDING_OK;
	}
	return table;
}

static const char *conclusion(const struct diagnosis *diagnosis, struct arena *arena)
{
	if (!diagnosis->is_probed)
		return arena_printf(arena, "Whether level %u can be measured shows only on the machine itself.",
				    diagnosis->level);
	if (!diagnosis->can_measure && diagnosis->can_simulate)
		return arena_printf(arena,
				    "Level %u can't be measured here, but simulated: `topdown --pmu sim -l%u PROGRAM`.",
				    diagnosis->level, diagnosis->level);
	return arena_printf(arena, "Level %u can%s be measured here.", diagnosis->level,
			    diagnosis->can_measure ? "" : "'t");
}

static void diagnosis_document(struct document *doc, const void *what)
{
	const struct diagnosis *diagnosis = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "What can be measured", .level = 1 });
	doc_add(doc,
		(struct block){ .kind = BLOCK_TABLE, .grid = checks(diagnosis, doc->style->is_verbose, doc->arena) });
	doc_gap(doc);
	doc_sentence(doc, conclusion(diagnosis, doc->arena));
}

static void diagnosis_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	static const struct column heads[] = {
		{ .key = "format" }, { .key = "version" },     { .key = "cpu" },
		{ .key = "level" },  { .key = "can_measure" }, { .key = "conclusion" },
	};
	const struct diagnosis *diagnosis = what;
	const struct cell cells[COUNT_OF(heads)] = {
		text_cell("topdown-doctor"),	    whole_cell(1),
		text_cell(diagnosis->cpu),	    whole_cell(diagnosis->level),
		truth_cell(diagnosis->can_measure), text_cell(conclusion(diagnosis, arena)),
	};

	json_cells(writer, heads, cells, COUNT_OF(heads));
	json_grid(writer, "checks", checks(diagnosis, true, arena));
}

static void diagnosis_csv(struct sheet *sheet, const void *what)
{
	csv_grid(sheet, checks(what, true, sheet->arena));
}

const struct view diagnosis_view = { .document = diagnosis_document, .json = diagnosis_json, .csv = diagnosis_csv };
