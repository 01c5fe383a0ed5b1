/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor.c - a diagnosis: a row for each check, and what it comes to. */
#include "present/document/data.h"
#include "present/document/human.h"
#include "present/machine/doctor_parts.h"

#define STATE_WIDTH 9 /* "missing" and a gap */
#define TITLE_WIDTH 18

enum { CHECK, STATE, TITLE, FOUND, MEANS, CHANGE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[CHECK] = { .key = "check", .flags = COLUMN_NO_PAGE },
	[STATE] = { .key = "state", .heading = "State", .least = STATE_WIDTH },
	[TITLE] = { .key = "title", .heading = "Title", .least = TITLE_WIDTH },
	[FOUND] = { .key = "found", .heading = "Found", .flags = COLUMN_WRAP },
	[MEANS] = { .key = "means", .heading = "Means", .flags = COLUMN_BELOW, .gap = STATE_WIDTH + TITLE_WIDTH },
	[CHANGE] = { .key = "change",
		     .heading = "Change",
		     .flags = COLUMN_BELOW | COLUMN_LABEL,
		     .gap = STATE_WIDTH + TITLE_WIDTH },
};

struct grid *doctor_checks(const struct diagnosis *diagnosis, bool is_verbose, struct arena *arena)
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

const char *doctor_conclusion(const struct diagnosis *diagnosis, struct arena *arena)
{
	if (!diagnosis->is_probed)
		return arena_printf(arena, "Whether level %u can be measured shows only on the machine itself.",
				    diagnosis->level);
	if (!diagnosis->can_measure && diagnosis->can_simulate)
		return arena_worded(
			arena, "Level %u can't be measured here, but simulated: `topdown {pmu sim} {l}%u PROGRAM`.",
			diagnosis->level, diagnosis->level);
	return arena_printf(arena, "Level %u can%s be measured here.", diagnosis->level,
			    diagnosis->can_measure ? "" : "'t");
}

/* NULL: nobody asked, or it could not be measured. */
static const char *steady_text(const struct diagnosis *diagnosis, struct arena *arena)
{
	const struct steadiness *s = diagnosis->steadiness;

	if (!s)
		return NULL;
	return arena_printf(arena, "%s now: the same small piece of work takes up to %s %% more or less time%s.",
			    diagnosis->is_steady ? "The machine is steady" : "The machine is not steady",
			    human_fixed(arena, 100 * spread_share(&s->kernel_s), 1),
			    diagnosis->is_steady ? "" : ", or what it shares with others does; see the findings above");
}

static void diagnosis_document(struct document *doc, const void *what)
{
	const struct diagnosis *diagnosis = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "What can be measured", .level = 1 });
	doc_sentence(doc, doctor_conclusion(diagnosis, doc->arena));
	if (diagnosis->steadiness)
		doc_sentence(doc, steady_text(diagnosis, doc->arena));
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE,
				     .grid = doctor_checks(diagnosis, doc->style->is_verbose, doc->arena) });
}

static struct cell spread_cell(const struct spread_of *spread, struct arena *arena)
{
	return object_cell(arena,
			   MEMBERS({ "median", number_cell(spread->median) }, { "low", number_cell(spread->low) },
				   { "high", number_cell(spread->high) }, { "n", whole_cell(spread->count) }));
}

/* Absent: nobody asked, or it could not be measured. */
static struct cell steadiness_cell(const struct diagnosis *diagnosis, struct arena *arena)
{
	const struct steadiness *s = diagnosis->steadiness;

	if (!s)
		return absent_cell();
	return object_cell(arena, MEMBERS({ "steady", truth_cell(diagnosis->is_steady) },
					  { "conclusion", text_cell(steady_text(diagnosis, arena)) },
					  { "seconds", number_cell(s->seconds) }, { "on_cpu", number_cell(s->on_cpu) },
					  { "preemptions", number_cell(s->preemptions) },
					  { "running", number_cell(s->running) }, { "stolen", number_cell(s->stolen) },
					  { "interrupts", number_cell(s->interrupts) },
					  { "quota", number_cell(isinf(s->quota) ? NAN : s->quota) },
					  { "throttled", number_cell(s->throttled) },
					  { "time_s", spread_cell(&s->kernel_s, arena) },
					  { "cycles", spread_cell(&s->kernel_cycles, arena) },
					  { "clock_hz", spread_cell(&s->clock_hz, arena) },
					  { "cache_s", spread_cell(&s->cache_s, arena) },
					  { "memory_s", spread_cell(&s->memory_s, arena) }));
}

static void diagnosis_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct diagnosis *diagnosis = what;

	json_members(writer, MEMBERS({ "format", text_cell("topdown-doctor") }, { "version", whole_cell(1) },
				     { "cpu", text_cell(diagnosis->cpu) }, { "level", whole_cell(diagnosis->level) },
				     { "can_measure", truth_cell(diagnosis->can_measure) },
				     { "conclusion", text_cell(doctor_conclusion(diagnosis, arena)) },
				     { "steadiness", steadiness_cell(diagnosis, arena) },
				     { "checks", rows_cell(doctor_checks(diagnosis, true, arena)) }));
}

static void diagnosis_csv(struct sheet *sheet, const void *what)
{
	csv_grid(sheet, doctor_checks(what, true, sheet->arena));
}

const struct view diagnosis_view = { .document = diagnosis_document, .json = diagnosis_json, .csv = diagnosis_csv };
