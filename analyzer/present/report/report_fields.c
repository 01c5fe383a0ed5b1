/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report/report_fields.h"

#include <string.h>

#include "cpu/load/own_limit.h"
#include "cpu/load/topic.h"
#include "present/document/hue.h"
#include "present/document/human.h"
#include "present/report/recent_values.h"

const struct column result_columns[RESULT_COLUMNS] = {
	[RESULT_LEVEL] = { .key = "level" },
	[RESULT_NAME] = { .key = "name" },
	[RESULT_TITLE] = { .key = "title", .heading = "Node", .flags = COLUMN_TREE | COLUMN_SHRINKS, .least = 12 },
	[RESULT_PATH] = { .key = "path" },
	[RESULT_VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT, .gap = 2, .least = 5 },
	[RESULT_WHY] = { .heading = "Reason", .flags = COLUMN_WRAP | COLUMN_TEXT_ONLY, .gap = 2 },
	[RESULT_SPREAD] = { .heading = "Spread", .flags = COLUMN_RIGHT | COLUMN_JOINED, .gap = 1 },
	[RESULT_UNIT] = { .key = "unit", .heading = "Unit", .flags = COLUMN_KEPT, .gap = 1 },
	[RESULT_VERDICT] = { .heading = "Assessment", .flags = COLUMN_SHEET_ONLY },
	[RESULT_FLAG] = { .heading = "!", .flags = COLUMN_TEXT_ONLY, .gap = 1, .least = 1 },
	[RESULT_FIXED] = { .key = "if_fixed", .flags = COLUMN_PAGE_ONLY, .gap = 2 },
	[RESULT_DOMAIN] = { .key = "domain" },
	[RESULT_MARK] = { .heading = "Mark", .flags = COLUMN_TEXT_ONLY, .gap = 2 },
	[RESULT_QUALITY] = { .key = "quality", .heading = "Quality", .flags = COLUMN_SHEET_ONLY },
	[RESULT_SPARK] = { .heading = "Recent", .flags = COLUMN_TEXT_ONLY, .gap = 2 },
	[RESULT_BAR] = { .heading = "Bar", .flags = COLUMN_BAR | COLUMN_TEXT_ONLY, .gap = 2 },
	[RESULT_WORST] = { .heading = "Worst", .flags = COLUMN_TEXT_ONLY, .gap = 1, .least = 3 },
	[RESULT_REMARK] = { .heading = "Remark", .flags = COLUMN_SHEET_ONLY },
	[RESULT_OVER] = { .key = "over_threshold" },
	[RESULT_BOTTLENECK] = { .key = "bottleneck" },
	[RESULT_REASON] = { .key = "reason" },
	[RESULT_RAW] = { .key = "raw" },
	[RESULT_N] = { .key = "n" },
	[RESULT_STDDEV] = { .key = "stddev" },
	[RESULT_CI95] = { .key = "ci95" },
	[RESULT_RUNNING] = { .key = "running" },
	[RESULT_MISSING] = { .key = "missing" },
	[RESULT_PARENT] = { .key = "parent" },
	[RESULT_HAS_THRESHOLD] = { .key = "has_threshold" },
	[RESULT_WORST_PATH] = { .key = "worst_path" },
	[RESULT_SAMPLE] = { .key = "sample" },
	[RESULT_TOPIC] = { .key = "topic" },
	[RESULT_GROUPS] = { .key = "groups" },
	[RESULT_VALUES] = { .key = "values", .flags = COLUMN_PAGE_ONLY },
	[RESULT_WITHOUT] = { .key = "without", .flags = COLUMN_PAGE_ONLY },
};

const struct column *list_columns(const char *heading, size_t width, struct arena *arena)
{
	struct column *columns = arena_alloc(arena, sizeof(result_columns));

	memcpy(columns, result_columns, sizeof(result_columns));
	columns[RESULT_TITLE] =
		(struct column){ .key = "title", .heading = heading, .gap = 2, .least = width, .most = width };
	columns[RESULT_VALUE].gap = 0;
	columns[RESULT_VALUE].least = 10;
	columns[RESULT_WHY].flags = COLUMN_BELOW | COLUMN_TEXT_ONLY;
	columns[RESULT_WHY].gap = 6;
	columns[RESULT_SPREAD].flags = COLUMN_LOOSE | COLUMN_JOINED;
	columns[RESULT_UNIT].flags = COLUMN_LOOSE | COLUMN_KEPT;
	columns[RESULT_MARK].flags = COLUMN_LOOSE | COLUMN_TEXT_ONLY;
	columns[RESULT_SPARK].flags |= COLUMN_LOOSE;
	columns[RESULT_FLAG].heading = columns[RESULT_BAR].heading = columns[RESULT_WORST].heading = NULL;
	return columns;
}

bool is_measured(const struct result *result)
{
	return result->quality != QUALITY_NONE && isfinite(result->value);
}

/* Nothing says that this node matters: it is below its threshold, or not measured. */
static bool is_faint(const struct result *result)
{
	return !is_measured(result) || (result->has_threshold && !result->over_threshold && !result->is_unjudged);
}

struct cell values_cell(const struct statistics *spread, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < spread->count && spread->count > 1; i++)
		string_printf(&text, "%s%s", i ? ";" : "", plain_number(arena, spread->values[i]));
	return parts_cell(text.text);
}

void result_cells(struct cell *cells, const struct report *report, const struct result *result, struct arena *arena)
{
	const struct metric *metric = result->metric;
	const struct model *model = report->model;
	bool is_node = metric->level > 0, is_known = is_measured(result), has_parent = metric->parent < model->count;
	const struct cell absent = absent_cell();
	const struct cell row[RESULT_COLUMNS] = {
		[RESULT_LEVEL] = is_node ? whole_cell(metric->level) : absent,
		[RESULT_NAME] = text_cell(metric->name),
		[RESULT_TITLE] = text_cell(metric->title),
		[RESULT_PATH] = text_cell(metric->path),
		[RESULT_VALUE] = number_cell(is_known ? result->value : NOT_COUNTED),
		[RESULT_UNIT] = text_cell(metric->unit),
		[RESULT_DOMAIN] = text_cell(metric->domain),
		[RESULT_QUALITY] = text_cell(quality_name(result->quality)),
		[RESULT_OVER] = cell_if(!result->is_open, truth_cell(result->over_threshold)),
		[RESULT_BOTTLENECK] = cell_if(!result->is_unjudged, truth_cell(result->is_bottleneck)),
		[RESULT_REASON] = text_cell(result->reason),
		[RESULT_RAW] = number_cell(is_known ? result->raw : NOT_COUNTED),
		[RESULT_N] = has_spread(&report->summary) ? whole_cell(result->spread.n) : absent,
		[RESULT_STDDEV] = has_spread(&report->summary) ? number_cell(result->spread.stddev) : absent,
		[RESULT_CI95] = has_spread(&report->summary) ? number_cell(result->spread.ci95) : absent,
		[RESULT_RUNNING] = number_cell(result->running),
		[RESULT_MISSING] = names_cell(arena, result->missing, result->nmissing),
		[RESULT_PARENT] = is_node ? text_cell(has_parent ? model->metrics[metric->parent].name : NULL) : absent,
		[RESULT_HAS_THRESHOLD] = truth_cell(result->has_threshold),
		[RESULT_WORST_PATH] = is_node ? truth_cell(result->is_on_worst_path) : absent,
		[RESULT_SAMPLE] = is_node ? names_cell(arena, metric->samples, metric->nsamples) : absent,
		[RESULT_TOPIC] = is_node ? absent : text_cell(topic_name(metric_topic(metric))),
		[RESULT_GROUPS] = parts_cell(metric->groups),
		[RESULT_VALUES] = values_cell(&result->spread, arena),
		[RESULT_WITHOUT] = names_cell(arena, result->without, result->nwithout),
		[RESULT_FIXED] = result->if_fixed > 0 ? number_cell(result->if_fixed) : absent,
	};

	memcpy(cells, row, sizeof(row));
}

static enum ink row_ink(const struct report *report, const struct result *node)
{
	if (node == report->worst)
		return INK_WORST;
	if (node->is_on_worst_path)
		return INK_PATH;
	if (is_faint(node))
		return INK_DIM;
	return node->is_bottleneck ? INK_BOLD : INK_PLAIN;
}

const char *result_quality(struct arena *arena, const struct result *result)
{
	if (result->quality != QUALITY_SCALED || !isfinite(result->running))
		return quality_name(result->quality);
	return arena_printf(arena, "%s %.0f%%", quality_name(result->quality), result->running * 100);
}

/* The same beside a value; "" when there is nothing to say. */
static const char *mark_text(struct arena *arena, const struct result *result)
{
	return !is_measured(result) || result->quality == QUALITY_EXACT ? "" : result_quality(arena, result);
}

const char *speedup_text(struct arena *arena, double speedup)
{
	return isfinite(speedup) ? arena_printf(arena, "%sx", human_fixed(arena, speedup, 2)) : "-";
}

#define WHOLE_MACHINE "whole machine" /* whatever was measured: PMUs beside the cores know no programs */

/* The marks as words. */
static const char *remark(const struct report *report, const struct result *node)
{
	if (!is_measured(node))
		return node->reason ? node->reason : "not measured";
	if (node->metric->is_of_machine)
		return WHOLE_MACHINE;
	if (node == report->worst)
		return "bottleneck, the worst";
	if (node->is_bottleneck)
		return node->is_on_worst_path ? "bottleneck, on the worst path" : "bottleneck";
	if (node->is_unjudged)
		return "may be a bottleneck: a node above it was not measured";
	if (!node->over_threshold)
		return "";
	return node->metric->level ? "over its threshold" : "its threshold is met"; /* a metric may be too small */
}

/* "high: over 20 %", "ok: up to 20 %": by its threshold, whose number is named where the metric itself has one. */
static const char *verdict_text(const struct document *doc, const struct report *report, const struct result *result)
{
	const struct metric *metric = result->metric;
	struct own_limit limit;
	const char *number;

	if (!is_measured(result))
		return "-";
	if (!result->has_threshold || is_duration(metric))
		return "";
	if (result->is_open)
		return "-";
	if (!own_limit(&limit, report->model, metric))
		return result->over_threshold ? "high" : "ok";
	number = arena_printf(doc->arena, "%s%s%s", plain_number(doc->arena, limit.value), *metric->unit ? " " : "",
			      metric->unit);
	if (result->over_threshold)
		return arena_printf(doc->arena, "%s %s", limit.is_below ? "low: below" : "high: over", number);
	if (limit.is_below ? result->raw < limit.value : result->raw > limit.value)
		return arena_printf(doc->arena, "ok: %s %s alone", limit.is_below ? "below" : "over", number);
	return arena_printf(doc->arena, "ok: %s %s", limit.is_below ? "from" : "up to", number);
}

/* "±0.8", the 95 % interval of the mean of repeats, of what was multiplexed, or of a sampled simulation; "" without. */
static const char *spread_text(const struct document *doc, const struct result *result)
{
	if (!is_measured(result) || !result->spread.n || isnan(result->spread.ci95))
		return "";
	return arena_printf(doc->arena, "%s%s", plus_minus(doc),
			    human_spread(doc->arena, result->metric, result->value, result->spread.ci95));
}

#define NARROW 60 /* columns */

static const char *worst_mark(const struct document *doc)
{
	return doc->window || (doc->style->width && doc->style->width < NARROW) ? "<==" : "<== start here";
}

/* The colour of what the node is in on level 1. */
static enum ink bar_ink(const struct report *report, const struct metric *metric)
{
	while (metric->parent < report->model->count)
		metric = &report->model->metrics[metric->parent];
	return (enum ink)(INK_HUES + hue_of(metric->name));
}

void result_shown(struct cell *cells, const struct report *report, const struct result *result,
		  const struct document *doc)
{
	const struct metric *metric = result->metric;
	struct arena *arena = doc->arena;
	bool is_node = metric->level > 0, is_known = is_measured(result);
	enum ink ink = is_node ? row_ink(report, result) : INK_PLAIN;
	const char *mark = mark_text(arena, result), *flag = result->is_unjudged ? "?" : "";

	result_cells(cells, report, result, arena);
	cells[RESULT_TITLE].ink = cells[RESULT_VALUE].ink = ink;
	cells[RESULT_VALUE].shown = human_value(arena, metric, is_known ? result->value : NOT_COUNTED);
	cells[RESULT_WHY] = shown_cell(!is_known || metric->is_of_machine ? remark(report, result) : "", INK_PLAIN);
	cells[RESULT_SPREAD] = shown_cell(spread_text(doc, result), INK_DIM);
	cells[RESULT_UNIT].shown = is_known ? human_unit(arena, metric) : "";
	cells[RESULT_UNIT].ink = is_node && is_faint(result) ? INK_DIM : INK_PLAIN;
	cells[RESULT_VERDICT] = shown_cell(verdict_text(doc, report, result), INK_PLAIN);
	cells[RESULT_MARK] = shown_cell(mark, INK_PLAIN);
	cells[RESULT_QUALITY].shown = *mark ? mark : quality_name(result->quality);
	cells[RESULT_REMARK] = shown_cell(remark(report, result), INK_PLAIN);
	if (doc->window && doc->window->spark)
		cells[RESULT_SPARK] = shown_cell(recent_values_spark(doc, report, result), INK_DIM);
	if (!is_known)
		return;
	cells[RESULT_FLAG] = shown_cell(result->is_bottleneck ? "!" : flag, ink);
	if (!strcmp(metric->unit, "%")) {
		cells[RESULT_BAR] = number_cell(result->value);
		cells[RESULT_BAR].ink = bar_ink(report, metric);
	}
	cells[RESULT_FIXED].ink = ink;
	if (result->if_fixed > 0)
		cells[RESULT_FIXED].shown = speedup_text(arena, result->if_fixed);
	cells[RESULT_WORST] = shown_cell(result == report->worst ? worst_mark(doc) : "", ink);
}

const struct column summary_columns[SUMMARY_COLUMNS] = {
	[SUMMARY_COMMAND] = { .key = "command" },
	[SUMMARY_TARGET] = { .key = "target" },
	[SUMMARY_STARTED] = { .key = "started" },
	[SUMMARY_HOST] = { .key = "host" },
	[SUMMARY_KERNEL] = { .key = "kernel" },
	[SUMMARY_TOOL_VERSION] = { .key = "tool_version" },
	[SUMMARY_WALL] = { .key = "wall_s" },
	[SUMMARY_CPUS] = { .key = "cpus_used" },
	[SUMMARY_INSTRUCTIONS] = { .key = "instructions" },
	[SUMMARY_CYCLES] = { .key = "cycles" },
	[SUMMARY_IPC] = { .key = "ipc" },
	[SUMMARY_GHZ] = { .key = "ghz" },
	[SUMMARY_RUNS] = { .key = "runs" },
	[SUMMARY_GROUPS] = { .key = "groups", .csv = "event_groups" },
	[SUMMARY_REPEATS] = { .key = "repeats" },
	[SUMMARY_SCOPE] = { .key = "scope" },
	[SUMMARY_STATUS] = { .key = "exit_status" },
	[SUMMARY_MACHINE] = { .key = "machine" },
	[SUMMARY_TITLE] = { .key = "title", .csv = "cpu_title" },
};

void summary_cells(struct cell *cells, const struct summary *summary)
{
	const struct cell row[SUMMARY_COLUMNS] = {
		[SUMMARY_COMMAND] = text_cell(summary->command),
		[SUMMARY_TARGET] = text_cell(summary->target),
		[SUMMARY_STARTED] = text_cell(summary->started),
		[SUMMARY_HOST] = text_cell(summary->host),
		[SUMMARY_KERNEL] = text_cell(summary->kernel),
		[SUMMARY_TOOL_VERSION] = text_cell(summary->tool_version),
		[SUMMARY_WALL] = number_cell(summary->wall_s),
		[SUMMARY_CPUS] = number_cell(summary->cpus_used),
		[SUMMARY_INSTRUCTIONS] = number_cell(summary->instructions),
		[SUMMARY_CYCLES] = number_cell(summary->cycles),
		[SUMMARY_IPC] = number_cell(summary->ipc),
		[SUMMARY_GHZ] = number_cell(summary->ghz),
		[SUMMARY_RUNS] = known_cell(summary->runs),
		[SUMMARY_GROUPS] = known_cell(summary->groups),
		[SUMMARY_REPEATS] = known_cell(summary->repeats),
		[SUMMARY_SCOPE] = text_cell(summary->scope),
		[SUMMARY_STATUS] = cell_if(summary->has_status, whole_cell((size_t)summary->status)),
		[SUMMARY_MACHINE] = text_cell(summary->machine),
		[SUMMARY_TITLE] = text_cell(summary->title),
	};

	memcpy(cells, row, sizeof(row));
}

const char *const figure_keys[FIGURES] = {
	[FIGURE_WALL] = "wall_s",   [FIGURE_CPUS] = "cpus_used", [FIGURE_INSTRUCTIONS] = "instructions",
	[FIGURE_CYCLES] = "cycles", [FIGURE_IPC] = "ipc",	 [FIGURE_GHZ] = "ghz",
};

const char *sampling_text(struct arena *arena, const struct summary *summary)
{
	return arena_printf(arena, "%s %% of the instructions modelled in detail, in %zu window%s",
			    human_fixed(arena, 100 * summary->modelled, 1), summary->windows,
			    summary->windows == 1 ? "" : "s");
}

const struct column head_columns[HEAD_COLUMNS] = {
	{ .key = "cpu" },
	{ .key = "model" },
	{ .key = "tma_version" },
	{ .key = "no_tree" },
	{ .key = "simulated" },
	{ .key = "own_thresholds" },
	{ .key = "level", .csv = "deepest_level" },
};

void head_cells(struct cell *cells, const struct report *report, struct arena *arena)
{
	const struct model *model = report->model;
	const char *version = model->version ? arena_printf(arena, "%s %s", model->cpu, model->version) : model->cpu;
	size_t i = 0;

	cells[i++] = text_cell(report->summary.cpu ? report->summary.cpu : model->cpu);
	cells[i++] = text_cell(version);
	cells[i++] = text_cell(model->tma_version);
	cells[i++] = text_cell(model->no_tree);
	cells[i++] = truth_cell(model->is_simulated);
	cells[i++] = truth_cell(model->own_thresholds);
	cells[i++] = known_cell(report->level);
}
