/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables.c - the report's tables for people: the tree, other metrics by what they are about. */
#include <string.h>

#include "common/base/cells.h"
#include "cpu/load/topic.h"
#include "present/document/human.h"
#include "present/report/report_page.h"
#include "present/screen/screen.h"

/* The tree */

struct tree {
	const struct report_set *set;
	const struct report *report;
	struct document *doc;
	struct grid *grid;
	size_t *parents; /* number of the parent among report->nodes, or NO_PARENT */
	bool *shown;
	struct screen_tree rest; /* of it on a screen */
	size_t waiting;		 /* for a taller window */
};

/* Numbers of the model become numbers of the report; a parent that is not before its child counts as missing. */
static void find_parents(struct tree *tree)
{
	const struct report *report = tree->report;
	const struct model *model = report->model;
	size_t *number = arena_array(tree->doc->arena, model->count, sizeof(*number));

	for (size_t i = 0; i < report->nnodes; i++) {
		size_t own = (size_t)(report->nodes[i].metric - model->metrics), parent = model->metrics[own].parent;
		bool is_known = parent < own && number[parent];

		tree->parents[i] = is_known ? number[parent] - 1 : NO_PARENT;
		number[own] = i + 1;
	}
}

/* Ancestors of what is shown are shown; parents come before their children, so one pass from the end finds them all. */
static void report_tables_choose(struct tree *tree)
{
	const struct report *report = tree->report;

	for (size_t i = report->nnodes; i-- > 0;) {
		const struct result *node = &report->nodes[i];

		tree->shown[i] |= tree->doc->style->is_verbose || node->metric->level <= 1 || node->over_threshold ||
				  node->is_unjudged || node->is_named || node->if_fixed > 0 ||
				  tree->parents[i] == NO_PARENT;
		if (tree->shown[i] && tree->parents[i] != NO_PARENT)
			tree->shown[tree->parents[i]] = true;
		tree->rest.has_unjudged |= tree->shown[i] && node->is_unjudged;
		if (!tree->shown[i] && is_measured(node))
			tree->rest.hidden_below++;
		else if (!tree->shown[i])
			tree->rest.hidden_unmeasured++;
	}
}

/* On a page a row can be linked to, and its name opens what is known of the metric. */
static void name_row(struct grid_row *row, const struct document *doc, const struct report_set *set,
		     const struct report *report, const struct result *result)
{
	if (!doc->is_page)
		return;
	row->id = page_row_id(set, report, result->metric, doc->arena);
	row->opens = page_card_id(set, result->metric, report->model, doc->arena);
}

/* Where not all fit, those with less make room first. */
static unsigned worth(const struct result *node)
{
	if (node->is_on_worst_path)
		return 4;
	if (node->metric->level <= 1)
		return 3;
	return node->is_bottleneck || node->is_named ? 2 : node->over_threshold;
}

/* The last of the leaves that are worth least; children: of each node, those that are shown. */
static size_t least_leaf(const struct tree *tree, const size_t *children)
{
	size_t least = NO_PARENT;

	for (size_t i = 0; i < tree->report->nnodes; i++)
		if (tree->shown[i] && !children[i] &&
		    (least == NO_PARENT || worth(&tree->report->nodes[i]) <= worth(&tree->report->nodes[least])))
			least = i;
	return least;
}

/* A parent stays as long as one of its children does. */
static void fit_window(struct tree *tree)
{
	const struct report *report = tree->report;
	size_t *children = arena_array(tree->doc->arena, report->nnodes, sizeof(*children)), shown = 0;

	for (size_t i = 0; i < report->nnodes; i++) {
		shown += tree->shown[i];
		if (tree->shown[i] && tree->parents[i] != NO_PARENT)
			children[tree->parents[i]]++;
	}
	for (; shown > tree->doc->window->most_nodes && shown > 1; shown--, tree->waiting++) {
		size_t leaf = least_leaf(tree, children);

		tree->shown[leaf] = false;
		if (tree->parents[leaf] != NO_PARENT)
			children[tree->parents[leaf]]--;
	}
}

static void add_children(struct tree *tree, size_t parent, unsigned depth)
{
	for (size_t i = parent == NO_PARENT ? 0 : parent + 1; i < tree->report->nnodes; i++) {
		struct cell cells[RESULT_COLUMNS];
		struct grid_row *row;

		if ((!tree->shown[i] && !tree->doc->is_page) || tree->parents[i] != parent)
			continue;
		result_shown(cells, tree->report, &tree->report->nodes[i], tree->doc);
		row = grid_add(tree->grid, cells, tree->doc->arena);
		name_row(row, tree->doc, tree->set, tree->report, &tree->report->nodes[i]);
		row->depth = depth;
		row->is_minor = !tree->shown[i];
		add_children(tree, i, depth + 1);
	}
}

static void add_hidden(struct document *doc, const struct tree *tree)
{
	size_t all = tree->rest.hidden_below + tree->rest.hidden_unmeasured;
	struct string text = STRING_INIT(doc->arena);

	if (tree->rest.hidden_below)
		string_printf(&text, "%zu node%s below %s threshold", tree->rest.hidden_below,
			      tree->rest.hidden_below == 1 ? "" : "s", tree->rest.hidden_below == 1 ? "its" : "their");
	if (tree->rest.hidden_unmeasured)
		string_printf(&text, "%s%zu not measured", text.length ? ", " : "", tree->rest.hidden_unmeasured);
	if (all && !doc->window)
		doc_sentence(doc, arena_printf(doc->arena, "%s: -v shows %s", text.text, all == 1 ? "it" : "them"));
	if (tree->waiting)
		doc_sentence(doc, arena_printf(doc->arena, "%zu more node%s: a taller window shows %s", tree->waiting,
					       tree->waiting == 1 ? "" : "s", tree->waiting == 1 ? "it" : "them"));
}

/* Some vendors publish no thresholds: then they are topdown's own. */
static void add_meaning_of_marks(struct document *doc, const struct report *report)
{
	const char *whose = report->model->own_thresholds ? "topdown's" : "the vendor's";
	const char *rule = arena_printf(doc->arena, "bottleneck: it and its parents exceed %s thresholds", whose);

	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
				     .text = arena_printf(doc->arena, "! %s   <== start here", rule),
				     .worded = arena_printf(doc->arena, "%s; the worst: start here", rule) });
}

/* What the tree comes to, where the marks in it do not say so. */
static void report_tables_add_verdict(struct document *doc, const struct report *report, bool is_any_over)
{
	bool is_any_measured = false, is_any_judged = false, is_all_measured = true;

	for (size_t i = 0; i < report->nnodes; i++) {
		is_any_measured |= is_measured(&report->nodes[i]);
		is_all_measured &= is_measured(&report->nodes[i]);
		is_any_judged |= is_measured(&report->nodes[i]) && report->nodes[i].has_threshold;
		is_any_over |= report->nodes[i].over_threshold;
	}
	if (!is_any_measured)
		doc_sentence(doc, "No node was measured.");
	else if (is_any_judged && !is_any_over)
		doc_sentence(doc, !is_all_measured		 ? "No node that was measured is over its threshold."
				  : is_selecting(&report->asked) ? "None of these nodes is over its threshold."
								 : "No node is over its threshold.");
	else if (report->worst && !(doc->window && doc->window->is_low))
		add_meaning_of_marks(doc, report);
}

static void add_key(struct document *doc, const struct report *report, bool has_unjudged)
{
	const struct summary *summary = &report->summary;

	if (summary->repeats > 1)
		doc_sentence(doc, arena_printf(doc->arena, "%s the 95 %% interval of the mean of %zu repeats",
					       plus_minus(doc), summary->repeats));
	if (summary->is_sampled)
		doc_sentence(doc, arena_printf(doc->arena, "%s the 95 %% interval of sampling: %s", plus_minus(doc),
					       sampling_text(doc->arena, summary)));
	if (has_unjudged)
		doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
					     .text = "? may be a bottleneck: a node above it was not measured",
					     .worded = "" });
}

/* What --what-if tried has a column, where it was given; what all rows share has none on a screen. */
static const struct column *tree_columns(const struct tree *tree)
{
	const struct report *report = tree->report;
	struct column *columns = arena_alloc(tree->doc->arena, sizeof(result_columns));
	bool is_said_once = !tree->doc->window;

	memcpy(columns, result_columns, sizeof(result_columns));
	for (size_t i = 0; i < RESULT_COLUMNS; i++)
		columns[i].flags |= COLUMN_NO_HEAD;
	if (is_said_once && screen_common_unit(&tree->rest, tree->doc->arena))
		columns[RESULT_UNIT].flags = COLUMN_SHEET_ONLY;
	if (is_said_once && screen_common_quality(&tree->rest, tree->doc->arena))
		columns[RESULT_MARK].heading = NULL;
	if (report->nfixes)
		columns[RESULT_FIXED] = (struct column){
			.key = "if_fixed", .heading = "If fixed", .flags = COLUMN_RIGHT | COLUMN_PAGE_ONLY, .gap = 2
		};
	return columns;
}

void report_tree(struct document *doc, const struct report_set *set, const struct report *report)
{
	struct tree tree = {
		.set = set,
		.report = report,
		.doc = doc,
		.grid = arena_alloc(doc->arena, sizeof(*tree.grid)),
		.parents = arena_array(doc->arena, report->nnodes, sizeof(size_t)),
		.shown = arena_array(doc->arena, report->nnodes, sizeof(bool)),
	};

	if (!report->nnodes)
		return;
	tree.rest = (struct screen_tree){ .report = report, .shown = tree.shown };
	find_parents(&tree);
	report_tables_choose(&tree);
	if (doc->window)
		fit_window(&tree);
	*tree.grid = (struct grid){ .columns = tree_columns(&tree),
				    .ncolumns = RESULT_COLUMNS,
				    .has_heads = report->nfixes > 0 };
	add_children(&tree, NO_PARENT, 0);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = tree.grid });
	if (doc->style->format == FORMAT_TEXT && !doc->window) {
		screen_tree_key(doc, &tree.rest);
		return;
	}
	doc_gap(doc);
	report_tables_add_verdict(doc, report, tree.rest.has_unjudged);
	add_key(doc, report, tree.rest.has_unjudged);
	if (!doc->is_page)
		add_hidden(doc, &tree);
}

/* Other metrics */

/* Groups of metrics that explain nodes, in the order in which nodes ask for them. */
struct section {
	const char *group;
	struct string nodes; /* who asks: "Frontend_Bound, Backend_Bound" */
};

struct sections {
	struct section *rows;
	size_t count, capacity;
};

/* The metrics while they are listed, each once, except where several nodes' groups have it. */
struct list {
	struct document *doc;
	const struct report_set *set;
	const struct report *report;
	const struct column *columns;
	struct grid *missing; /* of pages: rows that were not measured; NULL: they stand among the others */
	bool *printed;
	bool is_of_named; /* only those that were asked for by an option of their own (--syscalls) */
};

static struct section *section_for(struct sections *sections, const char *group, struct arena *arena)
{
	for (size_t i = 0; i < sections->count; i++)
		if (!strcmp(sections->rows[i].group, group))
			return &sections->rows[i];
	sections->rows =
		arena_grow(arena, sections->rows, sections->count, &sections->capacity, sizeof(*sections->rows));
	sections->rows[sections->count] = (struct section){ .group = group, .nodes = STRING_INIT(arena) };
	return &sections->rows[sections->count++];
}

static struct sections find_sections(const struct report *report, const struct document *doc)
{
	struct sections sections = { .count = 0 };

	for (size_t i = 0; i < report->nnodes; i++) {
		const struct metric *node = report->nodes[i].metric;
		const char *cursor = node->next_groups ? node->next_groups : "", *part;
		size_t length;

		if (!report->nodes[i].is_bottleneck && !doc->style->is_verbose)
			continue;
		while ((length = text_next(&cursor, ";", &part)) > 0) {
			const char *group = arena_strndup(doc->arena, part, length);
			struct section *section = section_for(&sections, group, doc->arena);

			string_printf(&section->nodes, "%s%s", section->nodes.length ? ", " : "", node->title);
		}
	}
	return sections;
}

/* Value and unit need some 30 columns beside the title. */
static size_t title_width(const struct document *doc, const struct result *results, size_t count)
{
	size_t width = 16, most = doc->width - 30;

	for (size_t i = 0; i < count; i++) {
		size_t need = cells_width(cells_safe(doc->arena, results[i].metric->title, doc->style->has_utf8));

		width = need > width ? need : width;
	}
	return width > most ? most : width;
}

static struct grid_row *add_result(const struct list *list, struct grid *grid, const struct result *result)
{
	struct cell cells[RESULT_COLUMNS];
	struct grid_row *row;

	result_shown(cells, list->report, result, list->doc);
	row = grid_add(grid, cells, list->doc->arena);
	row->has_more = !is_measured(result);
	name_row(row, list->doc, list->set, list->report, result);
	return row;
}

static struct grid *new_grid(const struct list *list)
{
	struct grid *grid = arena_alloc(list->doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = list->columns, .ncolumns = RESULT_COLUMNS };
	return grid;
}

/* Rows that were not measured go to those of all topics, which stand below. */
static void set_apart(const struct list *list, struct grid *grid)
{
	size_t kept = 0;

	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_row *row = &grid->rows[i];
		struct grid_row *other;

		if (!row->has_more) {
			grid->rows[kept++] = *row;
			continue;
		}
		other = grid_add(list->missing, row->cells, list->doc->arena);
		other->id = row->id;
		other->opens = row->opens;
	}
	grid->count = kept;
}

/* A heading, and the grid below it where it has rows. */
static void add_list(const struct list *list, const char *heading, const char *rest, struct grid *grid)
{
	if (list->missing)
		set_apart(list, grid);
	if (!grid->count)
		return;
	doc_gap(list->doc);
	doc_add(list->doc,
		(struct block){ .kind = BLOCK_HEADING, .text = heading, .rest = rest, .ink = INK_BOLD, .level = 3 });
	doc_add(list->doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static bool is_in_group(const struct result *result, const char *group)
{
	return has_word(result->metric->groups, ";", group);
}

static void add_sections(const struct list *list, const struct sections *sections)
{
	const struct report *report = list->report;
	struct arena *arena = list->doc->arena;
	struct string rest = STRING_INIT(arena);

	for (size_t i = 0; i < sections->count; i++) {
		const struct section *section = &sections->rows[i];
		struct grid *grid = new_grid(list);

		for (size_t j = 0; j < report->nmetrics; j++) {
			struct grid_row *row;

			if (!is_in_group(&report->metrics[j], section->group))
				continue;
			row = add_result(list, grid, &report->metrics[j]);
			row->id = list->printed[j] ? NULL : row->id; /* links lead to the first one */
			list->printed[j] = true;
		}
		add_list(list, arena_printf(arena, "Next: %s", section->group),
			 arena_printf(arena, " (%s)", section->nodes.text), grid);
		if (!grid->count)
			string_printf(&rest, "%s%s (%s)",
				      rest.length ? ", " : "Next, not counted here: ", section->group,
				      section->nodes.text);
	}
	if (!rest.length)
		return;
	doc_gap(list->doc);
	doc_add(list->doc, (struct block){ .kind = BLOCK_SENTENCE, .text = rest.text, .indent = "  " });
}

/* Why nothing could have measured it here, or another PMU than the cores' would have had to; NULL: neither. */
static const char *failure_of(const struct result *result)
{
	return result->metric->failure ? result->metric->failure : result->needs_unit;
}

/* Such metrics were asked for, or all CPUs were: no node asks for them. */
static bool is_of_machine(const struct result *result)
{
	return result->metric->is_of_machine && result->quality != QUALITY_NONE;
}

static void add_topic(const struct list *list, enum topic topic)
{
	struct grid *grid = new_grid(list);

	for (size_t i = 0; i < list->report->nmetrics; i++) {
		const struct result *result = &list->report->metrics[i];

		if (list->printed[i] || result->rank || failure_of(result) ||
		    (list->is_of_named && !result->is_named && !is_of_machine(result)) ||
		    metric_topic(result->metric) != topic)
			continue;
		list->printed[i] = true;
		add_result(list, grid, result);
	}
	add_list(list, topic_name(topic), NULL, grid);
}

/* Metrics that nothing could have measured here, by the reason that they share with the first. */
static void add_failed(const struct list *list, size_t first)
{
	const char *reason = failure_of(&list->report->metrics[first]);
	struct arena *arena = list->doc->arena;
	struct string text = STRING_INIT(arena);

	for (size_t i = first; i < list->report->nmetrics; i++) {
		const struct result *result = &list->report->metrics[i];

		if (list->printed[i] || !failure_of(result) || strcmp(failure_of(result), reason) != 0)
			continue;
		string_printf(&text, "%s%s", text.length ? ", " : "", result->metric->title);
		list->printed[i] = true;
	}
	doc_gap(list->doc);
	doc_add(list->doc, (struct block){ .kind = BLOCK_SENTENCE,
					   .text = arena_printf(arena, "Not here, %s: %s", reason, text.text),
					   .indent = "  " });
}

static void add_all_failed(const struct list *list)
{
	for (size_t i = 0; i < list->report->nmetrics && !list->is_of_named; i++)
		if (!list->printed[i] && failure_of(&list->report->metrics[i]))
			add_failed(list, i);
}

/* On a page closed at first: what a reader came for is what was measured. */
static void add_missing(const struct list *list)
{
	struct document *doc = list->doc;
	size_t before = doc->count;

	doc_add(doc, (struct block){ .kind = BLOCK_FOLD, .text = "Metrics that were not measured" });
	if (list->missing->count)
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = list->missing });
	add_all_failed(list);
	if (doc->count == before + 1)
		doc->count = before;
	else
		doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

static void report_tables_add_events(const struct list *list)
{
	const struct report *report = list->report;
	struct list events = *list;
	struct grid *grid;

	events.columns =
		list_columns("Event", title_width(list->doc, report->events, report->nevents), list->doc->arena);
	grid = new_grid(&events);
	for (size_t i = 0; i < report->nevents; i++)
		add_result(&events, grid, &report->events[i]);
	add_list(&events, "Events asked for", NULL, grid);
}

/*
 * Metrics that no shown node asks for: when they were asked for, with -v, and when they are all there is.
 */
void report_metrics(struct document *doc, const struct report_set *set, const struct report *report)
{
	bool are_asked_for = report->has_listed_metrics || report->asked.groups || report->asked.metrics ||
			     (!report->nnodes && !report->ncauses) || doc->is_page;
	const struct sections sections = find_sections(report, doc);
	struct list list = {
		.doc = doc,
		.set = set,
		.report = report,
		.columns = list_columns("Metric", title_width(doc, report->metrics, report->nmetrics), doc->arena),
		.printed = arena_array(doc->arena, report->nmetrics, sizeof(bool)),
		.is_of_named = !are_asked_for && !doc->style->is_verbose,
	};

	if (doc->is_page && !is_selecting(&report->asked))
		list.missing = new_grid(&list);
	add_sections(&list, &sections);
	for (enum topic topic = 0; topic < TOPIC_COUNT; topic++)
		add_topic(&list, topic);
	if (list.missing)
		add_missing(&list);
	else
		add_all_failed(&list);
	report_tables_add_events(&list);
}
