/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_sheet.c - the sheets from which Intel makes all other forms (TMA_Metrics-full.csv, Atom_TMA.csv): a row for
 * each node, metric or name for a part of formulas, a column for each CPU. For CPUs of which perfmon has no other form.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/import/convert.h"
#include "cpu/import/importer.h"

#define NONE	  ((size_t)-1)
#define MOST_DEEP 64 /* rows that refer to each other; a sheet with more goes in a circle */

enum row_state {
	ROW_NEW,
	ROW_STARTED,
	ROW_DONE,
	ROW_ABSENT,
};

struct sheet_row {
	const char *name;    /* "Memory_Bound", "IPC", "#Umisp" */
	const char *title;   /* "Memory_Bound", "Info_Thread_IPC"; NULL: a name for a part of formulas */
	const char *metric;  /* "tma_memory_bound" */
	const char *formula; /* this CPU's; NULL: it has none */
	const char *expr;    /* the same in perf's grammar */
	const char *locate, *domain, *threshold, *groups;
	unsigned level; /* 0: no node */
	size_t parent;	/* NONE: level 1 */
	enum row_state state;
};

struct sheet {
	struct import *import;
	struct arena *arena;
	struct sheet_cells cells;
	struct sheet_row *rows;
	size_t count, capacity;
	struct table names;
	unsigned depth;
	const char *unknown; /* what a formula names and nothing is */
};

/* ---- rows ---- */

static const char *title_of(const struct sheet *sheet, const char *key, const char *name)
{
	char *title = arena_printf(sheet->arena, "%s_%s", key, name);

	for (char *c = title; *c; c++)
		*c = *c == '.' ? '_' : *c;
	return title;
}

/* The node above: the last one that is one level up. */
static size_t parent_of(const struct sheet *sheet, unsigned level)
{
	for (size_t i = sheet->count; i > 0; i--)
		if (sheet->rows[i - 1].level == level - 1)
			return i - 1;
	return NONE;
}

static void sheet_add(struct sheet *sheet, const struct sheet_row *row)
{
	sheet->rows = arena_grow(sheet->arena, sheet->rows, sheet->count, &sheet->capacity, sizeof(*row));
	sheet->rows[sheet->count] = *row;
	if (table_get(&sheet->names, row->name) == TABLE_NONE)
		table_set(&sheet->names, row->name, sheet->count);
	sheet->count++;
}

/* Keys are "Info.Thread", "Bottleneck", "Aux"; "." for what has no formula; all others are branches of the tree. */
static void add_row(struct sheet *sheet, size_t number)
{
	const struct sheet_cells *cells = &sheet->cells;
	const char *key = sheet_cell(cells, number, "Key");
	unsigned level = 0;
	struct sheet_row row = {
		.formula = sheet_formula(cells, number),
		.locate = sheet_cell(cells, number, "Locate-with"),
		.domain = sheet_cell(cells, number, "Count Domain"),
		.threshold = sheet_cell(cells, number, "Threshold"),
		.groups = sheet_cell(cells, number, "Metric Group"),
		.parent = NONE,
	};

	row.name = sheet_name(cells, number, &level);
	if (!row.name[0] || !strcmp(key, ".") || !key[0])
		return;
	if (has_name_prefix(key, "Info.") || !strcmp(key, "Bottleneck")) {
		row.title = title_of(sheet, key, row.name);
	} else if (strcmp(key, "Aux") != 0) {
		row.title = row.name;
		row.level = level;
		row.parent = level > 1 ? parent_of(sheet, level) : NONE;
	}
	if (row.title)
		row.metric = text_lower(sheet->arena, arena_printf(sheet->arena, "tma_%s", row.title));
	sheet_add(sheet, &row);
}

/*
 * "Backend_Bound_Aux" is Backend_Bound under a second name, which has other causes below it: they are causes of the one
 * node, and level 1 has each slot once.
 */
static void join_second_names(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++) {
		struct sheet_row *row = &sheet->rows[i];
		size_t same = row->formula ? table_get(&sheet->names, row->formula) : TABLE_NONE;

		if (row->level != 1 || same == TABLE_NONE || sheet->rows[same].level != 1)
			continue;
		import_say(sheet->import, "%s is %s: its causes stand below that", row->name, sheet->rows[same].name);
		row->level = 0;
		for (size_t k = 0; k < sheet->count; k++)
			if (sheet->rows[k].parent == i)
				sheet->rows[k].parent = same;
	}
}

/* ---- formulas ---- */

static const struct sheet_constant {
	const char *name, *text;
} constants[] = {
	/* clang-format off */
	{ "TSC",                        "TSC" },
	{ "Num_CPUs",                   "#num_cpus_online" },
	{ "#DurationTimeInSeconds",     "duration_time" },
	{ "DurationTimeInMilliSeconds", "(duration_time * 1000)" },
	/* clang-format on */
};

static bool is_there(struct sheet *sheet, size_t number);

/* "##Memory_Bound": what its causes add up to. */
static const char *sum_below(struct sheet *sheet, size_t parent)
{
	struct string sum = STRING_INIT(sheet->arena);

	for (size_t i = 0; i < sheet->count; i++)
		if (sheet->rows[i].level && sheet->rows[i].parent == parent && is_there(sheet, i))
			string_printf(&sum, "%s%s", sum.length ? " + " : "(", sheet->rows[i].metric);
	return sum.length ? arena_printf(sheet->arena, "%s)", sum.text) : "0";
}

static const char *row_text(struct sheet *sheet, size_t number)
{
	const struct sheet_row *row = &sheet->rows[number];

	if (!is_there(sheet, number) || (!row->metric && !row->expr)) { /* a part of itself */
		sheet->unknown = sheet->unknown ? sheet->unknown : row->name;
		return row->name;
	}
	if (row->metric)
		return row->metric;
	return strchr(row->expr, ' ') ? arena_printf(sheet->arena, "(%s)", row->expr) : row->expr;
}

#define SUM "#sum:"

static const char *sheet_text_of(void *context, const char *name)
{
	struct sheet *sheet = context;
	bool is_sum = has_name_prefix(name, SUM);
	size_t number = table_get(&sheet->names, is_sum ? name + strlen(SUM) : name);
	const char *event, *unknown = NULL;

	for (size_t i = 0; i < COUNT_OF(constants); i++)
		if (!strcmp(constants[i].name, name))
			return constants[i].text;
	if (number != TABLE_NONE)
		return is_sum ? sum_below(sheet, number) : row_text(sheet, number);
	event = perfmon_event(sheet->import, name, &unknown);
	sheet->unknown = sheet->unknown ? sheet->unknown : unknown;
	return event;
}

static const char *sheet_convert(struct sheet *sheet, const char *text)
{
	struct convert_names names = { .context = sheet, .name = sheet_text_of };
	struct error err = { 0 };
	const char *expr = convert_formula(text, &names, sheet->arena, &err);

	if (!expr && !sheet->unknown)
		sheet->unknown = arena_strdup(sheet->arena, err.text);
	return expr;
}

/* "X if #DS else Y": the sheet says in a row of its own whether a CPU is such a one. */
static bool is_set(void *context, const char *name)
{
	const struct sheet *sheet = context;
	size_t number = table_get(&sheet->names, name);
	const char *formula = number == TABLE_NONE ? NULL : sheet->rows[number].formula;

	return formula && strcmp(formula, "0") != 0;
}

/* Computes a row, and what it names; what that lacks it lacks too. */
static bool is_there(struct sheet *sheet, size_t number)
{
	struct sheet_row *row = &sheet->rows[number];
	const char *unknown = sheet->unknown;

	if (row->state != ROW_NEW)
		return row->state != ROW_ABSENT;
	row->state = row->formula && sheet->depth < MOST_DEEP ? ROW_STARTED : ROW_ABSENT;
	if (row->state == ROW_ABSENT)
		return false;
	sheet->depth++;
	sheet->unknown = NULL;
	row->expr = sheet_convert(sheet, sheet_plain_formula(row->formula, is_set, sheet, sheet->arena));
	row->state = sheet->unknown || !row->expr ? ROW_ABSENT : ROW_DONE;
	if (row->state == ROW_ABSENT && row->metric)
		import_say(sheet->import, "%s: left out: '%s' is nothing that this CPU has", row->metric,
			   sheet->unknown);
	sheet->unknown = unknown;
	sheet->depth--;
	return row->state == ROW_DONE;
}

/* ---- thresholds ---- */

static const char *row_threshold(struct sheet *sheet, size_t number);

/* "> 0.7" of the row itself, "P" of the node above, or the name of another row, which stands for its threshold. */
static const char *one_threshold(struct sheet *sheet, size_t number, const char *text)
{
	struct sheet_row *row = &sheet->rows[number];
	const char *other;
	size_t named;

	if (strchr("<>", text[0])) {
		const char *limit = sheet_convert(sheet, text + 1);

		return limit ? arena_printf(sheet->arena, "%s %c %s", row->metric ? row->metric : row->expr, text[0],
					    limit)
			     : NULL;
	}
	named = !strcmp(text, "P") ? row->parent : table_get(&sheet->names, text);
	if (named == NONE || named == TABLE_NONE || !is_there(sheet, named))
		return NULL;
	other = row_threshold(sheet, named);
	return other && strpbrk(other, "&|") ? arena_printf(sheet->arena, "(%s)", other) : other;
}

/* NULL: it has none. */
static const char *row_threshold(struct sheet *sheet, size_t number)
{
	const char *text = sheet_condition(sheet->rows[number].threshold, sheet->arena), *part;
	struct string all = STRING_INIT(sheet->arena);
	char joint = strchr(text, '|') ? '|' : '&';
	char joints[] = { joint, '\0' };
	size_t length;

	if (sheet->depth >= MOST_DEEP)
		return NULL;
	sheet->depth++;
	while ((length = text_next(&text, joints, &part)) > 0) {
		const char *one = one_threshold(sheet, number, sheet_trim(part, length, sheet->arena));

		if (one)
			string_printf(&all, "%s%s", all.length ? (joint == '|' ? " | " : " & ") : "", one);
	}
	sheet->depth--;
	return all.length ? all.text : NULL;
}

/* ---- metrics ---- */

/* "$issueBW; ~overlap" behind the threshold: metrics that have to do with each other. */
static void add_issues(struct string *groups, const char *threshold)
{
	const char *issue = strchr(threshold, '$');

	for (; issue; issue = strchr(issue + 1, '$'))
		string_printf(groups, "%stma_%.*s", groups->length ? ";" : "", (int)strcspn(issue + 1, "; "),
			      issue + 1);
}

static const char *sheet_groups(const struct sheet *sheet, const struct sheet_row *row)
{
	struct string groups = STRING_INIT(sheet->arena);
	const char *list = row->groups, *part;
	size_t length;

	while ((length = text_next(&list, ";", &part)) > 0)
		string_printf(&groups, "%s%s", groups.length ? ";" : "", sheet_trim(part, length, sheet->arena));
	if (row->level)
		string_printf(&groups, "%sTopdownL%u;tma_L%u_group", groups.length ? ";" : "", row->level, row->level);
	if (row->level > 1)
		string_printf(&groups, ";%s_group", sheet->rows[row->parent].metric);
	add_issues(&groups, row->threshold);
	return groups.text;
}

static const char *sheet_unit(const struct sheet_row *row)
{
	static const char *const units[][2] = { { "Scaled_Slots", "1%" },
						{ "GB/sec", "1GB/s" },
						{ "MB/sec", "1MB/s" },
						{ "Seconds", "1s" },
						{ "NanoSeconds", "1ns" } };

	if (row->level)
		return "100%";
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (!strcmp(row->domain, units[i][0]))
			return units[i][1];
	return has_name_prefix(row->formula, "100 *") ? "1%" : "";
}

static void take_row(struct sheet *sheet, size_t number)
{
	const struct sheet_row *row = &sheet->rows[number];
	const char *list = sheet_choice(&sheet->cells, row->locate), *part;
	struct import_metric *metric;
	size_t length;

	if (!row->metric || !is_there(sheet, number))
		return;
	metric = metric_add(sheet->import, row->metric);
	metric->title = row->title;
	metric->expr = row->expr;
	metric->groups = sheet_groups(sheet, row);
	metric->unit = sheet_unit(row);
	metric->domain = row->domain;
	metric->threshold = row_threshold(sheet, number);
	while ((length = text_next(&list, "; ", &part)) > 0)
		metric_add_sample(sheet->import, metric, part, length);
}

/* A node below one that this CPU lacks has no place in the tree. */
static void check_parents(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++) {
		struct sheet_row *row = &sheet->rows[i];
		bool is_lost = row->level > 1 && (row->parent == NONE || !sheet->rows[row->parent].level ||
						  !is_there(sheet, row->parent));

		if (!is_lost)
			continue;
		if (is_there(sheet, i))
			import_say(sheet->import, "%s: the node above it is left out; no node of the tree",
				   row->metric);
		row->level = 0;
	}
}

static void sheet_take(struct sheet *sheet)
{
	for (size_t i = sheet_first_row(&sheet->cells); i < sheet->cells.nrows; i++)
		add_row(sheet, i);
	join_second_names(sheet);
	check_parents(sheet);
	for (size_t i = 0; i < sheet->count; i++)
		if (sheet->rows[i].level)
			take_row(sheet, i);
	for (size_t i = 0; i < sheet->count; i++)
		if (!sheet->rows[i].level)
			take_row(sheet, i);
}

int sheet_read(struct import *import, bool *is_read, struct error *err)
{
	struct sheet sheet = { .import = import, .arena = import->arena, .names = TABLE_INIT(import->arena) };
	const char *column = strchr(import->cpu->sheet, ' ');
	const char *name =
		column ? arena_strndup(import->arena, import->cpu->sheet, (size_t)(column - import->cpu->sheet))
		       : import->cpu->sheet;
	const char *path = import_path(import, name);

	*is_read = path != NULL;
	if (!path && name[0])
		import_say(import, "%s is in none of the folders: no metrics of it", name);
	if (!path)
		return 0;
	if (sheet_cells_read(&sheet.cells, path, column ? column + 1 : "", import->arena, err) < 0)
		return -1;
	sheet_take(&sheet);
	import->tma_version = sheet_version(&sheet.cells);
	import->model_source = arena_printf(import->arena, "intel/perfmon %s, column %s", name, column + 1);
	import->model_version = import->tma_version;
	return 0;
}
