/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw.c page|xml - plots that a script describes on standard input, as a page or as one element of XML. A JSON array of
 * objects with the members of struct plot (present/plot/plot.h); null in numbers is NAN, a text such as "inf" is read as a number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_read.h"
#include "present/document/draw.h"
#include "present/plot/plot.h"

static unsigned choice(const struct json *value, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (json_text(value) && !strcmp(json_text(value), names[i]))
			return i;
	return 0;
}

static double number(const struct json *value)
{
	return json_text(value) ? strtod(json_text(value), NULL) : json_number(value);
}

static const double *numbers(const struct json *array, struct arena *arena)
{
	double *values = arena_array(arena, json_size(array) + 1, sizeof(*values));

	for (size_t i = 0; i < json_size(array); i++)
		values[i] = number(json_at(array, i));
	return array ? values : NULL;
}

static const char *const *texts(const struct json *array, struct arena *arena)
{
	const char **values = arena_array(arena, json_size(array) + 1, sizeof(*values));

	for (size_t i = 0; i < json_size(array); i++)
		values[i] = json_text(json_at(array, i));
	return array ? values : NULL;
}

static struct plot_axis axis_of(const struct json *value, struct arena *arena)
{
	static const char *const scales[] = { "linear", "log10", "log2", "seconds", "date", "names" };
	const struct json *names = json_get(value, "names");

	return (struct plot_axis){
		.scale = (enum plot_scale)choice(json_get(value, "scale"), scales, COUNT_OF(scales)),
		.title = json_text(json_get(value, "title")),
		.unit = json_text(json_get(value, "unit")),
		.low = number(json_get(value, "low")),
		.high = number(json_get(value, "high")),
		.names = texts(names, arena),
		.nnames = json_size(names),
	};
}

static struct plot_series series_of(const struct json *value, struct arena *arena)
{
	static const char *const kinds[] = { "line", "step", "band", "area", "bars", "stack", "points" };

	return (struct plot_series){
		.kind = (enum plot_kind)choice(json_get(value, "kind"), kinds, COUNT_OF(kinds)),
		.name = json_text(json_get(value, "name")),
		.x = numbers(json_get(value, "x"), arena),
		.y = numbers(json_get(value, "y"), arena),
		.low = numbers(json_get(value, "lows"), arena),
		.high = numbers(json_get(value, "highs"), arena),
		.said = texts(json_get(value, "said"), arena),
		.links = texts(json_get(value, "links"), arena),
		.count = json_size(json_get(value, "x")),
		.color = (unsigned)json_whole(json_get(value, "color"), 0),
		.is_ghost = json_is_true(json_get(value, "is_ghost")),
		.is_stepped = json_is_true(json_get(value, "is_stepped")),
	};
}

static struct plot_mark mark_of(const struct json *value)
{
	static const char *const kinds[] = { "x", "y", "ceiling" };

	return (struct plot_mark){
		.kind = (enum plot_mark_kind)choice(json_get(value, "kind"), kinds, COUNT_OF(kinds)),
		.at = number(json_get(value, "at")),
		.label = json_text(json_get(value, "label")),
		.said = json_text(json_get(value, "said")),
	};
}

static struct plot plot_of(const struct json *value, struct arena *arena)
{
	static const char *const sizes[] = { "whole", "half", "small" };
	const struct json *series = json_get(value, "series"), *marks = json_get(value, "marks");
	struct plot_series *all = arena_array(arena, json_size(series) + 1, sizeof(*all));
	struct plot_mark *lines = arena_array(arena, json_size(marks) + 1, sizeof(*lines));

	for (size_t i = 0; i < json_size(series); i++)
		all[i] = series_of(json_at(series, i), arena);
	for (size_t i = 0; i < json_size(marks); i++)
		lines[i] = mark_of(json_at(marks, i));
	return (struct plot){
		.name = json_text(json_get(value, "name")),
		.size = (enum plot_size)choice(json_get(value, "size"), sizes, COUNT_OF(sizes)),
		.x = axis_of(json_get(value, "x"), arena),
		.y = axis_of(json_get(value, "y"), arena),
		.series = all,
		.nseries = json_size(series),
		.marks = lines,
		.nmarks = json_size(marks),
		.group = json_text(json_get(value, "group")),
		.note = json_text(json_get(value, "note")),
	};
}

static void draw_page(const struct plot *plots, size_t count, struct arena *arena)
{
	struct style style = { .format = FORMAT_HTML, .has_utf8 = true };
	struct page page = page_init(stdout, &style, arena);
	struct document doc = { .arena = arena, .style = &style, .width = SIZE_MAX, .is_whole = true };
	struct plot_list *small = arena_alloc(arena, sizeof(*small));

	doc_add(&doc, (struct block){ .kind = BLOCK_TITLE, .level = 1, .text = "Plots" });
	for (size_t i = 0; i < count; i++)
		if (plots[i].size != PLOT_SMALL)
			doc_add(&doc, plot_block(&doc, &plots[i], plots[i].name, plots[i].name));
	while (small->count < count && plots[small->count].size == PLOT_SMALL)
		small->count++;
	small->items = plots; /* those at the beginning */
	if (small->count)
		doc_add(&doc, plot_list_block(&doc, small, "Small ones", "One of each"));
	draw_html(&page, &doc);
}

int main(int argc, char **argv)
{
	struct error err = { .text = "" };
	struct json *root = json_read_file("-", &err);
	struct arena arena;
	struct plot *plots;

	if (argc != 2 || !root) {
		fprintf(stderr, "draw page|xml: %s\n", err.text);
		return 2;
	}
	arena_init(&arena);
	plots = arena_array(&arena, json_size(root) + 1, sizeof(*plots));
	for (size_t i = 0; i < json_size(root); i++)
		plots[i] = plot_of(json_at(root, i), &arena);
	if (!strcmp(argv[1], "page")) {
		draw_page(plots, json_size(root), &arena);
	} else {
		fputs("<plots>\n", stdout);
		for (size_t i = 0; i < json_size(root); i++)
			plot_draw(stdout, &plots[i], &arena);
		fputs("</plots>\n", stdout);
	}
	arena_release(&arena);
	json_free(root);
	return 0;
}
