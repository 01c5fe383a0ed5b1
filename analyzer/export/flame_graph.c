/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_graph.c - the call tree as one SVG file, the outermost functions on top: rectangles and texts that need no
 * script, and a script that zooms and searches (flame_graph.js). Nothing is loaded from elsewhere. Colours are
 * attributes, so that a page may forbid styles of its own.
 */
#include "export/forms.h"

#include <math.h>
#include <string.h>

#include "base/cells.h"
#include "base/text.h"
#include "export/boxes.h"

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
extern const char flame_graph_script[];

/* Paul Tol, Colour Schemes (SRON/EPS/TN/09-002), "light": for black labels; the colour-blind distinguish them too. */
static const char *const fills[BOX_COLORS] = { "#77aadd",
					       "#ee8866",
					       "#eedd88",
					       "#ffaabb",
					       "#99ddff",
					       "#44bb99",
					       "#bbcc33",
					       "#aaaa00",
					       [GREY_OTHER] = "#bbbbbb",
					       [GREY_FEW] = "#dddddd",
					       [GREY_NONE] = "#eeeeee" };

struct page {
	FILE *out;
	const struct export_subject *subject;
	const struct weighing *weighing;
	const struct call_tree *tree;
	const struct boxes *boxes;
	double top; /* of the first box */
	struct arena *arena;
};

/* U+FFFE and U+FFFF are no characters of XML (its production 2); control characters are escapes already. */
static void write_text(FILE *out, const char *text)
{
	uint32_t code;

	for (size_t length; *text; text += length) {
		length = utf8_next(text, &code);
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default:
			if (code != UTF8_INVALID && (code & 0xfffe) != 0xfffe)
				fwrite(text, 1, length, out);
		}
	}
}

/* "1,234,567" */
static const char *grouped(uint64_t value, struct arena *arena)
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

static const char *amount(const struct page *page, double weight)
{
	if (is_time(page->weighing))
		return arena_printf(page->arena, "%.3f ms", weight / 1e6);
	return arena_printf(page->arena, "%s %s", grouped((uint64_t)llround(fmin(fmax(weight, 0), 9e18)), page->arena),
			    page->weighing->unit);
}

/* "12.3 %", of samples with their interval: "12.3 % (95 %: 11.1 to 13.6), 412 samples, rough" */
static const char *share_text(const struct page *page, double weight, uint64_t samples)
{
	struct share share = share_of_weight(page->weighing, weight, samples);

	if (page->weighing->is_exact)
		return arena_printf(page->arena, "%.2f %%", share.percent);
	return arena_printf(page->arena, "%.2f %% (95 %%: %.2f to %.2f), %s samples%s", share.percent, share.low,
			    share.high, grouped(samples, page->arena), samples < ROUGH_SAMPLES ? ", rough" : "");
}

static const char *box_name(const struct page *page, const struct box *box)
{
	if (box->call == PROFILE_NONE)
		return arena_printf(page->arena, "%u more", box->merged);
	return call_name(page->tree, box->call, page->subject->roots, page->arena);
}

/* ---- one box ---- */

static void write_title(const struct page *page, const struct box *box, const char *name)
{
	const struct call *call = box->call == PROFILE_NONE ? NULL : &page->tree->calls[box->call];

	fprintf(page->out, "<title>");
	write_text(page->out, name);
	if (call && box->call && !call->is_task) {
		const struct export_function *function = &page->tree->functions->items[call->function];

		fprintf(page->out, "\n");
		write_text(page->out, *function->module ? function->module : "[unknown]");
		if (function->file) {
			fprintf(page->out, ", ");
			write_text(page->out, function->file);
		}
	}
	fprintf(page->out, "\n%s\n%s", amount(page, box->width), share_text(page, box->width, box->samples));
	if (call && call->self > 0)
		fprintf(page->out, "\nitself %s", amount(page, call->self));
	if (page->subject->colors == COLORS_NODE && box->kind != PROFILE_NONE) {
		fprintf(page->out, "\nmostly ");
		write_text(page->out, page->subject->nodes[box->kind].title);
	}
	fprintf(page->out, "</title>");
}

static void write_box(const struct page *page, const struct box *box)
{
	double x = box->begin / page->boxes->whole * WIDTH, width = box->width / page->boxes->whole * WIDTH;
	double cells = (width - 2 * MARGIN) / CHARACTER, y = page->top + (double)box->depth * ROW;
	const char *name = box_name(page, box);

	fprintf(page->out, "<g class=\"f\">");
	write_title(page, box, name);
	fprintf(page->out, "<rect x=\"%.3f\" y=\"%.0f\" width=\"%.3f\" height=\"%d\" fill=\"%s\" " EDGE "/>", x, y,
		width, BOX, fills[box->color]);
	if (cells >= LEAST_CELLS) {
		fprintf(page->out, "<text x=\"%.3f\" y=\"%.0f\">", x + MARGIN, y + FONT_SIZE);
		write_text(page->out, cells_cut(page->arena, name, (size_t)cells, true));
		fprintf(page->out, "</text>");
	}
	fprintf(page->out, "</g>\n");
}

/* ---- around them ---- */

/* Each legend behind the one before, or on the next line. Returns the number of lines; without a page only that. */
static unsigned write_legend(const struct boxes *boxes, const struct page *page)
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
				fills[boxes->legend[i].color]);
			fprintf(page->out, "<text x=\"%.1f\" y=\"%.0f\">", x + 18, y + 11);
			write_text(page->out, boxes->legend[i].title);
			fprintf(page->out, "</text>\n");
		}
		x += width;
	}
	return boxes->nlegend ? line + 1 : 0;
}

static void write_line(const struct page *page, double y, const char *text)
{
	fprintf(page->out, "<text x=\"%d\" y=\"%.0f\">", MARGIN, y);
	write_text(page->out, text);
	fprintf(page->out, "</text>\n");
}

static void write_head(const struct page *page, double height)
{
	const char *command = page->subject->command ? page->subject->command : "a program";
	const char *title =
		arena_printf(page->arena, "%s of %s", page->weighing->title, cells_safe(page->arena, command, true));
	struct string facts = STRING_INIT(page->arena);

	fprintf(page->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"monospace\" font-size=\"%d\" fill=\"#111111\">\n<title>",
		WIDTH, height, WIDTH, height, FONT_SIZE);
	write_text(page->out, title);
	fprintf(page->out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
	write_line(page, 20, cells_cut(page->arena, title, TITLE_CELLS, true));
	string_add(&facts, amount(page, page->boxes->whole));
	if (!page->weighing->is_exact)
		string_printf(&facts, ", %s samples", grouped(page->weighing->samples, page->arena));
	if (page->boxes->hidden)
		string_printf(&facts, "; %s calls narrower than %g %% are merged, or left out where they stay so",
			      grouped(page->boxes->hidden, page->arena), 100 * LEAST_SHARE_OF_WIDTH);
	write_line(page, 38, facts.text);
	fprintf(page->out, "<text id=\"details\" x=\"%d\" y=\"56\"></text>\n", MARGIN);
}

int flame_graph_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	const struct weighing *weighing = &subject->weighings->items[subject->chosen];
	struct export_frames frames;
	struct call_tree tree;
	struct boxes boxes;
	struct page page = {
		.out = out, .subject = subject, .weighing = weighing, .tree = &tree, .boxes = &boxes, .arena = arena
	};

	frames_init(&frames, subject->profile, arena);
	call_tree_init(&tree, subject, weighing, &frames, arena);
	boxes_init(&boxes, subject, &tree, arena);
	page.top = HEAD + write_legend(&boxes, NULL) * LEGEND_ROW + MARGIN;
	write_head(&page, page.top + (double)(boxes.depth + 1) * ROW + MARGIN);
	write_legend(&boxes, &page);
	for (uint32_t i = 0; i < boxes.count; i++)
		write_box(&page, &boxes.items[i]);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_graph_script);
	return 0;
}
