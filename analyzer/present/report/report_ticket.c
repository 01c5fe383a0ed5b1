/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_ticket.c - a report for a pull request or a ticket: which of its sections, in which order. */
#include "present/ranks/ranks_view.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/roofline/roofline_parts.h"
#include "present/waits/waits_view.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

static void add_summary(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;
	bool has_metrics = doc->style->is_verbose || is_selecting(&report->asked) || !report->nnodes;

	report_heading(doc, part, "Topdown summary");
	report_caveats(doc, report);
	report_anchor_remark(doc, report);
	report_causes(doc, report);
	if (!is_causes_only(report))
		report_tree(doc, part->set, report);
	report_fixes(doc, report);
	report_speed(doc, report);
	if (has_metrics || report->nevents)
		report_metrics(doc, part->set, report);
	report_notes(doc, report);
}

static void report_ticket_add_sections(struct document *doc, const struct report_part *part)
{
	report_hotspots(doc, part);
	report_caches(doc, part);
	report_branches(doc, part);
	report_tlbs(doc, part);
	report_root_cause(doc, part);
	report_recommendations(doc, part);
	report_validation(doc, part);
}

/* Many parts of one kind: their table, then the sections of the one that has most cycles. */
static void report_ticket_add_many(struct document *doc, const struct report_set *set, size_t first, size_t count)
{
	const struct report *parts = &set->parts[first];
	const struct report_part most = { set, report_busiest(parts, count), 2 };
	const char *name = most.report->summary.part;

	report_heading(doc, &most, "Topdown summary");
	report_parts(doc, parts, count);
	report_part_notes(doc, parts, count);
	if (name)
		doc_sentence(doc, arena_printf(doc->arena, "What follows is of %s, the busiest.", name));
	report_ticket_add_sections(doc, &most);
}

static void add_one(struct document *doc, const struct report_set *set, const struct report *report)
{
	const struct report_part part = { set, report, set->count > 1 ? 3 : 2 };

	if (set->count > 1) {
		const char *name = report->summary.part ? report->summary.part : report->model->cpu;

		doc_add(doc, (struct block){ .kind = BLOCK_PART, .text = name, .level = 2 });
		report_head(doc, set, report, false);
	}
	add_summary(doc, &part);
	if (report == set->parts)
		roofline_add(doc, set->roofline);
	report_ticket_add_sections(doc, &part);
}

void report_ticket(struct document *doc, const void *what)
{
	static const struct report_selection selection = { report_ticket_add_many, add_one };
	const struct report_set *set = what;
	const struct report_part whole = { .set = set, .level = 2 };

	if (set->is_series || report_is_list(set)) {
		report_document(doc, what);
		return;
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "Topdown report", .level = 1 });
	report_answer_first(doc, set);
	report_heading(doc, &whole, "Environment");
	report_environment(doc, set);
	waits_add(doc, set->waits, set->count == 1 ? &set->parts[0] : NULL);
	ranks_add_answer(doc, set->ranks);
	ranks_add_tables(doc, set->ranks);
	if (set->sampled) {
		report_heading(doc, &whole, "Topdown summary");
		doc_sentence(doc, "Nothing was counted: there are only samples, so there is no tree.");
		report_ticket_add_sections(doc, &whole);
	}
	report_each(doc, set, &selection);
	/* what was asked for by options of its own: lines, callers, an annotated function */
	if (set->where && !set->where->question->is_implied) {
		report_heading(doc, &whole, "Where");
		where_tables(doc, set->where);
	}
	if (set->sampled)
		sampled_notes(doc, set->sampled);
	if (set->nidle)
		doc_sentence(doc, idle_text(doc->arena, set));
}
