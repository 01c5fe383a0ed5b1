/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sheet.c - a report as one CSV sheet: a line for each node, metric ... and each sentence, all with the same
 * columns. What it is stands in "kind".
 */
#include "present/report/report_fields.h"
#include "analyse/ranks/ranks.h"
#include "present/report/report_sections.h"

#include <string.h>

#include "present/report/assessment_parts.h"
#include "present/roofline/roofline_parts.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#define CSV_VERSION 2 /* 1: up to topdown 0.1, whose columns came and went with the options */

static const struct column kind_column = { .key = "kind" }, text_column = { .key = "text" };
enum { TIME_PART, TIME_PART_KIND, TIME_FROM, TIME_TO, TIME_COLUMNS };
static const struct column time_columns[TIME_COLUMNS] = { [TIME_PART] = { .key = "part" },
							  [TIME_PART_KIND] = { .key = "part_kind" },
							  [TIME_FROM] = { .key = "from_s" },
							  [TIME_TO] = { .key = "to_s" } };
/* What JSON has as objects of its own. */
static const struct column more_columns[] = {
	{ .key = "form" },	   { .key = "generic" },       { .key = "asked_nodes" },
	{ .key = "asked_groups" }, { .key = "asked_metrics" }, { .key = "asked_level" },
	{ .key = "modelled" },	   { .key = "windows" },       { .key = "csv_version" },
};
/* Of a share: where it is, and how much. */
static const enum where_column places[] = { WHERE_FUNCTION, WHERE_FILE, WHERE_LINE, WHERE_MODULE },
			       amounts[] = { WHERE_LOW,	       WHERE_HIGH,    WHERE_TOTAL,   WHERE_TOTAL_LOW,
					     WHERE_TOTAL_HIGH, WHERE_BASE,    WHERE_SAMPLES, WHERE_ROUGH,
					     WHERE_INTO,       WHERE_AT_FILE, WHERE_AT_LINE };
enum { LAST_FIXED, LAST_VERDICT, LAST_GOOD, LAST_BAD, LAST_COLUMNS };
static const struct column last_columns[LAST_COLUMNS] = { [LAST_FIXED] = { .key = "if_fixed" },
							  [LAST_VERDICT] = { .key = "verdict" },
							  [LAST_GOOD] = { .key = "good" },
							  [LAST_BAD] = { .key = "bad" } };

/* Where a report's lines go, and its own fields, which all of them have. */
struct lines {
	struct sheet *sheet;
	const struct report *report;
	struct cell time[TIME_COLUMNS], head[HEAD_COLUMNS], summary[SUMMARY_COLUMNS], more[COUNT_OF(more_columns)];
};

/* A line: what it is, a sentence, the result or that which takes its place, a place with its share. */
struct csv_line {
	const char *kind, *text;
	struct cell result[RESULT_COLUMNS], share[WHERE_COLUMNS], last[LAST_COLUMNS];
};

static void put_share(struct sheet *sheet, const enum where_column *columns, size_t count, const struct cell *share)
{
	for (size_t i = 0; i < count; i++)
		csv_cells(sheet, &where_columns[columns[i]], share ? &share[columns[i]] : NULL, 1);
}

/* line NULL: the names of the columns. */
static void put_line(const struct lines *lines, const struct csv_line *line)
{
	const struct cell kind = text_cell(line ? line->kind : NULL), text = text_cell(line ? line->text : NULL);

	csv_cells(lines->sheet, &kind_column, line ? &kind : NULL, 1);
	csv_cells(lines->sheet, result_columns, line ? line->result : NULL, RESULT_COLUMNS);
	put_share(lines->sheet, places, COUNT_OF(places), line ? line->share : NULL);
	csv_cells(lines->sheet, &text_column, line ? &text : NULL, 1);
	csv_cells(lines->sheet, time_columns, line ? lines->time : NULL, TIME_COLUMNS);
	csv_cells(lines->sheet, head_columns, line ? lines->head : NULL, HEAD_COLUMNS);
	csv_cells(lines->sheet, summary_columns, line ? lines->summary : NULL, SUMMARY_COLUMNS);
	csv_cells(lines->sheet, more_columns, line ? lines->more : NULL, COUNT_OF(more_columns));
	put_share(lines->sheet, amounts, COUNT_OF(amounts), line ? line->share : NULL);
	csv_cells(lines->sheet, last_columns, line ? line->last : NULL, LAST_COLUMNS);
	csv_end(lines->sheet);
}

static struct lines lines_of(struct sheet *sheet, const struct report_set *set, const struct report *report)
{
	const struct select_request *asked = &report->asked;
	const struct summary *summary = &report->summary;
	struct lines lines = {
		.sheet = sheet,
		.report = report,
		.time = { text_cell(summary->part), text_cell(summary->part_kind), number_cell(set->from_s),
			  number_cell(set->to_s) },
		.more = { text_cell(model_form_word(report->model)), text_cell(report->model->generic),
			  text_cell(asked->nodes), text_cell(asked->groups), text_cell(asked->metrics),
			  cell_if(is_selecting(asked), known_cell(asked->level)),
			  cell_if(summary->is_sampled, number_cell(summary->modelled)),
			  cell_if(summary->is_sampled, whole_cell(summary->windows)), whole_cell(CSV_VERSION) },
	};

	head_cells(lines.head, report, sheet->arena);
	summary_cells(lines.summary, summary);
	return lines;
}

/* Those with a rank are among the causes. */
static void put_results(const struct lines *lines, const char *kind, const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct result *result = &results[i];
		struct csv_line line = { .kind = kind,
					 .last[LAST_FIXED] =
						 cell_if(result->if_fixed > 0, number_cell(result->if_fixed)) };

		if (result->rank)
			continue;
		result_cells(line.result, lines->report, result, lines->sheet->arena);
		put_line(lines, &line);
	}
}

/* The rows of the bottleneck view stand first, and alone where nothing else was asked for. */
static void put_causes(const struct lines *lines)
{
	for (size_t i = 0; i < lines->report->ncauses; i++) {
		struct csv_line line = { .kind = "cause" };

		result_cells(line.result, lines->report, lines->report->causes[i].result, lines->sheet->arena);
		put_line(lines, &line);
	}
}

/* What --what-if tried: the speed-up as the value, the cycles as the raw one. */
static void put_fixes(const struct lines *lines)
{
	for (size_t i = 0; i < lines->report->nfixes; i++) {
		const struct fix *fix = &lines->report->fixes[i];

		put_line(lines, &(struct csv_line){ .kind = "what_if",
						    .text = fix->what,
						    .result[RESULT_NAME] = text_cell(fix->name),
						    .result[RESULT_VALUE] = number_cell(fix->speedup),
						    .result[RESULT_RAW] = number_cell(fix->cycles),
						    .result[RESULT_CI95] =
							    cell_if(isfinite(fix->ci95), number_cell(fix->ci95)),
						    .result[RESULT_UNIT] = text_cell("x") });
	}
}

/* Figures that are judged, with what their values say as the text. */
static void put_assessment(const struct lines *lines)
{
	for (size_t i = 0; i < lines->report->nassessed; i++) {
		const struct assessed *assessed = &lines->report->assessed[i];
		const struct assessment_rule *rule = assessed->rule;

		put_line(lines,
			 &(struct csv_line){ .kind = "assessment",
					     .text = assessed_means(assessed),
					     .result[RESULT_NAME] = text_cell(rule->name),
					     .result[RESULT_TITLE] = text_cell(rule->title),
					     .result[RESULT_VALUE] = number_cell(assessed->value),
					     .result[RESULT_UNIT] = text_cell(rule->unit),
					     .result[RESULT_QUALITY] = text_cell(quality_name(assessed->quality)),
					     .result[RESULT_REASON] = text_cell(assessed->reason),
					     .result[RESULT_TOPIC] = text_cell(assessment_topic_name(rule->topic)),
					     .last[LAST_VERDICT] = word_cell(assessed_key(assessed)),
					     .last[LAST_GOOD] = number_cell(rule->good),
					     .last[LAST_BAD] = number_cell(rule->bad) });
	}
}

/* A sentence, about a node where one is named; nothing where there is none. */
static void put_text(const struct lines *lines, const char *kind, const struct metric *node, const char *text)
{
	if (text)
		put_line(lines, &(struct csv_line){ .kind = kind,
						    .text = text,
						    .result[RESULT_NAME] = text_cell(node ? node->name : NULL),
						    .result[RESULT_TITLE] = text_cell(node ? node->title : NULL) });
}

static void put_notes(const struct lines *lines, const char *const *notes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_text(lines, "note", NULL, notes[i]);
}

/* What a share is of: a node of the report, or an event. */
static void subject_cells(struct cell *cells, const struct lines *lines, const struct weighing *w)
{
	const struct report *report = lines->report;

	for (size_t i = 0; i < report->nnodes && w->node; i++)
		if (!strcmp(report->nodes[i].metric->name, w->node))
			result_cells(cells, report, &report->nodes[i], lines->sheet->arena);
	cells[RESULT_NAME] = text_cell(w->node ? w->node : w->name);
	cells[RESULT_TITLE] = cells[RESULT_DOMAIN] = text_cell(w->title);
	cells[RESULT_UNIT] = text_cell("%");
	cells[RESULT_RAW] = cells[RESULT_N] = cells[RESULT_STDDEV] = cells[RESULT_CI95] = absent_cell();
}

/* The subject's row, with the share of it as the value. */
static void put_shares(const struct lines *lines, const char *kind, const struct where *where,
		       const struct where_rows *rows)
{
	struct csv_line line = { .kind = kind };
	struct lines own = *lines;

	subject_cells(line.result, lines, where->weighing);
	for (size_t i = 0; i < rows->count; i++) {
		if (!where_has_row(where, &rows->items[i]))
			continue;
		where_cells(line.share, where, &rows->items[i]);
		line.result[RESULT_VALUE] = line.share[WHERE_SELF];
		if (rows->items[i].to_s > 0) {
			own.time[TIME_FROM] = line.share[WHERE_FROM];
			own.time[TIME_TO] = line.share[WHERE_TO];
		}
		put_line(&own, &line);
	}
}

static void put_where(const struct lines *lines, const struct where *where)
{
	static const char *const parts[] = {
		[BY_NOTHING] = "part",	[BY_THREAD] = "thread",	    [BY_PROCESS] = "process",
		[BY_MODULE] = "module", [BY_INTERVAL] = "interval",
	};
	const struct weighing *w = where->weighing;

	put_shares(lines, "line", where, &where->lines);
	put_shares(lines, "function", where, &where->functions);
	put_shares(lines, parts[where->by], where, &where->parts);
	put_shares(lines, "caller", where, &where->calls.callers);
	put_shares(lines, "callee", where, &where->calls.callees);
	for (size_t i = 0; i < where->parts.count && where->by == BY_INTERVAL; i++)
		put_shares(lines, "interval_function", where, &where->interval_functions[i]);
	for (size_t i = 0; i < where->nremarks; i++)
		put_line(lines, &(struct csv_line){ .kind = "note",
						    .text = where->remarks[i],
						    .result[RESULT_NAME] = text_cell(w->node ? w->node : w->name),
						    .result[RESULT_TITLE] = text_cell(w->title) });
}

/* A line for each node of a function's tree: what the function has, of which the node's interval is a part. */
static void put_tree(const struct lines *lines, const struct function_trees *trees, const struct function_tree *tree)
{
	const bool is_sampled = trees->is_sampled;

	for (size_t k = 0; k < trees->model->nnodes; k++)
		put_line(lines, &(struct csv_line){
					.kind = "function_node",
					.result[RESULT_NAME] = text_cell(trees->model->metrics[k].name),
					.result[RESULT_TITLE] = text_cell(trees->model->metrics[k].title),
					.result[RESULT_VALUE] = number_cell(tree->values[k]),
					.result[RESULT_UNIT] = text_cell("%"),
					.share[WHERE_FUNCTION] = text_cell(tree->is_mixed ? "(mixed)" : tree->function),
					.share[WHERE_MODULE] = text_cell(tree->module),
					.share[WHERE_BASE] = number_cell(tree->cycles.percent),
					.share[WHERE_SAMPLES] = cell_if(is_sampled, whole_cell(tree->cycles.samples)),
					.share[WHERE_ROUGH] = cell_if(is_sampled, truth_cell(tree->cycles.is_rough)),
					.share[WHERE_LOW] = number_cell(tree->low ? tree->low[k] : NOT_COUNTED),
					.share[WHERE_HIGH] = number_cell(tree->high ? tree->high[k] : NOT_COUNTED) });
}

static void put_pair(const struct lines *lines, const struct paired_function *pair)
{
	put_line(lines, &(struct csv_line){ .kind = "anchored_function",
					    .result[RESULT_VALUE] = number_cell(pair->measured.percent),
					    .result[RESULT_UNIT] = text_cell("%"),
					    .share[WHERE_FUNCTION] = text_cell(pair->function),
					    .share[WHERE_MODULE] = text_cell(pair->module),
					    .share[WHERE_LOW] = number_cell(pair->measured.low),
					    .share[WHERE_HIGH] = number_cell(pair->measured.high),
					    .share[WHERE_BASE] = number_cell(pair->modelled),
					    .share[WHERE_SAMPLES] = whole_cell(pair->measured.samples) });
}

/* Of a whole set of reports, in lines that are of one. */
static void put_whereabouts(const struct lines *lines, const struct hotspots *where)
{
	for (size_t i = 0; i < where->count; i++)
		put_where(lines, &where->items[i]);
	for (size_t i = 0; i < where->trees.count; i++)
		put_tree(lines, &where->trees, &where->trees.items[i]);
	for (size_t i = 0; i < where->npairs; i++)
		put_pair(lines, &where->pairs[i]);
	put_notes(lines, where->remarks, where->nremarks);
}

/* The comparison of a simulation with a native run: a line for each figure that JSON has, then the remark. */
static void put_anchor(const struct lines *lines)
{
	const struct anchoring *anchor = lines->report->anchor;
	const struct grid grid = report_anchor(anchor, lines->sheet->arena);

	for (size_t i = 0; i <= grid.ncolumns; i++) {
		const bool is_last = i == grid.ncolumns;
		const struct cell cell = is_last ? text_cell(NULL) : grid.rows[0].cells[i];
		const char *key = is_last ? "remark" : grid.columns[i].key, *end = key + strlen(key) - strlen("_s");

		if (is_last || (strcmp(key, "reason") != 0 && strcmp(key, "remark") != 0))
			put_line(lines, &(struct csv_line){
						.kind = "anchor",
						.text = is_last ? anchor->remark : NULL,
						.result[RESULT_NAME] = text_cell(key),
						.result[RESULT_VALUE] =
							cell.kind == CELL_TRUTH ? whole_cell((size_t)cell.whole) : cell,
						.result[RESULT_UNIT] = text_cell(!strcmp(end, "_s")   ? "s"
										 : !strcmp(key, "hz") ? "Hz"
												      : NULL),
						.result[RESULT_REASON] = text_cell(anchor->reason) });
	}
}

/* A figure of the roofline a line: of the program's points without a function. */
static void put_point(const struct lines *lines, const struct roofline *roofline, const struct roofline_point *point)
{
	const struct profile_loop *loop = point->loop;
	const char *function = loop ? roofline_said(point, lines->sheet->arena) : point->name;
	size_t count;
	const struct roofline_figure *figures = roofline_figures(&count, roofline, point, lines->sheet->arena);

	for (const struct roofline_figure *figure = figures; figure < figures + count; figure++)
		put_line(lines,
			 &(struct csv_line){ .kind = loop ? "roofline_loop" : "roofline",
					     .text = figure->text,
					     .result[RESULT_NAME] = text_cell(figure->name),
					     .result[RESULT_VALUE] = number_cell(figure->value),
					     .result[RESULT_UNIT] = text_cell(figure->unit),
					     .share[WHERE_FUNCTION] = cell_if(
						     point >= roofline->points + roofline->nwhole, text_cell(function)),
					     .share[WHERE_FILE] = text_cell(loop ? loop->file : NULL),
					     .share[WHERE_LINE] = known_cell(loop ? loop->line : 0),
					     .share[WHERE_MODULE] = text_cell(point->module),
					     .share[WHERE_LOW] = number_cell(figure->within.low),
					     .share[WHERE_HIGH] = number_cell(figure->within.high),
					     .share[WHERE_SAMPLES] = known_cell(figure->samples) });
}

/* What JSON has as advice, look_closer, sample_next, next and notes. */
/* Each rank's figures: its number is the name. */
static void put_ranks(const struct lines *lines, const struct rank_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		for (size_t k = 0; k < table->nfigures; k++)
			put_line(lines,
				 &(struct csv_line){ .kind = "rank",
						     .text = table->ranks[i].host,
						     .result[RESULT_NAME] = whole_cell(table->ranks[i].number),
						     .result[RESULT_TITLE] = text_cell(table->figures[k].name),
						     .result[RESULT_VALUE] = number_cell(table->figures[k].values[i]),
						     .result[RESULT_UNIT] = text_cell(table->figures[k].unit) });
}

static void put_words(const struct lines *lines)
{
	const struct report *report = lines->report;
	const struct metric *worst = report->worst ? report->worst->metric : NULL;

	put_notes(lines, report->notes, report->nnotes);
	put_text(lines, "means", worst, worst ? report->meaning : NULL);
	put_text(lines, "try", worst, worst ? report->advice : NULL);
	put_text(lines, "look_closer", worst, report->actions.look_closer.command);
	put_text(lines, "sample_next", worst, report->actions.sample.command);
	for (size_t i = 0; i < report->nnext; i++)
		put_text(lines, "next", report->next[i].node, report->next[i].command);
}

/* What the kernel counted by itself; the source stands where a metric's topic does. */
static void put_software(const struct lines *lines, const struct software_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct software_result *item = &list->items[i];

		put_line(lines, &(struct csv_line){ .kind = "software",
						    .text = list->is_native ? "in the native run" : NULL,
						    .result[RESULT_NAME] = text_cell(item->row->key),
						    .result[RESULT_TITLE] = text_cell(item->row->words),
						    .result[RESULT_VALUE] = number_cell(item->value),
						    .result[RESULT_UNIT] = text_cell(item->row->unit),
						    .result[RESULT_REASON] = text_cell(item->reason),
						    .result[RESULT_TOPIC] = text_cell(item->source),
						    .result[RESULT_CI95] = cell_if(item->spread.n > 1,
										   number_cell(item->spread.ci95)) });
	}
}

/* What it comes to, and how sure that is. */
static void put_verdict(const struct lines *lines, const struct report_set *set)
{
	struct arena *arena = lines->sheet->arena;

	put_line(lines, &(struct csv_line){ .kind = "verdict", .text = report_verdict(set, lines->report, arena) });
	put_line(lines, &(struct csv_line){ .kind = "trust", .text = report_trust(set, lines->report, arena) });
}

static void put_report(struct sheet *sheet, const struct report_set *set, const struct report *report)
{
	const struct lines lines = lines_of(sheet, set, report);
	const bool is_first = report == set->parts;

	put_line(&lines, &(struct csv_line){ .kind = "summary" });
	if (!is_interval(set))
		put_verdict(&lines, set);
	put_software(&lines, &report->software);
	put_causes(&lines);
	if (!is_causes_only(report)) {
		put_results(&lines, "node", report->nodes, report->nnodes);
		put_results(&lines, "metric", report->metrics, report->nmetrics);
	}
	put_results(&lines, "event", report->events, report->nevents);
	if (set->where && is_first)
		put_whereabouts(&lines, set->where);
	put_fixes(&lines);
	if (report->anchor)
		put_anchor(&lines);
	if (is_interval(set))
		return;
	for (size_t i = 0; set->roofline && is_first && i < set->roofline->count; i++)
		put_point(&lines, set->roofline, &set->roofline->points[i]);
	if (set->ranks)
		put_ranks(&lines, &set->ranks->tables[report - set->parts]);
	for (size_t i = 0; set->ranks && is_first && i < set->ranks->set->nremarks; i++)
		put_text(&lines, "note", NULL, set->ranks->set->remarks[i]);
	put_assessment(&lines);
	put_words(&lines);
}

/* Nothing was counted, so there is no model, and no node; of each event the number of samples is the value. */
static void put_sampled(struct sheet *sheet, const struct report_set *set)
{
	const struct sampled *sampled = set->sampled;
	const struct report none = { .summary = sampled_summary(sampled) };
	struct lines lines = { .sheet = sheet,
			       .report = &none,
			       .head[0] = text_cell(sampled->origin->cpu),
			       .more[COUNT_OF(more_columns) - 1] = whole_cell(CSV_VERSION) };

	summary_cells(lines.summary, &none.summary);
	put_line(&lines, &(struct csv_line){ .kind = "summary" });
	put_software(&lines, &sampled->software);
	for (uint32_t i = 0; i < sampled->profile->nevents; i++) {
		const struct profile_event *event = &sampled->profile->events[i];

		put_line(&lines, &(struct csv_line){ .kind = "event",
						     .result[RESULT_NAME] = text_cell(event->event),
						     .result[RESULT_TITLE] = text_cell(event->event),
						     .result[RESULT_VALUE] = whole_cell(event->samples),
						     .result[RESULT_UNIT] = text_cell("samples") });
	}
	if (set->where)
		put_whereabouts(&lines, set->where);
	put_notes(&lines, sampled->notes, sampled->nnotes);
}

void report_csv(struct sheet *sheet, const void *what)
{
	const struct report_set *set = what;

	if (!set->before)
		put_line(&(struct lines){ .sheet = sheet }, NULL);
	if (set->sampled)
		put_sampled(sheet, set);
	for (size_t i = 0; i < set->count; i++)
		put_report(sheet, set, &set->parts[i]);
	if (set->nidle && set->count) {
		struct lines lines = lines_of(sheet, set, &set->parts[0]);

		lines.time[TIME_PART] = lines.time[TIME_PART_KIND] = absent_cell(); /* of all parts */
		put_text(&lines, "left_out", NULL, idle_text(sheet->arena, set));
	}
}
