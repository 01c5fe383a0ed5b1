/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include <math.h>

#include "base/text.h"
#include "load/topic.h"
#include "render/human.h"
#include "render/json_write.h"
#include "render/view.h"

/* Twelve digits: more than any count is good for, and no 26.800000000000001. */
static void write_number(struct json_writer *writer, const struct page *page, const char *key, double value)
{
	double rounded;

	if (text_double(plain_number(page->arena, value), &rounded))
		value = rounded;
	json_write_number(writer, key, value);
}

/* 0 stands for unknown. */
static void write_known(struct json_writer *writer, const char *key, size_t value)
{
	if (value)
		json_write_integer(writer, key, (int64_t)value);
	else
		json_write_string(writer, key, NULL);
}

static void write_names(struct json_writer *writer, const char *key, const char *const *names, size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, NULL, names[i]);
	json_write_end(writer);
}

/* Of repeats: how many measured it, and how far they are apart. */
static void write_spread(struct json_writer *writer, const struct page *page, const struct statistics *spread)
{
	json_write_integer(writer, "n", (int64_t)spread->n);
	write_number(writer, page, "stddev", spread->stddev);
	write_number(writer, page, "ci95", spread->ci95);
}

static void write_figures(struct json_writer *writer, const struct page *page, const struct summary *summary)
{
	static const char *const keys[FIGURES] = {
		[FIGURE_WALL] = "wall_s",   [FIGURE_CPUS] = "cpus_used", [FIGURE_INSTRUCTIONS] = "instructions",
		[FIGURE_CYCLES] = "cycles", [FIGURE_IPC] = "ipc",	 [FIGURE_GHZ] = "ghz",
	};

	json_write_integer(writer, "repeats", (int64_t)summary->repeats);
	json_write_object(writer, "spread");
	for (size_t i = 0; i < FIGURES; i++) {
		json_write_object(writer, keys[i]);
		write_spread(writer, page, &summary->spread[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* A simulation that modelled windows of the program: how much, and how sure the cycles are. */
static void write_sampling(struct json_writer *writer, const struct page *page, const struct summary *summary)
{
	json_write_object(writer, "sampling");
	write_number(writer, page, "modelled", summary->modelled);
	json_write_integer(writer, "windows", (int64_t)summary->windows);
	write_number(writer, page, "cycles_ci95", summary->spread[FIGURE_CYCLES].ci95);
	json_write_end(writer);
}

static void write_summary(struct json_writer *writer, const struct page *page, const struct summary *summary)
{
	json_write_object(writer, "summary");
	json_write_string(writer, "command", summary->command);
	if (summary->target)
		json_write_string(writer, "target", summary->target);
	write_number(writer, page, "wall_s", summary->wall_s);
	write_number(writer, page, "cpus_used", summary->cpus_used);
	write_number(writer, page, "instructions", summary->instructions);
	write_number(writer, page, "cycles", summary->cycles);
	write_number(writer, page, "ipc", summary->ipc);
	write_number(writer, page, "ghz", summary->ghz);
	if (summary->repeats > 1)
		write_figures(writer, page, summary);
	if (summary->is_sampled)
		write_sampling(writer, page, summary);
	write_known(writer, "runs", summary->runs);
	write_known(writer, "groups", summary->groups);
	json_write_string(writer, "scope", summary->scope);
	if (summary->has_status)
		json_write_integer(writer, "exit_status", summary->status);
	else
		json_write_string(writer, "exit_status", NULL);
	json_write_string(writer, "machine", summary->machine);
	json_write_string(writer, "title", summary->title);
	json_write_end(writer);
}

/* null: it can't be told, because something was not measured. */
static void write_verdict(struct json_writer *writer, const char *key, bool holds, bool is_unknown)
{
	if (is_unknown)
		json_write_string(writer, key, NULL);
	else
		json_write_bool(writer, key, holds);
}

/* null: the program was not to be timed. */
static void write_anchor(struct json_writer *writer, const struct page *page, const struct report *report)
{
	const struct anchoring *anchor = report->anchor;

	if (!anchor) {
		json_write_string(writer, "anchor", NULL);
		return;
	}
	json_write_object(writer, "anchor");
	write_number(writer, page, "user_s", anchor->user_s);
	write_number(writer, page, "hz", anchor->hz);
	write_number(writer, page, "measured_cycles", anchor->measured);
	write_number(writer, page, "modelled_cycles", anchor->modelled);
	write_number(writer, page, "ratio", anchor->ratio);
	write_verdict(writer, "far", anchor->is_far, anchor->reason != NULL);
	json_write_string(writer, "reason", anchor->reason);
	json_write_end(writer);
}

static void write_run(struct json_writer *writer, const struct page *page, const struct report *report,
		      const struct execution *run)
{
	json_write_object(writer, NULL);
	json_write_integer(writer, "run", (int64_t)run->run + 1);
	if (report->summary.repeats > 1)
		json_write_integer(writer, "repeat", (int64_t)run->repeat + 1);
	write_number(writer, page, "wall_s", run->wall_s);
	write_number(writer, page, "cpu_s", run->cpu_s);
	write_number(writer, page, "instructions", run->instructions);
	json_write_integer(writer, "exit_status", run->status);
	json_write_bool(writer, "unlike", run->is_unlike);
	json_write_array(writer, "affects");
	for (size_t i = 0; i < run->naffected; i++)
		json_write_string(writer, NULL, report->model->metrics[run->affected[i]].name);
	json_write_end(writer);
	json_write_end(writer);
}

/* What nodes and other metrics have in common. */
static void write_measurement(struct json_writer *writer, const struct page *page, const struct report *report,
			      const struct result *result)
{
	bool is_known = is_measured(result);

	write_number(writer, page, "value", is_known ? result->value : (double)NAN);
	write_number(writer, page, "raw", is_known ? result->raw : (double)NAN);
	if (has_spread(&report->summary))
		write_spread(writer, page, &result->spread);
	json_write_string(writer, "unit", result->metric->unit);
	json_write_string(writer, "domain", result->metric->domain);
	json_write_string(writer, "quality", quality_name(result->quality));
	write_number(writer, page, "running", result->running);
	json_write_string(writer, "reason", result->reason);
	write_names(writer, "missing", result->missing, result->nmissing);
}

static void write_node(struct json_writer *writer, const struct page *page, const struct report *report,
		       const struct result *node)
{
	const struct metric *metric = node->metric;
	bool has_parent = metric->parent < report->model->count;

	json_write_object(writer, NULL);
	json_write_string(writer, "name", metric->name);
	json_write_string(writer, "title", metric->title);
	json_write_string(writer, "path", metric->path);
	json_write_integer(writer, "level", metric->level);
	json_write_string(writer, "parent", has_parent ? report->model->metrics[metric->parent].name : NULL);
	write_measurement(writer, page, report, node);
	json_write_bool(writer, "has_threshold", node->has_threshold);
	write_verdict(writer, "over_threshold", node->over_threshold, node->is_open);
	write_verdict(writer, "bottleneck", node->is_bottleneck, node->is_unjudged);
	json_write_bool(writer, "worst_path", node->is_on_worst_path);
	write_names(writer, "sample", metric->samples, metric->nsamples);
	json_write_end(writer);
}

static void write_metric(struct json_writer *writer, const struct page *page, const struct report *report,
			 const struct result *result)
{
	const char *cursor = result->metric->groups, *part;
	size_t length;

	json_write_object(writer, NULL);
	json_write_string(writer, "name", result->metric->name);
	json_write_string(writer, "title", result->metric->title);
	write_measurement(writer, page, report, result);
	json_write_bool(writer, "has_threshold", result->has_threshold);
	write_verdict(writer, "over_threshold", result->over_threshold, result->is_open);
	json_write_string(writer, "topic", topic_name(metric_topic(result->metric)));
	json_write_array(writer, "groups");
	while ((length = text_next(&cursor, ";", &part)) > 0)
		json_write_string(writer, NULL, arena_strndup(page->arena, part, length));
	json_write_end(writer);
	json_write_end(writer);
}

static void write_hint(struct json_writer *writer, const struct hint *hint)
{
	json_write_object(writer, NULL);
	json_write_string(writer, "node", hint->node->name);
	json_write_string(writer, "event", hint->event);
	json_write_string(writer, "perf", hint->perf);
	json_write_integer(writer, "period", (int64_t)hint->period);
	json_write_integer(writer, "precise", hint->precise);
	json_write_string(writer, "command", hint->command);
	json_write_end(writer);
}

static void write_asked(struct json_writer *writer, const struct select_request *asked)
{
	if (!is_selecting(asked)) {
		json_write_string(writer, "asked", NULL);
		return;
	}
	json_write_object(writer, "asked");
	json_write_string(writer, "nodes", asked->nodes);
	json_write_string(writer, "groups", asked->groups);
	json_write_string(writer, "metrics", asked->metrics);
	write_known(writer, "level", asked->level);
	json_write_end(writer);
}

static void write_head(struct json_writer *writer, const struct page *page, const struct report *report)
{
	const struct model *model = report->model;
	const char *version =
		model->version ? arena_printf(page->arena, "%s %s", model->cpu, model->version) : model->cpu;

	json_write_string(writer, "format", "topdown-report");
	json_write_integer(writer, "version", 1);
	if (report->summary.part)
		json_write_string(writer, "part", report->summary.part);
	json_write_string(writer, "cpu", report->summary.cpu ? report->summary.cpu : model->cpu);
	json_write_string(writer, "model", version);
	json_write_string(writer, "tma_version", model->tma_version);
	json_write_string(writer, "no_tree", model->no_tree);
	json_write_bool(writer, "simulated", model->is_simulated);
	json_write_bool(writer, "own_thresholds", model->own_thresholds);
	write_known(writer, "level", report->level);
	write_asked(writer, &report->asked);
	write_summary(writer, page, &report->summary);
	if (model->is_simulated)
		write_anchor(writer, page, report);
}

static void write_words(struct json_writer *writer, const struct report *report)
{
	if (!report->worst || !report->means)
		return;
	json_write_object(writer, "advice");
	json_write_string(writer, "node", report->worst->metric->name);
	json_write_string(writer, "means", report->means);
	json_write_string(writer, "try", report->advice);
	json_write_end(writer);
}

/* A line, or a function, which has none. */
static void write_share(struct json_writer *writer, const struct page *page, const struct line_share *share,
			bool is_function)
{
	const struct source_line *line = share->line;

	json_write_object(writer, NULL);
	write_number(writer, page, "percent", share->percent);
	json_write_string(writer, "function", line->function);
	if (!is_function) {
		json_write_string(writer, "file", line->file);
		write_known(writer, "line", line->line);
	}
	json_write_string(writer, "object", line->object);
	json_write_end(writer);
}

static void write_node_lines(struct json_writer *writer, const struct page *page, const struct node_lines *lines)
{
	json_write_object(writer, NULL);
	json_write_string(writer, "node", lines->node->metric->name);
	json_write_string(writer, "title", lines->node->metric->title);
	write_number(writer, page, "told_percent", lines->told);
	write_number(writer, page, "without_line_percent", lines->without);
	json_write_string(writer, "note", lines->note);
	json_write_array(writer, "lines");
	for (size_t i = 0; i < lines->nlines; i++)
		write_share(writer, page, &lines->lines[i], false);
	json_write_end(writer);
	json_write_array(writer, "functions");
	for (size_t i = 0; i < lines->nfunctions; i++)
		write_share(writer, page, &lines->functions[i], true);
	json_write_end(writer);
	json_write_end(writer);
}

static void write_lines(struct json_writer *writer, const struct page *page, const struct report *report)
{
	if (!report->has_lines)
		return;
	json_write_array(writer, "lines");
	for (size_t i = 0; i < report->nlines; i++)
		write_node_lines(writer, page, &report->lines[i]);
	json_write_end(writer);
}

/* Into the object that is open. */
static void write_report(struct json_writer *writer, const struct page *page, const struct report *report)
{
	write_head(writer, page, report);
	json_write_array(writer, "runs");
	for (size_t i = 0; i < report->nruns; i++)
		write_run(writer, page, report, &report->runs[i]);
	json_write_end(writer);
	json_write_array(writer, "nodes");
	for (size_t i = 0; i < report->nnodes; i++)
		write_node(writer, page, report, &report->nodes[i]);
	json_write_end(writer);
	json_write_array(writer, "metrics");
	for (size_t i = 0; i < report->nmetrics; i++)
		write_metric(writer, page, report, &report->metrics[i]);
	json_write_end(writer);
	json_write_array(writer, "events");
	for (size_t i = 0; i < report->nevents; i++)
		write_metric(writer, page, report, &report->events[i]);
	json_write_end(writer);
	write_words(writer, report);
	write_lines(writer, page, report);
	json_write_string(writer, "closer", report->closer);
	json_write_array(writer, "next");
	for (size_t i = 0; i < report->nnext; i++)
		write_hint(writer, &report->next[i]);
	json_write_end(writer);
	write_names(writer, "notes", report->notes, report->nnotes);
}

/* Of a series each member says which time it is about; the last one is about all of it. */
static void write_interval(struct json_writer *writer, const struct page *page, const struct report_set *set)
{
	if (!is_interval(set)) {
		json_write_string(writer, "interval", NULL);
		return;
	}
	json_write_object(writer, "interval");
	write_number(writer, page, "from_s", set->from_s);
	write_number(writer, page, "to_s", set->to_s);
	json_write_end(writer);
}

static void write_parts(struct json_writer *writer, const struct page *page, const struct report_set *set)
{
	json_write_string(writer, "format", "topdown-reports");
	json_write_integer(writer, "version", 1);
	json_write_array(writer, "parts");
	for (size_t i = 0; i < set->count; i++) {
		json_write_object(writer, NULL);
		write_report(writer, page, &set->parts[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

int reports_json(const struct page *page, const struct report_set *set, struct error *err)
{
	struct json_writer *writer = json_writer_new();

	if (set->count == 1)
		write_report(writer, page, &set->parts[0]);
	else
		write_parts(writer, page, set);
	if (set->is_series) {
		write_interval(writer, page, set);
		json_writer_on_one_line(writer);
	}
	return json_writer_finish(writer, page->out, err);
}
