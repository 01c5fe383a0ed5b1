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

static const char *row_text(const struct report_set *set, struct arena *arena)
{
	const struct report *report = set->parts;
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%9.3f  %5s", set->to_s, human_fixed(arena, report->summary.ipc, 2));
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

static bool has_roots(const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (is_level_one(&report->nodes[i]))
			return true;
	return false;
}

bool screen_interval(struct document *doc, const struct report_set *set)
{
	const struct report *report = set->parts;

	if (set->count != 1 || set->where || is_selecting(&report->asked) || report->ncauses || report->nevents ||
	    report->has_listed_metrics || !has_roots(report))
		return false;
	if (!set->before)
		doc_add(doc, (struct block){ .kind = BLOCK_DRAWING, .text = heads_text(report, doc->arena) });
	doc_add(doc, (struct block){ .kind = BLOCK_DRAWING,
				     .text = cells_cut(doc->arena, row_text(set, doc->arena), doc->width,
						       doc->style->has_utf8) });
	return true;
}
