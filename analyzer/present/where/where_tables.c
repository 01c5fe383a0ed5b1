/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_tables.c - where something happens, for people: functions, lines, callers, threads, with their intervals. */
#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "present/document/human.h"
#include "present/where/where_parts.h"

#define MOST	      10 /* rows of a table; the others are summed up in a line */
#define MOST_VERBOSE  100
#define LEAST_VERBOSE 0.05 /* percent of a row behind the MOST largest */
#define LEAST_SHOWN   0.5  /* percent of a row otherwise */
#define LEAST_PLACE   8

const struct column where_columns[WHERE_COLUMNS] = {
	[WHERE_SELF] = { .key = "self", .heading = "Self %", .flags = COLUMN_RIGHT, .least = 8 },
	[WHERE_INTERVAL] = { .heading = "95 %", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = 2 },
	[WHERE_TOTAL] = { .key = "total", .heading = "Total %", .flags = COLUMN_RIGHT, .gap = 2 },
	[WHERE_SAMPLES] = { .key = "samples", .heading = "Samples", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = 2 },
	[WHERE_BASE] = { .key = "base", .heading = "Cycles %", .flags = COLUMN_RIGHT, .gap = 2 },
	[WHERE_PLACE] = { .heading = "Line", .flags = COLUMN_FRONT_CUT, .gap = 2 },
	[WHERE_FUNCTION] = { .key = "name",
			     .csv = "function",
			     .heading = "Function",
			     .flags = COLUMN_TO_END | COLUMN_MIDDLE_CUT,
			     .gap = 2,
			     .least = 8 },
	[WHERE_SHARED] = { .key = "transfers",
			   .heading = "Shares lines with",
			   .flags = COLUMN_BELOW | COLUMN_PAGE_ONLY,
			   .gap = 12 },
	[WHERE_FILE] = { .key = "file" },
	[WHERE_LINE] = { .key = "line" },
	[WHERE_INTO] = { .key = "inlined_into" },
	[WHERE_AT_FILE] = { .key = "inlined_at_file" },
	[WHERE_AT_LINE] = { .key = "inlined_at_line" },
	[WHERE_MODULE] = { .key = "module", .csv = "object" },
	[WHERE_LOW] = { .key = "self_low" },
	[WHERE_HIGH] = { .key = "self_high" },
	[WHERE_TOTAL_LOW] = { .key = "total_low" },
	[WHERE_TOTAL_HIGH] = { .key = "total_high" },
	[WHERE_ROUGH] = { .key = "rough" },
	[WHERE_FROM] = { .key = "from_s" },
	[WHERE_TO] = { .key = "to_s" },
	[WHERE_PARTNERS] = { .key = "shares_lines_with" },
	[WHERE_FUNCTIONS] = { .key = "functions" },
};

static struct cell cell_of(double number, bool is_asked)
{
	return is_asked ? number_cell(number) : absent_cell();
}

void where_cells(struct cell *cells, const struct where *where, const struct where_row *row)
{
	bool is_line = row->file || isnan(row->total.percent), has_total = !isnan(row->total.percent);
	bool is_sampled = !where->weighing->is_exact;
	const struct cell filled[WHERE_COLUMNS] = {
		[WHERE_SELF] = number_cell(row->self.percent),
		[WHERE_TOTAL] = cell_of(row->total.percent, has_total),
		[WHERE_SAMPLES] = is_sampled ? whole_cell(row->self.samples) : absent_cell(),
		[WHERE_BASE] = cell_of(row->base.percent, !isnan(row->base.percent)),
		[WHERE_FUNCTION] = text_cell(row->function),
		[WHERE_FILE] = is_line ? text_cell(row->file) : absent_cell(),
		[WHERE_LINE] = is_line ? known_cell(row->line) : absent_cell(),
		[WHERE_INTO] = row->into ? text_cell(row->into) : absent_cell(),
		[WHERE_AT_FILE] = row->at_file ? text_cell(row->at_file) : absent_cell(),
		[WHERE_AT_LINE] = row->at_file ? known_cell(row->at_line) : absent_cell(),
		[WHERE_MODULE] = text_cell(row->module),
		[WHERE_LOW] = number_cell(row->self.low),
		[WHERE_HIGH] = number_cell(row->self.high),
		[WHERE_TOTAL_LOW] = cell_of(row->total.low, has_total && is_sampled),
		[WHERE_TOTAL_HIGH] = cell_of(row->total.high, has_total && is_sampled),
		[WHERE_ROUGH] = is_sampled ? truth_cell(row->self.is_rough) : absent_cell(),
		[WHERE_FROM] = cell_of(row->from_s, row->to_s > 0),
		[WHERE_TO] = cell_of(row->to_s, row->to_s > 0),
		[WHERE_PARTNERS] = absent_cell(),
		[WHERE_FUNCTIONS] = absent_cell(),
	};

	memcpy(cells, filled, sizeof(filled));
}

/* ---- a table ---- */

enum table_kind { OF_FUNCTIONS, OF_LINES, OF_PARTS, OF_CALLS };

struct table_of {
	const struct where *where;
	const struct where_rows *rows;
	enum table_kind kind;
	double limit; /* percent; 0: the usual one */
	size_t shown;
};

static const char *base_name(const char *path)
{
	const char *name = path ? module_base_name(path) : NULL;

	return name ? name : "no file";
}

/* "chase.c:38"; of a function, or where the line is unknown, the program or library. */
static const char *place_text(const struct document *doc, const struct table_of *table, const struct where_row *row)
{
	const char *module = doc->style->is_verbose && row->module ? row->module : base_name(row->module);

	if (table->kind == OF_LINES && row->line && row->file)
		return arena_printf(doc->arena, "%s:%u", doc->style->is_verbose ? row->file : base_name(row->file),
				    row->line);
	if (table->kind == OF_PARTS && !row->module)
		return "";
	if (table->kind == OF_CALLS && !row->module)
		return "";
	return *module == '[' ? module : arena_printf(doc->arena, "[%s]", module);
}

static bool where_tables_is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Is the same line shown twice, inlined at two places? Only these differ: they come first, as the text may be cut. */
static bool has_twin(const struct table_of *table, const struct where_row *row)
{
	for (size_t i = 0; i < table->shown; i++) {
		const struct where_row *other = &table->rows->items[i];

		if (other != row && other->line == row->line && where_tables_is_same(other->file, row->file) &&
		    where_tables_is_same(other->function, row->function))
			return true;
	}
	return false;
}

static const char *inlined_text(const struct document *doc, const struct table_of *table, const struct where_row *row)
{
	const char *name = row->function ? row->function : "(no name)", *at = "";

	if (row->at_file)
		at = arena_printf(doc->arena, ", %s:%u", base_name(row->at_file), row->at_line);
	if (table->kind == OF_LINES && row->line && !doc->is_page && has_twin(table, row))
		return arena_printf(doc->arena, "in %s%s: %s", row->into, at, name);
	return arena_printf(doc->arena, "%s (inlined into %s%s)", name, row->into, at);
}

static const char *function_text(const struct document *doc, const struct table_of *table, const struct where_row *row)
{
	const char *name = row->function ? row->function : table->kind == OF_PARTS ? "" : "(no name)";

	if (table->kind == OF_PARTS && table->where->by == BY_INTERVAL)
		return where_time_text(doc->arena, row);
	if (row->into)
		name = inlined_text(doc, table, row);
	return where_row_is_timed(table->where, row) ? arena_printf(doc->arena, "* %s", name) : name;
}

const char *where_percent_text(struct arena *arena, double percent)
{
	return isnan(percent) ? "" : human_fixed(arena, percent, 1);
}

const char *where_interval_text(struct arena *arena, const struct share *share)
{
	return arena_printf(arena, "%s%s to %s", share->is_rough ? "~ " : "", human_fixed(arena, share->low, 1),
			    human_fixed(arena, share->high, 1));
}

#define MOST_PARTNERS	3
#define LEAST_PARTNERED 0.05 /* percent of a row */

/* "False_Sharing with list.c:33 (count_down): 12 k transfers, ..." */
static const char *partners_text(const struct document *doc, const struct where_row *row)
{
	struct string text = STRING_INIT(doc->arena);

	if (!(row->self.percent >= LEAST_PARTNERED))
		return "";
	for (size_t i = 0; i < row->npartners && i < MOST_PARTNERS; i++) {
		const struct where_partner *partner = &row->partners[i];
		const char *function = partner->function ? partner->function : base_name(partner->module);

		if (!i || partner->kind != partner[-1].kind)
			string_printf(&text, "%s%s with ", i ? "; " : "", where_sharing_name(partner->kind));
		else
			string_printf(&text, ", ");
		if (partner->is_itself)
			string_printf(&text, "itself in another thread");
		else if (partner->line)
			string_printf(&text, "%s:%u (%s)", base_name(partner->file), partner->line, function);
		else
			string_printf(&text, "%s", function);
		string_printf(&text, " %s%s", human_count(doc->arena, partner->transfers),
			      i			       ? ""
			      : partner->transfers > 1 ? " transfers"
						       : " transfer");
	}
	if (row->npartners > MOST_PARTNERS)
		string_printf(&text, "; and %zu more", row->npartners - MOST_PARTNERS);
	return text.length ? text.text : "";
}

/* The transfers of each partner. */
static struct cell transfers_cell(const struct document *doc, const struct where_row *row)
{
	struct string text = STRING_INIT(doc->arena);

	for (size_t i = 0; i < row->npartners; i++)
		string_printf(&text, "%s%s", i ? ";" : "", plain_number(doc->arena, row->partners[i].transfers));
	return parts_cell(text.text);
}

static void show_cells(struct cell *cells, struct document *doc, const struct table_of *table,
		       const struct where_row *row)
{
	struct arena *arena = doc->arena;

	where_cells(cells, table->where, row);
	cells[WHERE_SELF].shown = where_percent_text(arena, row->self.percent);
	cells[WHERE_INTERVAL] = shown_cell(where_interval_text(arena, &row->self), INK_DIM);
	cells[WHERE_TOTAL].shown = where_percent_text(arena, row->total.percent);
	cells[WHERE_SAMPLES].shown = human_fixed(arena, (double)row->self.samples, 0);
	cells[WHERE_BASE].shown = where_percent_text(arena, row->base.percent);
	cells[WHERE_PLACE] = shown_cell(place_text(doc, table, row), INK_BOLD);
	cells[WHERE_FUNCTION].shown = function_text(doc, table, row);
	cells[WHERE_SHARED] = transfers_cell(doc, row);
	cells[WHERE_SHARED].shown = partners_text(doc, row);
	cells[WHERE_SHARED].ink = INK_DIM;
}

/* Percent that the next row has at least: half of the largest, where all are small. */
static double least_of(const struct document *doc, const struct table_of *table, size_t shown)
{
	if (table->limit > 0)
		return table->limit;
	if (doc->style->is_verbose)
		return shown < MOST ? 0 : LEAST_VERBOSE;
	return fmin(LEAST_SHOWN, table->rows->items[0].self.percent / 2);
}

/* As many rows as people read, down to the limit; intervals all, since -I says their number. */
static size_t count_shown(const struct document *doc, const struct table_of *table)
{
	size_t most = table->limit > 0 ? table->rows->count : doc->style->is_verbose ? MOST_VERBOSE : MOST, shown;

	if (table->kind == OF_PARTS && table->where->by == BY_INTERVAL)
		return table->rows->count;
	for (shown = 0; shown < table->rows->count && shown < most; shown++) {
		double percent = table->rows->items[shown].self.percent;

		if (shown && !doc->is_page && !(percent > 0 && percent >= least_of(doc, table, shown)))
			break;
	}
	return shown;
}

static const char *things_of(const struct table_of *table, bool is_one)
{
	static const char *const parts[][2] = {
		[BY_NOTHING] = { "parts", "part" },	     [BY_THREAD] = { "threads", "thread" },
		[BY_PROCESS] = { "processes", "process" },   [BY_MODULE] = { "modules", "module" },
		[BY_INTERVAL] = { "intervals", "interval" },
	};
	static const char *const code[][2] = { { "functions", "function" }, { "lines", "line" } };

	return table->kind == OF_PARTS ? parts[table->where->by][is_one] : code[table->kind == OF_LINES][is_one];
}

static const char *base_heading(const struct where *where)
{
	return where->base && !strcmp(where->base->unit, "ns") ? "Time %" : "Cycles %";
}

static bool has_total(const struct table_of *table)
{
	return table->kind == OF_FUNCTIONS && table->where->has_stacks;
}

static bool has_base(const struct table_of *table)
{
	return table->where->base && table->kind != OF_CALLS;
}

static bool has_partners(const struct table_of *table)
{
	for (size_t i = 0; i < table->shown; i++)
		if (table->rows->items[i].npartners)
			return true;
	return false;
}

/* Without what no row of this table has. */
static void leave_out(struct column *columns, const struct table_of *table)
{
	const struct where *where = table->where;
	bool is_of_tasks = table->kind == OF_PARTS && where->by != BY_MODULE;
	bool is_of_modules = table->kind == OF_PARTS && where->by == BY_MODULE;

	if (where->weighing->is_exact)
		columns[WHERE_INTERVAL].heading = columns[WHERE_SAMPLES].heading = NULL;
	if (where->weighing->is_waiting) {
		columns[WHERE_INTERVAL].heading = NULL;
		columns[WHERE_SAMPLES].heading = "Waits";
	}
	if (!has_total(table))
		columns[WHERE_TOTAL].heading = NULL;
	if (!has_base(table))
		columns[WHERE_BASE].heading = NULL;
	if (!has_partners(table))
		columns[WHERE_SHARED].heading = NULL;
	if (is_of_tasks)
		columns[WHERE_PLACE].heading = NULL;
	if (is_of_modules)
		columns[WHERE_FUNCTION].heading = NULL;
}

static const struct column *columns_of(const struct document *doc, const struct table_of *table)
{
	static const char *const parts[] = {
		[BY_THREAD] = "Thread", [BY_PROCESS] = "Process", [BY_MODULE] = "Module", [BY_INTERVAL] = "Interval"
	};
	struct column *columns = arena_alloc(doc->arena, sizeof(where_columns));
	/* Intervals take room too. */
	size_t width = LEAST_PLACE, most = doc->width / (table->where->weighing->is_exact ? 2 : 4);

	memcpy(columns, where_columns, sizeof(where_columns));
	columns[WHERE_BASE].heading = base_heading(table->where);
	columns[WHERE_PLACE].heading = table->kind == OF_LINES ? "Line" : "Object";
	if (table->kind == OF_PARTS)
		columns[WHERE_FUNCTION].heading = parts[table->where->by];
	for (size_t i = 0; i < table->shown; i++) {
		const char *place = place_text(doc, table, &table->rows->items[i]);
		size_t need = cells_width(cells_safe(doc->arena, place, doc->style->has_utf8));

		width = need > width ? need : width;
	}
	columns[WHERE_PLACE].most = width > most ? most : width;
	leave_out(columns, table);
	return columns;
}

/* Are there rough shares among these rows? */
static bool where_tables_add_rows(struct document *doc, const struct table_of *table, size_t first, size_t end)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	bool is_rough = false;

	*grid = (struct grid){ .columns = columns_of(doc, table), .ncolumns = WHERE_COLUMNS, .has_heads = true };
	for (size_t i = first; i < end; i++) {
		struct cell cells[WHERE_COLUMNS];

		show_cells(cells, doc, table, &table->rows->items[i]);
		grid_add(grid, cells, doc->arena)->has_more = table->rows->items[i].npartners > 0;
		is_rough |= table->rows->items[i].self.is_rough;
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	return is_rough;
}

/* A page has other parts in a fold; functions and lines can be explored there. */
static void add_rest(struct document *doc, const struct table_of *table)
{
	size_t rest = table->rows->count - table->shown;
	const char *text;
	double percent = 0;

	if (!rest)
		return;
	for (size_t i = table->shown; i < table->rows->count; i++)
		percent += table->rows->items[i].self.percent;
	text = arena_printf(doc->arena, "and %zu more %s: %s %%", rest, things_of(table, rest == 1),
			    human_fixed(doc->arena, percent, 1));
	if (!doc->is_page || table->kind == OF_FUNCTIONS || table->kind == OF_LINES) {
		doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE, .first = "    ", .indent = "    ", .text = text });
		return;
	}
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD, .text = text });
	where_tables_add_rows(doc, table, table->shown, table->rows->count);
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

/* Are there rough shares among what it shows? */
static bool add_table(struct document *doc, const char *heading, struct table_of table)
{
	bool is_rough;

	if (!table.rows->count)
		return false;
	if (heading)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = heading, .indent = "  " });
	table.shown = count_shown(doc, &table);
	is_rough = where_tables_add_rows(doc, &table, 0, table.shown);
	add_rest(doc, &table);
	return is_rough;
}

/* ---- all tables of a node or event ---- */

static const char *waits_text(const struct weighing *waiting, struct arena *arena)
{
	return arena_printf(arena, "%s wait%s, %s s of all threads together",
			    human_fixed(arena, (double)waiting->samples, 0), waiting->samples == 1 ? "" : "s",
			    human_fixed(arena, waiting->total * 1e-9, 3));
}

static void add_heading(struct document *doc, const struct where *where, const char *what)
{
	const struct weighing *w = where->weighing;
	const char *samples = human_fixed(doc->arena, (double)w->samples, 0);

	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = arena_printf(doc->arena, "%s of %s, in percent of it:", what, w->title),
				     .worded = arena_printf(doc->arena, "%s of %s", what, w->title),
				     .level = 3 });
	if (!w->is_exact)
		doc_add(doc,
			(struct block){ .kind = BLOCK_SENTENCE,
					.first = "  ",
					.indent = "  ",
					.text = w->is_waiting ? waits_text(w, doc->arena)
							      : arena_printf(doc->arena, "%s sample%s of %s", samples,
									     w->samples == 1 ? "" : "s", w->name) });
}

#define LITTLE_PERCENT 0.05 /* shown as 0.0 */

static bool is_little(const struct share *share)
{
	return share->percent < LITTLE_PERCENT;
}

const char *where_size_text(struct arena *arena, const struct weighing *weighing, const struct share *share)
{
	if (!weighing->is_exact)
		return arena_printf(arena, " (%llu %s%s)", (unsigned long long)share->samples,
				    weighing->is_waiting ? "wait" : "sample", share->samples == 1 ? "" : "s");
	if (!is_little(share))
		return "";
	return arena_printf(arena, " (%s of %s %s)", human_fixed(arena, share->percent / 100 * weighing->whole, 0),
			    human_fixed(arena, weighing->whole, 0), weighing->unit);
}

const char *where_little_text(struct arena *arena, const struct weighing *weighing, const struct share *share)
{
	return is_little(share) ? arena_worded(arena,
					       "Next to nothing of %s is there, so its parts mean little; {functions} "
					       "lists where it is.",
					       weighing->title)
				: NULL;
}

static bool add_calls(struct document *doc, const struct where *where, double limit)
{
	const struct where_calls *calls = &where->calls;
	struct arena *arena = doc->arena;
	const char *little;
	bool is_rough;

	if (!calls->function)
		return false;
	doc_gap(doc);
	doc_sentence(doc, arena_printf(arena, "%s%s%s%s has %s %% of %s%s including callees, %s %% in itself.",
				       calls->function, calls->module ? " [" : "",
				       calls->module ? base_name(calls->module) : "", calls->module ? "]" : "",
				       where_percent_text(arena, calls->total.percent), where->weighing->title,
				       where_size_text(arena, where->weighing, &calls->total),
				       where_percent_text(arena, calls->self.percent)));
	little = where_little_text(arena, where->weighing, &calls->total);
	if (little)
		doc_sentence(doc, little);
	if (!where->has_stacks) {
		doc_sentence(doc, "Its callers are not known: no stacks were recorded (-g).");
		return false;
	}
	is_rough = add_table(
		doc, "Called by:",
		(struct table_of){ .where = where, .rows = &calls->callers, .kind = OF_CALLS, .limit = limit });
	return add_table(doc, "Calls:",
			 (struct table_of){
				 .where = where, .rows = &calls->callees, .kind = OF_CALLS, .limit = limit }) ||
	       is_rough;
}

/* What topdown sampled has sentences about its events, with a remedy each; a perf.data has none. */
static bool is_remarked(const struct where *where)
{
	for (size_t i = 0; i < where->profile->nremarks; i++)
		if (strstr(where->profile->remarks[i], where->event->event))
			return true;
	return false;
}

/* What had to be given up of an event. */
static void add_losses(struct document *doc, const struct profile_event *event)
{
	struct arena *arena = doc->arena;

	if (event->lost)
		doc_sentence(doc, arena_printf(arena, "%llu sample%s lost, because the buffer was full.",
					       (unsigned long long)event->lost, event->lost == 1 ? " was" : "s were"));
	if (event->throttled)
		doc_sentence(doc, arena_printf(arena, "The kernel slowed sampling down %llu time%s.",
					       (unsigned long long)event->throttled, event->throttled == 1 ? "" : "s"));
	if (event->precise < event->wanted)
		doc_sentence(doc, arena_printf(arena, "%s was sampled less precisely than it should be (%u of %u).",
					       event->event, event->precise, event->wanted));
}

/* What was given up, and what the shares leave open. */
static void add_limits(struct document *doc, const struct where *where)
{
	struct arena *arena = doc->arena;

	if (where->event && !is_remarked(where))
		add_losses(doc, where->event);
	if (where->has_stacks && where->truncated.percent > 0)
		doc_sentence(doc, arena_printf(arena, "[truncated]: for %s %% not all callers were found.",
					       where_percent_text(arena, where->truncated.percent)));
	for (size_t i = 0; i < where->nremarks; i++)
		doc_sentence(doc, where->remarks[i]);
}

/* Of the whole, what the filter has left. */
static void add_kept(struct document *doc, const struct hotspots *all, const struct where *where)
{
	const struct profile_filter *filter = &all->question->filter;

	if (filter->thread || filter->process || filter->module)
		doc_sentence(doc, arena_printf(doc->arena,
					       "Only what was asked for is shown: %s %% of it. Shares are those of "
					       "the whole.",
					       where_percent_text(doc->arena, where->kept.percent)));
}

/* Each adds its tables, and says whether they have rough shares. */
static bool where_tables_add_functions(struct document *doc, const struct hotspots *all, const struct where *where)
{
	const struct question *question = all->question;
	const struct table_of functions = {
		.where = where, .rows = &where->functions, .kind = OF_FUNCTIONS, .limit = question->filter.limit
	};
	const struct table_of lines = {
		.where = where, .rows = &where->lines, .kind = OF_LINES, .limit = question->filter.limit
	};
	bool is_rough = false;

	if (!question->wants_lines && !question->wants_functions)
		return false;
	add_heading(doc, where, question->wants_functions ? "Functions" : "Lines");
	if (question->wants_functions)
		is_rough = add_table(doc, NULL, functions);
	if (question->wants_lines || (doc->is_page && where->lines.count))
		is_rough |= add_table(doc, question->wants_functions ? "Lines:" : NULL, lines);
	if (!question->wants_functions)
		is_rough |= add_table(doc, "Functions:", functions);
	return is_rough;
}

static bool where_tables_add_parts(struct document *doc, const struct hotspots *all, const struct where *where)
{
	static const char *const what[] = { [BY_THREAD] = "Threads",
					    [BY_PROCESS] = "Processes",
					    [BY_MODULE] = "Modules",
					    [BY_INTERVAL] = "Intervals" };

	if (where->by == BY_NOTHING)
		return false;
	add_heading(doc, where, what[where->by]);
	return add_table(doc, NULL,
			 (struct table_of){ .where = where,
					    .rows = &where->parts,
					    .kind = OF_PARTS,
					    .limit = all->question->filter.limit });
}

/* What JSON says of all of it. */
static void add_numbers(struct document *doc, const struct where *where)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = where_head(where, true, doc->arena);
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
				     .text = arena_printf(doc->arena, "%s as numbers", where->weighing->title) });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

static void add_where(struct document *doc, const struct hotspots *all, const struct where *where)
{
	bool is_rough;

	if (!question_is_located(all->question))
		return;
	is_rough = where_tables_add_functions(doc, all, where);
	is_rough |= where_tables_add_parts(doc, all, where);
	is_rough |= where_intervals(doc, where);
	is_rough |= add_calls(doc, where, all->question->filter.limit);
	if (is_rough)
		doc_sentence(doc, "~ fewer than 30 samples: a rough share");
	add_kept(doc, all, where);
	add_limits(doc, where);
	if (doc->is_page)
		add_numbers(doc, where);
}

void where_tables(struct document *doc, const struct hotspots *where)
{
	if (where->nremarks)
		doc_gap(doc);
	for (size_t i = 0; i < where->nremarks; i++)
		doc_sentence(doc, where->remarks[i]);
	for (size_t i = 0; i < where->count; i++)
		add_where(doc, where, &where->items[i]);
	where_trees(doc, &where->trees);
	if (where->annotation)
		where_code(doc, where->annotation);
	where_pairs(doc, where);
}
