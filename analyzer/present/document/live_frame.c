/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/render.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/hotspots.h"
#include "analyse/hotspots/sampled.h"
#include "present/document/draw.h"
#include "present/document/human.h"
#include "present/report/recent_values.h"
#include "present/report/report_fields.h"
#include "present/where/where_parts.h"

#define LEAST_FUNCTIONS 3
#define LEAST_NODES	8 /* while there is anything else that could wait */
#define MOST_FUNCTIONS	15
#define LOW		16 /* rows of a window in which each counts */
#define VERY_LOW	9

/* Window columns from which on there is room for sparklines of so many. */
static size_t spark_columns(size_t columns)
{
	static const struct {
		size_t window, spark;
	} rows[] = { { 120, 40 }, { 100, 30 }, { 80, 20 }, { 64, 12 }, { 52, 8 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (columns >= rows[i].window)
			return rows[i].spark;
	return 0;
}

/* ---- above the tree ---- */

static void add_known(struct string *text, double value, const char *shown)
{
	if (isfinite(value))
		string_printf(text, "%s%s", text->length ? ", " : "", shown);
}

/* "3.1 G instructions, IPC 1.34, 3.10 GHz, 0.98 CPUs used": of the interval; "": there is nothing. */
static const char *work_text(const struct live_frame *frame, struct arena *arena)
{
	const struct report_set *set = frame->set;
	struct string text = STRING_INIT(arena);
	const struct summary *s;

	if (set->sampled)
		string_printf(&text, "%llu samples", (unsigned long long)set->sampled->samples);
	if (set->count != 1)
		return text.text;
	s = &set->parts[0].summary;
	add_known(&text, s->instructions, arena_printf(arena, "%s instructions", human_count(arena, s->instructions)));
	add_known(&text, s->ipc, arena_printf(arena, "IPC %s", human_fixed(arena, s->ipc, 2)));
	add_known(&text, s->ghz, arena_printf(arena, "%s GHz", human_fixed(arena, s->ghz, 2)));
	add_known(&text, s->cpus_used, arena_printf(arena, "%s CPUs used", human_fixed(arena, s->cpus_used, 2)));
	return text.text;
}

static const char *subject_text(const struct report_set *set)
{
	const char *command = set->sampled ? set->sampled->origin->command : set->parts[0].summary.command;
	const char *target = set->sampled ? set->sampled->origin->target : set->parts[0].summary.target;

	return target ? target : command ? command : "";
}

static void live_frame_add_head(struct document *doc, const struct live_frame *frame)
{
	struct arena *arena = doc->arena;
	const char *work = work_text(frame, arena);
	bool is_known = frame->set->sampled || frame->set->count;
	const char *subject = cells_safe(arena, is_known ? subject_text(frame->set) : "", doc->style->has_utf8);

	if (*subject)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
					     .ink = INK_BOLD,
					     .text = cells_cut(arena, subject, frame->columns, doc->style->has_utf8) });
	if (*work && frame->rows >= VERY_LOW)
		doc_sentence(doc, work);
}

/* ---- below it ---- */

enum { OF_SELF, OF_SPARK, OF_SAMPLES, OF_PLACE, OF_FUNCTION, OF_COLUMNS };

static const struct column function_columns[OF_COLUMNS] = {
	[OF_SELF] = { .heading = "Self %", .flags = COLUMN_RIGHT },
	[OF_SPARK] = { .heading = "", .gap = 2 },
	[OF_SAMPLES] = { .heading = "Samples", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = 2 },
	[OF_PLACE] = { .heading = "Object", .flags = COLUMN_FRONT_CUT, .gap = 2, .most = 20 },
	[OF_FUNCTION] = { .heading = "Function", .flags = COLUMN_TO_END, .gap = 2, .least = 8 },
};

static void live_frame_add_function(struct document *doc, struct grid *grid, const struct where_row *row)
{
	struct arena *arena = doc->arena;
	const char *module = row->module ? module_base_name(row->module) : "no file";
	const struct cell cells[OF_COLUMNS] = {
		[OF_SELF] = shown_cell(where_percent_text(arena, row->self.percent), INK_PLAIN),
		[OF_SPARK] = shown_cell(doc->window->spark ? recent_values_spark_of_function(doc, row) : "", INK_DIM),
		[OF_SAMPLES] = shown_cell(human_fixed(arena, (double)row->self.samples, 0), INK_PLAIN),
		[OF_PLACE] = shown_cell(*module == '[' ? module : arena_printf(arena, "[%s]", module), INK_PLAIN),
		[OF_FUNCTION] = shown_cell(row->function ? row->function : "(no name)", INK_PLAIN),
	};

	grid_add(grid, cells, arena);
}

/* Of what was sampled first: of time, or of the first of the nodes. */
static void live_frame_add_functions(struct document *doc, const struct report_set *set, size_t most)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	const struct where *where;

	if (!set->where || !set->where->count)
		return;
	where = &set->where->items[0];
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = arena_printf(doc->arena, "Functions of %s, in percent of the interval:",
							  where->weighing->title) });
	*grid = (struct grid){ .columns = function_columns, .ncolumns = OF_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < where->functions.count && i < most; i++)
		live_frame_add_function(doc, grid, &where->functions.items[i]);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- the whole ---- */

/* What gives way until all of it fits. */
struct room {
	size_t nodes, functions;
	bool has_no_metrics;
};

static int live_frame_draw_one(char **lines, const struct live_frame *frame, const struct style *style,
			       const struct room *room)
{
	const struct window window = { .past = frame->past,
				       .spark = spark_columns(frame->columns),
				       .most_nodes = room->nodes,
				       .has_no_metrics = room->has_no_metrics,
				       .is_low = frame->rows < LOW };
	size_t length = 0;
	FILE *out = open_memstream(lines, &length);
	struct arena arena;
	struct page page;
	struct document doc;

	if (!out)
		return -1;
	arena_init(&arena);
	page = page_init(out, style, &arena);
	doc = (struct document){ .arena = &arena, .style = style, .width = page.width, .window = &window };
	live_frame_add_head(&doc, frame);
	report_view.document(&doc, frame->set);
	live_frame_add_functions(&doc, frame->set, room->functions);
	draw_text(&page, &doc);
	arena_release(&arena);
	return fclose(out);
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		lines++;
	return lines;
}

static size_t less(size_t number, size_t excess, size_t least)
{
	return number > least + excess ? number - excess : least;
}

/* First the functions, then the nodes off the worst path, the metrics, all nodes. False: nothing is left that could. */
static bool give_way(struct room *room, size_t excess, size_t parts)
{
	size_t of_each = parts ? (excess + parts - 1) / parts : 0;

	if (room->functions > LEAST_FUNCTIONS)
		room->functions = less(room->functions, excess, LEAST_FUNCTIONS);
	else if (!parts || room->nodes <= 1)
		return false;
	else if (room->nodes > LEAST_NODES)
		room->nodes = less(room->nodes, of_each, LEAST_NODES);
	else if (!room->has_no_metrics)
		room->has_no_metrics = true;
	else
		room->nodes = less(room->nodes, of_each, 1);
	return true;
}

static struct room first_room(const struct live_frame *frame)
{
	const struct where *where = frame->set->where && frame->set->where->count ? frame->set->where->items : NULL;
	size_t functions = where ? where->functions.count : 0, most = frame->set->count ? MOST_FUNCTIONS : frame->rows;

	return (struct room){ .nodes = frame->rows, .functions = functions < most ? functions : most };
}

/* The last line says what is missing. */
static void add_cut(struct string *text, const char *lines, const struct live_frame *frame)
{
	size_t count = count_lines(lines), rows = frame->rows;
	struct string rest = STRING_INIT(text->arena);

	if (count <= rows) {
		live_frame_cut(text, lines, frame->columns, rows);
		return;
	}
	live_frame_cut(text, lines, frame->columns, rows - 1);
	string_printf(&rest, "%zu more lines: a taller window shows them\n", count - rows + 1);
	live_frame_cut(text, rest.text, frame->columns, 1);
}

int live_frame_draw(struct string *text, const struct live_frame *frame, const struct style *style, struct error *err)
{
	struct room room = first_room(frame);
	struct style own = *style;
	char *lines = NULL;
	size_t count;

	own.width = (unsigned)frame->columns;
	do {
		free(lines);
		if (live_frame_draw_one(&lines, frame, &own, &room) < 0)
			return error_set(err, "a frame can't be drawn: %s", strerror(errno));
		count = count_lines(lines);
	} while (count > frame->rows && give_way(&room, count - frame->rows, frame->set->count));
	add_cut(text, lines, frame);
	free(lines);
	return 0;
}

/* ---- in another window ---- */

void live_frame_cut(struct string *text, const char *lines, size_t columns, size_t rows)
{
	for (size_t i = 0; i < rows && *lines; i++) {
		size_t length = strcspn(lines, "\n");

		(void)page_cut(text, lines, length, columns);
		string_add(text, "\n");
		lines += length + (lines[length] == '\n');
	}
}
