/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_document.c - a report for people: what was measured, its tables, what they mean, what to do next. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/ranks/ranks_view.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_page.h"
#include "present/report/report_sections.h"
#include "present/report/software_parts.h"
#include "present/roofline/roofline_parts.h"
#include "present/waits/waits_view.h"
#include "present/screen/screen.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

void report_heading(struct document *doc, const struct report_part *part, const char *text)
{
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = text, .ink = INK_BOLD, .level = part->level });
}

bool report_is_list(const struct report_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->parts[i].nnodes || set->parts[i].ncauses || !is_selecting(&set->parts[i].asked))
			return false;
	return set->count > 0;
}

const struct report *report_busiest(const struct report *parts, size_t count)
{
	const struct report *most = parts;

	/* Of one that has a tree and no cycles nobody knows how busy it is. */
	for (size_t i = 0; i < count; i++)
		if (parts[i].nnodes && isnan(parts[i].summary.cycles))
			return parts;
	for (size_t i = 1; i < count; i++)
		if (parts[i].summary.cycles > most->summary.cycles ||
		    (isnan(most->summary.cycles) && !isnan(parts[i].summary.cycles)))
			most = &parts[i];
	return most;
}

void report_caveats(struct document *doc, const struct report *report)
{
	if (report->model->generic || report->model->no_tree)
		doc_gap(doc);
	if (report->model->generic)
		doc_sentence(doc, report->model->generic);
	if (report->model->no_tree)
		doc_sentence(doc, report->model->no_tree);
}

/* What stands before the tree where the model is far from a native run, or may be. */
void report_anchor_remark(struct document *doc, const struct report *report)
{
	if (!report->anchor || !report->anchor->remark)
		return;
	doc_gap(doc);
	doc_sentence(doc, report->anchor->remark);
}

void report_notes(struct document *doc, const struct report *report)
{
	doc_gap(doc);
	for (size_t i = 0; i < report->nnotes; i++)
		if (!is_screen(doc) || report->notes[i] != report->start_note) /* which is the answer */
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = report->notes[i] });
	if (!report->model->own_thresholds || report->model->is_simulated || !report->nnodes || is_screen(doc))
		return; /* the line below the tree says it too */
	doc_gap(doc);
	doc_sentence(doc, "The thresholds are topdown's own: the vendor publishes none.");
}

/* What the worst node means and what to try. */
void report_advice(struct document *doc, const struct report *report)
{
	if (!report->worst || !report->meaning)
		return;
	doc_gap(doc);
	doc_sentence(doc, arena_printf(doc->arena, "%s: %s", report->worst->metric->title, report->meaning));
	if (report->advice)
		doc_sentence(doc, arena_printf(doc->arena, "Try: %s", report->advice));
}

void report_next(struct document *doc, const struct report *report)
{
	const char **commands = arena_array(doc->arena, report->nnext + 1, sizeof(*commands));
	size_t count = 0;

	if (report->actions.sample.command)
		commands[count++] = report->actions.sample.command;
	for (size_t i = 0; i < report->nnext; i++)
		commands[count++] = report->next[i].command;
	doc_commands(doc, "Look closer:", &report->actions.look_closer.command,
		     report->actions.look_closer.command != NULL);
	doc_commands(doc, "Sample next:", commands, count);
}

/* Has a part before this one the same worst node? Then its advice stands there. */
static bool is_advised(const struct report_set *set, const struct report *report)
{
	for (const struct report *other = set->parts; other < report; other++)
		if (other->worst && report->worst && other->worst->metric == report->worst->metric)
			return true;
	return false;
}

/* Do the commands below the part stand below one of the first parts? */
static bool is_proposed(const struct report_set *set, size_t count, const struct report *report)
{
	for (size_t i = 0; i < count; i++) {
		const struct report *other = &set->parts[i];

		if (compare_texts(other->actions.look_closer.command, report->actions.look_closer.command) == 0 &&
		    other->nnext == report->nnext &&
		    (!report->nnext || !strcmp(other->next[0].command, report->next[0].command)))
			return true;
	}
	return false;
}

static void add_waiting(struct document *doc, const struct report *report)
{
	if (report->has_listed_metrics || report->nevents || doc->style->is_verbose)
		doc_sentence(doc, "The metrics need a taller window.");
}

/* All that there is to say of a part, with -v, and in the forms that have no sections of their own. */
static void add_explanations(struct document *doc, const struct report_set *set, const struct report *report)
{
	report_anchor_remark(doc, report);
	report_assessment(doc, report);
	software_table(doc, &report->software);
	report_notes(doc, report);
	if (!is_advised(set, report))
		report_advice(doc, report);
}

/* The words are for the whole of a measurement; an interval has its numbers. */
static void add_part(struct document *doc, const struct report_set *set, const struct report *report)
{
	bool is_whole = !is_interval(set), is_brief = is_screen(doc);

	if (is_whole)
		report_caveats(doc, report);
	else
		report_interval_head(doc, report);
	if (report == set->parts)
		roofline_add(doc, set->roofline);
	report_causes(doc, report);
	if (!is_causes_only(report))
		report_tree(doc, set, report);
	report_fixes(doc, report);
	if (doc->window && doc->window->has_no_metrics && report->nnodes)
		add_waiting(doc, report);
	else if (!set->roofline || report->has_listed_metrics || doc->style->is_verbose)
		report_metrics(doc, set, report);
	if (!is_whole)
		return;
	if (!is_brief)
		add_explanations(doc, set, report);
	else if (!report->worst)
		report_assessment(doc, report);
	if (is_brief)
		report_notes(doc, report);
	if (set->where && report + 1 == &set->parts[set->count] && !set->where->question->is_implied)
		where_tables(doc, set->where);
	if (is_brief)
		screen_end(doc, set, report,
			   &(struct screen_end){ !is_advised(set, report),
						 !is_proposed(set, (size_t)(report - set->parts), report) });
	else if (!is_proposed(set, (size_t)(report - set->parts), report))
		report_next(doc, report);
	if (!is_brief && set->count > 1)
		doc_gap(doc);
	if (!is_brief)
		report_head(doc, set, report, false);
}

const char *report_part_heading(const struct document *doc, const struct report_set *set, const struct report *part)
{
	const char *time = "", *name = part->summary.part ? part->summary.part : "";

	if (set->is_series && !doc->window)
		time = is_interval(set) ? arena_printf(doc->arena, "%.3f s", set->to_s) : "all of the time";
	return arena_printf(doc->arena, "%s%s%s", time, *time && *name ? ", " : "", name);
}

/* Parts that share a table, and the commands that go with the busiest of them. */
static void add_many(struct document *doc, const struct report_set *set, size_t first, size_t count)
{
	const struct report *parts = &set->parts[first], *busiest = report_busiest(parts, count);

	if (is_interval(set) && !doc->window)
		doc_add(doc, (struct block){ .kind = BLOCK_PART,
					     .text = arena_printf(doc->arena, "%.3f s", set->to_s),
					     .level = 2 });
	report_parts(doc, parts, count);
	if (is_interval(set))
		return;
	report_part_notes(doc, parts, count);
	if (is_proposed(set, first, busiest))
		return;
	if (!is_screen(doc)) {
		report_next(doc, busiest);
		return;
	}
	doc_gap(doc);
	screen_next(doc, busiest);
}

static void add_idle(struct document *doc, const struct report_set *set)
{
	if (!set->nidle || is_interval(set))
		return;
	doc_gap(doc);
	doc_sentence(doc, idle_text(doc->arena, set));
}

static void add_one(struct document *doc, const struct report_set *set, const struct report *report)
{
	const char *heading = report_part_heading(doc, set, report);
	bool is_whole = !is_interval(set);

	if (report > set->parts || set->before || (*heading && is_whole && set->count > 1))
		doc_gap(doc);
	if (*heading)
		doc_add(doc, (struct block){ .kind = BLOCK_PART, .text = heading, .level = 2 });
	add_part(doc, set, report);
}

void report_each(struct document *doc, const struct report_set *set, const struct report_selection *selection)
{
	if (are_core_models(set) && !report_many(doc, set, 0))
		report_parts(doc, set->parts, set->count);
	for (size_t i = 0, count; i < set->count; i += count ? count : 1) {
		count = report_many(doc, set, i);
		if (count)
			selection->many(doc, set, i, count);
		else
			selection->one(doc, set, &set->parts[i]);
	}
}

/* What all parts share, last: nobody reads it first. */
static void add_head(struct document *doc, const struct report_set *set)
{
	if (is_screen(doc)) {
		screen_run(doc, set);
		return;
	}
	doc_gap(doc);
	report_head(doc, set, &set->parts[0], true);
}

static double waited_share(const struct report_set *set)
{
	const struct sampled *sampled = set->sampled;
	double cpu_s, waited_s;

	if (!sampled)
		return set->count == 1 ? set->parts[0].waited_share : 0;
	cpu_s = sampled->cpus_used * sampled->wall_s;
	waited_s = sampled->wall_s - cpu_s - fmax(sampled->waited_s, 0);
	return sampled->wall_s > WAITS_FROM * cpu_s && waited_s > WAITS_LEAST_S ? waited_s / sampled->wall_s : 0;
}

static void add_waits(struct document *doc, const struct report_set *set)
{
	if (set->waits)
		waits_add(doc, set->waits, set->count == 1 ? &set->parts[0] : NULL);
	else if (!doc->window && !set->before)
		waits_hint(doc, waited_share(set));
}

void report_document(struct document *doc, const void *what)
{
	static const struct report_selection selection = { add_many, add_one };
	const struct report_set *set = what;

	doc->is_continued = set->before > 0;
	if (is_interval(set) && is_screen(doc) && screen_interval(doc, set))
		return;
	if (!set->before)
		doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "Topdown report", .level = 1 });
	report_answer_first(doc, set);
	if (!is_interval(set)) {
		add_waits(doc, set);
		ranks_add_answer(doc, set->ranks);
	}
	if (set->sampled && !doc->window) { /* nothing was counted, so there are no parts */
		if (set->where)
			where_tables(doc, set->where);
		sampled_notes(doc, set->sampled);
		if (is_screen(doc)) {
			screen_sampled(doc, set);
		} else {
			doc_gap(doc);
			sampled_head(doc, set->sampled);
		}
	}
	report_each(doc, set, &selection);
	if (is_interval(set) && set->count && set->where && !doc->window)
		where_of_interval(doc, set->where);
	add_idle(doc, set);
	if (!is_interval(set))
		ranks_add_tables(doc, set->ranks);
	if (!is_interval(set) && set->count)
		add_head(doc, set);
}

const struct view report_view = {
	.document = report_document,
	.page = report_page,
	.ticket = report_ticket,
	.json = report_json,
	.brief = report_brief,
	.csv = report_csv,
};
