/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report/software_parts.h"

#include <math.h>
#include <string.h>

#include "present/document/human.h"

enum {
	SOFTWARE_NAME,
	SOFTWARE_VALUE,
	SOFTWARE_UNIT,
	SOFTWARE_CI95,
	SOFTWARE_SOURCE,
	SOFTWARE_REASON,
	SOFTWARE_COLUMNS
};

static const struct column columns[SOFTWARE_COLUMNS] = {
	[SOFTWARE_NAME] = { .key = "name", .heading = "Kernel's counter" },
	[SOFTWARE_VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT, .gap = 2 },
	[SOFTWARE_UNIT] = { .key = "unit" },
	[SOFTWARE_CI95] = { .key = "ci95" },
	[SOFTWARE_SOURCE] = { .key = "source", .heading = "From", .gap = 2 },
	[SOFTWARE_REASON] = { .key = "reason", .heading = "Why not", .flags = COLUMN_TO_END, .gap = 2, .least = 20 },
};

/* Powers of 1024, as files are measured. */
static const char *bytes_text(struct arena *arena, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	while (bytes >= 1023.95 && unit + 1 < COUNT_OF(units)) {
		bytes /= 1024;
		unit++;
	}
	return arena_printf(arena, "%s %s", human_fixed(arena, bytes, unit && bytes < 99.95 ? 1 : 0), units[unit]);
}

/* Counts below a million to the last digit: 3 migrations, 1240 page faults. */
static const char *software_parts_value_text(struct arena *arena, const struct software_result *result)
{
	if (isnan(result->value))
		return "-";
	if (!strcmp(result->row->unit, "s"))
		return human_seconds(arena, result->value);
	if (!strcmp(result->row->unit, "B"))
		return bytes_text(arena, result->value);
	return result->value < 1e6 ? human_fixed(arena, result->value, 0) : human_count(arena, result->value);
}

static struct cell name_cell(const struct software_result *result)
{
	struct cell cell = text_cell(result->row->key);

	cell.shown = result->row->words;
	return cell;
}

struct grid *software_grid(const struct software_list *list, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = SOFTWARE_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < list->count; i++) {
		const struct software_result *result = &list->items[i];
		struct cell cells[SOFTWARE_COLUMNS] = {
			[SOFTWARE_NAME] = name_cell(result),
			[SOFTWARE_VALUE] = number_cell(result->value),
			[SOFTWARE_UNIT] = word_cell(result->row->unit),
			[SOFTWARE_CI95] = result->spread.n > 1 ? number_cell(result->spread.ci95) : absent_cell(),
			[SOFTWARE_SOURCE] = text_cell(result->source),
			[SOFTWARE_REASON] = text_cell(result->reason),
		};

		cells[SOFTWARE_VALUE].shown = software_parts_value_text(arena, result);
		cells[SOFTWARE_SOURCE].shown = result->source ? result->source : "";
		cells[SOFTWARE_REASON].shown = result->reason ? result->reason : "";
		grid_add(grid, cells, arena);
	}
	return grid;
}

void software_json(struct json_writer *writer, const struct software_list *list, struct arena *arena)
{
	if (!list->count)
		return;
	json_members(writer, MEMBERS({ "software", rows_cell(software_grid(list, arena)) },
				     { "software_native", list->is_native ? truth_cell(true) : absent_cell() }));
}

static const struct software_result *software_parts_find(const struct software_list *list, enum software_kind kind)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].row == &software_rows[kind])
			return &list->items[i];
	return NULL;
}

struct phrase {
	const char *before;
	enum software_kind kind;
	const char *after, *after_one; /* after_one NULL: the same */
};

/* What is unknown is in the table, with its reason. */
static void add_phrase(struct string *text, const struct software_list *list, const struct phrase *phrase)
{
	const struct software_result *result = software_parts_find(list, phrase->kind);
	const char *after = phrase->after;

	if (!result || isnan(result->value))
		return;
	if (result->value > 0.999 && result->value < 1.001 && phrase->after_one)
		after = phrase->after_one;
	string_printf(text, "%s%s%s%s", text->length ? ", " : "", phrase->before,
		      software_parts_value_text(text->arena, result), after);
}

const char *software_text(const struct document *doc, const struct software_list *list)
{
	static const struct phrase phrases[] = {
		{ "user ", SOFTWARE_USER, "", NULL },
		{ "system ", SOFTWARE_SYSTEM, "", NULL },
		{ "", SOFTWARE_SWITCHES, " context switches", " context switch" },
		{ "", SOFTWARE_MIGRATIONS, " migrations", " migration" },
		{ "", SOFTWARE_MINOR, " minor faults", " minor fault" },
		{ "", SOFTWARE_MAJOR, " major faults", " major fault" },
		{ "", SOFTWARE_READ, " read", NULL },
		{ "", SOFTWARE_WRITTEN, " written", NULL },
		{ "waited ", SOFTWARE_RUN_DELAY, " for a CPU", NULL },
	};
	struct string text = STRING_INIT(doc->arena);

	for (size_t i = 0; i < COUNT_OF(phrases); i++)
		add_phrase(&text, list, &phrases[i]);
	if (list->is_native && text.length)
		string_add(&text, " (in the native run)");
	return text.text;
}

void software_table(struct document *doc, const struct software_list *list)
{
	if (!list->count || !(doc->style->is_verbose || doc->is_page))
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = list->is_native ? "Counted by the kernel, in the native run"
							     : "Counted by the kernel",
				     .level = 3 });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = software_grid(list, doc->arena) });
}
