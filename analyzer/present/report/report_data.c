/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_data.c - a report for machines: its field tables as JSON. */
#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"
#include "present/report/software_parts.h"
#include "present/roofline/placed_parts.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#include <math.h>

static const struct column spread_columns[] = { { .key = "n" }, { .key = "stddev" }, { .key = "ci95" } };

/* What each repeat measured. Nothing where there is only one. */
static void write_values(struct json_writer *writer, const struct statistics *spread)
{
	if (spread->count > 1)
		json_numbers(writer, "values", spread->values, spread->count);
}

static void write_figures(struct json_writer *writer, const struct summary *summary)
{
	static const enum summary_column figures[FIGURES] = {
		[FIGURE_WALL] = SUMMARY_WALL,
		[FIGURE_CPUS] = SUMMARY_CPUS,
		[FIGURE_INSTRUCTIONS] = SUMMARY_INSTRUCTIONS,
		[FIGURE_CYCLES] = SUMMARY_CYCLES,
		[FIGURE_IPC] = SUMMARY_IPC,
		[FIGURE_GHZ] = SUMMARY_GHZ,
	};

	json_write_object(writer, "spread");
	for (size_t i = 0; i < FIGURES; i++) {
		const struct statistics *spread = &summary->spread[i];
		const struct cell cells[] = { whole_cell(spread->n), number_cell(spread->stddev),
					      number_cell(spread->ci95) };

		json_write_object(writer, summary_columns[figures[i]].key);
		json_cells(writer, spread_columns, cells, COUNT_OF(cells));
		write_values(writer, spread);
		json_write_end(writer);
	}
	json_write_end(writer);
}

struct grid report_sampling(const struct summary *summary, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "modelled" }, { .key = "windows" }, { .key = "cycles_ci95" }, { .key = "whole_instructions" }
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns), .is_catalog = true };

	grid_add(&grid,
		 (const struct cell[]){ number_cell(summary->modelled), whole_cell(summary->windows),
					number_cell(summary->spread[FIGURE_CYCLES].ci95),
					number_cell(summary->whole_instructions) },
		 arena);
	return grid;
}

static void write_summary(struct json_writer *writer, const struct summary *summary, struct arena *arena)
{
	struct cell cells[SUMMARY_COLUMNS];

	summary_cells(cells, summary);
	json_write_object(writer, "summary");
	json_cells(writer, summary_columns, cells, SUMMARY_COLUMNS);
	if (summary->repeats > 1)
		write_figures(writer, summary);
	if (summary->is_sampled) {
		struct grid grid = report_sampling(summary, arena);

		json_write_object(writer, "sampling");
		json_cells(writer, grid.columns, grid.rows[0].cells, grid.ncolumns);
		json_write_end(writer);
	}
	json_write_end(writer);
}

struct grid report_anchor(const struct anchoring *anchor, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "user_s" },	      { .key = "hz" },
		{ .key = "measured_cycles" }, { .key = "modelled_cycles" },
		{ .key = "ratio" },	      { .key = "far" },
		{ .key = "reason" },	      { .key = "ratio_low" },
		{ .key = "ratio_high" },      { .key = "wall_s" },
		{ .key = "system_s" },	      { .key = "page_faults" },
		{ .key = "preemptions" },     { .key = "remark" },
		{ .key = "native_runs" },     { .key = "additions" },
		{ .key = "additions_alone" }, { .key = "shared" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns), .is_catalog = true };

	grid_add(&grid,
		 (const struct cell[]){
			 number_cell(anchor->user_s), number_cell(anchor->hz), number_cell(anchor->measured),
			 number_cell(anchor->modelled), number_cell(anchor->ratio),
			 cell_if(!anchor->reason, truth_cell(anchor->is_far)), text_cell(anchor->reason),
			 number_cell(anchor->ratio_low), number_cell(anchor->ratio_high), number_cell(anchor->wall_s),
			 number_cell(anchor->system_s), number_cell(anchor->faults), number_cell(anchor->preemptions),
			 text_cell(anchor->remark), number_cell(anchor->runs), number_cell(anchor->additions),
			 number_cell(anchor->additions_alone),
			 cell_if(!isnan(anchor->additions), truth_cell(anchor->is_shared)) },
		 arena);
	return grid;
}

/* null: the program was not to be timed. */
static void write_anchor(struct json_writer *writer, const struct anchoring *anchor, struct arena *arena)
{
	struct grid grid;

	if (!anchor) {
		json_write_string(writer, "anchor", NULL);
		return;
	}
	grid = report_anchor(anchor, arena);
	json_write_object(writer, "anchor");
	json_cells(writer, grid.columns, grid.rows[0].cells, grid.ncolumns);
	json_write_end(writer);
}

struct grid report_runs(const struct report *report, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "run" },    { .key = "repeat" },	{ .key = "wall_s" },
		{ .key = "cpu_s" },  { .key = "instructions" }, { .key = "exit_status" },
		{ .key = "unlike" }, { .key = "affects" },	{ .key = "level_1_away" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns), .is_catalog = true };

	for (size_t i = 0; i < report->nruns; i++) {
		const struct execution *run = &report->runs[i];
		const char **affected = arena_array(arena, run->naffected, sizeof(*affected));

		for (size_t k = 0; k < run->naffected; k++)
			affected[k] = report->model->metrics[run->affected[k]].name;
		grid_add(&grid,
			 (const struct cell[]){
				 whole_cell(run->run + 1),
				 report->summary.repeats > 1 ? whole_cell(run->repeat + 1) : absent_cell(),
				 number_cell(run->wall_s), number_cell(run->cpu_s), number_cell(run->instructions),
				 cell_if(run->status != STATUS_UNKNOWN,
					 (struct cell){ .kind = CELL_WHOLE, .whole = run->status }),
				 truth_cell(run->is_unlike), names_cell(arena, affected, run->naffected),
				 number_cell(run->mix ? fabs(run->mix_value - run->mix_typical) : NOT_COUNTED) },
			 arena);
	}
	return grid;
}

/* Corrections that the value had to do without. Nothing where it has all. */
static void write_without(struct json_writer *writer, const struct result *result, struct arena *arena)
{
	static const struct column column[] = { { .key = "without" } };
	const struct cell cell = names_cell(arena, result->without, result->nwithout);

	if (result->nwithout)
		json_cells(writer, column, &cell, 1);
}

static void write_results(struct json_writer *writer, const char *key, const struct report *report,
			  const struct result *results, size_t count)
{
	struct cell cells[RESULT_COLUMNS];
	struct arena arena;

	arena_init(&arena);
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++) {
		result_cells(cells, report, &results[i], &arena);
		json_write_object(writer, NULL);
		json_cells(writer, result_columns, cells, RESULT_COLUMNS);
		write_values(writer, &results[i].spread);
		write_without(writer, &results[i], &arena);
		if (results[i].if_fixed > 0)
			json_write_number(writer, "if_fixed", results[i].if_fixed);
		json_write_end(writer);
	}
	json_write_end(writer);
	arena_release(&arena);
}

/* NULL: it was the level alone. */
static void write_asked(struct json_writer *writer, const struct select_request *asked)
{
	static const struct column columns[] = { { .key = "nodes" },
						 { .key = "groups" },
						 { .key = "metrics" },
						 { .key = "level" },
						 { .key = "bottlenecks" } };

	if (!is_selecting(asked)) {
		json_write_string(writer, "asked", NULL);
		return;
	}
	json_write_object(writer, "asked");
	json_cells(writer, columns,
		   (const struct cell[]){ text_cell(asked->nodes), text_cell(asked->groups), text_cell(asked->metrics),
					  known_cell(asked->level),
					  asked->wants_causes ? truth_cell(true) : absent_cell() },
		   COUNT_OF(columns));
	json_write_end(writer);
}

/* The bottleneck view. */
static void write_causes(struct json_writer *writer, const struct report *report, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "rank" },    { .key = "name" },	   { .key = "title" },	    { .key = "value" },
		{ .key = "quality" }, { .key = "over_threshold" }, { .key = "bottleneck" }, { .key = "means" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	for (size_t i = 0; i < report->ncauses; i++) {
		const struct result *result = report->causes[i].result;
		struct cell cells[RESULT_COLUMNS];

		result_cells(cells, report, result, arena);
		grid_add(&grid,
			 (const struct cell[]){ whole_cell(result->rank), cells[RESULT_NAME], cells[RESULT_TITLE],
						cells[RESULT_VALUE], cells[RESULT_QUALITY], cells[RESULT_OVER],
						result->metric->level ? cells[RESULT_BOTTLENECK] : absent_cell(),
						text_cell(report->causes[i].means) },
			 arena);
	}
	if (report->ncauses)
		json_grid(writer, "bottlenecks", &grid);
}

static void write_advice(struct json_writer *writer, const struct report *report)
{
	static const struct column columns[] = { { .key = "node" }, { .key = "means" }, { .key = "try" } };

	if (!report->worst || !report->meaning)
		return;
	json_write_object(writer, "advice");
	json_cells(writer, columns,
		   (const struct cell[]){ text_cell(report->worst->metric->name), text_cell(report->meaning),
					  text_cell(report->advice) },
		   COUNT_OF(columns));
	json_write_end(writer);
}

struct grid report_hints(const struct report *report, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "node" },   { .key = "event" },   { .key = "perf" },
		{ .key = "period" }, { .key = "precise" }, { .key = "command" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns), .is_catalog = true };

	for (size_t i = 0; i < report->nnext; i++) {
		const struct hint *hint = &report->next[i];

		grid_add(&grid,
			 (const struct cell[]){ text_cell(hint->node->name), text_cell(hint->event),
						text_cell(hint->perf), whole_cell(hint->period),
						whole_cell(hint->precise), text_cell(hint->command) },
			 arena);
	}
	return grid;
}

static void write_names(struct json_writer *writer, const char *key, const char *const *names, size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, NULL, names[i]);
	json_write_end(writer);
}

/* Into the object that is open. */
static void write_report(struct json_writer *writer, const struct report_set *set, const struct report *report,
			 struct arena *arena)
{
	struct cell head[HEAD_COLUMNS];
	struct grid grid;

	json_write_string(writer, "format", "topdown-report");
	json_write_integer(writer, "version", 1);
	if (report->summary.part)
		json_write_string(writer, "part", report->summary.part);
	if (report->summary.part_kind)
		json_write_string(writer, "part_kind", report->summary.part_kind);
	head_cells(head, report, arena);
	json_cells(writer, head_columns, head, HEAD_COLUMNS);
	json_write_string(writer, "form", model_form_word(report->model));
	json_write_string(writer, "generic", report->model->generic);
	write_asked(writer, &report->asked);
	write_summary(writer, &report->summary, arena);
	if (report->model->is_simulated)
		write_anchor(writer, report->anchor, arena);
	fixes_json(writer, report, arena);
	software_json(writer, &report->software, arena);
	grid = report_runs(report, arena);
	json_grid(writer, "runs", &grid);
	write_results(writer, "nodes", report, report->nodes, report->nnodes);
	write_results(writer, "metrics", report, report->metrics, report->nmetrics);
	write_results(writer, "events", report, report->events, report->nevents);
	write_causes(writer, report, arena);
	if (!is_interval(set))
		assessment_json(writer, report, arena);
	write_advice(writer, report);
	json_write_string(writer, "look_closer", report->next_command);
	json_write_string(writer, "sample_next", report->sample_command);
	grid = report_hints(report, arena);
	json_grid(writer, "next", &grid);
	write_names(writer, "notes", report->notes, report->nnotes);
}

/* Nothing was counted: the lists are empty. */
static void write_sampled(struct json_writer *writer, const struct sampled *sampled, struct arena *arena)
{
	static const char *const lists[] = { "nodes", "metrics", "events", "next" };

	json_write_string(writer, "format", "topdown-report");
	json_write_integer(writer, "version", 1);
	sampled_json(writer, sampled, arena);
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		write_names(writer, lists[i], NULL, 0);
}

/* Of a series each member says which time it is about; the last one is about all of it. */
static void write_interval(struct json_writer *writer, const struct report_set *set)
{
	static const struct column columns[] = { { .key = "from_s" }, { .key = "to_s" } };

	if (!is_interval(set)) {
		json_write_string(writer, "interval", NULL);
		return;
	}
	json_write_object(writer, "interval");
	json_cells(writer, columns, (const struct cell[]){ number_cell(set->from_s), number_cell(set->to_s) },
		   COUNT_OF(columns));
	json_write_end(writer);
}

void report_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct report_set *set = what;

	if (set->sampled) {
		write_sampled(writer, set->sampled, arena);
	} else if (set->count == 1) {
		write_report(writer, set, &set->parts[0], arena);
	} else {
		json_write_string(writer, "format", "topdown-reports");
		json_write_integer(writer, "version", 1);
		json_write_array(writer, "parts");
		for (size_t i = 0; i < set->count; i++) {
			json_write_object(writer, NULL);
			write_report(writer, set, &set->parts[i], arena);
			json_write_end(writer);
		}
		json_write_end(writer);
	}
	if (!is_interval(set))
		placed_json(writer, set->roofline, arena);
	if (set->where)
		where_json(writer, set->where, arena);
	if (set->nidle)
		write_names(writer, "left_out", set->idle, set->nidle);
	if (set->is_series) {
		write_interval(writer, set);
		json_writer_on_one_line(writer);
	}
}
