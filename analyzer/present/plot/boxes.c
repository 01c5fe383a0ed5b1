/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/boxes.h"

#include <math.h>

#include "common/base/cells.h"
#include "common/base/xml.h"

#define LEAST_WIDTH 0.3					      /* of a drawn box */
#define EDGE	    "stroke=\"#ffffff\" stroke-width=\"0.4\"" /* so that equal neighbours are two */

void box_put(struct box *box, struct box *parent)
{
	box->depth = parent->depth + 1;
	box->begin = box->next = parent->next;
	parent->next += box->width;
}

/* In so many letters; "": too few of them. */
static const char *label_of(const struct box_words *words, double letters, const struct boxes_page *page)
{
	bool is_cut = words->brief && (double)cells_width(words->name) > letters;

	return letters < (double)page->look->least
		       ? ""
		       : cells_cut(page->arena, is_cut ? words->brief : words->name, (size_t)letters, true);
}

static void put_line(const struct boxes_page *page, double x, double y, const char *text)
{
	fprintf(page->out, "<text x=\"%.3f\" y=\"%.10g\">", x + page->look->text, y);
	xml_write(page->out, text);
	fputs("</text>", page->out);
}

static void draw_texts(const struct boxes_page *page, double x, double y, double width, const struct box_words *words)
{
	const struct boxes_look *look = page->look;
	double letters = (width - look->room) / look->letter;
	const char *label = label_of(words, letters, page);
	bool has_below = *label && words->below && (double)cells_width(words->below) <= letters;

	if (*label)
		put_line(page, x, y + look->line - (has_below ? look->lift : 0), label);
	if (has_below)
		put_line(page, x, y + look->line + look->lift, words->below);
}

void box_draw(const struct boxes_page *page, const struct box *box, const struct box_words *words)
{
	const struct boxes_look *look = page->look;
	double x = box->begin / page->whole * page->width, width = box->width / page->whole * page->width;
	double y = page->top + box->depth * look->row;

	if (words->link)
		fprintf(page->out, "<a href=\"#%s\" tabindex=\"-1\" class=\"%s\"><title>", words->link, words->class);
	else
		fprintf(page->out, "<g class=\"%s\"><title>", words->class);
	xml_write(page->out, words->said);
	fprintf(page->out, "</title><rect x=\"%.3f\" y=\"%.10g\" width=\"%.3f\" height=\"%.10g\"", x + look->inset,
		y + 2 * look->inset, fmax(width - 2 * look->inset, LEAST_WIDTH), look->height);
	if (words->fill)
		fprintf(page->out, " fill=\"%s\" " EDGE, words->fill);
	fputs("/>", page->out);
	draw_texts(page, x, y, width, words);
	fputs(words->link ? "</a>\n" : "</g>\n", page->out);
}
