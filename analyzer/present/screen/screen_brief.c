/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_brief.c - a report for programs with little room (--format brief): the verdict, the nodes that matter, places,
 * what to try, the next commands. What it leaves out is counted.
 */
#include <math.h>
#include <string.h>

#include "analyse/hotspots/sampled.h"
#include "analyse/verdict/headline.h"
#include "present/document/data.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/screen/screen.h"
#include "present/where/sampled_parts.h"

#define MOST_PLACES 5
#define LEAST_PLACE 0.5 /* percent */

static bool is_brief_node(const struct result *node)
{
	return is_measured(node) && (node->metric->level == 1 || node->is_bottleneck || node->is_named);
}

static struct cell tree_cell(const struct report *report, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];
		bool has_interval = node->spread.n > 1 && isfinite(node->spread.ci95);

		if (is_brief_node(node))
			grid_members(grid, arena,
				     MEMBERS({ "node", text_cell(node->metric->title) },
					     { "level", whole_cell(node->metric->level) },
					     { "value", number_cell(node->value) },
					     { "ci95", has_interval ? number_cell(node->spread.ci95) : absent_cell() },
					     { "unit", text_cell(human_unit(arena, node->metric)) },
					     { "quality", text_cell(result_quality(arena, node)) },
					     { "bottleneck", truth_cell(node->is_bottleneck) },
					     { "worst_path", truth_cell(node->is_on_worst_path) }));
	}
	return rows_cell(grid);
}

static struct cell places_cell(const struct report_set *set, struct arena *arena)
{
	const struct where *where = report_where(set);
	struct grid *grid = grid_new(arena, NULL, 0);
	bool are_lines = where && where->lines.count && where->lines.items[0].line;
	const struct where_rows *rows = are_lines ? &where->lines : where ? &where->functions : NULL;

	for (size_t i = 0; rows && i < rows->count && i < MOST_PLACES; i++) {
		const struct where_row *row = &rows->items[i];

		if (row->self.percent >= LEAST_PLACE)
			grid_members(grid, arena,
				     MEMBERS({ "of", text_cell(where->weighing->title) },
					     { "percent", number_cell(row->self.percent) },
					     { "function", text_cell(row->function) },
					     { "module", text_cell(row->module) }, { "file", text_cell(row->file) },
					     { "line", known_cell(row->line) }));
	}
	return some_rows_cell(grid);
}

static struct cell commands_cell(const struct report *report, struct arena *arena)
{
	const char **commands = arena_array(arena, report->nnext + 2, sizeof(*commands));
	size_t count = 0;

	if (report->actions.look_closer.command)
		commands[count++] = report->actions.look_closer.command;
	if (report->actions.sample.command)
		commands[count++] = report->actions.sample.command;
	for (size_t i = 0; i < report->nnext; i++)
		commands[count++] = report->next[i].command;
	return texts_cell(arena, commands, count);
}

static struct cell run_cell(const struct report *report, struct arena *arena)
{
	const struct summary *summary = &report->summary;
	const struct anchoring *anchor = report->anchor;
	bool is_simulated = report->model->is_simulated;

	return object_cell(
		arena,
		MEMBERS({ "command", text_cell(summary->command) },
			{ "target", summary->target ? text_cell(summary->target) : absent_cell() },
			{ "cpu", text_cell(summary->machine ? summary->machine : summary->title) },
			{ "simulated", truth_cell(is_simulated) },
			{ "wall_s", is_simulated ? absent_cell() : number_cell(summary->wall_s) },
			{ "native_s", is_simulated ? number_cell(anchor ? anchor->wall_s : NAN) : absent_cell() },
			{ "model_ratio", is_simulated ? number_cell(anchor ? anchor->ratio : NAN) : absent_cell() },
			{ "instructions", number_cell(summary->instructions) },
			{ "cycles", number_cell(summary->cycles) }, { "ipc", number_cell(summary->ipc) },
			{ "exit_status", cell_if(summary->has_status, whole_cell((size_t)summary->status)) }));
}

/* What the whole report has besides. */
static struct cell omitted_cell(const struct report_set *set, const struct report *report, struct arena *arena)
{
	size_t nodes = 0, others = set->count - 1;

	for (size_t i = 0; i < report->nnodes; i++)
		nodes += !is_brief_node(&report->nodes[i]);
	return object_cell(arena, MEMBERS({ "nodes", whole_cell(nodes) }, { "metrics", whole_cell(report->nmetrics) },
					  { "parts", others ? whole_cell(others) : absent_cell() }));
}

static void write_counted(struct json_writer *writer, const struct report_set *set, struct arena *arena)
{
	const struct report *report = report_busiest(set->parts, set->count);

	json_members(writer, MEMBERS({ "part", set->count > 1 ? text_cell(report->summary.part) : absent_cell() },
				     { "verdict", report_verdict_cell(set, report, arena) },
				     { "tree", tree_cell(report, arena) },
				     { "places", report == set->parts ? places_cell(set, arena) : absent_cell() },
				     { "try", report->worst ? text_cell(report->advice) : absent_cell() },
				     { "next", commands_cell(report, arena) }, { "run", run_cell(report, arena) },
				     { "notes", texts_cell(arena, report->notes, report->nnotes) },
				     { "omitted", omitted_cell(set, report, arena) }));
}

static void write_sampled(struct json_writer *writer, const struct report_set *set, struct arena *arena)
{
	const struct sampled *sampled = set->sampled;
	const char *next = sampled_next(sampled, arena);
	const struct cell run = object_cell(
		arena,
		MEMBERS({ "command", text_cell(sampled->origin->command) },
			{ "target", sampled->origin->target ? text_cell(sampled->origin->target) : absent_cell() },
			{ "wall_s", number_cell(sampled->wall_s) }, { "cpus_used", number_cell(sampled->cpus_used) },
			{ "samples", whole_cell(sampled->samples) }, { "lost", whole_cell(sampled->lost) },
			{ "exit_status", cell_if(sampled->has_status, whole_cell((size_t)sampled->status)) }));

	json_members(writer,
		     MEMBERS({ "verdict", report_verdict_cell(set, NULL, arena) },
			     { "places", places_cell(set, arena) }, { "next", texts_cell(arena, &next, next != NULL) },
			     { "run", run }, { "notes", texts_cell(arena, sampled->notes, sampled->nnotes) }));
}

/* An interval has its tree alone. */
void report_brief(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct report_set *set = what;

	json_members(writer, MEMBERS({ "format", text_cell("topdown-brief") }, { "version", whole_cell(1) }));
	if (set->sampled)
		write_sampled(writer, set, arena);
	else if (set->count)
		write_counted(writer, set, arena);
}
