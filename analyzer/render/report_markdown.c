/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include <math.h>

#include "render/human.h"
#include "render/lines.h"
#include "render/sheet.h"
#include "render/view.h"

#define COLUMNS 5

static const char *model_version(const struct page *page, const struct model *model)
{
	const char *version = model->version ? model->version : "-";

	if (!model->tma_version)
		return arena_printf(page->arena, "%s %s", model->cpu, version);
	return arena_printf(page->arena, "%s %s, TMA %s", model->cpu, version, model->tma_version);
}

static const char *with_spread(const struct page *page, const struct summary *summary, const char *text,
			       enum figure figure)
{
	return arena_printf(page->arena, "%s%s", text, view_figure_spread(page, summary, figure));
}

/* A simulated thread has no share of the CPUs of its own. */
static const char *time_text(const struct page *page, const struct report *report)
{
	const struct summary *s = &report->summary;
	struct arena *arena = page->arena;
	bool is_simulated = report->model->is_simulated;
	const char *wall = with_spread(page, s, human_seconds(arena, s->wall_s), FIGURE_WALL);
	const char *cpus = with_spread(page, s, human_fixed(arena, s->cpus_used, 2), FIGURE_CPUS);

	return arena_printf(arena, "%s wall%s%s", wall, is_simulated ? " under the simulator" : "",
			    is_simulated && isnan(s->cpus_used) ? "" : arena_printf(arena, ", %s CPUs used", cpus));
}

static void print_summary(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct arena *arena = page->arena;
	const char *machine = summary->machine ? summary->machine : summary->title;
	const struct {
		const char *label, *text;
	} items[] = {
		{ "Command", summary->target && !summary->command ? NULL : markdown_code(page, summary->command) },
		{ "Target", summary->target ? markdown_text(page, summary->target) : NULL },
		{ "Time", time_text(page, report) },
		{ "Instructions",
		  with_spread(page, summary, human_count(arena, summary->instructions), FIGURE_INSTRUCTIONS) },
		{ "Cycles", with_spread(page, summary, human_count(arena, summary->cycles), FIGURE_CYCLES) },
		{ "IPC", with_spread(page, summary, human_fixed(arena, summary->ipc, 2), FIGURE_IPC) },
		/* A simulated core has no clock. */
		{ "GHz", report->model->is_simulated
				 ? NULL
				 : with_spread(page, summary, human_fixed(arena, summary->ghz, 2), FIGURE_GHZ) },
		{ "Repeats", summary->repeats > 1 ? arena_printf(arena, "%zu", summary->repeats) : NULL },
		{ "Sampled", summary->is_sampled ? view_sampling(page, report) : NULL },
		{ "Runs", summary->runs ? arena_printf(arena, "%zu", summary->runs) : "-" },
		{ "Groups", summary->groups ? arena_printf(arena, "%zu", summary->groups) : "-" },
		{ "Scope", arena_printf(arena, "%s%s", report->model->is_simulated ? "**simulated**, " : "",
					markdown_text(page, summary->scope ? summary->scope : "-")) },
		{ "Status",
		  summary->has_status && summary->status ? arena_printf(arena, "%d", summary->status) : NULL },
		{ "CPU", markdown_text(page, arena_printf(arena, "%s (%s)", machine ? machine : "-",
							  summary->cpu ? summary->cpu : "-")) },
		{ "Model", markdown_text(page, model_version(page, report->model)) },
	};

	for (size_t i = 0; i < COUNT_OF(items); i++)
		if (items[i].text)
			fprintf(page->out, "- %s: %s\n", items[i].label, items[i].text);
	if (*view_anchor(page, report))
		fprintf(page->out, "- Anchor: %s\n", markdown_text(page, view_anchor(page, report)));
	if (*view_asked(page, &report->asked))
		fprintf(page->out, "- Only: %s\n", markdown_code(page, view_asked(page, &report->asked)));
}

static void print_head(const struct page *page, const char *first)
{
	static const bool right[COLUMNS] = { false, true, false, false, false };
	const char *names[COLUMNS] = { first, "Value", "Unit", "Quality", "Remark" };

	fputc('\n', page->out);
	markdown_row(page, names, COLUMNS);
	markdown_rule(page, right, COLUMNS);
}

static const char *remark(const struct report *report, const struct result *node)
{
	if (!is_measured(node))
		return node->reason ? node->reason : "not measured";
	if (node == report->worst)
		return "bottleneck, the worst";
	if (node->is_bottleneck)
		return node->is_on_worst_path ? "bottleneck, on the worst path" : "bottleneck";
	if (node->is_unjudged)
		return "may be a bottleneck: a node above it was not measured";
	return node->over_threshold ? "over its threshold" : "";
}

static void print_result(const struct page *page, const struct report *report, const struct result *result,
			 size_t depth)
{
	struct string title = STRING_INIT(page->arena);
	bool is_known = is_measured(result);
	const char *mark = view_mark(page, result);

	for (size_t i = 0; i < depth; i++)
		string_add(&title, "- ");
	string_add(&title, result->metric->title);
	markdown_row(
		page,
		(const char *[COLUMNS]){
			title.text,
			arena_printf(page->arena, "%s%s%s",
				     human_value(page->arena, result->metric, is_known ? result->value : (double)NAN),
				     *view_spread(page, result) ? " " : "", view_spread(page, result)),
			is_known ? human_unit(page->arena, result->metric) : "",
			*mark ? mark : quality_name(result->quality),
			remark(report, result),
		},
		COLUMNS);
}

/* As on the screen: what could not have been measured here is told by its reason, not row by row. */
static void print_metrics(const struct page *page, const struct report *report)
{
	bool *told = arena_array(page->arena, report->nmetrics + 1, sizeof(*told));
	size_t failed = 0, lines = 0;

	for (size_t i = 0; i < report->nmetrics; i++)
		failed += report->metrics[i].metric->failure != NULL;
	if (failed < report->nmetrics)
		print_head(page, "Metric");
	for (size_t i = 0; i < report->nmetrics; i++)
		if (!report->metrics[i].metric->failure)
			print_result(page, report, &report->metrics[i], 0);
	for (size_t i = 0; i < report->nmetrics; i++)
		if (report->metrics[i].metric->failure && !told[i])
			fprintf(page->out, "%s- %s\n", lines++ ? "" : "\n",
				markdown_text(page, view_failed(page, report, i, told)));
}

static void print_lists(const struct page *page, const struct report *report)
{
	if (report->nnotes || report->model->own_thresholds)
		fputc('\n', page->out);
	for (size_t i = 0; i < report->nnotes; i++)
		fprintf(page->out, "- %s\n", markdown_text(page, report->notes[i]));
	if (report->model->own_thresholds)
		fputs("- The thresholds are topdown's own: the vendor publishes none.\n", page->out);
	if (report->closer)
		fprintf(page->out, "\nLook closer: %s\n", markdown_code(page, report->closer));
	for (size_t i = 0; i < report->nnext; i++)
		fprintf(page->out, "%s- %s\n", i ? "" : "\nSample next:\n\n",
			markdown_code(page, report->next[i].command));
}

static void print_list_of_lines(const struct page *page, const struct node_lines *lines, bool is_functions)
{
	static const bool right[] = { true, false, false };
	const struct lines_list list = lines_list(page, lines, is_functions);

	fputc('\n', page->out);
	markdown_row(page, (const char *[]){ "% of it", is_functions ? "Object" : "Line", "Function" }, 3);
	markdown_rule(page, right, 3);
	for (size_t i = 0; i < list.count; i++)
		markdown_row(page,
			     (const char *[]){ human_fixed(page->arena, list.shares[i].percent, 1),
					       lines_where(page, &list, &list.shares[i]),
					       lines_function(&list.shares[i]) },
			     3);
	if (list.rest)
		fprintf(page->out, "\n%s\n", markdown_text(page, lines_rest(page, &list)));
}

static void print_lines(const struct page *page, const struct report *report)
{
	for (size_t i = 0; i < report->nlines; i++) {
		const struct node_lines *lines = &report->lines[i];

		fprintf(page->out, "\n### Lines of %s\n", markdown_text(page, lines->node->metric->title));
		print_list_of_lines(page, lines, false);
		print_list_of_lines(page, lines, true);
		if (lines->note)
			fprintf(page->out, "\n%s\n", markdown_text(page, lines->note));
	}
	if (report->has_lines && !report->nlines)
		fprintf(page->out, "\n%s\n", markdown_text(page, LINES_OF_NONE));
}

static void print_report(const struct page *page, const struct report_set *set, const struct report *report)
{
	struct view view;

	if (!is_interval(set))
		print_summary(page, report);
	if (report->model->no_tree && !is_interval(set))
		fprintf(page->out, "\n%s\n", markdown_text(page, report->model->no_tree));
	if (*view_anchor_warning(page, report))
		fprintf(page->out, "\n%s\n", markdown_text(page, view_anchor_warning(page, report)));
	view_build(&view, report, page);
	if (view.count)
		print_head(page, "Node");
	for (size_t i = 0; i < view.count; i++)
		print_result(page, report, view.rows[i].node, view.rows[i].depth);
	print_metrics(page, report);
	if (report->nevents)
		print_head(page, "Event");
	for (size_t i = 0; i < report->nevents; i++)
		print_result(page, report, &report->events[i], 0);
	if (is_interval(set))
		return;
	print_lines(page, report);
	print_lists(page, report);
}

int reports_markdown(const struct page *page, const struct report_set *set, struct error *err UNUSED)
{
	if (!set->before)
		fputs("# Topdown report\n\n", page->out);
	for (size_t i = 0; i < set->count; i++) {
		const char *heading = part_heading(page, set, &set->parts[i]);

		if (*heading)
			fprintf(page->out, "%s## %s\n\n", i || set->before ? "\n" : "", markdown_text(page, heading));
		print_report(page, set, &set->parts[i]);
	}
	return 0;
}
