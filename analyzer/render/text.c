/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

/* lead is "* " or nothing. */
static void paragraph(const struct page *page, const char *lead, const char *text)
{
	struct indent indent = { .first = lead, .rest = *lead ? "  " : "", .width = cells_width(lead) };

	page_wrap(page, &indent, page_safe(page, text));
}

static void print_notes(const struct page *page, const struct report *report)
{
	if (report->nnotes)
		fputc('\n', page->out);
	for (size_t i = 0; i < report->nnotes; i++)
		paragraph(page, "* ", report->notes[i]);
	if (report->model->own_thresholds && report->nnodes)
		fputs("\nThe thresholds are topdown's own: the vendor publishes none.\n", page->out);
}

/* What the worst node means and what to try. */
static void print_words(const struct page *page, const struct report *report)
{
	const char *title;

	if (!report->worst || !report->means)
		return;
	title = page_safe(page, report->worst->metric->title);
	fputc('\n', page->out);
	paragraph(page, "", arena_printf(page->arena, "%s: %s", title, report->means));
	if (report->advice)
		paragraph(page, "", arena_printf(page->arena, "Try: %s", report->advice));
}

/* Commands are printed whole, however long, because they are there to be pasted. */
static void print_next(const struct page *page, const struct report *report)
{
	if (report->closer)
		fprintf(page->out, "\nLook closer:\n  %s\n", page_safe(page, report->closer));
	for (size_t i = 0; i < report->nnext; i++)
		fprintf(page->out, "%s  %s\n", i ? "" : "\nSample next:\n", page_safe(page, report->next[i].command));
}

int report_text(const struct page *page, const struct report *report, struct error *err UNUSED)
{
	text_head(page, report);
	if (report->model->no_tree) {
		fputc('\n', page->out);
		paragraph(page, "", report->model->no_tree);
	}
	text_tree(page, report);
	text_metrics(page, report);
	print_notes(page, report);
	print_words(page, report);
	print_next(page, report);
	return 0;
}
