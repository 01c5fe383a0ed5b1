/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trends_page.c - a history as a page: of each program on each machine what changed last, a plot of each metric with
 * its changes and commits, and the runs, to which the plots' points lead.
 */
#include <math.h>

#include "present/document/human.h"
#include "present/history/trends.h"
#include "present/plot/plot.h"

#define MOST_PLOTS 1 /* that are open at first */
#define MS	   1000.0

/* ---- cells ---- */

static struct cell number_as(double number, const char *shown)
{
	struct cell cell = number_cell(number);

	cell.shown = shown;
	return cell;
}

static struct cell text_as(const char *text, const char *shown)
{
	struct cell cell = text_cell(text);

	cell.shown = shown;
	return cell;
}

static struct grid *headed_grid(struct document *doc, const struct column *columns, size_t count)
{
	struct grid *grid = grid_new(doc->arena, columns, count);

	grid->has_heads = true;
	return grid;
}

static void add_grid(struct document *doc, const struct grid *grid)
{
	if (grid->count)
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static void add_fold(struct document *doc, const char *text, const struct grid *grid)
{
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD, .text = text });
	add_grid(doc, grid);
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

/* ---- what changed ---- */

enum {
	CHANGE_RUN,
	CHANGE_TIME,
	CHANGE_COMMIT,
	CHANGE_NAME,
	CHANGE_SIZE,
	CHANGE_BEFORE,
	CHANGE_AFTER,
	CHANGE_PERCENT,
	CHANGE_CHANCE,
	CHANGE_TURN,
	CHANGE_ACCEPTED,
	CHANGE_COLUMNS
};
static const struct column change_columns[CHANGE_COLUMNS] = {
	[CHANGE_RUN] = { .key = "run", .heading = "Run", .flags = COLUMN_RIGHT },
	[CHANGE_TIME] = { .key = "time", .heading = "Date" },
	[CHANGE_COMMIT] = { .key = "commit", .heading = "Commit" },
	[CHANGE_NAME] = { .key = "metric", .heading = "Metric" },
	[CHANGE_SIZE] = { .heading = "Change", .flags = COLUMN_RIGHT },
	[CHANGE_BEFORE] = { .key = "before", .heading = "Mean before", .flags = COLUMN_RIGHT },
	[CHANGE_AFTER] = { .key = "after", .heading = "Mean after", .flags = COLUMN_RIGHT },
	[CHANGE_PERCENT] = { .key = "percent" },
	[CHANGE_CHANCE] = { .key = "p", .heading = "p", .flags = COLUMN_RIGHT },
	[CHANGE_TURN] = { .key = "verdict", .heading = "Verdict" },
	[CHANGE_ACCEPTED] = { .key = "accepted" },
};

static void add_change(struct grid *grid, const struct trend *trend, const struct trend_change *change,
		       struct arena *arena)
{
	const struct series_run *run = &trend->series->runs[change->run];
	const char *turn = trend_turn(change->turn);
	struct cell cells[CHANGE_COLUMNS] = {
		[CHANGE_RUN] = whole_cell((size_t)run->id),
		[CHANGE_TIME] = text_as(trend_time(run->time_ms, arena), trend_day(run->time_ms, arena)),
		[CHANGE_COMMIT] = text_as(run->revision, trend_revision(run->revision, arena)),
		[CHANGE_NAME] = text_as(trend->values.name, trend_title(trend->values.name, arena)),
		[CHANGE_SIZE] = shown_cell(trend_change_size(trend, change, arena), trend_ink(change)),
		[CHANGE_BEFORE] = number_as(change->before, trend_value(&trend->values, change->before, arena)),
		[CHANGE_AFTER] = number_as(change->after, trend_value(&trend->values, change->after, arena)),
		[CHANGE_PERCENT] = number_cell(change->percent),
		[CHANGE_CHANCE] =
			number_as(change->p, change->p < 1e-9 ? "< 1e-9" : arena_printf(arena, "%.1e", change->p)),
		[CHANGE_TURN] = text_as(turn, change->is_accepted ? arena_printf(arena, "%s, accepted", turn) : turn),
		[CHANGE_ACCEPTED] = truth_cell(change->is_accepted),
	};

	cells[CHANGE_TURN].ink = trend_ink(change);
	grid_add(grid, cells, arena);
}

static void add_changes(struct document *doc, const struct trend_set *set)
{
	struct grid *grid = headed_grid(doc, change_columns, CHANGE_COLUMNS);

	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->trends[i].nchanges; k++)
			add_change(grid, &set->trends[i], &set->trends[i].changes[k], doc->arena);
	if (!grid->count)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 3, .text = "Changes" });
	add_grid(doc, grid);
	trend_add_causes(doc, set);
}

/* What got worse in the newest run of all that did, and has not been accepted. */
static const char *verdict_of(const struct trend_set *set, struct arena *arena)
{
	const struct trend_change *newest = NULL;
	const struct trend *of = NULL;
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->trends[i].nchanges; k++) {
			const struct trend_change *change = &set->trends[i].changes[k];

			if (change->turn != TURN_WORSE || change->is_accepted)
				continue;
			count++;
			if (!newest || change->run > newest->run) {
				newest = change;
				of = &set->trends[i];
			}
		}
	if (!newest)
		return "No metric got worse, unless it was accepted.";
	return arena_printf(arena, "%zu %s for the worse, the newest at run %lld: %s by %s.", count,
			    count == 1 ? "change" : "changes", (long long)set->series->runs[newest->run].id,
			    trend_title(of->values.name, arena), trend_change_size(of, newest, arena));
}

/* ---- the metrics ---- */

enum { LINE_NAME, LINE_LAST, LINE_MEAN, LINE_SCORE, LINE_CHANGE, LINE_COLUMNS };
static const struct column line_columns[LINE_COLUMNS] = {
	[LINE_NAME] = { .heading = "Metric" },
	[LINE_LAST] = { .heading = "Last", .flags = COLUMN_RIGHT },
	[LINE_MEAN] = { .heading = "Recent mean", .flags = COLUMN_RIGHT },
	[LINE_SCORE] = { .heading = "z", .flags = COLUMN_RIGHT },
	[LINE_CHANGE] = { .heading = "Last change" },
};

static struct cell last_change(const struct trend *trend, struct arena *arena)
{
	const struct trend_change *change = trend->nchanges ? &trend->changes[trend->nchanges - 1] : NULL;

	if (!change)
		return shown_cell("none", INK_DIM);
	return shown_cell(arena_printf(arena, "%s, %s, at run %lld", trend_change_size(trend, change, arena),
				       trend_turn(change->turn), (long long)trend->series->runs[change->run].id),
			  trend_ink(change));
}

static void add_lines(struct document *doc, const struct trend_set *set)
{
	struct grid *grid = headed_grid(doc, line_columns, LINE_COLUMNS);
	struct arena *arena = doc->arena;

	for (size_t i = 0; i < set->count; i++) {
		const struct trend *trend = &set->trends[i];
		size_t last = trend_last(trend);
		double score = trend->score[last];
		const struct cell cells[LINE_COLUMNS] = {
			[LINE_NAME] = shown_cell(trend_title(trend->values.name, arena), INK_PLAIN),
			[LINE_LAST] =
				shown_cell(trend_value(&trend->values, trend->values.values[last], arena), INK_PLAIN),
			[LINE_MEAN] = shown_cell(trend_value(&trend->values, trend->mean[last], arena), INK_PLAIN),
			[LINE_SCORE] = shown_cell(human_signed(arena, score), INK_PLAIN),
			[LINE_CHANGE] = last_change(trend, arena),
		};

		grid_add(grid, cells, arena);
	}
	add_grid(doc, grid);
}

/* ---- plots ---- */

/* "run 12, 2026-11-23, commit 1a2b3c: 1.23 s" */
static const char *said_of(const struct trend *trend, size_t i, struct arena *arena)
{
	const struct series_run *run = &trend->series->runs[i];
	struct string text = STRING_INIT(arena);

	string_printf(&text, "run %lld, %s", (long long)run->id, trend_day(run->time_ms, arena));
	if (run->revision)
		string_printf(&text, ", commit %s", trend_revision(run->revision, arena));
	string_printf(&text, ": %s", trend_value(&trend->values, trend->values.values[i], arena));
	if (run->accepted_ms)
		string_add(&text, ", accepted");
	string_printf(&text, run->note ? "; %s" : "%s", run->note ? run->note : "");
	return text.text;
}

struct points {
	double *x, *accepted;
	const char **said, **links;
};

static struct points points_of(const struct trend *trend, struct arena *arena)
{
	const size_t count = trend->series->count;
	struct points points = { .x = arena_array(arena, count, sizeof(double)),
				 .accepted = arena_array(arena, count, sizeof(double)),
				 .said = arena_array(arena, count, sizeof(const char *)),
				 .links = arena_array(arena, count, sizeof(const char *)) };

	for (size_t i = 0; i < count; i++) {
		const struct series_run *run = &trend->series->runs[i];

		points.x[i] = (double)run->time_ms / MS;
		points.accepted[i] = run->accepted_ms ? trend->values.values[i] : NAN;
		points.said[i] = said_of(trend, i, arena);
		points.links[i] = arena_printf(arena, "#run-%lld", (long long)run->id);
	}
	return points;
}

static struct plot_mark *marks_of(const struct trend *trend, const struct points *points, struct arena *arena)
{
	struct plot_mark *marks = arena_array(arena, trend->nchanges + 1, sizeof(*marks));

	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];
		const struct series_run *run = &trend->series->runs[change->run];

		marks[i] = (struct plot_mark){
			.kind = PLOT_MARK_X,
			.at = points->x[change->run],
			.label = arena_printf(arena, "%s%s%s", trend_change_size(trend, change, arena),
					      run->revision ? ", " : "",
					      run->revision ? trend_revision(run->revision, arena) : ""),
			.said = arena_printf(arena, "%s, %s, at run %lld%s%s%s",
					     trend_change_size(trend, change, arena), trend_turn(change->turn),
					     (long long)run->id, run->revision ? ", commit " : "",
					     run->revision ? trend_revision(run->revision, arena) : "",
					     change->is_accepted ? ", accepted" : ""),
		};
	}
	return marks;
}

static bool trends_page_has_any(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			return true;
	return false;
}

/* Those that have a value: the legend names no others. */
static size_t drop_empty(struct plot_series *series, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (trends_page_has_any(series[i].kind == PLOT_BAND ? series[i].low : series[i].y, series[i].count))
			series[kept++] = series[i];
	return kept;
}

enum { SERIES_BAND, SERIES_MEAN, SERIES_VALUES, SERIES_ACCEPTED, SERIES_COUNT };

static const struct plot *plot_of(const struct trend *trend, struct arena *arena)
{
	const size_t count = trend->series->count;
	const struct series_values *values = &trend->values;
	struct plot_series *series = arena_array(arena, SERIES_COUNT, sizeof(*series));
	struct plot *plot = arena_alloc(arena, sizeof(*plot));
	struct points points = points_of(trend, arena);

	series[SERIES_BAND] = (struct plot_series){ .kind = PLOT_BAND,
						    .name = "95 % of each run",
						    .x = points.x,
						    .low = values->low,
						    .high = values->high,
						    .count = count };
	series[SERIES_MEAN] = (struct plot_series){ .kind = PLOT_LINE,
						    .name = "mean of up to 7 runs",
						    .x = points.x,
						    .y = trend->mean,
						    .count = count,
						    .color = 1 };
	series[SERIES_VALUES] = (struct plot_series){ .kind = PLOT_POINTS,
						      .name = "runs",
						      .x = points.x,
						      .y = values->values,
						      .said = points.said,
						      .links = points.links,
						      .count = count };
	series[SERIES_ACCEPTED] = (struct plot_series){ .kind = PLOT_POINTS,
							.name = "accepted",
							.x = points.x,
							.y = points.accepted,
							.said = points.said,
							.count = count,
							.color = 2 };
	*plot = (struct plot){ .name = trend_title(values->name, arena),
			       .x = { .scale = PLOT_DATE, .low = NAN, .high = NAN },
			       .y = { .title = *values->unit ? values->unit : NULL, .low = NAN, .high = NAN },
			       .series = series,
			       .nseries = drop_empty(series, SERIES_COUNT),
			       .marks = marks_of(trend, &points, arena),
			       .nmarks = trend->nchanges };
	return plot;
}

/* ---- the values of a metric, run by run ---- */

enum { VALUE_RUN, VALUE_TIME, VALUE_VALUE, VALUE_LOW, VALUE_HIGH, VALUE_N, VALUE_MEAN, VALUE_SCORE, VALUE_COLUMNS };
static const struct column value_columns[VALUE_COLUMNS] = {
	[VALUE_RUN] = { .key = "run", .heading = "Run", .flags = COLUMN_RIGHT },
	[VALUE_TIME] = { .heading = "Date" },
	[VALUE_VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT },
	[VALUE_LOW] = { .key = "low", .heading = "95 % from", .flags = COLUMN_RIGHT },
	[VALUE_HIGH] = { .key = "high", .heading = "to", .flags = COLUMN_RIGHT },
	[VALUE_N] = { .key = "n", .heading = "n", .flags = COLUMN_RIGHT },
	[VALUE_MEAN] = { .key = "mean7", .heading = "Recent mean", .flags = COLUMN_RIGHT },
	[VALUE_SCORE] = { .key = "z", .heading = "z", .flags = COLUMN_RIGHT },
};

static void trends_page_add_values(struct document *doc, const struct trend *trend)
{
	struct grid *grid = headed_grid(doc, value_columns, VALUE_COLUMNS);
	const struct series_values *values = &trend->values;
	struct arena *arena = doc->arena;

	for (size_t i = 0; i < trend->series->count; i++) {
		const struct series_run *run = &trend->series->runs[i];
		double score = trend->score[i];
		const struct cell cells[VALUE_COLUMNS] = {
			[VALUE_RUN] = whole_cell((size_t)run->id),
			[VALUE_TIME] = shown_cell(trend_day(run->time_ms, arena), INK_PLAIN),
			[VALUE_VALUE] = number_as(values->values[i], trend_value(values, values->values[i], arena)),
			[VALUE_LOW] = number_as(values->low[i], trend_value(values, values->low[i], arena)),
			[VALUE_HIGH] = number_as(values->high[i], trend_value(values, values->high[i], arena)),
			[VALUE_N] = known_cell(values->n[i]),
			[VALUE_MEAN] = number_as(trend->mean[i], trend_value(values, trend->mean[i], arena)),
			[VALUE_SCORE] = number_as(score, human_signed(arena, score)),
		};

		grid_add(grid, cells, arena);
	}
	add_fold(doc, arena_printf(arena, "%s: values of all %zu runs", trend_title(values->name, arena), grid->count),
		 grid);
}

/* All at a glance: the values alone, and where they changed. */
static void add_small_plots(struct document *doc, const struct trend_set *set)
{
	struct plot_list *list = arena_alloc(doc->arena, sizeof(*list));
	struct plot *plots = arena_array(doc->arena, set->count + 1, sizeof(*plots));

	*list = (struct plot_list){ .items = plots };
	for (size_t i = 0; i < set->count; i++) {
		struct plot *plot = &plots[list->count];
		size_t kept = 0;

		*plot = *plot_of(&set->trends[i], doc->arena);
		while (kept < plot->nseries && plot->series[kept].kind != PLOT_LINE)
			kept++;
		if (kept == plot->nseries)
			continue;
		plot->size = PLOT_SMALL;
		plot->series = &plot->series[kept];
		plot->nseries = 1;
		list->count++;
	}
	if (list->count > 1)
		doc_add(doc,
			plot_list_block(doc, list, "Each metric over its runs: recent means, and where they changed",
					"Small plots of the metrics; the large ones below have each run."));
}

static void add_plots(struct document *doc, const struct trend_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct trend *trend = &set->trends[i];
		const char *title = trend_title(trend->values.name, doc->arena);
		bool is_folded = i >= MOST_PLOTS;

		if (is_folded)
			doc_add(doc, (struct block){ .kind = BLOCK_FOLD, .text = title });
		doc_add(doc, plot_block(doc, plot_of(trend, doc->arena), title,
					arena_printf(doc->arena,
						     "%s over %zu runs, with the mean of seven and %zu changes. The "
						     "table below has each value.",
						     title, trend->series->count, trend->nchanges)));
		if (is_folded)
			doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
		trends_page_add_values(doc, trend);
	}
}

/* ---- the runs ---- */

enum { RUN_ID, RUN_TIME, RUN_COMMIT, RUN_BRANCH, RUN_STATUS, RUN_ACCEPTED, RUN_NOTE, RUN_COLUMNS };
static const struct column run_columns[RUN_COLUMNS] = {
	[RUN_ID] = { .key = "run", .heading = "Run", .flags = COLUMN_RIGHT },
	[RUN_TIME] = { .key = "time", .heading = "Time" },
	[RUN_COMMIT] = { .key = "commit", .heading = "Commit" },
	[RUN_BRANCH] = { .key = "branch", .heading = "Branch" },
	[RUN_STATUS] = { .key = "status", .heading = "Exit status", .flags = COLUMN_RIGHT },
	[RUN_ACCEPTED] = { .key = "accepted", .heading = "Accepted" },
	[RUN_NOTE] = { .key = "note", .heading = "Note" },
};

static void add_runs(struct document *doc, const struct series *series)
{
	struct grid *grid = headed_grid(doc, run_columns, RUN_COLUMNS);
	struct arena *arena = doc->arena;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_run *run = &series->runs[i];
		struct cell cells[RUN_COLUMNS] = {
			[RUN_ID] = whole_cell((size_t)run->id),
			[RUN_TIME] = text_cell(trend_time(run->time_ms, arena)),
			[RUN_COMMIT] = text_cell(run->revision),
			[RUN_BRANCH] = text_cell(run->branch),
			[RUN_STATUS] = cell_if(run->status != NO_STATUS, whole_cell((size_t)run->status)),
			[RUN_ACCEPTED] = truth_cell(run->accepted_ms != 0),
			[RUN_NOTE] = text_cell(run->note),
		};

		cells[RUN_ACCEPTED].shown = run->accepted_ms ? "✓ accepted" : "";
		grid_add(grid, cells, arena)->id = arena_printf(arena, "run-%lld", (long long)run->id);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 3, .text = "Runs" });
	add_grid(doc, grid);
}

/* ---- all of it ---- */

static void add_set(struct document *doc, const struct trend_set *set, size_t number)
{
	const struct series *series = set->series;

	doc_add(doc, (struct block){ .kind = BLOCK_SECTION,
				     .text = arena_printf(doc->arena, "%s on %s", series->program, series->machine),
				     .id = arena_printf(doc->arena, "series-%zu", number) });
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 3, .text = verdict_of(set, doc->arena) });
	trend_add_head(doc, series);
	if (set->split)
		doc_sentence(doc, set->split);
	add_lines(doc, set);
	add_changes(doc, set);
	add_small_plots(doc, set);
	add_plots(doc, set);
	add_runs(doc, series);
}

static const char *trends_title(const struct trend_page *page, struct arena *arena)
{
	return page->count == 1 ? arena_printf(arena, "History of %s", page->sets[0].series->program) : "History";
}

void trends_page(struct document *doc, const void *what, const struct page_content *content UNUSED)
{
	const struct trend_page *page = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = trends_title(page, doc->arena), .level = 1 });
	for (size_t i = page->count; i-- > 0;)
		add_set(doc, &page->sets[i], i + 1);
}
