/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticket_document.c - a report for a pull request or a ticket: the order of its sections. */
#include <math.h>
#include <string.h>

#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"
#include "present/roofline/placed_parts.h"
#include "present/ticket/ticket_parts.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#define LABEL 9 /* columns, as of the facts of a report */

void ticket_heading(struct document *doc, const struct ticket *ticket, const char *text)
{
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = text, .ink = INK_BOLD, .level = ticket->level });
}

bool ticket_is_list(const struct report_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->parts[i].nnodes || set->parts[i].ncauses || !is_selecting(&set->parts[i].asked))
			return false;
	return set->count > 0;
}

/* ---- environment ---- */

/* What a reader elsewhere has to know besides the facts that stand above every tree. */
static void add_origin(struct document *doc, const struct summary *summary)
{
	const struct fact all[] = { { .label = "Host", .text = summary->host },
				    { .label = "Kernel", .text = summary->kernel },
				    { .label = "Started", .text = summary->started },
				    { .label = "topdown", .text = summary->tool_version } };
	struct fact *facts = arena_array(doc->arena, COUNT_OF(all), sizeof(*facts));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (all[i].text)
			facts[count++] = all[i];
	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = count, .label = LABEL });
}

void ticket_environment(struct document *doc, const struct report_set *set)
{
	if (set->sampled) {
		const struct summary summary = sampled_summary(set->sampled);

		sampled_head(doc, set->sampled);
		add_origin(doc, &summary);
	} else if (set->count) {
		report_head(doc, set, &set->parts[0], true);
		add_origin(doc, &set->parts[0].summary);
	}
}

/* ---- summary ---- */

static const struct assessed *find_ipc(const struct report *report)
{
	for (size_t i = 0; i < report->nassessed; i++)
		if (report->assessed[i].rule->topic == ASSESS_SPEED)
			return &report->assessed[i];
	return NULL;
}

/* "IPC 0.35 per cycle: look closer: below 1 (Intel VTune help)" */
void ticket_speed(struct document *doc, const struct report *report)
{
	const struct assessed *ipc = find_ipc(report);

	if (!ipc || ipc->health == HEALTH_UNKNOWN)
		return;
	doc_sentence(doc, arena_printf(doc->arena, "%s %s %s, %s (bound of %s)", ipc->rule->title,
				       assessed_value(doc->arena, ipc), ipc->rule->unit, assessed_text(doc->arena, ipc),
				       assessed_source(doc->arena, ipc)));
}

static void add_summary(struct document *doc, const struct ticket *ticket)
{
	const struct report *report = ticket->report;
	bool has_metrics = doc->style->is_verbose || is_selecting(&report->asked) || !report->nnodes;

	ticket_heading(doc, ticket, "Topdown summary");
	if (report->model->generic)
		doc_sentence(doc, report->model->generic);
	if (report->model->no_tree)
		doc_sentence(doc, report->model->no_tree);
	report_anchor_remark(doc, report);
	report_causes(doc, report);
	if (!is_causes_only(report))
		report_tree(doc, ticket->set, report);
	report_fixes(doc, report);
	ticket_speed(doc, report);
	if (has_metrics || report->nevents)
		report_metrics(doc, ticket->set, report);
	report_notes(doc, report);
}

/* ---- the whole ---- */

/* What was asked for by options of its own: lines, callers, an annotated function. */
static void add_asked_where(struct document *doc, const struct report_set *set)
{
	const struct ticket whole = { .set = set, .level = 2 };

	if (!set->where || set->where->question->is_implied)
		return;
	ticket_heading(doc, &whole, "Where");
	where_tables(doc, set->where);
}

static void add_sections(struct document *doc, const struct ticket *ticket)
{
	ticket_hotspots(doc, ticket);
	ticket_caches(doc, ticket);
	ticket_branches(doc, ticket);
	ticket_tlbs(doc, ticket);
	ticket_cause(doc, ticket);
	ticket_recommendations(doc, ticket);
	ticket_validation(doc, ticket);
}

const struct report *ticket_busiest(const struct report *parts, size_t count)
{
	const struct report *most = parts;

	for (size_t i = 1; i < count; i++)
		if (parts[i].summary.cycles > most->summary.cycles ||
		    (isnan(most->summary.cycles) && !isnan(parts[i].summary.cycles)))
			most = &parts[i];
	return most;
}

/* Many parts of one kind: their table, then the sections of the one that has most cycles. */
static void add_many(struct document *doc, const struct report_set *set, size_t first, size_t count)
{
	const struct report *parts = &set->parts[first], *most = ticket_busiest(parts, count);
	const struct ticket ticket = { .set = set, .report = most, .level = 2 };

	ticket_heading(doc, &ticket, "Topdown summary");
	report_parts(doc, parts, count);
	report_part_notes(doc, parts, count);
	if (most->summary.part)
		doc_sentence(doc, arena_printf(doc->arena, "What follows is of %s, the busiest.", most->summary.part));
	add_sections(doc, &ticket);
}

static void ticket_document_add_part(struct document *doc, const struct report_set *set, const struct report *report)
{
	const struct ticket ticket = { .set = set, .report = report, .level = set->count > 1 ? 3 : 2 };

	if (set->count > 1) {
		const char *name = report->summary.part ? report->summary.part : report->model->cpu;

		doc_add(doc, (struct block){ .kind = BLOCK_PART, .text = name, .level = 2 });
		report_head(doc, set, report, false);
	}
	add_summary(doc, &ticket);
	if (report == set->parts)
		placed_add(doc, set->roofline);
	add_sections(doc, &ticket);
}

static void add_sampled(struct document *doc, const struct report_set *set)
{
	const struct ticket ticket = { .set = set, .level = 2 };

	ticket_heading(doc, &ticket, "Topdown summary");
	doc_sentence(doc, "Nothing was counted: there are only samples, so there is no tree.");
	add_sections(doc, &ticket);
	add_asked_where(doc, set);
	sampled_notes(doc, set->sampled);
}

void ticket_document(struct document *doc, const void *what)
{
	const struct report_set *set = what;
	const struct ticket whole = { .set = set, .level = 2 };

	if (set->is_series || ticket_is_list(set)) {
		report_document(doc, what);
		return;
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "Topdown report", .level = 1 });
	ticket_heading(doc, &whole, "Environment");
	ticket_environment(doc, set);
	if (set->sampled)
		add_sampled(doc, set);
	if (are_core_models(set) && !report_many(doc, set, 0))
		report_parts(doc, set->parts, set->count);
	for (size_t i = 0; i < set->count; i++) {
		size_t many = report_many(doc, set, i);

		if (many)
			add_many(doc, set, i, many);
		else
			ticket_document_add_part(doc, set, &set->parts[i]);
		i += many ? many - 1 : 0;
	}
	if (!set->sampled)
		add_asked_where(doc, set);
	if (set->nidle)
		doc_sentence(doc, idle_text(doc->arena, set));
}
