/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"
#include "render/view.h"

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

static void print_heading(const struct page *page, const char *heading)
{
	if (*heading)
		fprintf(page->out, "%s[%s]%s\n", ink_on(page, INK_BOLD), page_safe(page, heading),
			ink_off(page, INK_BOLD));
}

const char *part_heading(const struct page *page, const struct report_set *set, const struct report *part)
{
	const char *time = "", *name = part->summary.part ? part->summary.part : "";

	if (set->is_series)
		time = is_interval(set) ? arena_printf(page->arena, "%.3f s", set->to_s) : "all of the time";
	return arena_printf(page->arena, "%s%s%s", time, *time && *name ? ", " : "", name);
}

/* The words are for the whole of a measurement; an interval has its numbers. */
static void print_part(const struct page *page, const struct report_set *set, const struct report *report)
{
	if (!is_interval(set))
		text_head_part(page, set, report);
	if (report->model->no_tree && !is_interval(set)) {
		fputc('\n', page->out);
		paragraph(page, "", report->model->no_tree);
	}
	if (*view_anchor_warning(page, report)) {
		fputc('\n', page->out);
		paragraph(page, "", view_anchor_warning(page, report));
	}
	text_tree(page, report);
	text_metrics(page, report);
	if (is_interval(set))
		return;
	print_notes(page, report);
	print_words(page, report);
	text_lines(page, report);
	print_next(page, report);
}

int reports_text(const struct page *page, const struct report_set *set, struct error *err UNUSED)
{
	bool has_head = !is_interval(set);

	if (has_head && set->count > 1)
		text_head_common(page, set);
	for (size_t i = 0; i < set->count; i++) {
		const char *heading = part_heading(page, set, &set->parts[i]);

		if (i || set->before || (*heading && has_head && set->count > 1))
			fputc('\n', page->out);
		print_heading(page, heading);
		if (has_head && set->count == 1)
			text_head_common(page, set);
		print_part(page, set, &set->parts[i]);
	}
	return 0;
}
