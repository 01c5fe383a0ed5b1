/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes.c - what a reader must know to trust the numbers: ties, impossible sums, clamped values, runs that differ. */
#include <math.h>
#include <stdarg.h>

#include "evaluate/internal.h"

#define TIE_POINTS     1.0  /* level-1 values closer than this are a tie */
#define SUM_POINTS     2.0  /* level 1 may miss 100 % by this much: rounding, and groups a little apart */
#define NAMED_NODES    6    /* nodes that a note names; the rest is counted */
#define NAMED_RUNS     3    /* unlike runs that have a note of their own */
#define NAMED_UNJUDGED 3    /* nodes that can't be judged, and those above them, that a note names */
#define LITTLE_RUNNING 0.25 /* a group that ran a smaller share of the time is hardly a measurement */

void note_add(struct evaluation *e, const char *format, ...)
{
	struct report *report = e->report;
	va_list args;

	report->notes = arena_grow(e->arena, report->notes, report->nnotes, &e->notes_capacity, sizeof(*report->notes));
	va_start(args, format);
	report->notes[report->nnotes++] = arena_vprintf(e->arena, format, args);
	va_end(args);
}

static void note_tie(struct evaluation *e)
{
	const struct result *first = NULL;

	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].metric->level == 1 && e->results[i].is_on_worst_path)
			first = &e->results[i];
	for (size_t i = 0; first && i < e->model->nnodes; i++) {
		const struct result *other = &e->results[i];

		if (other == first || other->metric->level != 1 || !other->is_bottleneck || !e->shown[i])
			continue;
		if (fabs(first->value - other->value) < TIE_POINTS)
			note_add(e,
				 "Level 1 is a tie: %s (%.1f %%) and %s (%.1f %%) are too close to call one the "
				 "bottleneck.",
				 first->metric->title, first->value, other->metric->title, other->value);
	}
}

static const char *sum_reason(const struct evaluation *e)
{
	bool is_runs = false, is_scaled = false, is_clamped = false;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (e->results[i].metric->level != 1)
			continue;
		is_runs = is_runs || e->results[i].quality == QUALITY_RUNS;
		is_scaled = is_scaled || e->results[i].quality == QUALITY_SCALED;
		is_clamped = is_clamped || e->results[i].quality == QUALITY_CLAMPED;
	}
	if (is_scaled)
		return "the counters were shared by turns, and the program changed in between; count without "
		       "--multiplex";
	if (is_runs)
		return "its parts come from different runs, which did not behave alike";
	if (is_clamped)
		return "a part left its possible range: the counts do not belong together";
	if (e->model->facts.smt_on == 1)
		return "these counters see both threads of a core, and the other thread was busy with something else";
	return "the counts do not belong together, or an event counts something else on this machine";
}

static bool has_level_1(const struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].metric->level == 1 && !e->shown[i])
			return false;
	return true;
}

static void note_sum(struct evaluation *e)
{
	double sum = 0;

	if (e->model->no_tree || !has_level_1(e))
		return;
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].metric->level == 1)
			sum += e->results[i].raw;
	if (!isnan(sum) && fabs(sum - 100) > SUM_POINTS)
		note_add(e, "Level 1 adds up to %.1f %% instead of 100 %%. Likely reason: %s.", sum, sum_reason(e));
}

static void note_clamped(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *result = &e->results[i];

		if (result->quality == QUALITY_CLAMPED && e->shown[i] && result->metric->level == 1)
			note_add(e, "%s came out as %.1f %%, which cannot be; it is shown as %.1f %%.",
				 result->metric->title, result->raw, result->value);
	}
}

/* What an unlike run costs: "A, B and 3 more use its events, and describe ..." */
static const char *affected_text(const struct evaluation *e, const struct execution *run)
{
	struct string text = STRING_INIT(e->arena);

	if (!run->naffected)
		return e->is_selected ? "Nothing that was asked for uses its events." : "No node uses its events.";
	for (size_t i = 0; i < run->naffected && i < NAMED_NODES; i++)
		string_printf(&text, "%s%s", i ? ", " : "What uses its events describes an unlike execution: ",
			      e->model->metrics[run->affected[i]].title);
	if (run->naffected > NAMED_NODES)
		string_printf(&text, " and %zu more", run->naffected - NAMED_NODES);
	string_add(&text, ".");
	return text.text;
}

/* ", and took 12 % longer than run 1", where that says something; else "". */
static const char *duration_text(const struct evaluation *e, const struct execution *run)
{
	double more = run->wall_s / e->report->runs[0].wall_s - 1;

	if (run == e->report->runs || !isfinite(more) || fabs(more) < SPREAD_LIMIT)
		return "";
	return arena_printf(e->arena, ", and took %.0f %% %s than run 1", fabs(more) * 100,
			    more > 0 ? "longer" : "less");
}

/* "Run 2", or with repeats "Run 2 of repeat 3" */
static const char *run_text(const struct evaluation *e, const struct execution *run)
{
	if (e->nrepeats == 1)
		return arena_printf(e->arena, "Run %zu", run->run + 1);
	return arena_printf(e->arena, "Run %zu of repeat %zu", run->run + 1, run->repeat + 1);
}

static void note_execution(struct evaluation *e, const struct execution *run)
{
	const struct execution *first = e->report->runs;

	if (run->status != first->status)
		note_add(e, "%s ended with status %d, run 1 with %d%s. %s", run_text(e, run), run->status,
			 first->status, duration_text(e, run), affected_text(e, run));
	else
		note_add(e, "%s executed %.0f %% %s instructions than a typical run%s. %s", run_text(e, run),
			 fabs(run->more) * 100, run->more > 0 ? "more" : "fewer", duration_text(e, run),
			 affected_text(e, run));
}

/* The same work is what makes several runs one measurement. */
static void note_executions(struct evaluation *e)
{
	size_t unlike = 0;

	for (size_t i = 0; i < e->report->nruns; i++) {
		if (!e->report->runs[i].is_unlike)
			continue;
		if (++unlike <= NAMED_RUNS)
			note_execution(e, &e->report->runs[i]);
	}
	if (unlike > NAMED_RUNS)
		note_add(e,
			 "%zu more of the %zu runs differ like that: the program does not do the same each time; "
			 "--multiplex counts it in one run.",
			 unlike - NAMED_RUNS, e->report->nruns);
}

static void note_running(struct evaluation *e)
{
	double least = 1;

	for (size_t g = 0; g < e->counts->ngroups; g++)
		if (e->contexts[g].running < least)
			least = e->contexts[g].running;
	if (least < LITTLE_RUNNING)
		note_add(e, "Some events were on a counter for only %.0f %% of the time; their values are rough.",
			 least * 100);
}

static void note_refused(struct evaluation *e)
{
	for (size_t i = 0; i < e->counts->count; i++) {
		const struct count *count = &e->counts->items[i];

		if ((count->state != COUNT_REFUSED && count->state != COUNT_WITHHELD) || !count->reason)
			continue;
		note_add(e, count->state == COUNT_REFUSED ? "%s was not counted: %s" : "%s was withheld: %s",
			 count->event, count->reason);
		return; /* the first stands for all: the cause is the same */
	}
}

/* A program that failed is not run again; a series that somebody interrupted neither. */
static void note_unmade_runs(struct evaluation *e)
{
	const struct counts *counts = e->counts;
	int status = counts->nruns ? counts->runs[0].status : 0;

	if (counts->planned_runs <= counts->nruns)
		return;
	if (counts->nruns == 1 && status)
		note_add(
			e,
			"The program ended with status %d, so it was not run again: what %zu more runs would have "
			"counted "
			"is missing. Where that status is no failure, `sh -c '...; true'` around the program hides it.",
			status, counts->planned_runs - 1);
	else
		note_add(e,
			 "Only %zu of %zu runs were made: the series ended early, and what the others would have "
			 "counted is missing.",
			 counts->nruns, counts->planned_runs);
}

static void note_unmade_repeats(struct evaluation *e)
{
	if (e->counts->planned_repeats > e->nrepeats)
		note_add(e, "Only %zu of %zu repeats were made: the series ended early.", e->nrepeats,
			 e->counts->planned_repeats);
}

static void note_remarks(struct evaluation *e)
{
	for (size_t i = 0; i < e->counts->nremarks; i++)
		note_add(e, "%s", e->counts->remarks[i]);
}

/* The level says nothing about the parts that nobody asked for. */
static void note_part(struct evaluation *e)
{
	if (e->is_selected && e->selection.level && !has_level_1(e))
		note_add(e, "Not all of level 1 was asked for: what limits the program most may be in a part of the "
			    "tree that is not here.");
}

/* Titles of nodes, "A, B and 3 more". */
struct titles {
	struct string text;
	size_t count;
};

static void add_title(struct titles *titles, const struct metric *metric)
{
	if (titles->count++ < NAMED_UNJUDGED)
		string_printf(&titles->text, "%s%s", titles->text.length ? ", " : "", metric->title);
}

static const char *titles_text(struct titles *titles)
{
	if (titles->count > NAMED_UNJUDGED)
		string_printf(&titles->text, " and %zu more", titles->count - NAMED_UNJUDGED);
	return titles->text.text;
}

/* Which of the nodes are above one that can't be judged, and were not measured? */
static bool *find_unmeasured(const struct evaluation *e)
{
	bool *is_unmeasured = arena_array(e->arena, e->model->nnodes + 1, sizeof(*is_unmeasured));

	for (size_t i = 0; i < e->model->nnodes; i++)
		for (size_t up = e->model->metrics[i].parent;
		     e->shown[i] && e->results[i].is_unjudged && up != NO_PARENT; up = e->model->metrics[up].parent)
			is_unmeasured[up] = e->results[up].quality == QUALITY_NONE;
	return is_unmeasured;
}

static void note_unjudged(struct evaluation *e)
{
	struct titles unjudged = { .text = STRING_INIT(e->arena) }, above = { .text = STRING_INIT(e->arena) };
	const bool *is_unmeasured = find_unmeasured(e);
	const char *first = NULL;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (e->shown[i] && e->results[i].is_unjudged) {
			first = first ? first : e->results[i].metric->title;
			add_title(&unjudged, e->results[i].metric);
		}
		if (is_unmeasured[i])
			add_title(&above, e->results[i].metric);
	}
	if (first)
		note_add(e, "Whether %s %s is not known: %s %s not measured%s.", titles_text(&unjudged),
			 unjudged.count == 1 ? "is a bottleneck" : "are bottlenecks", titles_text(&above),
			 above.count > 1 ? "were" : "was",
			 e->is_selected ? arena_printf(e->arena, "; --nodes '%s^' has what is above it too", first)
					: "");
}

/* Fewer windows than this leave the interval itself uncertain. */
#define FEW_WINDOWS 10

static void note_windows(struct evaluation *e)
{
	const struct summary *s = &e->report->summary;

	if (s->is_sampled && s->windows < FEW_WINDOWS)
		note_add(e,
			 "Only %zu %s of the program modelled in detail, too few to say how sure the values are: a "
			 "larger "
			 "--sim-sample, or a longer run, models more.",
			 s->windows, s->windows == 1 ? "window was" : "windows were");
}

void notes_fill(struct evaluation *e)
{
	note_windows(e);
	note_remarks(e);
	note_unmade_runs(e);
	note_unmade_repeats(e);
	note_tie(e);
	note_sum(e);
	note_clamped(e);
	note_executions(e);
	note_running(e);
	note_refused(e);
	note_part(e);
	note_unjudged(e);
}
