/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sheet.c - a report as one CSV sheet: a line for each node, metric ... and each sentence, all with the same
 * columns. What it is stands in "kind".
 */
#include "present/report/report_fields.h"

#include <string.h>

#include "present/report/assessment_parts.h"
#include "present/roofline/placed_parts.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#define CSV_VERSION 2 /* 1: up to topdown 0.1, whose columns came and went with the options */

static const struct column first_columns[] = { { .key = "kind" } };
static const struct column text_columns[] = { { .key = "text" } };
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
struct share_column {
	struct column column;
	enum where_column from;
};

static const struct share_column place_columns[] = { { { .key = "function" }, WHERE_FUNCTION },
						     { { .key = "file" }, WHERE_FILE },
						     { { .key = "line" }, WHERE_LINE },
						     { { .key = "object" }, WHERE_MODULE } };
static const struct share_column amount_columns[] = {
	{ { .key = "self_low" }, WHERE_LOW },
	{ { .key = "self_high" }, WHERE_HIGH },
	{ { .key = "total" }, WHERE_TOTAL },
	{ { .key = "total_low" }, WHERE_TOTAL_LOW },
	{ { .key = "total_high" }, WHERE_TOTAL_HIGH },
	{ { .key = "base" }, WHERE_BASE },
	{ { .key = "samples" }, WHERE_SAMPLES },
	{ { .key = "rough" }, WHERE_ROUGH },
	{ { .key = "inlined_into" }, WHERE_INTO },
	{ { .key = "inlined_at_file" }, WHERE_AT_FILE },
	{ { .key = "inlined_at_line" }, WHERE_AT_LINE },
};

/* share NULL: the names of the columns. */
static void put_share(struct sheet *sheet, const struct share_column *columns, size_t count, const struct cell *share)
{
	for (size_t i = 0; i < count; i++)
		csv_cells(sheet, &columns[i].column, share ? &share[columns[i].from] : NULL, 1);
}

/* A report's own fields, which all its lines end with. */
struct ending {
	struct cell time[COUNT_OF(time_columns)], head[HEAD_COLUMNS], summary[SUMMARY_COLUMNS],
		more[COUNT_OF(more_columns)];
};

/* A line: what it is, the result or that which takes its place, a line's share, a sentence. */
struct csv_line {
	const char *kind, *text;
	const struct cell *result, *share; /* NULL: none */
	double if_fixed;		   /* of a node; 0: nothing was tried */
	const struct assessed *assessed;   /* NULL: it is no figure that is judged */
};

static const struct column last_columns[] = {
	{ .key = "if_fixed" }, { .key = "verdict" }, { .key = "good" }, { .key = "bad" }
};

/* line NULL: the names of the columns. */
static void put_last(struct sheet *sheet, const struct csv_line *line)
{
	const struct assessed *assessed = line ? line->assessed : NULL;
	const struct cell cells[COUNT_OF(last_columns)] = {
		number_cell(line && line->if_fixed > 0 ? line->if_fixed : NOT_COUNTED),
		word_cell(assessed ? assessed_key(assessed) : NULL),
		number_cell(assessed ? assessed->rule->good : NOT_COUNTED),
		number_cell(assessed ? assessed->rule->bad : NOT_COUNTED),
	};

	csv_cells(sheet, last_columns, line ? cells : NULL, COUNT_OF(last_columns));
}

static const struct cell nothing[RESULT_COLUMNS + WHERE_COLUMNS];

/* line NULL: the names of the columns. */
static void put_line(struct sheet *sheet, const struct csv_line *line, const struct ending *ending)
{
	const struct cell kind = text_cell(line ? line->kind : NULL), text = text_cell(line ? line->text : NULL);
	const struct cell *result = line && line->result ? line->result : nothing;
	const struct cell *share = line && line->share ? line->share : nothing;

	csv_cells(sheet, first_columns, line ? &kind : NULL, 1);
	csv_cells(sheet, result_columns, line ? result : NULL, RESULT_COLUMNS);
	put_share(sheet, place_columns, COUNT_OF(place_columns), line ? share : NULL);
	csv_cells(sheet, text_columns, line ? &text : NULL, 1);
	csv_cells(sheet, time_columns, line ? ending->time : NULL, COUNT_OF(time_columns));
	csv_cells(sheet, head_columns, line ? ending->head : NULL, HEAD_COLUMNS);
	csv_cells(sheet, summary_columns, line ? ending->summary : NULL, SUMMARY_COLUMNS);
	csv_cells(sheet, more_columns, line ? ending->more : NULL, COUNT_OF(more_columns));
	put_share(sheet, amount_columns, COUNT_OF(amount_columns), line ? share : NULL);
	put_last(sheet, line);
	csv_end(sheet);
}

static struct ending ending_of(const struct report_set *set, const struct report *report, struct arena *arena)
{
	const struct select_request *asked = &report->asked;
	const struct summary *summary = &report->summary;
	struct ending ending = {
		.time = { text_cell(summary->part), text_cell(summary->part_kind), number_cell(set->from_s),
			  number_cell(set->to_s) },
		.more = { text_cell(model_form_word(report->model)), text_cell(report->model->generic),
			  text_cell(asked->nodes), text_cell(asked->groups), text_cell(asked->metrics),
			  cell_if(is_selecting(asked), known_cell(asked->level)),
			  cell_if(summary->is_sampled, number_cell(summary->modelled)),
			  cell_if(summary->is_sampled, whole_cell(summary->windows)), whole_cell(CSV_VERSION) },
	};

	head_cells(ending.head, report, arena);
	summary_cells(ending.summary, summary);
	return ending;
}

/* Results of one kind. */
struct result_list {
	const char *kind;
	const struct result *items;
	size_t count;
};

static void put_results(struct sheet *sheet, const struct report *report, const struct result_list *list,
			const struct ending *ending)
{
	struct cell cells[RESULT_COLUMNS];

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].rank)
			continue; /* among the causes */
		result_cells(cells, report, &list->items[i], sheet->arena);
		put_line(sheet,
			 &(struct csv_line){ .kind = list->kind, .result = cells, .if_fixed = list->items[i].if_fixed },
			 ending);
	}
}

/* What --what-if tried: the speed-up as the value, the cycles as the raw one. */
static void put_fixes(struct sheet *sheet, const struct report *report, const struct ending *ending)
{
	for (size_t i = 0; i < report->nfixes; i++) {
		const struct fix *fix = &report->fixes[i];
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = text_cell(fix->name);
		cells[RESULT_VALUE] = number_cell(fix->speedup);
		cells[RESULT_RAW] = number_cell(fix->cycles);
		cells[RESULT_UNIT] = text_cell("x");
		put_line(sheet, &(struct csv_line){ .kind = "what_if", .text = fix->what, .result = cells }, ending);
	}
}

/* The rows of the bottleneck view stand first, and alone where nothing else was asked for. */
static void put_causes(struct sheet *sheet, const struct report *report, const struct ending *ending)
{
	struct cell cells[RESULT_COLUMNS];

	for (size_t i = 0; i < report->ncauses; i++) {
		result_cells(cells, report, report->causes[i].result, sheet->arena);
		put_line(sheet, &(struct csv_line){ .kind = "cause", .result = cells }, ending);
	}
}

/* Figures that are judged, with what their values say as the text. */
static void put_assessment(struct sheet *sheet, const struct report *report, const struct ending *ending)
{
	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessed *assessed = &report->assessed[i];
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = text_cell(assessed->rule->name);
		cells[RESULT_TITLE] = text_cell(assessed->rule->title);
		cells[RESULT_VALUE] = number_cell(assessed->value);
		cells[RESULT_UNIT] = text_cell(assessed->rule->unit);
		cells[RESULT_QUALITY] = text_cell(quality_name(assessed->quality));
		cells[RESULT_REASON] = text_cell(assessed->reason);
		cells[RESULT_TOPIC] = text_cell(assessment_topic_name(assessed->rule->topic));
		put_line(sheet,
			 &(struct csv_line){ .kind = "assessment",
					     .text = assessed_means(assessed),
					     .result = cells,
					     .assessed = assessed },
			 ending);
	}
}

/* A sentence, about a node where one is named. */
static void put_text(struct sheet *sheet, const char *kind, const struct metric *node, const char *text,
		     const struct ending *ending)
{
	struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

	if (!text)
		return;
	if (node) {
		cells[RESULT_NAME] = text_cell(node->name);
		cells[RESULT_TITLE] = text_cell(node->title);
	}
	put_line(sheet, &(struct csv_line){ .kind = kind, .text = text, .result = cells }, ending);
}

/* What a share is of: a node of the report, or an event. */
static void subject_cells(struct cell *cells, const struct report *report, const struct where *where,
			  struct arena *arena)
{
	const struct weighing *w = where->weighing;

	for (size_t i = 0; i < RESULT_COLUMNS; i++)
		cells[i] = (struct cell){ .kind = CELL_NOTHING };
	for (size_t i = 0; i < report->nnodes && w->node; i++)
		if (!strcmp(report->nodes[i].metric->name, w->node))
			result_cells(cells, report, &report->nodes[i], arena);
	cells[RESULT_NAME] = text_cell(w->node ? w->node : w->name);
	cells[RESULT_TITLE] = cells[RESULT_DOMAIN] = text_cell(w->title);
	cells[RESULT_UNIT] = text_cell("%");
	cells[RESULT_RAW] = cells[RESULT_N] = cells[RESULT_STDDEV] = cells[RESULT_CI95] = absent_cell();
}

struct share_list {
	const char *kind;
	const struct where_rows *rows;
};

/* The subject's row, with the share of it as the value. */
static void put_shares(struct sheet *sheet, const struct report *report, const struct where *where,
		       const struct share_list *list, const struct ending *ending)
{
	struct cell cells[RESULT_COLUMNS], share[WHERE_COLUMNS];
	struct ending own = *ending;

	subject_cells(cells, report, where, sheet->arena);
	for (size_t i = 0; i < list->rows->count; i++) {
		where_cells(share, where, &list->rows->items[i]);
		cells[RESULT_VALUE] = share[WHERE_SELF];
		if (list->rows->items[i].to_s > 0) {
			own.time[TIME_FROM] = share[WHERE_FROM];
			own.time[TIME_TO] = share[WHERE_TO];
		}
		put_line(sheet, &(struct csv_line){ .kind = list->kind, .result = cells, .share = share }, &own);
	}
}

static void put_where(struct sheet *sheet, const struct report *report, const struct where *where,
		      const struct ending *ending)
{
	static const char *const parts[] = {
		[BY_NOTHING] = "part",	[BY_THREAD] = "thread",	    [BY_PROCESS] = "process",
		[BY_MODULE] = "module", [BY_INTERVAL] = "interval",
	};
	const struct share_list lists[] = { { "line", &where->lines },
					    { "function", &where->functions },
					    { parts[where->by], &where->parts },
					    { "caller", &where->calls.callers },
					    { "callee", &where->calls.callees } };

	for (size_t i = 0; i < COUNT_OF(lists); i++)
		put_shares(sheet, report, where, &lists[i], ending);
	for (size_t i = 0; i < where->parts.count && where->by == BY_INTERVAL; i++)
		put_shares(sheet, report, where,
			   &(struct share_list){ "interval_function", &where->interval_functions[i] }, ending);
	for (size_t i = 0; i < where->nremarks; i++) {
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = text_cell(where->weighing->node ? where->weighing->node : where->weighing->name);
		cells[RESULT_TITLE] = text_cell(where->weighing->title);
		put_line(sheet, &(struct csv_line){ .kind = "note", .text = where->remarks[i], .result = cells },
			 ending);
	}
}

/* A line for each node of a function's tree. share: what the function has, of which the node's interval is a part. */
static void put_tree(struct sheet *sheet, const struct function_trees *trees, const struct function_tree *tree,
		     struct cell *share, const struct ending *ending)
{
	for (size_t k = 0; k < trees->model->nnodes; k++) {
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = text_cell(trees->model->metrics[k].name);
		cells[RESULT_TITLE] = text_cell(trees->model->metrics[k].title);
		cells[RESULT_VALUE] = number_cell(tree->values[k]);
		cells[RESULT_UNIT] = text_cell("%");
		if (tree->low) {
			share[WHERE_LOW] = number_cell(tree->low[k]);
			share[WHERE_HIGH] = number_cell(tree->high[k]);
		}
		put_line(sheet, &(struct csv_line){ .kind = "function_node", .result = cells, .share = share }, ending);
	}
}

static void put_trees(struct sheet *sheet, const struct function_trees *trees, const struct ending *ending)
{
	for (size_t i = 0; i < trees->count; i++) {
		const struct function_tree *tree = &trees->items[i];
		struct cell share[WHERE_COLUMNS] = { { .kind = CELL_NOTHING } };

		share[WHERE_FUNCTION] = text_cell(tree->is_mixed ? "(mixed)" : tree->function);
		share[WHERE_MODULE] = text_cell(tree->module);
		share[WHERE_BASE] = number_cell(tree->cycles.percent);
		if (trees->is_sampled) {
			share[WHERE_SAMPLES] = whole_cell(tree->cycles.samples);
			share[WHERE_ROUGH] = truth_cell(tree->cycles.is_rough);
		}
		put_tree(sheet, trees, tree, share, ending);
	}
}

static void put_pairs(struct sheet *sheet, const struct whereabouts *where, const struct ending *ending)
{
	for (size_t i = 0; i < where->npairs; i++) {
		const struct paired_function *pair = &where->pairs[i];
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };
		const struct cell share[WHERE_COLUMNS] = { [WHERE_FUNCTION] = text_cell(pair->function),
							   [WHERE_MODULE] = text_cell(pair->module),
							   [WHERE_LOW] = number_cell(pair->measured.low),
							   [WHERE_HIGH] = number_cell(pair->measured.high),
							   [WHERE_BASE] = number_cell(pair->modelled),
							   [WHERE_SAMPLES] = whole_cell(pair->measured.samples) };

		cells[RESULT_VALUE] = number_cell(pair->measured.percent);
		cells[RESULT_UNIT] = text_cell("%");
		put_line(sheet, &(struct csv_line){ .kind = "anchored_function", .result = cells, .share = share },
			 ending);
	}
}

/* Of a whole set of reports, in lines that are of one. */
static void put_whereabouts(struct sheet *sheet, const struct report *report, const struct whereabouts *where,
			    const struct ending *ending)
{
	for (size_t i = 0; i < where->count; i++)
		put_where(sheet, report, &where->items[i], ending);
	put_trees(sheet, &where->trees, ending);
	put_pairs(sheet, where, ending);
	for (size_t i = 0; i < where->nremarks; i++)
		put_text(sheet, "note", NULL, where->remarks[i], ending);
}

/* The comparison of a simulation with a native run: a figure a line. */
static void put_anchor(struct sheet *sheet, const struct anchoring *anchor, const struct ending *ending)
{
	const struct {
		const char *name, *unit;
		double value;
	} rows[] = { { "user_s", "s", anchor->user_s },
		     { "hz", "Hz", anchor->hz },
		     { "measured_cycles", "", anchor->measured },
		     { "modelled_cycles", "", anchor->modelled },
		     { "ratio", "", anchor->ratio },
		     { "far", "", anchor->reason ? (double)NAN : anchor->is_far },
		     { "ratio_low", "", anchor->ratio_low },
		     { "ratio_high", "", anchor->ratio_high },
		     { "wall_s", "s", anchor->wall_s },
		     { "system_s", "s", anchor->system_s },
		     { "page_faults", "", anchor->faults },
		     { "preemptions", "", anchor->preemptions },
		     { "native_runs", "", anchor->runs },
		     { "additions", "", anchor->additions },
		     { "additions_alone", "", anchor->additions_alone },
		     { "shared", "", isnan(anchor->additions) ? (double)NAN : anchor->is_shared },
		     { "remark", "", (double)NAN } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = text_cell(rows[i].name);
		cells[RESULT_VALUE] = number_cell(rows[i].value);
		cells[RESULT_UNIT] = word_cell(rows[i].unit);
		cells[RESULT_REASON] = text_cell(anchor->reason);
		put_line(sheet,
			 &(struct csv_line){ .kind = "anchor",
					     .text = i + 1 < COUNT_OF(rows) ? NULL : anchor->remark,
					     .result = cells },
			 ending);
	}
}

/* A figure of the roofline a line: of the program's points without a function. */
static void put_roofline(struct sheet *sheet, const struct placed *roofline, const struct ending *ending)
{
	for (size_t i = 0; i < roofline->count; i++) {
		const struct placed_point *point = &roofline->points[i];
		const struct profile_loop *loop = point->loop;
		const char *function = loop ? placed_said(point, sheet->arena) : point->name;
		struct cell share[WHERE_COLUMNS] = {
			[WHERE_FUNCTION] = text_cell(i < roofline->nwhole ? NULL : function),
			[WHERE_FILE] = text_cell(loop ? loop->file : NULL),
			[WHERE_LINE] = known_cell(loop ? loop->line : 0),
			[WHERE_MODULE] = text_cell(point->module),
		};
		size_t count;
		const struct placed_figure *figures = placed_figures(&count, roofline, point, sheet->arena);

		for (size_t k = 0; k < count; k++) {
			struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

			cells[RESULT_NAME] = text_cell(figures[k].name);
			cells[RESULT_VALUE] = number_cell(figures[k].value);
			cells[RESULT_UNIT] = word_cell(figures[k].unit);
			share[WHERE_LOW] = number_cell(figures[k].within.low);
			share[WHERE_HIGH] = number_cell(figures[k].within.high);
			share[WHERE_SAMPLES] = known_cell(figures[k].samples);
			put_line(sheet,
				 &(struct csv_line){ .kind = loop ? "roofline_loop" : "roofline",
						     .text = figures[k].text,
						     .result = cells,
						     .share = share },
				 ending);
		}
	}
}

/* What JSON has as advice, look_closer, sample_next, next and notes. */
static void put_words(struct sheet *sheet, const struct report *report, const struct ending *ending)
{
	const struct metric *worst = report->worst ? report->worst->metric : NULL;

	for (size_t i = 0; i < report->nnotes; i++)
		put_text(sheet, "note", NULL, report->notes[i], ending);
	put_text(sheet, "means", worst, worst ? report->meaning : NULL, ending);
	put_text(sheet, "try", worst, worst ? report->advice : NULL, ending);
	put_text(sheet, "look_closer", worst, report->next_command, ending);
	put_text(sheet, "sample_next", worst, report->sample_command, ending);
	for (size_t i = 0; i < report->nnext; i++)
		put_text(sheet, "next", report->next[i].node, report->next[i].command, ending);
}

/* What the kernel counted by itself; the source stands where a metric's topic does. */
static void put_software(struct sheet *sheet, const struct software_list *list, const struct ending *ending)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct software_result *item = &list->items[i];
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = text_cell(item->row->key);
		cells[RESULT_TITLE] = text_cell(item->row->words);
		cells[RESULT_VALUE] = number_cell(item->value);
		cells[RESULT_UNIT] = word_cell(item->row->unit);
		cells[RESULT_REASON] = text_cell(item->reason);
		cells[RESULT_TOPIC] = text_cell(item->source);
		cells[RESULT_CI95] = number_cell(item->spread.n > 1 ? item->spread.ci95 : NOT_COUNTED);
		put_line(sheet,
			 &(struct csv_line){ .kind = "software",
					     .text = list->is_native ? "in the native run" : NULL,
					     .result = cells },
			 ending);
	}
}

#define EVENTS 2 /* behind nodes and metrics */

static void put_report(struct sheet *sheet, const struct report_set *set, const struct report *report)
{
	const struct ending ending = ending_of(set, report, sheet->arena);
	const struct result_list lists[] = { { "node", report->nodes, report->nnodes },
					     { "metric", report->metrics, report->nmetrics },
					     { "event", report->events, report->nevents } };

	put_line(sheet, &(struct csv_line){ .kind = "summary" }, &ending);
	put_software(sheet, &report->software, &ending);
	put_causes(sheet, report, &ending);
	for (size_t i = is_causes_only(report) ? EVENTS : 0; i < COUNT_OF(lists); i++)
		put_results(sheet, report, &lists[i], &ending);
	if (set->where && report == set->parts)
		put_whereabouts(sheet, report, set->where, &ending);
	put_fixes(sheet, report, &ending);
	if (report->anchor)
		put_anchor(sheet, report->anchor, &ending);
	if (is_interval(set))
		return;
	if (set->roofline && report == set->parts)
		put_roofline(sheet, set->roofline, &ending);
	put_assessment(sheet, report, &ending);
	put_words(sheet, report, &ending);
}

/* The number of samples of each event, as its value. */
static void put_sampled_events(struct sheet *sheet, const struct profile *profile, const struct ending *ending)
{
	for (uint32_t i = 0; i < profile->nevents; i++) {
		struct cell cells[RESULT_COLUMNS] = { { .kind = CELL_NOTHING } };

		cells[RESULT_NAME] = cells[RESULT_TITLE] = text_cell(profile->events[i].event);
		cells[RESULT_VALUE] = whole_cell(profile->events[i].samples);
		cells[RESULT_UNIT] = text_cell("samples");
		put_line(sheet, &(struct csv_line){ .kind = "event", .result = cells }, ending);
	}
}

/* Nothing was counted, so there is no model, and no node. */
static void put_sampled(struct sheet *sheet, const struct report_set *set)
{
	const struct sampled *sampled = set->sampled;
	const struct report none = { .summary = sampled_summary(sampled) };
	struct ending ending = { .time = { { .kind = CELL_NOTHING } } };

	summary_cells(ending.summary, &none.summary);
	ending.head[0] = text_cell(sampled->origin->cpu);
	ending.more[COUNT_OF(more_columns) - 1] = whole_cell(CSV_VERSION);
	put_line(sheet, &(struct csv_line){ .kind = "summary" }, &ending);
	put_software(sheet, &sampled->software, &ending);
	put_sampled_events(sheet, sampled->profile, &ending);
	if (set->where)
		put_whereabouts(sheet, &none, set->where, &ending);
	for (size_t i = 0; i < sampled->nnotes; i++)
		put_text(sheet, "note", NULL, sampled->notes[i], &ending);
}

void report_csv(struct sheet *sheet, const void *what)
{
	const struct report_set *set = what;

	if (!set->before)
		put_line(sheet, NULL, NULL);
	if (set->sampled)
		put_sampled(sheet, set);
	for (size_t i = 0; i < set->count; i++)
		put_report(sheet, set, &set->parts[i]);
	if (set->nidle && set->count) {
		struct ending ending = ending_of(set, &set->parts[0], sheet->arena);

		ending.time[0] = ending.time[1] = absent_cell(); /* of all parts */
		put_text(sheet, "left_out", NULL, idle_text(sheet->arena, set), &ending);
	}
}
