/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/explorer/explored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/evaluate/timeline.h"
#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/render.h"

#define ALL	       SIZE_MAX
#define MOST_ON_PAPER  20   /* rows */
#define LEAST_ON_PAPER 0.05 /* percent of a row, as it is shown as 0.0 otherwise */
#define HEAD_CELLS     8    /* of a level-1 node's column */

void explored_view_init(struct explored_view *view, const struct explored *explored)
{
	*view = (struct explored_view){ .explored = explored, .node = ALL, .function = PROFILE_NONE };
}

/* ---- the rows ---- */

struct shown_row {
	double value;
	const double *values;
	uint32_t number; /* of a function, or of a line */
};

struct shown_rows {
	struct shown_row *items;
	size_t count;
	double whole; /* what shares are of */
};

static double value_of(const struct explored_view *view, const double *values)
{
	return values[view->node == ALL ? EXPLORED_BASE : EXPLORED_NODES + view->node];
}

static int compare_shown(const void *first, const void *second)
{
	const struct shown_row *a = first, *b = second;
	int order = (a->value < b->value) - (a->value > b->value);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool fits_word(const struct explored_view *view, const char *name, const char *other)
{
	return !*view->word || strcasestr(name, view->word) || strcasestr(other, view->word);
}

static void explored_screen_add(struct shown_rows *rows, const struct explored_view *view, uint32_t number,
				const double *values)
{
	if (value_of(view, values) > 0)
		rows->items[rows->count++] = (struct shown_row){ value_of(view, values), values, number };
}

/* Intervals that somebody asked for are gone through one by one. */
static bool is_by_phase(const struct explored *e)
{
	return e->nphases > 1 && !(e->nparts && e->subject->profile->nintervals);
}

static size_t spans_of(const struct explored *e)
{
	return is_by_phase(e) ? e->nphases : e->nparts ? e->nmoments : 0;
}

static size_t first_of_span(const struct explored_view *view)
{
	return is_by_phase(view->explored) ? view->explored->phases[view->span - 1] : view->span - 1;
}

static size_t last_of_span(const struct explored_view *view)
{
	const struct explored *e = view->explored;

	if (!is_by_phase(e))
		return view->span - 1;
	if (view->span < e->nphases)
		return e->phases[view->span] - 1;
	return (e->timeline ? e->timeline->npoints : e->nmoments) - 1;
}

/* What each function has in a span of a profile. */
static double **values_of_span(const struct explored_view *view, double *whole, struct arena *arena)
{
	const struct explored *e = view->explored;
	double **values = arena_array(arena, e->functions_of.count + (size_t)1, sizeof(*values));

	for (uint32_t i = 0; i < e->nparts; i++) {
		const struct explored_part *part = &e->parts[i];
		uint32_t function = e->calls[part->call].function;

		if (part->moment < first_of_span(view) || part->moment > last_of_span(view))
			continue;
		*whole += value_of(view, part->values);
		if (function == PROFILE_NONE)
			continue;
		if (!values[function])
			values[function] = arena_array(arena, e->nvalues, sizeof(double));
		for (size_t k = 0; k < e->nvalues; k++)
			values[function][k] += part->values[k];
	}
	return values;
}

static void list_functions(struct shown_rows *rows, const struct explored_view *view, struct arena *arena)
{
	const struct explored *e = view->explored;
	double **values = NULL;

	rows->items = arena_array(arena, e->functions_of.count + (size_t)1, sizeof(*rows->items));
	if (view->span && e->nparts) {
		rows->whole = 0;
		values = values_of_span(view, &rows->whole, arena);
	}
	for (size_t i = 0; i < e->nfunctions; i++) {
		const uint32_t number = e->functions[i].number;
		const struct export_function *function = &e->functions_of.items[number];
		const double *own = values ? values[number] : e->functions[i].values;

		if (own && fits_word(view, function->name, function->module))
			explored_screen_add(rows, view, number, own);
	}
}

static void list_lines(struct shown_rows *rows, const struct explored_view *view, struct arena *arena)
{
	const struct explored *e = view->explored;

	rows->items = arena_array(arena, e->nlines + 1, sizeof(*rows->items));
	for (size_t i = 0; i < e->nlines; i++)
		if (e->lines[i].function == view->function && fits_word(view, e->lines[i].file, ""))
			explored_screen_add(rows, view, (uint32_t)i, e->lines[i].values);
}

static struct shown_rows shown_rows_of(const struct explored_view *view, struct arena *arena)
{
	struct shown_rows rows = { .whole =
					   view->node == ALL ? 100 : view->explored->subject->nodes[view->node].slots };

	if (view->function == PROFILE_NONE)
		list_functions(&rows, view, arena);
	else
		list_lines(&rows, view, arena);
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_shown);
	return rows;
}

/* ---- keys ---- */

/* Located nodes in the order of the tree, behind the base. */
static void next_node(struct explored_view *view, int step)
{
	const struct export_subject *subject = view->explored->subject;
	size_t count = subject->nnodes + 1, at = view->node == ALL ? 0 : view->node + 1;

	for (size_t i = 0; i < count; i++) {
		at = (at + (step > 0 ? 1 : count - 1)) % count;
		if (!at || subject->nodes[at - 1].weighing != PROFILE_NONE)
			break;
	}
	view->node = at ? at - 1 : ALL;
}

static void open_row(struct explored_view *view, const struct shown_rows *rows)
{
	if (view->function != PROFILE_NONE || view->row >= rows->count)
		return;
	view->function = rows->items[view->row].number;
	view->above = view->row;
	view->row = 0;
	*view->word = '\0';
}

static void go_back(struct explored_view *view)
{
	if (*view->word)
		*view->word = '\0';
	else if (view->function != PROFILE_NONE)
		view->row = view->above;
	else
		view->node = ALL;
	view->function = PROFILE_NONE;
}

static void move_row(struct explored_view *view, int key, size_t count)
{
	const size_t page = view->page ? view->page : 1, last = count ? count - 1 : 0;

	switch (key) {
	case KEY_UP: view->row -= view->row > 0; break;
	case KEY_DOWN: view->row++; break;
	case KEY_PAGE_UP: view->row -= view->row < page ? view->row : page; break;
	case KEY_PAGE_DOWN: view->row += page; break;
	case KEY_HOME: view->row = 0; break;
	case KEY_END: view->row = last; break;
	default: break;
	}
	if (view->row > last)
		view->row = last;
}

static void type(struct explored_view *view, int key)
{
	size_t length = strlen(view->word);

	if (key == KEY_ENTER)
		view->is_typing = false;
	else if (key == KEY_ERASE && length)
		view->word[length - 1] = '\0';
	else if (key >= ' ' && key < 0x100 && length + 1 < sizeof(view->word))
		view->word[length] = (char)key;
	view->row = 0;
}

bool explored_view_take(struct explored_view *view, int key, struct arena *arena)
{
	struct shown_rows rows = shown_rows_of(view, arena);

	if (view->is_typing && key != KEY_ESCAPE) {
		type(view, key);
		return true;
	}
	switch (key) {
	case 'q': return false;
	case 'n': next_node(view, 1); break;
	case 'N': next_node(view, -1); break;
	case 't': view->span = (view->span + 1) % (spans_of(view->explored) + 1); break;
	case 'T': view->span = (view->span + spans_of(view->explored)) % (spans_of(view->explored) + 1); break;
	case '/':
		view->is_typing = true;
		*view->word = '\0';
		break;
	case KEY_ENTER: open_row(view, &rows); break;
	case KEY_ESCAPE:
		view->is_typing = false;
		go_back(view);
		break;
	default: move_row(view, key, rows.count); break;
	}
	return true;
}

/* ---- drawing ---- */

struct drawing {
	struct string *text;
	const struct explored_view *view;
	const struct explored_window *window;
	struct arena *arena;
};

static void line(const struct drawing *d, const char *text, const char *sequence)
{
	const char *cut = cells_cut(d->arena, text, d->window->columns, d->window->style->has_utf8);

	if (d->window->style->has_color && *sequence)
		string_printf(d->text, "\033[%sm%s\033[0m\n", sequence, cut);
	else
		string_printf(d->text, "%s\n", cut);
}

static double span_value(const struct explored_view *view, size_t node)
{
	if (!view->span || !view->explored->timeline)
		return view->explored->subject->nodes[node].slots;
	return explored_mean(view->explored, node, first_of_span(view), last_of_span(view));
}

/* "Frontend_Bound 33.6   Bad_Speculation 2.5 ..." */
static const char *level1_text(const struct drawing *d)
{
	const struct export_subject *subject = d->view->explored->subject;
	struct string text = STRING_INIT(d->arena);

	for (size_t i = 0; i < subject->nnodes; i++)
		if (subject->nodes[i].level == 1)
			string_printf(&text, "%s%s %.1f", text.length ? "   " : "", subject->nodes[i].title,
				      span_value(d->view, i));
	return text.text;
}

static const char *base_text(const struct explored *e)
{
	return e->base ? e->base->title : "all";
}

static const char *span_text(const struct drawing *d)
{
	const struct explored *e = d->view->explored;
	double from, to;

	if (!d->view->span)
		return "";
	from = e->timeline ? e->timeline->from_s[first_of_span(d->view)] : e->moments[first_of_span(d->view)][0];
	to = e->timeline ? e->timeline->to_s[last_of_span(d->view)] : e->moments[last_of_span(d->view)][1];
	if (!is_by_phase(e))
		return arena_printf(d->arena, ", %.3f to %.3f s", from, to);
	return arena_printf(d->arena, ", phase %zu of %zu, %.3f to %.3f s", d->view->span, e->nphases, from, to);
}

static void draw_head(const struct drawing *d)
{
	const struct explored_view *view = d->view;
	const struct explored *e = view->explored;
	const struct export_node *node = view->node == ALL ? NULL : &e->subject->nodes[view->node];
	const char *what = view->function == PROFILE_NONE ? "Functions" : "Lines of ", *name = "";

	if (view->function != PROFILE_NONE)
		name = e->functions_of.items[view->function].name;
	line(d, cells_safe(d->arena, e->subject->command ? e->subject->command : "", d->window->style->has_utf8), "1");
	if (*level1_text(d))
		line(d, level1_text(d), "");
	line(d,
	     arena_printf(d->arena, "%s%s by %s%s%s", what, name, node ? node->title : base_text(e),
			  node ? arena_printf(d->arena, " (%.1f %%)", span_value(view, view->node)) : "", span_text(d)),
	     "");
}

/* Level 1 of each function is known where all of level 1 was located. */
static bool has_level1(const struct explored *e)
{
	size_t count = 0, located = 0;

	for (size_t i = 0; i < e->subject->nnodes; i++) {
		count += e->subject->nodes[i].level == 1;
		located += e->subject->nodes[i].level == 1 && e->subject->nodes[i].weighing != PROFILE_NONE;
	}
	return count > 1 && located == count;
}

/* "Frontend" */
static const char *short_title(const char *title, struct arena *arena)
{
	return cells_cut(arena, arena_strndup(arena, title, strcspn(title, "_")), HEAD_CELLS, false);
}

static void draw_columns(const struct drawing *d)
{
	const struct export_subject *subject = d->view->explored->subject;
	struct string text = STRING_INIT(d->arena);

	string_printf(&text, "      %%");
	for (size_t i = 0; i < subject->nnodes && has_level1(d->view->explored); i++)
		if (subject->nodes[i].level == 1)
			string_printf(&text, " %*s", HEAD_CELLS, short_title(subject->nodes[i].title, d->arena));
	string_printf(&text, "  %s", d->view->function == PROFILE_NONE ? "Function" : "Line");
	line(d, text.text, "2");
}

/* Each of level 1 in percent of what the row has. */
static void add_level1(struct string *text, const struct explored *e, const double *values)
{
	double sum = 0;

	for (size_t i = 0; i < e->subject->nnodes; i++)
		sum += e->subject->nodes[i].level == 1 ? fmax(values[EXPLORED_NODES + i], 0) : 0;
	for (size_t i = 0; i < e->subject->nnodes && sum > 0; i++)
		if (e->subject->nodes[i].level == 1)
			string_printf(text, " %*.0f", HEAD_CELLS, 100 * fmax(values[EXPLORED_NODES + i], 0) / sum);
}

/* The line's source text, where the page would have it too. */
static const char *source_text(const struct explored *e, const struct explored_line *own)
{
	for (size_t i = 0; i < e->nsources; i++) {
		const struct explored_source *source = &e->sources[i];

		if (!compare_texts(source->file, own->file) && source->first <= own->line &&
		    own->line < source->first + source->count)
			return source->lines[own->line - source->first];
	}
	return "";
}

static const char *name_text(const struct drawing *d, uint32_t number)
{
	const struct explored *e = d->view->explored;
	const struct export_function *function = &e->functions_of.items[number];
	const struct explored_line *own = &e->lines[number];

	if (d->view->function != PROFILE_NONE)
		return arena_printf(d->arena, "%s:%u  %s", last_part(own->file), own->line, source_text(e, own));
	return function->is_known ? arena_printf(d->arena, "%s [%s]", function->name, function->module)
				  : function->name;
}

/* Why there is no row. */
static const char *nothing_text(const struct drawing *d)
{
	if (d->view->function != PROFILE_NONE)
		return "   its lines are not known";
	if (*d->view->word)
		return "   no name has that";
	return d->view->explored->nfunctions
		       ? "   none"
		       : arena_worded(d->arena, "   none: {lines}, or `topdown sample`, locates functions");
}

static void draw_rows(const struct drawing *d, const struct shown_rows *rows, size_t room)
{
	const struct explored_view *view = d->view;
	const bool is_paper = d->window->rows == SIZE_MAX;
	size_t top = view->row < room ? 0 : view->row - room + 1;

	for (size_t i = top; i < rows->count && i < top + room; i++) {
		const struct shown_row *row = &rows->items[i];
		struct string text = STRING_INIT(d->arena);

		if (is_paper && i && 100 * row->value < LEAST_ON_PAPER * rows->whole)
			break;
		string_printf(&text, "%7.1f", rows->whole > 0 ? 100 * row->value / rows->whole : NAN);
		if (has_level1(view->explored))
			add_level1(&text, view->explored, row->values);
		string_printf(&text, "  %s", name_text(d, row->number));
		line(d, text.text, i == view->row && !is_paper ? "7" : "");
	}
	if (!rows->count)
		line(d, nothing_text(d), "");
}

static const char *keys_text(const struct drawing *d)
{
	const struct explored_view *view = d->view;

	if (view->is_typing)
		return arena_printf(d->arena, "/%s_", view->word);
	return arena_printf(d->arena, "%s%s%sn: next node   /: search%s   Esc: back   q: quit",
			    *view->word ? arena_printf(d->arena, "“%s”   ", view->word) : "",
			    view->function == PROFILE_NONE ? "Enter: lines   " : "", "",
			    spans_of(view->explored) ? "   t: time" : "");
}

void explored_view_draw(struct string *text, struct explored_view *view, const struct explored_window *window,
			struct arena *arena)
{
	const struct drawing d = { text, view, window, arena };
	const bool is_paper = window->rows == SIZE_MAX;
	struct shown_rows rows = shown_rows_of(view, arena);
	size_t head = *level1_text(&d) ? 4 : 3, room;

	room = is_paper ? MOST_ON_PAPER : window->rows > head + 1 ? window->rows - head - 1 : 1;
	view->page = room;
	if (view->row >= rows.count)
		view->row = rows.count ? rows.count - 1 : 0;
	draw_head(&d);
	draw_columns(&d);
	draw_rows(&d, &rows, room);
	for (size_t i = rows.count ? rows.count : 1; i < room && !is_paper; i++)
		line(&d, "", "");
	if (!is_paper) {
		line(&d, keys_text(&d), "2");
		text->text[--text->length] = '\0'; /* the last line ends no row, which would scroll the window */
	}
}
