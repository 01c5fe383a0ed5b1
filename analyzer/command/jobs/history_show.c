/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/history_record.h"

#include <math.h>
#include <string.h>

#include "analyse/hotspots/functions.h"
#include "command/jobs/comparison_side.h"
#include "command/jobs/progress.h"
#include "command/pages/report_output.h"
#include "common/base/text.h"
#include "engine/reports.h"
#include "engine/saved.h"
#include "present/document/human.h"
#include "present/document/listing.h"
#include "present/history/trends.h"
#include "store/session/session.h"

/* ---- a run in words ---- */

/* "run 12, prog 6, 2026-11-23T01:02:03Z, commit 1a2b3c4d5e (main), accepted" */
static const char *run_text(const struct history_run *run, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_printf(&text, "run %lld, %s, %s", (long long)run->id, run->program ? run->program : "unnamed",
		      trend_time(run->time_ms, arena));
	if (run->revision)
		string_printf(&text, ", commit %s", trend_revision(run->revision, arena));
	if (run->branch)
		string_printf(&text, " (%s)", run->branch);
	for (size_t i = 0; i < run->ntags; i++)
		string_printf(&text, ", %s=%s", run->tags[i].key, run->tags[i].value);
	string_add(&text, run->accepted_ms ? ", accepted" : "");
	string_add(&text, run->is_cut ? ", cut short" : "");
	string_printf(&text, run->note ? ": %s" : "%s", run->note ? run->note : "");
	return text.text;
}

static struct cell value_cell(double value, struct arena *arena)
{
	struct cell cell = number_cell(value);

	cell.shown = isnan(value) ? "-" : plain_number(arena, value);
	return cell;
}

/* ---- one run ---- */

enum { V_NAME, V_VALUE, V_UNIT, V_LOW, V_HIGH, V_N, V_COLUMNS };
static const struct column value_columns[V_COLUMNS] = {
	[V_NAME] = { .key = "name", .heading = "Metric", .flags = COLUMN_IS_NAME },
	[V_VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT },
	[V_UNIT] = { .key = "unit", .heading = "Unit" },
	[V_LOW] = { .key = "low", .heading = "95 % from", .flags = COLUMN_RIGHT },
	[V_HIGH] = { .key = "high", .heading = "to", .flags = COLUMN_RIGHT },
	[V_N] = { .key = "n", .heading = "n", .flags = COLUMN_RIGHT },
};

static int show_values(const struct history_run *run, const struct output_choice *choice, struct arena *arena,
		       struct error *err)
{
	struct listing listing = { .what = "values",
				   .cpu = run->cpu,
				   .table = { .columns = value_columns, .ncolumns = V_COLUMNS },
				   .note = run_text(run, arena) };

	for (size_t i = 0; i < run->nvalues; i++) {
		const struct history_value *value = &run->values[i];
		const struct cell cells[V_COLUMNS] = {
			[V_NAME] = text_cell(value->name),	   [V_VALUE] = value_cell(value->value, arena),
			[V_UNIT] = word_cell(value->unit),	   [V_LOW] = value_cell(value->low, arena),
			[V_HIGH] = value_cell(value->high, arena), [V_N] = known_cell(value->n),
		};

		grid_add(&listing.table, cells, arena);
	}
	return output_listing(choice, &listing, err);
}

/* The measurement of a run's session; 0: it has none. */
static int read_measurement(struct measurement *measured, struct history *history, const struct history_run *run,
			    struct arena *arena, struct error *err)
{
	struct session_text session = { .source = arena_printf(arena, "run %lld", (long long)run->id) };

	if (!run->has_session)
		return 0;
	session.text = history_read_session(history, run->id, &session.length, arena, err);
	if (!session.text || session_read_text(measured, &session, arena, err) < 0)
		return -1;
	return 1;
}

static int show_report(struct measurement *measured, const struct output_choice *choice, const struct request *request,
		       struct error *err)
{
	struct report_output to;
	struct report_set reports;
	const struct outcome outcome = { .measured = measured, .reports = &reports, .is_last = true };

	report_output_init(&to, choice, stdout, request->arena);
	report_output_keep(&to, measured);
	if (request->question->level)
		measured->parts[0].question.level = request->question->level;
	if (saved_evaluate(&reports, measured, "history", request, err) < 0)
		return -1;
	return report_output_add(&to, &outcome, err);
}

int history_show(struct history *history, int64_t id, const struct output_choice *choice, const struct request *request,
		 struct error *err)
{
	struct arena *arena = request->arena;
	struct measurement measured;
	struct history_run run;
	int answer;

	if (history_read_run(history, id, &run, arena, err) < 0)
		return -1;
	answer = read_measurement(&measured, history, &run, arena, err);
	if (answer < 0)
		return -1;
	if (answer == 0)
		return show_values(&run, choice, arena, err);
	notice_print(NULL, NOTICE_PLAIN, run_text(&run, arena));
	return show_report(&measured, choice, request, err);
}

/* ---- two runs ---- */

static int show_comparison(struct measurement *measured, const struct history_run *runs,
			   const struct output_choice *choice, const struct request *request, struct error *err)
{
	struct arena *arena = request->arena;
	struct compare_request compared = { .before.label = run_text(&runs[0], arena),
					    .after.label = run_text(&runs[1], arena),
					    .level = request->question->level };
	struct comparison comparison;

	if (saved_side(&compared.before, &measured[0], request, err) < 0 ||
	    saved_side(&compared.after, &measured[1], request, err) < 0 ||
	    compare(&comparison, &compared, arena, err) < 0)
		return -1;
	return compared_show(&comparison, stdout, choice, arena, err);
}

static const char *cause_place(const struct compared_place *place, struct arena *arena)
{
	if (!place->function)
		return "";
	return place->file ? arena_printf(arena, ", mostly in %s, %s:%u", place->function,
					  module_base_name(place->file), place->line)
			   : arena_printf(arena, ", mostly in %s", place->function);
}

static const char *cause_of(const struct comparison *comparison, struct arena *arena)
{
	const double difference = comparison->cycles_after - comparison->cycles_before, all = 100;
	const struct compared_term *first = comparison->terms;
	const struct compared_function *function = comparison->functions;

	if (comparison->nterms && fabs(difference) > 0 && first->cycles.value / difference > 0)
		return arena_printf(arena, "%.0f %% of %s %s cycles are %s%s", all * first->cycles.value / difference,
				    human_count(arena, fabs(difference)), difference > 0 ? "more" : "fewer",
				    first->title, cause_place(&first->place, arena));
	if (comparison->nfunctions && function->name && !strcmp(comparison->unit, "ns"))
		return arena_printf(arena, "%s %s in %s", human_seconds(arena, fabs(function->difference.value) * 1e-9),
				    function->difference.value > 0 ? "more" : "less", function->name);
	return NULL;
}

const char *history_cause(struct history *history, int64_t before, int64_t after, const struct request *request)
{
	struct arena *arena = request->arena;
	const int64_t ids[] = { before, after };
	struct measurement measured[2];
	struct history_run run;
	struct error ignored = { .text = "" };
	struct compare_request compared = { .before.label = "before", .after.label = "after" };
	struct comparison comparison;

	for (size_t i = 0; i < COUNT_OF(ids); i++)
		if (history_read_run(history, ids[i], &run, arena, &ignored) < 0 ||
		    read_measurement(&measured[i], history, &run, arena, &ignored) <= 0)
			return NULL;
	if (saved_side(&compared.before, &measured[0], request, &ignored) < 0 ||
	    saved_side(&compared.after, &measured[1], request, &ignored) < 0 ||
	    compare(&comparison, &compared, arena, &ignored) < 0)
		return NULL;
	return cause_of(&comparison, arena);
}

enum { P_NAME, P_UNIT, P_BEFORE, P_AFTER, P_CHANGE, P_COLUMNS };
static const struct column pair_columns[P_COLUMNS] = {
	[P_NAME] = { .key = "name", .heading = "Metric", .flags = COLUMN_IS_NAME },
	[P_UNIT] = { .key = "unit", .heading = "Unit" },
	[P_BEFORE] = { .key = "before", .heading = "Before", .flags = COLUMN_RIGHT },
	[P_AFTER] = { .key = "after", .heading = "After", .flags = COLUMN_RIGHT },
	[P_CHANGE] = { .key = "change_percent", .heading = "Change %", .flags = COLUMN_RIGHT },
};

static double history_show_value_of(const struct history_run *run, const char *name)
{
	for (size_t i = 0; i < run->nvalues; i++)
		if (!strcmp(run->values[i].name, name))
			return run->values[i].value;
	return NOT_COUNTED;
}

/* Without sessions: single values, whose certainty nobody knows. */
static int show_pairs(const struct history_run *runs, const struct output_choice *choice, struct arena *arena,
		      struct error *err)
{
	const double all = 100;
	struct listing listing = {
		.what = "values",
		.table = { .columns = pair_columns, .ncolumns = P_COLUMNS },
		.note = arena_printf(arena,
				     "Before: %s. After: %s. One has no session, so the uncertainty is not known.",
				     run_text(&runs[0], arena), run_text(&runs[1], arena))
	};

	for (size_t i = 0; i < runs[1].nvalues; i++) {
		const struct history_value *value = &runs[1].values[i];
		double before = history_show_value_of(&runs[0], value->name),
		       change = all * (value->value - before) / fabs(before);
		const struct cell cells[P_COLUMNS] = {
			[P_NAME] = text_cell(value->name),
			[P_UNIT] = word_cell(value->unit),
			[P_BEFORE] = value_cell(before, arena),
			[P_AFTER] = value_cell(value->value, arena),
			[P_CHANGE] = value_cell(isfinite(change) ? change : NOT_COUNTED, arena),
		};

		grid_add(&listing.table, cells, arena);
	}
	return output_listing(choice, &listing, err);
}

int history_compare(struct history *history, const int64_t *ids, const struct output_choice *choice,
		    const struct request *request, struct error *err)
{
	struct arena *arena = request->arena;
	struct measurement measured[2];
	struct history_run runs[2];
	int sessions = 0;

	for (size_t i = 0; i < COUNT_OF(runs); i++) {
		int answer;

		if (history_read_run(history, ids[i], &runs[i], arena, err) < 0)
			return -1;
		answer = read_measurement(&measured[i], history, &runs[i], arena, err);
		if (answer < 0)
			return -1;
		sessions += answer;
	}
	if (sessions == COUNT_OF(runs))
		return show_comparison(measured, runs, choice, request, err);
	return show_pairs(runs, choice, arena, err);
}
