/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_page.c - what stands around and in the boxes of a flame graph, in a file of its own and on a page of HTML. */
#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/base/xml.h"
#include "present/export/forms.h"
#include "present/plot/flame.h"

#define WIDTH	    1200.0
#define HEAD	    64
#define LEGEND_ROW  18
#define MARGIN	    3
#define TITLE_CELLS 110

static const struct boxes_look look = {
	.row = 17, .height = 16, .letter = 7.25, .text = MARGIN, .room = 2 * MARGIN, .line = 12, .least = 3
};

/* Made from boxes.js and flame_graph.js when topdown is built. */
extern const char flame_graph_js[];

const char *flame_grouped(uint64_t value, struct arena *arena)
{
	const char *digits = arena_printf(arena, "%llu", (unsigned long long)value);
	struct string text = STRING_INIT(arena);

	for (size_t left = strlen(digits); left; left--, digits++) {
		string_addn(&text, digits, 1);
		if (left % 3 == 1 && left > 1)
			string_add(&text, ",");
	}
	return text.text;
}

const char *flame_amount(const struct weighing *weighing, double weight, struct arena *arena)
{
	if (is_time(weighing))
		return arena_printf(arena, "%.3f ms", weight / 1e6);
	return arena_printf(arena, "%s %s", flame_grouped((uint64_t)llround(fmin(fmax(weight, 0), 9e18)), arena),
			    weighing->unit);
}

const char *flame_home(const struct export_function *function, struct arena *arena)
{
	const char *module = *function->module ? function->module : "[unknown]";

	return function->file ? arena_printf(arena, "%s, %s", module, function->file) : module;
}

/* ---- boxes, and what stands around them ---- */

static void draw_boxes(FILE *out, const struct flame *flame, double top, struct arena *arena)
{
	const struct boxes_page page = { out, &look, flame->whole, WIDTH, top, arena };

	for (uint32_t i = 0; i < flame->count; i++) {
		const struct flame_box *box = &flame->items[i];

		box_draw(&page, &box->box,
			 &(struct box_words){ .name = box->name,
					      .said = arena_printf(arena, "%s\n%s", box->name, box->details),
					      .fill = flame->fills[box->color],
					      .class = "f" });
	}
}

static double height_of(const struct flame *flame)
{
	return (flame->depth + 1) * look.row;
}

static void write_text(FILE *out, double x, double y, const char *text)
{
	fprintf(out, "<text x=\"%g\" y=\"%g\">", x, y);
	xml_write(out, text);
	fputs("</text>\n", out);
}

/* Each legend behind the one before, or on the next line. Returns the number of lines; out: NULL for that alone. */
static unsigned write_legend(FILE *out, const struct flame *flame)
{
	unsigned line = 0;
	double x = MARGIN;

	for (size_t i = 0; i < flame->nlegend; i++) {
		double width = 30 + look.letter * (double)cells_width(flame->legend[i].title);
		double y;

		if (x + width > WIDTH && x > MARGIN) {
			line++;
			x = MARGIN;
		}
		y = HEAD + line * LEGEND_ROW;
		if (out) {
			fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"14\" height=\"14\" fill=\"%s\"/>", x, y,
				flame->fills[flame->legend[i].color]);
			write_text(out, x + 18, y + 11, flame->legend[i].title);
		}
		x += width;
	}
	return flame->nlegend ? line + 1 : 0;
}

void flame_write(FILE *out, const struct flame *flame, struct arena *arena)
{
	double top = HEAD + write_legend(NULL, flame) * LEGEND_ROW + MARGIN;
	double height = top + height_of(flame) + MARGIN;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"monospace\" font-size=\"%g\" fill=\"#111111\">\n<title>",
		WIDTH, height, WIDTH, height, look.line);
	xml_write(out, flame->title);
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
	write_text(out, MARGIN, 20, cells_cut(arena, flame->title, TITLE_CELLS, true));
	write_text(out, MARGIN, 38, flame->facts);
	fprintf(out, "<text id=\"details\" x=\"%d\" y=\"56\"></text>\n", MARGIN);
	write_legend(out, flame);
	draw_boxes(out, flame, top, arena);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_graph_js);
}
