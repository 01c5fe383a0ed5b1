/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trends.c - trends for people: a line with a sparkline for each metric, the changes, and each run where asked for. */
#include "present/history/trends.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/titles.h"
#include "present/document/human.h"

#define SPARKS	   28  /* values of a sparkline */
#define WIDE	   100 /* columns of a window; in others each sign is the mean of two values */
#define SHORT_HASH 10
#define DAY	   10 /* characters of a date without its time */
#define LABEL	   9
#define GAP	   2

const char *trend_time(int64_t time_ms, struct arena *arena)
{
	time_t seconds = (time_t)(time_ms / 1000);
	char text[32] = "-";
	struct tm broken;

	if (gmtime_r(&seconds, &broken))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &broken);
	return arena_strdup(arena, text);
}

const char *trend_turn(enum turn turn)
{
	return turn == TURN_WORSE ? "worse" : turn == TURN_BETTER ? "better" : "changed";
}

/* ---- cells ---- */

const char *trend_day(int64_t time_ms, struct arena *arena)
{
	const char *text = trend_time(time_ms, arena);

	return arena_strndup(arena, text, strlen(text) < DAY ? strlen(text) : DAY);
}

const char *trend_revision(const char *revision, struct arena *arena)
{
	size_t length = revision ? strlen(revision) : 0;
	const char *mark = length && revision[length - 1] == *CHANGED_FILES ? CHANGED_FILES : "";

	if (length <= SHORT_HASH)
		return revision ? revision : "";
	return arena_printf(arena, "%.*s%s", SHORT_HASH, revision, mark);
}

/* "cpu_atom/tma_dtlb_load" is "cpu_atom/DTLB_Load"; "wall" and "IPC" are called so. */
const char *trend_title(const char *name, struct arena *arena)
{
	const char *slash = strrchr(name, '/'), *own = slash ? slash + 1 : name;

	if (!strchr(own, '_') && strcmp(own, "retiring") != 0)
		return name;
	return arena_printf(arena, "%.*s%s", (int)(own - name), name, title_of_name(own, arena));
}

const char *trend_value(const struct series_values *values, double value, struct arena *arena)
{
	if (isnan(value))
		return "-";
	if (!strcmp(values->unit, "s"))
		return human_seconds(arena, value);
	if (values->unit[0] == '%')
		return arena_printf(arena, "%s %%", human_fixed(arena, value, 1));
	return *values->unit ? arena_printf(arena, "%s %s", human_count(arena, value), values->unit)
			     : human_count(arena, value);
}

const char *trend_change_size(const struct trend *trend, const struct trend_change *change, struct arena *arena)
{
	if (trend->values.unit[0] == '%')
		return arena_printf(arena, "%+.1f points", change->after - change->before);
	if (isnan(change->percent))
		return arena_printf(arena, "from 0");
	return arena_printf(arena, "%+.1f %%", change->percent);
}

enum ink trend_ink(const struct trend_change *change)
{
	return change->turn == TURN_WORSE && !change->is_accepted ? INK_WORST : INK_PLAIN;
}

/* ---- sparklines ---- */

static const char *const utf8_levels[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii_levels[] = { "_", ".", "-", "~", "=", "+", "*", "#" };

static void find_range(double *low, double *high, const double *values, size_t from, size_t to)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = from; i < to; i++) {
		if (values[i] < *low)
			*low = values[i];
		if (values[i] > *high)
			*high = values[i];
	}
}

/* Of those that were measured; NAN: none was. */
static double mean_of(const double *values, size_t count)
{
	double sum = 0, measured = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			measured++;
		}
	return measured > 0 ? sum / measured : NAN;
}

/* The last values, from the least of them to the largest; what was not measured is a blank. */
static const char *sparkline(const struct trend *trend, const struct document *doc)
{
	const char *const *levels = doc->style->has_utf8 ? utf8_levels : ascii_levels;
	size_t count = trend->series->count, from = count > SPARKS ? count - SPARKS : 0, shown = 0;
	size_t each = doc->width < WIDE && count > SPARKS / 2 ? 2 : 1, top = COUNT_OF(utf8_levels) - 1;
	double *values = arena_array(doc->arena, SPARKS + 1, sizeof(*values)), low, high;
	struct string text = STRING_INIT(doc->arena);

	for (size_t i = from; i < count; i += each)
		values[shown++] = mean_of(&trend->values.values[i], i + each <= count ? each : 1);
	find_range(&low, &high, values, 0, shown);
	for (size_t i = 0; i < shown; i++) {
		double height = high > low ? (values[i] - low) / (high - low) : 0;

		string_add(&text, isnan(values[i]) ? " " : levels[(size_t)(height * (double)top + 0.5)]);
	}
	return text.text;
}

/* ---- the head ---- */

static const char *machine_text(const struct series *series, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const struct surroundings_key *around = &series->around;

	string_add(&text, series->machine);
	string_printf(&text, *around->model ? ", %s" : "%s", around->model);
	string_printf(&text, *around->microcode ? ", microcode %s" : "%s", around->microcode);
	string_printf(&text, *around->kernel ? ", kernel %s" : "%s", around->kernel);
	return text.text;
}

static const char *runs_text(const struct series *series, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const struct series_run *last = &series->runs[series->count - 1];

	string_printf(&text, "%zu, %s", series->count, trend_day(series->runs[0].time_ms, arena));
	if (series->count > 1)
		string_printf(&text, " to %s", trend_day(last->time_ms, arena));
	if (series->ncut)
		string_printf(&text, "; %zu that were cut short are left out", series->ncut);
	return text.text;
}

static const char *last_text(const struct series *series, struct arena *arena)
{
	const struct series_run *last = &series->runs[series->count - 1];
	struct string text = STRING_INIT(arena);

	string_printf(&text, "run %lld", (long long)last->id);
	if (last->revision)
		string_printf(&text, ", commit %s", trend_revision(last->revision, arena));
	if (last->branch)
		string_printf(&text, " (%s)", last->branch);
	if (last->status > 0)
		string_printf(&text, ", exit status %d", last->status);
	return text.text;
}

void trend_add_head(struct document *doc, const struct series *series)
{
	const struct fact facts[] = { { "Program", series->program, true },
				      { "Machine", machine_text(series, doc->arena), false },
				      { "Runs", runs_text(series, doc->arena), false },
				      { "Last", last_text(series, doc->arena), false } };
	struct fact *kept = arena_array(doc->arena, COUNT_OF(facts), sizeof(*kept));

	doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
				     .facts = memcpy(kept, facts, sizeof(facts)),
				     .nfacts = COUNT_OF(facts),
				     .label = LABEL });
}

/* ---- tables ---- */

static struct grid *headed_grid(struct document *doc, const struct column *columns, size_t count)
{
	struct grid *grid = grid_new(doc->arena, columns, count);

	grid->has_heads = grid->is_wide = true;
	return grid;
}

enum { LINE_NAME, LINE_LAST, LINE_MEAN, LINE_SCORE, LINE_TREND, LINE_CHANGE, LINE_COLUMNS };
static const struct column line_columns[LINE_COLUMNS] = {
	[LINE_NAME] = { .heading = "Metric", .flags = COLUMN_SHRINKS },
	[LINE_LAST] = { .heading = "Last", .flags = COLUMN_RIGHT, .gap = GAP },
	[LINE_MEAN] = { .heading = "Recent mean", .flags = COLUMN_RIGHT, .gap = GAP },
	[LINE_SCORE] = { .heading = "z", .flags = COLUMN_RIGHT, .gap = GAP },
	[LINE_TREND] = { .heading = "Trend", .gap = GAP },
	[LINE_CHANGE] = { .heading = "Last change", .gap = GAP },
};

size_t trend_last(const struct trend *trend)
{
	size_t i = trend->series->count;

	while (i > 1 && isnan(trend->values.values[i - 1]))
		i--;
	return i - 1;
}

static struct cell last_change(const struct trend *trend, struct arena *arena)
{
	const struct trend_change *change;

	if (!trend->nchanges)
		return shown_cell("", INK_PLAIN);
	change = &trend->changes[trend->nchanges - 1];
	return shown_cell(arena_printf(arena, "%s, %s, run %lld", trend_change_size(trend, change, arena),
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
		const struct cell cells[LINE_COLUMNS] = {
			[LINE_NAME] = shown_cell(trend_title(trend->values.name, arena), INK_PLAIN),
			[LINE_LAST] =
				shown_cell(trend_value(&trend->values, trend->values.values[last], arena), INK_PLAIN),
			[LINE_MEAN] = shown_cell(trend_value(&trend->values, trend->mean[last], arena), INK_PLAIN),
			[LINE_SCORE] = shown_cell(human_signed(arena, trend->score[last]), INK_PLAIN),
			[LINE_TREND] = shown_cell(sparkline(trend, doc), INK_PLAIN),
			[LINE_CHANGE] = last_change(trend, arena),
		};

		grid_add(grid, cells, arena);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

enum {
	CHANGE_RUN,
	CHANGE_DAY,
	CHANGE_COMMIT,
	CHANGE_NAME,
	CHANGE_SIZE,
	CHANGE_MEANS,
	CHANGE_CHANCE,
	CHANGE_TURN,
	CHANGE_COLUMNS
};
static const struct column change_columns[CHANGE_COLUMNS] = {
	[CHANGE_RUN] = { .heading = "Run", .flags = COLUMN_RIGHT },
	[CHANGE_DAY] = { .heading = "Date", .gap = GAP },
	[CHANGE_COMMIT] = { .heading = "Commit", .gap = GAP },
	[CHANGE_NAME] = { .heading = "Metric", .flags = COLUMN_SHRINKS, .gap = GAP },
	[CHANGE_SIZE] = { .heading = "Change", .flags = COLUMN_RIGHT, .gap = GAP },
	[CHANGE_MEANS] = { .heading = "Means before and after", .gap = GAP },
	[CHANGE_CHANCE] = { .heading = "p", .flags = COLUMN_RIGHT, .gap = GAP },
	[CHANGE_TURN] = { .heading = "", .gap = GAP },
};

static void add_change(struct grid *grid, const struct trend *trend, const struct trend_change *change,
		       struct arena *arena)
{
	const struct series_run *run = &trend->series->runs[change->run];
	const char *turn = trend_turn(change->turn);
	const struct cell cells[CHANGE_COLUMNS] = {
		[CHANGE_RUN] = whole_cell((size_t)run->id),
		[CHANGE_DAY] = shown_cell(trend_day(run->time_ms, arena), INK_PLAIN),
		[CHANGE_COMMIT] = shown_cell(trend_revision(run->revision, arena), INK_PLAIN),
		[CHANGE_NAME] = shown_cell(trend_title(trend->values.name, arena), INK_PLAIN),
		[CHANGE_SIZE] = shown_cell(trend_change_size(trend, change, arena), trend_ink(change)),
		[CHANGE_MEANS] =
			shown_cell(arena_printf(arena, "%s, %s", trend_value(&trend->values, change->before, arena),
						trend_value(&trend->values, change->after, arena)),
				   INK_PLAIN),
		[CHANGE_CHANCE] =
			shown_cell(change->p < 1e-9 ? "< 1e-9" : arena_printf(arena, "%.1e", change->p), INK_PLAIN),
		[CHANGE_TURN] = shown_cell(change->is_accepted ? arena_printf(arena, "%s, accepted", turn) : turn,
					   trend_ink(change)),
	};

	grid_add(grid, cells, arena);
}

void trend_add_causes(struct document *doc, const struct trend_set *set)
{
	for (size_t i = 0; i < set->series->count; i++)
		if (set->causes[i])
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
						     .text = arena_printf(doc->arena, "Run %lld: %s.",
									  (long long)set->series->runs[i].id,
									  set->causes[i]) });
}

static void add_changes(struct document *doc, const struct trend_set *set)
{
	struct grid *grid = headed_grid(doc, change_columns, CHANGE_COLUMNS);

	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->trends[i].nchanges; k++)
			add_change(grid, &set->trends[i], &set->trends[i].changes[k], doc->arena);
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .level = 3, .text = "Changes" });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	trend_add_causes(doc, set);
}

/* ---- the runs of one metric ---- */

enum { RUN_ID, RUN_TIME, RUN_COMMIT, RUN_BRANCH, RUN_VALUE, RUN_SPREAD, RUN_MEAN, RUN_SCORE, RUN_NOTE, RUN_COLUMNS };
static const struct column run_columns[RUN_COLUMNS] = {
	[RUN_ID] = { .heading = "Run", .flags = COLUMN_RIGHT },
	[RUN_TIME] = { .heading = "Time", .gap = GAP },
	[RUN_COMMIT] = { .heading = "Commit", .gap = GAP },
	[RUN_BRANCH] = { .heading = "Branch", .flags = COLUMN_SHRINKS, .gap = GAP },
	[RUN_VALUE] = { .heading = "Value", .flags = COLUMN_RIGHT, .gap = GAP },
	[RUN_SPREAD] = { .heading = "95 %", .flags = COLUMN_RIGHT, .gap = GAP },
	[RUN_MEAN] = { .heading = "Recent mean", .flags = COLUMN_RIGHT, .gap = GAP },
	[RUN_SCORE] = { .heading = "z", .flags = COLUMN_RIGHT, .gap = GAP },
	[RUN_NOTE] = { .heading = "", .flags = COLUMN_TO_END, .gap = GAP },
};

static const char *spread_text(const struct document *doc, const struct series_values *values, size_t i)
{
	if (isnan(values->low[i]))
		return "";
	return arena_printf(doc->arena, "%s %s", plus_minus(doc),
			    trend_value(values, (values->high[i] - values->low[i]) / 2, doc->arena));
}

static const char *note_of(const struct trend *trend, size_t i, struct arena *arena)
{
	const struct series_run *run = &trend->series->runs[i];
	struct string text = STRING_INIT(arena);

	for (size_t k = 0; k < trend->nchanges; k++)
		if (trend->changes[k].run == i)
			string_printf(&text, "<== %s, %s", trend_change_size(trend, &trend->changes[k], arena),
				      trend_turn(trend->changes[k].turn));
	if (run->accepted_ms)
		string_printf(&text, "%saccepted", text.length ? "; " : "");
	if (run->note)
		string_printf(&text, "%s%s", text.length ? "; " : "", run->note);
	return text.text;
}

static void add_runs(struct document *doc, const struct trend *trend)
{
	struct grid *grid = headed_grid(doc, run_columns, RUN_COLUMNS);
	struct arena *arena = doc->arena;

	for (size_t i = 0; i < trend->series->count; i++) {
		const struct series_run *run = &trend->series->runs[i];
		const struct cell cells[RUN_COLUMNS] = {
			[RUN_ID] = whole_cell((size_t)run->id),
			[RUN_TIME] = shown_cell(trend_time(run->time_ms, arena), INK_PLAIN),
			[RUN_COMMIT] = shown_cell(trend_revision(run->revision, arena), INK_PLAIN),
			[RUN_BRANCH] = shown_cell(run->branch ? run->branch : "", INK_PLAIN),
			[RUN_VALUE] =
				shown_cell(trend_value(&trend->values, trend->values.values[i], arena), INK_PLAIN),
			[RUN_SPREAD] = shown_cell(spread_text(doc, &trend->values, i), INK_PLAIN),
			[RUN_MEAN] = shown_cell(trend_value(&trend->values, trend->mean[i], arena), INK_PLAIN),
			[RUN_SCORE] = shown_cell(human_signed(arena, trend->score[i]), INK_PLAIN),
			[RUN_NOTE] = shown_cell(note_of(trend, i, arena), INK_PLAIN),
		};

		grid_add(grid, cells, arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){
			     .kind = BLOCK_HEADING, .level = 3, .text = trend_title(trend->values.name, doc->arena) });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- all of it ---- */

static void add_notes_of_runs(struct document *doc, const struct series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (series->runs[i].note)
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
						     .text = arena_printf(doc->arena, "Run %lld: %s",
									  (long long)series->runs[i].id,
									  series->runs[i].note) });
}

/* Which of several metrics is said first: what the program costs. */
static size_t rank_of(const struct trend *trend)
{
	static const char *const costs[] = { "cycles", "cpu_time", "wall" };
	size_t rank = 0;

	while (rank < COUNT_OF(costs) && strcmp(trend->values.name, costs[rank]) != 0)
		rank++;
	return rank;
}

/* What it comes to: the change of the latest run, of several its cost; or that there is none. */
static const char *trends_answer(const struct trend_set *set, struct arena *arena)
{
	const struct trend *of = NULL;
	const struct trend_change *latest = NULL;
	const struct series_run *run;

	for (size_t i = 0; i < set->count; i++) {
		const struct trend *trend = &set->trends[i];
		const struct trend_change *own = trend->nchanges ? &trend->changes[trend->nchanges - 1] : NULL;

		if (own &&
		    (!latest || own->run > latest->run || (own->run == latest->run && rank_of(trend) < rank_of(of)))) {
			latest = own;
			of = trend;
		}
	}
	if (!latest)
		return arena_printf(arena, "No change in %zu run%s.", set->series->count,
				    set->series->count == 1 ? "" : "s");
	run = &set->series->runs[latest->run];
	return arena_printf(arena, "%s: %s, %s%s, since run %lld of %s%s%s%s%s.", trend_title(of->values.name, arena),
			    trend_change_size(of, latest, arena), trend_turn(latest->turn),
			    latest->is_accepted ? " and accepted" : "", (long long)run->id,
			    trend_day(run->time_ms, arena), run->revision ? ", commit " : "",
			    trend_revision(run->revision, arena), set->causes[latest->run] ? ": " : "",
			    set->causes[latest->run] ? set->causes[latest->run] : "");
}

static void add_set(struct document *doc, const struct trend_set *set, bool has_runs)
{
	doc_sentence(doc, trends_answer(set, doc->arena));
	doc_gap(doc);
	trend_add_head(doc, set->series);
	doc_gap(doc);
	add_lines(doc, set);
	add_changes(doc, set);
	for (size_t i = 0; i < set->count && has_runs; i++)
		add_runs(doc, &set->trends[i]);
	if (set->split || !has_runs)
		doc_gap(doc);
	if (!has_runs)
		add_notes_of_runs(doc, set->series);
	if (set->split)
		doc_sentence(doc, set->split);
}

static void trends_document(struct document *doc, const void *what)
{
	const struct trend_page *page = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "History" });
	for (size_t i = 0; i < page->count; i++) {
		if (i)
			doc_gap(doc);
		add_set(doc, &page->sets[i], page->has_runs);
	}
}

const struct view trends_view = {
	.document = trends_document, .page = trends_page, .json = trends_json, .csv = trends_csv
};
