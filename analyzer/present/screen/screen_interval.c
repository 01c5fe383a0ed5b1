/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen_interval.c - an interval on a screen: one line, below heads that stand once. -v has its tree. */
#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"
#include "present/screen/screen.h"

#define LEAST_COLUMNS 5 /* "100.0" */

static const char *first_word(struct arena *arena, const char *title)
{
	return arena_strndup(arena, title, strcspn(title, "_"));
}

static bool is_level_one(const struct result *node)
{
	return node->metric->level == 1;
}

static int columns_of(const struct result *node, struct arena *arena)
{
	size_t width = cells_width(first_word(arena, node->metric->title));

	return (int)(width > LEAST_COLUMNS ? width : LEAST_COLUMNS);
}

static const char *heads_text(const struct report *report, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%9s  %5s", "Seconds", "IPC");
	for (size_t i = 0; i < report->nnodes; i++)
		if (is_level_one(&report->nodes[i]))
			string_printf(&text, "  %*s", columns_of(&report->nodes[i], arena),
				      first_word(arena, report->nodes[i].metric->title));
	string_add(&text, "  Worst");
	return text.text;
}

static const char *values_text(const struct report *report, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_printf(&text, "  %5s", human_fixed(arena, report->summary.ipc, 2));
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (is_level_one(node))
			string_printf(&text, "  %*s", columns_of(node, arena),
				      human_value(arena, node->metric, is_measured(node) ? node->value : NOT_COUNTED));
	}
	if (report->worst)
		string_printf(&text, "  %s %s", report->worst->metric->title,
			      human_value(arena, report->worst->metric, report->worst->value));
	return text.text;
}

static const char *row_text(const struct report_set *set, struct arena *arena)
{
	return arena_printf(arena, "%9.3f%s", set->to_s, values_text(set->parts, arena));
}

static bool has_roots(const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (is_level_one(&report->nodes[i]))
			return true;
	return false;
}

/* It is a row of what all its neighbours have, and nothing more was asked for. */
static bool is_row(const struct report_set *set)
{
	const struct report *report = set->parts;

	return set->count == 1 && !set->where && !is_selecting(&report->asked) && !report->ncauses &&
	       !report->nevents && !report->has_listed_metrics && has_roots(report);
}

bool screen_interval(struct document *doc, const struct report_set *set)
{
	if (!is_row(set))
		return false;
	if (!set->before)
		doc_add(doc, (struct block){ .kind = BLOCK_DRAWING, .text = heads_text(set->parts, doc->arena) });
	doc_add(doc, (struct block){ .kind = BLOCK_DRAWING,
				     .text = cells_cut(doc->arena, row_text(set, doc->arena), doc->width,
						       doc->style->has_utf8) });
	return true;
}

bool interval_row_make(struct interval_row *row, const struct report_set *set, struct arena *arena)
{
	if (!is_row(set))
		return false;
	*row = (struct interval_row){ .heads = set->before ? NULL : heads_text(set->parts, arena),
				      .values = values_text(set->parts, arena),
				      .from_s = set->from_s,
				      .to_s = set->to_s,
				      .count = 1 };
	return true;
}

bool interval_row_join(struct interval_row *row, const struct interval_row *next)
{
	if (strcmp(row->values, next->values) != 0)
		return false;
	row->to_s = next->to_s;
	row->count += next->count;
	return true;
}

#define USUAL_WIDTH 80

void interval_row_print(FILE *out, const struct interval_row *row, const struct style *style, struct arena *arena)
{
	size_t width = style->width ? style->width : USUAL_WIDTH;
	const char *times = row->count > 1 ? arena_printf(arena, "%.2f-%.2f", row->from_s, row->to_s)
					   : arena_printf(arena, "%.3f", row->to_s);
	const char *more = row->count > 1 ? arena_printf(arena, "  (%zux)", row->count) : "";

	if (row->heads)
		fprintf(out, "%s\n", row->heads);
	fprintf(out, "%s\n",
		cells_cut(arena, arena_printf(arena, "%9s%s%s", times, row->values, more), width, style->has_utf8));
}
