/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/export/svg_page.h"

#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/base/xml.h"
#include "present/export/forms.h"

#define WIDTH	    1200.0
#define ROW	    17 /* from a box to those that it calls */
#define BOX	    16
#define HEAD	    64
#define LEGEND_ROW  18
#define CHARACTER   7.25 /* of the font, at its size */
#define FONT_SIZE   12
#define MARGIN	    3					      /* from the edge of a box to its text */
#define EDGE	    "stroke=\"#ffffff\" stroke-width=\"0.4\"" /* so that equal neighbours are two */
#define LEAST_CELLS 3					      /* a shorter text says nothing */
#define TITLE_CELLS 110

/* Made from flame_graph.js when topdown is built. */
extern const char flame_graph_js[];

const char *svg_grouped(uint64_t value, struct arena *arena)
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

const char *svg_amount(const struct weighing *weighing, double weight, struct arena *arena)
{
	if (is_time(weighing))
		return arena_printf(arena, "%.3f ms", weight / 1e6);
	return arena_printf(arena, "%s %s", svg_grouped((uint64_t)llround(fmin(fmax(weight, 0), 9e18)), arena),
			    weighing->unit);
}

const char *svg_home(const struct export_function *function, struct arena *arena)
{
	const char *module = *function->module ? function->module : "[unknown]";

	return function->file ? arena_printf(arena, "%s, %s", module, function->file) : module;
}

/* ---- one box ---- */

void svg_box(const struct svg_page *page, const struct box *box, const struct svg_box *said)
{
	double x = box->begin / page->boxes->whole * WIDTH, width = box->width / page->boxes->whole * WIDTH;
	double cells = (width - 2 * MARGIN) / CHARACTER, y = page->top + (double)box->depth * ROW;

	fprintf(page->out, "<g class=\"f\"><title>");
	xml_write(page->out, said->name);
	fprintf(page->out, "\n");
	xml_write(page->out, said->details);
	fprintf(page->out, "</title><rect x=\"%.3f\" y=\"%.0f\" width=\"%.3f\" height=\"%d\" fill=\"%s\" " EDGE "/>", x,
		y, width, BOX, page->fills[box->color]);
	if (cells >= LEAST_CELLS) {
		fprintf(page->out, "<text x=\"%.3f\" y=\"%.0f\">", x + MARGIN, y + FONT_SIZE);
		xml_write(page->out, cells_cut(page->arena, said->name, (size_t)cells, true));
		fprintf(page->out, "</text>");
	}
	fprintf(page->out, "</g>\n");
}

/* ---- around them ---- */

/* Each legend behind the one before, or on the next line. Returns the number of lines; without a page only that. */
static unsigned write_legend(const struct boxes *boxes, const struct svg_page *page)
{
	unsigned line = 0;
	double x = MARGIN;

	for (size_t i = 0; i < boxes->nlegend; i++) {
		double width = 30 + CHARACTER * (double)cells_width(boxes->legend[i].title);

		if (x + width > WIDTH && x > MARGIN) {
			line++;
			x = MARGIN;
		}
		if (page) {
			double y = HEAD + line * LEGEND_ROW;

			fprintf(page->out, "<rect x=\"%.1f\" y=\"%.0f\" width=\"14\" height=\"14\" fill=\"%s\"/>", x, y,
				page->fills[boxes->legend[i].color]);
			fprintf(page->out, "<text x=\"%.1f\" y=\"%.0f\">", x + 18, y + 11);
			xml_write(page->out, boxes->legend[i].title);
			fprintf(page->out, "</text>\n");
		}
		x += width;
	}
	return boxes->nlegend ? line + 1 : 0;
}

static void write_line(const struct svg_page *page, double y, const char *text)
{
	fprintf(page->out, "<text x=\"%d\" y=\"%.0f\">", MARGIN, y);
	xml_write(page->out, text);
	fprintf(page->out, "</text>\n");
}

/* ---- as a part of a page: head and legend are HTML, which keeps its size when the picture gets narrow ---- */

static void write_keys(const struct svg_page *page)
{
	fputs("<ul class=\"legend\">\n", page->out);
	for (size_t i = 0; i < page->boxes->nlegend; i++) {
		fprintf(page->out,
			"<li><svg class=\"key\" viewBox=\"0 0 14 14\" aria-hidden=\"true\">"
			"<rect width=\"14\" height=\"14\" fill=\"%s\"/></svg>",
			page->fills[page->boxes->legend[i].color]);
		xml_write(page->out, page->boxes->legend[i].title);
		fputs("</li>\n", page->out);
	}
	fputs("</ul>\n", page->out);
}

static void begin_part(struct svg_page *page)
{
	double height = (double)(page->boxes->depth + 1) * ROW;

	page->top = 0;
	fputs("<div class=\"flame\">\n<p class=\"dim\">", page->out);
	xml_write(page->out, page->facts);
	fputs("</p>\n", page->out);
	write_keys(page);
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"", page->out);
	xml_write(page->out, page->title);
	fprintf(page->out,
		"\"><svg role=\"group\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
		"aria-label=\"boxes\">\n",
		WIDTH, height, WIDTH, height);
}

void svg_begin(struct svg_page *page)
{
	double height;

	if (page->is_part) {
		begin_part(page);
		return;
	}
	page->top = HEAD + write_legend(page->boxes, NULL) * LEGEND_ROW + MARGIN;
	height = page->top + (double)(page->boxes->depth + 1) * ROW + MARGIN;
	fprintf(page->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"monospace\" font-size=\"%d\" fill=\"#111111\">\n<title>",
		WIDTH, height, WIDTH, height, FONT_SIZE);
	xml_write(page->out, page->title);
	fprintf(page->out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
	write_line(page, 20, cells_cut(page->arena, page->title, TITLE_CELLS, true));
	write_line(page, 38, page->facts);
	fprintf(page->out, "<text id=\"details\" x=\"%d\" y=\"56\"></text>\n", MARGIN);
	write_legend(page->boxes, page);
}

void svg_end(const struct svg_page *page)
{
	if (page->is_part)
		fputs("</svg></div>\n</div>\n", page->out);
	else
		fprintf(page->out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_graph_js);
}
