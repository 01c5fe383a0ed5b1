/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_data.c - a report for machines: its field tables as JSON. */
#include "analyse/verdict/headline.h"
#include "present/document/human.h"
#include "present/ranks/ranks_view.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/report/software_parts.h"
#include "present/roofline/roofline_parts.h"
#include "present/waits/waits_view.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#include <math.h>

/* What each repeat measured. Nothing where there is only one. */
static struct cell repeats_cell(const struct statistics *spread, struct arena *arena)
{
	return spread->count > 1 ? numbers_cell(arena, spread->values, spread->count) : absent_cell();
}

static struct cell spread_cell(const struct summary *summary, struct arena *arena)
{
	struct member members[FIGURES];

	for (size_t i = 0; i < FIGURES; i++) {
		const struct statistics *spread = &summary->spread[i];

		members[i].key = figure_keys[i];
		members[i].cell = object_cell(arena, MEMBERS({ "n", whole_cell(spread->n) },
							     { "stddev", number_cell(spread->stddev) },
							     { "ci95", number_cell(spread->ci95) },
							     { "values", repeats_cell(spread, arena) }));
	}
	return summary->repeats > 1 ? object_cell(arena, members, FIGURES) : absent_cell();
}

struct grid report_sampling(const struct summary *summary, struct arena *arena)
{
	struct grid grid = { .is_catalog = true };

	grid_members(&grid, arena,
		     MEMBERS({ "modelled", number_cell(summary->modelled) },
			     { "windows", whole_cell(summary->windows) },
			     { "cycles_ci95", number_cell(summary->spread[FIGURE_CYCLES].ci95) },
			     { "whole_instructions", number_cell(summary->whole_instructions) }));
	return grid;
}

static void write_summary(struct json_writer *writer, const struct summary *summary, struct arena *arena)
{
	const struct grid sampling = report_sampling(summary, arena);
	struct cell cells[SUMMARY_COLUMNS];

	summary_cells(cells, summary);
	json_write_object(writer, "summary");
	json_cells(writer, summary_columns, cells, SUMMARY_COLUMNS);
	json_members(writer, MEMBERS({ "spread", spread_cell(summary, arena) },
				     { "sampling", summary->is_sampled ? row_cell(&sampling) : absent_cell() }));
	json_write_end(writer);
}

struct grid report_anchor(const struct anchoring *anchor, struct arena *arena)
{
	struct grid grid = { .is_catalog = true };

	grid_members(
		&grid, arena,
		MEMBERS({ "user_s", number_cell(anchor->user_s) }, { "hz", number_cell(anchor->hz) },
			{ "measured_cycles", number_cell(anchor->measured) },
			{ "modelled_cycles", number_cell(anchor->modelled) }, { "ratio", number_cell(anchor->ratio) },
			{ "far", cell_if(!anchor->reason, truth_cell(anchor->is_far)) },
			{ "reason", text_cell(anchor->reason) }, { "ratio_low", number_cell(anchor->ratio_low) },
			{ "ratio_high", number_cell(anchor->ratio_high) }, { "wall_s", number_cell(anchor->wall_s) },
			{ "system_s", number_cell(anchor->system_s) }, { "page_faults", number_cell(anchor->faults) },
			{ "preemptions", number_cell(anchor->preemptions) }, { "remark", text_cell(anchor->remark) },
			{ "native_runs", number_cell(anchor->runs) }, { "additions", number_cell(anchor->additions) },
			{ "additions_alone", number_cell(anchor->additions_alone) },
			{ "shared", cell_if(!isnan(anchor->additions), truth_cell(anchor->is_shared)) }));
	return grid;
}

/* null: the program was not to be timed. */
static struct cell anchor_cell(const struct report *report, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	if (!report->model->is_simulated)
		return absent_cell();
	if (report->anchor)
		*grid = report_anchor(report->anchor, arena);
	return cell_if(report->anchor, row_cell(grid));
}

struct grid report_runs(const struct report *report, struct arena *arena)
{
	struct grid grid = { .is_catalog = true };

	for (size_t i = 0; i < report->nruns; i++) {
		const struct execution *run = &report->runs[i];
		const char **affected = arena_array(arena, run->naffected, sizeof(*affected));
		const double away = run->mix ? fabs(run->mix_value - run->mix_typical) : NOT_COUNTED;

		for (size_t k = 0; k < run->naffected; k++)
			affected[k] = report->model->metrics[run->affected[k]].name;
		grid_members(
			&grid, arena,
			MEMBERS({ "run", whole_cell(run->run + 1) },
				{ "repeat", report->summary.repeats > 1 ? whole_cell(run->repeat + 1) : absent_cell() },
				{ "wall_s", number_cell(run->wall_s) }, { "cpu_s", number_cell(run->cpu_s) },
				{ "instructions", number_cell(run->instructions) },
				{ "exit_status",
				  cell_if(run->status != STATUS_UNKNOWN, whole_cell((size_t)run->status)) },
				{ "unlike", truth_cell(run->is_unlike) },
				{ "affects", names_cell(arena, affected, run->naffected) },
				{ "level_1_away", number_cell(away) }));
	}
	return grid;
}

static void write_results(struct json_writer *writer, const char *key, const struct report *report,
			  const struct result *results, size_t count)
{
	const struct cell absent = absent_cell();
	struct cell cells[RESULT_COLUMNS];
	struct arena arena;

	arena_init(&arena);
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++) {
		const struct result *result = &results[i];

		result_cells(cells, report, result, &arena);
		json_write_object(writer, NULL);
		json_cells(writer, result_columns, cells, RESULT_COLUMNS);
		json_members(writer,
			     MEMBERS({ "values", repeats_cell(&result->spread, &arena) },
				     { "without", result->nwithout ? cells[RESULT_WITHOUT] : absent },
				     { "if_fixed", result->if_fixed > 0 ? exact_cell(result->if_fixed) : absent }));
		json_write_end(writer);
	}
	json_write_end(writer);
	arena_release(&arena);
}

/* null: it was the level alone. */
static struct cell asked_cell(const struct select_request *asked, struct arena *arena)
{
	if (!is_selecting(asked))
		return text_cell(NULL);
	return object_cell(arena,
			   MEMBERS({ "nodes", text_cell(asked->nodes) }, { "groups", text_cell(asked->groups) },
				   { "metrics", text_cell(asked->metrics) }, { "level", known_cell(asked->level) },
				   { "bottlenecks", asked->wants_causes ? truth_cell(true) : absent_cell() }));
}

/* The bottleneck view. */
static struct cell causes_cell(const struct report *report, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < report->ncauses; i++) {
		const struct result *result = report->causes[i].result;
		struct cell cells[RESULT_COLUMNS];

		result_cells(cells, report, result, arena);
		grid_members(grid, arena,
			     MEMBERS({ "rank", whole_cell(result->rank) }, { "name", cells[RESULT_NAME] },
				     { "title", cells[RESULT_TITLE] }, { "value", cells[RESULT_VALUE] },
				     { "quality", cells[RESULT_QUALITY] }, { "over_threshold", cells[RESULT_OVER] },
				     { "bottleneck", result->metric->level ? cells[RESULT_BOTTLENECK] : absent_cell() },
				     { "means", text_cell(report->causes[i].means) }));
	}
	return some_rows_cell(grid);
}

static struct cell advice_cell(const struct report *report, struct arena *arena)
{
	if (!report->worst || !report->meaning)
		return absent_cell();
	return object_cell(arena,
			   MEMBERS({ "node", text_cell(report->worst->metric->name) },
				   { "means", text_cell(report->meaning) }, { "try", text_cell(report->advice) }));
}

static struct cell place_cell(const struct headline *headline, struct arena *arena)
{
	const struct where_row *function = headline->function, *line = headline->line;

	if (!function)
		return text_cell(NULL);
	return object_cell(
		arena,
		MEMBERS({ "of", text_cell(headline->of) }, { "function", text_cell(function->function) },
			{ "module", text_cell(function->module) }, { "percent", number_cell(function->self.percent) },
			{ "file", text_cell(line ? line->file : NULL) },
			{ "line", cell_if(line, whole_cell(line ? line->line : 0)) },
			{ "line_percent", number_cell(line ? line->self.percent : NAN) },
			{ "spread_over", headline->nfunctions ? whole_cell(headline->nfunctions) : absent_cell() }));
}

struct cell report_verdict_cell(const struct report_set *set, const struct report *report, struct arena *arena)
{
	const struct headline headline = headline_of(set, report);
	const char *nodes[HEADLINE_NODES];

	if (is_interval(set))
		return absent_cell();
	for (size_t i = 0; i < headline.nnodes; i++)
		nodes[i] = headline.nodes[i]->metric->name;
	return object_cell(
		arena,
		MEMBERS({ "kind", text_cell(headline_kind_names[headline.kind]) },
			{ "answer", text_cell(report_verdict(set, report, arena)) },
			{ "trust", text_cell(report_trust(set, report, arena)) },
			{ "cause", text_cell(headline.cause) }, { "nodes", names_cell(arena, nodes, headline.nnodes) },
			{ "value", number_cell(headline.value) },
			{ "unit", text_cell(headline.nnodes ? human_unit(arena, headline.nodes[0]->metric) : NULL) },
			{ "useful_percent", number_cell(headline.useful) },
			{ "speedup", number_cell(headline.speedup) }, { "waited", truth_cell(headline.has_waited) },
			{ "place", place_cell(&headline, arena) }));
}

struct grid report_hints(const struct report *report, struct arena *arena)
{
	struct grid grid = { .is_catalog = true };

	for (size_t i = 0; i < report->nnext; i++) {
		const struct hint *hint = &report->next[i];

		grid_members(&grid, arena,
			     MEMBERS({ "node", text_cell(hint->node->name) }, { "event", text_cell(hint->event) },
				     { "perf", text_cell(hint->perf) }, { "period", whole_cell(hint->period) },
				     { "precise", whole_cell(hint->precise) },
				     { "command", text_cell(hint->command) }));
	}
	return grid;
}

/* Into the object that is open. */
static void write_report(struct json_writer *writer, const struct report_set *set, const struct report *report,
			 struct arena *arena)
{
	const struct summary *summary = &report->summary;
	const struct grid runs = report_runs(report, arena), hints = report_hints(report, arena);
	struct cell head[HEAD_COLUMNS];

	json_members(writer,
		     MEMBERS({ "format", text_cell("topdown-report") }, { "version", whole_cell(1) },
			     { "part", summary->part ? text_cell(summary->part) : absent_cell() },
			     { "part_kind", summary->part_kind ? text_cell(summary->part_kind) : absent_cell() }));
	head_cells(head, report, arena);
	json_cells(writer, head_columns, head, HEAD_COLUMNS);
	json_members(writer, MEMBERS({ "form", text_cell(model_form_word(report->model)) },
				     { "generic", text_cell(report->model->generic) },
				     { "asked", asked_cell(&report->asked, arena) }));
	json_members(writer, MEMBERS({ "verdict", report_verdict_cell(set, report, arena) }));
	write_summary(writer, summary, arena);
	json_members(writer, MEMBERS({ "anchor", anchor_cell(report, arena) }));
	fixes_json(writer, report, arena);
	software_json(writer, &report->software, arena);
	json_grid(writer, "runs", &runs);
	write_results(writer, "nodes", report, report->nodes, report->nnodes);
	write_results(writer, "metrics", report, report->metrics, report->nmetrics);
	write_results(writer, "events", report, report->events, report->nevents);
	json_members(writer, MEMBERS({ "bottlenecks", causes_cell(report, arena) }));
	if (!is_interval(set))
		assessment_json(writer, report, arena);
	json_members(writer, MEMBERS({ "advice", advice_cell(report, arena) },
				     { "look_closer", text_cell(report->actions.look_closer.command) },
				     { "sample_next", text_cell(report->actions.sample.command) },
				     { "next", rows_cell(&hints) },
				     { "notes", texts_cell(arena, report->notes, report->nnotes) }));
}

/* Nothing was counted: the lists are empty. */
static void write_sampled(struct json_writer *writer, const struct report_set *set, struct arena *arena)
{
	const struct cell none = list_cell(NULL, 0);

	json_members(writer, MEMBERS({ "format", text_cell("topdown-report") }, { "version", whole_cell(1) },
				     { "verdict", report_verdict_cell(set, NULL, arena) }));
	sampled_json(writer, set->sampled, arena);
	json_members(writer, MEMBERS({ "nodes", none }, { "metrics", none }, { "events", none }, { "next", none }));
}

/* Of a series each member says which time it is about; the last one is about all of it. */
static struct cell interval_cell(const struct report_set *set, struct arena *arena)
{
	if (!is_interval(set))
		return text_cell(NULL);
	return object_cell(arena, MEMBERS({ "from_s", number_cell(set->from_s) }, { "to_s", number_cell(set->to_s) }));
}

void report_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct report_set *set = what;

	if (set->sampled) {
		write_sampled(writer, set, arena);
	} else if (set->count == 1) {
		write_report(writer, set, &set->parts[0], arena);
	} else {
		json_members(writer, MEMBERS({ "format", text_cell("topdown-reports") }, { "version", whole_cell(1) }));
		json_write_array(writer, "parts");
		for (size_t i = 0; i < set->count; i++) {
			json_write_object(writer, NULL);
			write_report(writer, set, &set->parts[i], arena);
			json_write_end(writer);
		}
		json_write_end(writer);
	}
	if (!is_interval(set)) {
		roofline_json(writer, set->roofline, arena);
		waits_json(writer, set->waits, arena);
		ranks_json(writer, set->ranks, arena);
	}
	if (set->where)
		where_json(writer, set->where, arena);
	if (set->nidle)
		json_members(writer, MEMBERS({ "left_out", texts_cell(arena, set->idle, set->nidle) }));
	if (set->is_series) {
		json_members(writer, MEMBERS({ "interval", interval_cell(set, arena) }));
		json_writer_on_one_line(writer);
	}
}
