/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes.c - what a reader must know of the measurement to trust the numbers: unlike runs, missing counts. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "common/base/text.h"

#include "analyse/evaluate/evaluation.h"

#define NAMED_NODES    6    /* nodes that a note names; the rest is counted */
#define NAMED_RUNS     3    /* unlike runs that have a note of their own */
#define NAMED_UNJUDGED 3    /* nodes that can't be judged, and those above them, that a note names */
#define LITTLE_RUNNING 0.25 /* a group that ran a smaller share of the time is hardly a measurement */
#define NEARLY_ALL     0.95 /* of the time: groups that share the counters have a smaller share of it */

void note_add(struct evaluation *e, const char *format, ...)
{
	struct report *report = e->report;
	char words[MOST_WORDED];
	va_list args;

	report->notes = arena_grow(e->arena, report->notes, report->nnotes, &e->notes_capacity, sizeof(*report->notes));
	va_start(args, format);
	report->notes[report->nnotes++] = arena_vprintf(e->arena, text_worded(words, sizeof(words), format), args);
	va_end(args);
}

/* What an unlike run costs: "A, B and 3 more use its events, and describe ..." */
static const char *affected_text(const struct evaluation *e, const struct execution *run)
{
	struct string text = STRING_INIT(e->arena);

	if (!run->naffected)
		return e->is_selected ? "Nothing that was asked for uses its events." : "No node uses its events.";
	for (size_t i = 0; i < run->naffected && i < NAMED_NODES; i++)
		string_printf(&text, "%s%s", i ? ", " : "What uses its events describes a different execution: ",
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

/* "Backend_Bound was 72.0 % and not 30.0 %" */
static const char *mix_text(const struct evaluation *e, const struct execution *run)
{
	return arena_printf(e->arena, "%s was %.1f %% and not %.1f %%", run->mix->title, run->mix_value,
			    run->mix_typical);
}

static void note_execution(struct evaluation *e, const struct execution *run)
{
	const struct execution *whole = execution_whole(e->report);

	if (run->status != whole->status)
		note_add(e, "%s ended with status %d, run %zu with %d%s. %s", run_text(e, run), run->status,
			 whole->run + 1, whole->status, duration_text(e, run), affected_text(e, run));
	else if (run->is_cut != whole->is_cut)
		note_add(e, "%s was ended by topdown, run %zu ended on its own%s. %s", run_text(e, run), whole->run + 1,
			 duration_text(e, run), affected_text(e, run));
	else if (fabs(run->more) > SPREAD_LIMIT)
		note_add(e, "%s executed %.0f %% %s instructions than a typical run%s%s%s. %s", run_text(e, run),
			 fabs(run->more) * 100, run->more > 0 ? "more" : "fewer",
			 is_other_mix(run) ? ", with a different mix: " : "", is_other_mix(run) ? mix_text(e, run) : "",
			 duration_text(e, run), affected_text(e, run));
	else
		note_add(e, "%s did a different mix of work than a typical run, with as many instructions: %s%s. %s",
			 run_text(e, run), mix_text(e, run), duration_text(e, run), affected_text(e, run));
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
			 "{max-runs} 1 counts it in one run.",
			 unlike - NAMED_RUNS, e->report->nruns);
}

/* What runs already is counted once, and groups share the counters: in too few slices, no value gets an interval. */
static bool lacks_intervals(const struct evaluation *e, double running)
{
	return running < NEARLY_ALL && !e->has_intervals && e->counts->origin.target && !e->counts->origin.is_flat;
}

/* "uncore_cha"; NULL: this was counted all of the time, or in a core. */
static const char *scaled_unit(const struct evaluation *e, size_t item)
{
	const struct count *count = &e->repeat->items[item];
	size_t event = e->bound[item];

	if (event == TABLE_NONE || e->model->events.events[event].kind != EVENT_UNIT || count->state != COUNT_OK ||
	    (double)count->running_ns >= NEARLY_ALL * (double)count->enabled_ns)
		return NULL;
	return e->model->events.events[event].unit;
}

/* What runs already, and is the same in the next run: CPUs, a cgroup. */
static bool is_repeatable(const struct evaluation *e)
{
	enum subject_kind kind = e->counts->origin.selector.kind;

	return !e->counts->origin.is_flat && (kind == SUBJECT_CPUS || kind == SUBJECT_CGROUP);
}

/* What runs already is counted once, and no run is made for groups of a PMU that its counters can't hold at once. */
static void note_units(struct evaluation *e)
{
	struct string text = STRING_INIT(e->arena);
	const char *unit;

	for (size_t i = 0; i < e->repeat->count && is_repeatable(e); i++) {
		unit = scaled_unit(e, i);
		if (unit && !strstr(text.text, unit))
			string_printf(&text, "%s%s", *text.text ? ", " : "", unit);
	}
	if (*text.text)
		note_add(e,
			 "Groups of these PMUs shared their counters: %s. With {duration}, `{max-runs} N` counts up to "
			 "N "
			 "times as long, and these groups one by one.",
			 text.text);
}

static void note_running(struct evaluation *e)
{
	double least = 1;

	for (size_t g = 0; g < e->repeat->ngroups; g++)
		if (e->contexts[g].running < least)
			least = e->contexts[g].running;
	if (least < LITTLE_RUNNING || (least < 1 && is_too_short(e)) || lacks_intervals(e, least))
		note_slices(e, least);
}

/* A simulation has all of the core's events; nothing but a roofline needs those that are followed for it alone. */
static bool is_needed(const struct evaluation *e)
{
	return !e->model->is_simulated || e->counts->question.wants_roofline;
}

/* A copy of the event was counted. */
static bool has_other(const struct evaluation *e, size_t item)
{
	size_t event = e->bound[item];

	return e->counts->origin.is_flat && event != TABLE_NONE &&
	       !isnan(e->contexts[e->repeat->items[item].group].events[event]);
}

static void note_refused(struct evaluation *e)
{
	for (size_t i = 0; i < e->repeat->count && is_needed(e); i++) {
		const struct count *count = &e->repeat->items[i];

		if ((count->state != COUNT_REFUSED && count->state != COUNT_WITHHELD) || !count->reason ||
		    has_other(e, i))
			continue;
		note_add(e, count->state == COUNT_REFUSED ? "%s was not counted: %s" : "%s was withheld: %s",
			 count->event, count->reason);
		return; /* the first stands for all: the cause is the same */
	}
}

/* A program that failed is not run again; a series that somebody interrupted neither. */
static void note_unmade_runs(struct evaluation *e)
{
	const struct repeat *repeat = e->repeat;
	int status = repeat->nruns ? repeat->runs[0].status : 0;

	if (repeat->planned_runs <= repeat->nruns)
		return;
	if (repeat->nruns == 1 && status)
		note_add(
			e,
			"The program ended with status %d, so it was not run again: what %zu more runs would have "
			"counted "
			"is missing. If that status is not a failure, `sh -c '...; true'` around the program hides it.",
			status, repeat->planned_runs - 1);
	else
		note_add(e,
			 "Only %zu of %zu runs were made: the series ended early, and what the others would have "
			 "counted is missing.",
			 repeat->nruns, repeat->planned_runs);
}

static void note_unmade_repeats(struct evaluation *e)
{
	if (e->counts->planned_repeats > e->nrepeats)
		note_add(e, "Only %zu of %zu repeats were made: the series ended early.", e->nrepeats,
			 e->counts->planned_repeats);
}

static void note_remarks(struct evaluation *e)
{
	for (size_t i = 0; i < e->repeat->nremarks; i++)
		note_add(e, "%s", e->repeat->remarks[i]);
}

/* The level says nothing about the parts that nobody asked for. */
static void note_part(struct evaluation *e)
{
	if (e->is_selected && e->selection.level && !is_level_1_shown(e))
		note_add(e, "Not all of level 1 was asked for: what limits the program most may be in a part of the "
			    "tree that is not shown.");
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
			 e->is_selected ? arena_worded(e->arena, "; {nodes} '%s^' has what is above it too", first)
					: "");
}

/* Fewer windows than this leave the interval itself uncertain; but where nearly all is modelled, little is guessed. */
#define FEW_WINDOWS 10
#define NO_GUESS    0.9

static void note_windows(struct evaluation *e)
{
	const struct summary *s = &e->report->summary;

	if (s->is_sampled && s->windows < FEW_WINDOWS && s->modelled < NO_GUESS)
		note_add(e,
			 "Only %zu %s of the program modelled in detail, too few to say how sure the values are: a "
			 "larger "
			 "{sim-sample}, or a longer run, models more.",
			 s->windows, s->windows == 1 ? "window was" : "windows were");
}

/* Counts from elsewhere of which no node of slots can be computed, as of a plain perf stat: how to get them there. */
static void note_no_node(struct evaluation *e)
{
	unsigned level = e->counts->question.level;
	size_t nodes = 0;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (e->results[i].quality != QUALITY_NONE && !e->model->has_stalls)
			return;
		nodes += e->shown[i];
	}
	if (e->counts->origin.is_flat && nodes)
		note_add(e,
			 "The tree's nodes lack some or all of their events in these counts. `topdown plan%s {format} "
			 "perf {cpu} %s` prints the perf stat lines that count them.",
			 level > 1 ? arena_worded(e->arena, " {l}%u", level) : "", e->model->cpu);
}

#define NAMED_MACHINE 6

/* What other PMUs count is of all that the machine did in that time, whoever did it. */
static void note_machine(struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	struct string text = STRING_INIT(e->arena);
	size_t count = 0;

	if (origin->is_flat || origin->facts.core_wide == 1)
		return;
	for (size_t i = 0; i < e->model->count; i++) {
		if (!e->model->metrics[i].is_of_machine || e->results[i].quality == QUALITY_NONE ||
		    count++ >= NAMED_MACHINE)
			continue;
		string_printf(&text, "%s%s", count > 1 ? ", " : "", e->model->metrics[i].title);
	}
	if (count > NAMED_MACHINE)
		string_printf(&text, " and %zu more", count - NAMED_MACHINE);
	if (count)
		note_add(e, "For the whole machine, not only for what was measured: %s.", text.text);
}

/* A saved measurement is looked at more deeply than it was made. */
static void note_depth(struct evaluation *e)
{
	unsigned measured = e->counts->origin.level;

	for (size_t i = 0; i < e->model->nnodes && measured && !e->is_selected; i++) {
		const struct metric *metric = &e->model->metrics[i];

		if (!e->shown[i] || metric->level <= measured || metric->failure || e->context_of[i] != TABLE_NONE)
			continue;
		note_add(e, "Measured down to level %u: deeper nodes take a new measurement, with {l}%u.", measured,
			 e->report->level);
		return;
	}
}

void notes_of_causes(struct evaluation *e)
{
	size_t measured = 0;

	for (size_t i = 0; i < e->report->ncauses; i++)
		measured += e->report->causes[i].result->quality != QUALITY_NONE;
	if (measured < e->report->ncauses && !e->counts->origin.has_causes && !e->counts->origin.is_flat)
		note_add(e,
			 "Measured without {B}, so %zu of the %zu bottlenecks have a value: `topdown {B} PROGRAM` "
			 "measures "
			 "the rest.",
			 measured, e->report->ncauses);
}

void notes_fill(struct evaluation *e)
{
	note_unknown(e);
	note_modes(e);
	note_sockets(e);
	note_no_node(e);
	activity_note(e);
	note_depth(e);
	note_machine(e);
	note_windows(e);
	note_remarks(e);
	note_unmade_runs(e);
	note_unmade_repeats(e);
	doubts_note(e);
	note_executions(e);
	note_running(e);
	note_units(e);
	note_copies(e);
	note_without(e);
	note_printed(e);
	note_older_simulator(e);
	note_mixed_vectors(e);
	note_refused(e);
	note_part(e);
	note_unjudged(e);
}
