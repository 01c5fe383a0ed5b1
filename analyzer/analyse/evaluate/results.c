/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.c - the value of each metric, from the best context that has all of its events, and how good it is: of each
 * repeat by itself, then the mean of all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "common/base/text.h"
#include "common/measurement/software.h"

#define OF_ALL_UNITS  "these counts are sums over all units, whose number they do not have"
#define NAMED_MISSING 4 /* events named in a reason; the rest is counted */

/* A group that has everything, the least multiplexed first; else some groups together; TABLE_NONE: none of these. */
static size_t find_context(struct evaluation *e, const struct metric *metric, bool is_without)
{
	size_t best = TABLE_NONE;

	for (size_t g = 0; g < e->repeat->ngroups; g++)
		if ((best == TABLE_NONE || e->contexts[g].running > e->contexts[best].running) &&
		    context_has_all(&e->contexts[g], metric, is_without))
			best = g;
	return best == TABLE_NONE ? combined_context(e, metric, is_without) : best;
}

static bool lacks_one(const struct evaluation *e, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (copies_lack(e, metric, metric->events[i]))
			return true;
	return false;
}

/* Counts of a program's cores, or of some, beside those of the whole machine. */
static bool is_mixed(const struct evaluation *e, const struct metric *metric)
{
	return metric->is_of_machine && metric->reads_core && !e->counts->origin.is_flat &&
	       e->counts->origin.facts.core_wide != 1;
}

/* The best that has all; else one that lacks corrections only; TABLE_NONE: something else was not counted. */
static size_t choose_context(struct evaluation *e, const struct metric *metric)
{
	bool has_copies = copies_concern(e, metric);

	if (lacks_one(e, metric) || is_mixed(e, metric))
		return TABLE_NONE;
	for (int is_without = 0; is_without <= (metric->ncorrections > 0); is_without++) {
		size_t found = has_copies ? copies_context(e, metric, is_without != 0) : TABLE_NONE;

		if (found == TABLE_NONE)
			found = find_context(e, metric, is_without != 0);
		if (found != TABLE_NONE)
			return is_without ? without_context(e, found, metric) : found;
	}
	return TABLE_NONE;
}

/* The reason that stands beside the kernel's own counters; of a simulation nobody ran natively there are none. */
static const char *software_cause(const struct evaluation *e, size_t event)
{
	const struct anchor *anchor = e->counts->anchor;
	const struct software *software = anchor	     ? anchor->software
					  : e->repeat->nruns ? e->repeat->runs[0].software
							     : NULL;
	const char *reason = software_event(software, e->model->events.events[event].name).reason;

	if (e->model->is_simulated && !software)
		return " (the program did not run natively)";
	return reason ? arena_printf(e->arena, " (%s)", reason) : "";
}

/* Why a count is missing, in the order of what a reader can do about it. */
static const char *missing_cause(const struct evaluation *e, size_t event)
{
	if (e->model->events.events[event].kind == EVENT_CPU_TIME)
		return " (known of processes that are counted in user and kernel mode)";
	if (e->model->events.events[event].kind == EVENT_SOFTWARE)
		return software_cause(e, event);
	for (size_t i = 0; i < e->repeat->count; i++) {
		const struct count *count = &e->repeat->items[i];

		if (e->bound[i] != event)
			continue;
		if (count->state == COUNT_NEVER_RAN)
			return count->enabled_ns ? " (the kernel never put it on a counter)"
						 : " (nothing ran while it was to be counted)";
		if (count->state == COUNT_REFUSED)
			return " (refused by the kernel)";
		if (count->state == COUNT_WITHHELD)
			return " (withheld)";
	}
	if (e->model->events.events[event].kind == EVENT_TSC)
		return " (needs the time and the time stamp counter's frequency)";
	return e->model->events.events[event].absent ? " (not countable here)" : "";
}

static bool results_is_counted(const struct evaluation *e, size_t event)
{
	for (size_t g = 0; g < e->repeat->ngroups; g++)
		if (!isnan(e->contexts[g].events[event]))
			return true;
	return false;
}

const char *event_missing_text(const struct evaluation *e, size_t event)
{
	return arena_printf(e->arena, "not counted%s", missing_cause(e, event));
}

/* A 0 that cannot be gives no value, neither 0 nor infinity. */
static bool reads_stuck(const struct evaluation *e, const struct metric *metric, const struct context *context)
{
	size_t stuck = context_stuck(e, context);

	for (size_t i = 0; stuck != TABLE_NONE && i < metric->nevents; i++)
		if (metric->events[i] == stuck)
			return true;
	return false;
}

/* All counts are there. What a machine would say of itself may not be, in counts from elsewhere; or it divides by 0. */
static const char *without_value(const struct evaluation *e, const struct result *result)
{
	const char *formula = program_text(e->model->program, (size_t)(result->metric - e->model->metrics));

	if (isnan(e->model->facts.slots) && formula && strstr(formula, "#slots"))
		return "needs the core's issue slots per cycle (#slots), which no file gives";
	if (reads_stuck(e, result->metric, &e->contexts[e->repeat->ngroups]))
		return "counted 0, which cannot be: a note says which event";
	if (formula && strstr(formula, "source_count(") && isnan(e->model->facts.chas_per_socket))
		return OF_ALL_UNITS;
	return "its formula divides by zero with these counts";
}

static bool is_uncounted_unit(const struct evaluation *e, size_t event)
{
	const struct context *combined = &e->contexts[e->repeat->ngroups];

	return e->model->events.events[event].kind == EVENT_UNIT && isnan(combined->events[event]);
}

/* One unit's clock is wanted, and that of all units was counted. */
static bool has_all_units(const struct evaluation *e, size_t event)
{
	const struct event *events = e->model->events.events;

	for (size_t i = 0; events[event].is_one_unit && events[event].row && i < e->repeat->count; i++)
		if (e->bound[i] != TABLE_NONE && events[e->bound[i]].row == events[event].row)
			return true;
	return false;
}

/* Why the unit's event has no number: the collector's reason, or the machine's. */
static const char *unit_reason(const struct evaluation *e, size_t event)
{
	if (has_all_units(e, event))
		return OF_ALL_UNITS;
	for (size_t i = 0; i < e->repeat->count; i++)
		if (e->bound[i] == event && e->repeat->items[i].reason)
			return e->repeat->items[i].reason;
	return e->model->events.events[event].absent;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "needs uncore_cha, uncore_imc: this machine has no ..."; NULL: nothing of other PMUs is missing. */
static const char *explain_units(const struct evaluation *e, const struct metric *metric)
{
	const char **units = arena_array(e->arena, metric->nevents + 1, sizeof(*units)), *reason = NULL;
	struct string text = STRING_INIT(e->arena);
	size_t count = 0;

	for (size_t i = 0; i < metric->nevents; i++) {
		if (!is_uncounted_unit(e, metric->events[i]))
			continue;
		reason = reason ? reason : unit_reason(e, metric->events[i]);
		units[count++] = e->model->events.events[metric->events[i]].unit;
	}
	if (!count)
		return NULL;
	qsort(units, count, sizeof(*units), by_text);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(units[i], units[i - 1]) != 0)
			string_printf(&text, "%s%s", i ? ", " : "needs ", units[i]);
	string_printf(&text, "%s", reason ? ": " : ", whose events are not among these counts");
	string_add(&text, reason ? reason : "");
	return text.text;
}

/* What the formula needs and the counts lack; or they have it, but nothing ties its group to the others. */
void result_explain(const struct evaluation *e, struct result *result)
{
	const struct context *combined = &e->contexts[e->repeat->ngroups];
	struct string text = STRING_INIT(e->arena);
	size_t capacity = 0;

	result->reason = result->metric->failure;
	if (result->reason)
		return;
	result->needs_unit = explain_units(e, result->metric);
	if (!result->needs_unit && is_mixed(e, result->metric)) {
		result->reason = arena_worded(
			e->arena,
			"relates what the cores count to what the whole machine does: count all CPUs with {a}");
		return;
	}
	for (size_t i = 0; i < result->metric->nevents; i++) {
		size_t event = result->metric->events[i];
		const char *name = e->model->events.events[event].name;
		bool is_lacking = copies_lack(e, result->metric, event);

		if (!isnan(combined->events[event]) && !is_lacking)
			continue;
		if (!result->nmissing)
			string_add(&text, results_is_counted(e, event) && !is_lacking ? "not counted together: "
										      : "not counted: ");
		if (result->nmissing < NAMED_MISSING)
			string_printf(&text, "%s%s%s", result->nmissing ? ", " : "", name, missing_cause(e, event));
		result->missing =
			arena_grow(e->arena, result->missing, result->nmissing, &capacity, sizeof(*result->missing));
		result->missing[result->nmissing++] = name;
	}
	if (result->nmissing > NAMED_MISSING)
		string_printf(&text, " and %zu more", result->nmissing - NAMED_MISSING);
	string_add(&text, text.length ? printed_reason(e, result->metric) : "");
	result->reason = result->needs_unit ? result->needs_unit : text.length ? text.text : without_value(e, result);
}

static bool is_bound(const struct evaluation *e, size_t event)
{
	for (size_t i = 0; i < e->repeat->count; i++)
		if (e->bound[i] == event)
			return true;
	return false;
}

/* By its definition, or because a published mean stands in for a latency that nobody measured. */
static bool is_estimate(const struct evaluation *e, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (e->model->events.events[metric->events[i]].is_retire_latency && !is_bound(e, metric->events[i]))
			return true;
	if (metric->is_halved && e->counts->origin.facts.core_wide != 1)
		return true;
	return strstr(metric->domain, "Estimated") != NULL;
}

/* The smallest share of the time for which one of the metric's events was on a counter. */
static double metric_running(const struct context *context, const struct metric *metric)
{
	double running = 1;

	for (size_t i = 0; i < metric->nevents; i++)
		running = fmin(running, context->running_shares[metric->events[i]]);
	return running;
}

static enum quality context_quality(const struct evaluation *e, const struct context *context, double running)
{
	if (context->is_combined && e->repeat->nruns > 1)
		return QUALITY_RUNS;
	if (e->model->is_simulated)
		return QUALITY_SIMULATED;
	return running < 1 || context->is_combined ? QUALITY_SCALED : QUALITY_EXACT;
}

#define ROUNDING 1e-9 /* points by which arithmetic alone may leave the range */

/* A share of slots or cycles can't leave 0 ... 100 %; what does is shown at the border, and raw keeps the number. */
static void clamp(struct result *result)
{
	double shown = fmin(fmax(result->value, 0), 100);

	if (!result->metric->level || strcmp(result->metric->unit, "%") != 0)
		return;
	if (fabs(shown - result->value) > ROUNDING)
		result->quality = QUALITY_CLAMPED;
	result->value = shown;
}

static void set_value(struct evaluation *e, struct result *result, const struct context *context, double value)
{
	result->running = metric_running(context, result->metric);
	if (isnan(value))
		return;
	result->value = result->raw = value * result->metric->scale;
	result->quality = context_quality(e, context, result->running);
	if (result->quality == QUALITY_EXACT && is_estimate(e, result->metric))
		result->quality = QUALITY_ESTIMATED;
	if (context->stands_in)
		result->quality = QUALITY_ESTIMATED;
	clamp(result);
}

/* Where nothing ran there is no time to divide; what is left of it, max(1 - ..., 0), is 0 in perf's arithmetic. */
static bool is_of_nothing(const struct evaluation *e, const struct metric *metric, const struct context *context)
{
	size_t cycles = e->model->roles[ROLE_CYCLES], instructions = e->model->roles[ROLE_INSTRUCTIONS];

	return metric->level && cycles != TABLE_NONE && context->events[cycles] == 0 && instructions != TABLE_NONE &&
	       context->events[instructions] == 0;
}

/* All metrics that chose this context get their value in one pass of the program. */
static void evaluate_context(struct evaluation *e, size_t number, double *values)
{
	const struct context *context = &e->contexts[number];
	const struct model *model = e->model;
	bool is_evaluated = false;

	for (size_t i = 0; i < model->count; i++) {
		if (e->context_of[i] != number)
			continue;
		if (!is_evaluated)
			program_eval(model->program, context->events, values);
		is_evaluated = true;
		if (is_of_nothing(e, &model->metrics[i], context) || reads_stuck(e, &model->metrics[i], context))
			continue;
		e->unscaled[i] = program_value(model->program, values, i);
		set_value(e, &e->results[i], context, e->unscaled[i]);
	}
}

void results_fill(struct evaluation *e)
{
	const struct model *model = e->model;
	double *values = arena_array(e->arena, program_size(model->program) + 1, sizeof(*values));

	e->results = arena_array(e->arena, model->count, sizeof(*e->results));
	e->context_of = arena_array(e->arena, model->count, sizeof(*e->context_of));
	e->unscaled = arena_array(e->arena, model->count, sizeof(*e->unscaled));
	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		e->unscaled[i] = NOT_COUNTED;
		e->results[i] = (struct result){ .metric = metric,
						 .value = NOT_COUNTED,
						 .raw = NOT_COUNTED,
						 .running = NOT_COUNTED,
						 .quality = QUALITY_NONE,
						 .has_threshold = metric->has_threshold };
		e->context_of[i] = metric->failure ? TABLE_NONE : choose_context(e, metric);
	}
	for (size_t g = 0; g < e->ncontexts; g++)
		evaluate_context(e, g, values);
	printed_take(e);
}

/*
 * ---- cores that count slots for both of their threads (Intel up to Skylake) ----
 *
 * A program's part of them is an estimate while the core's other thread, its sibling, is busy.
 */

#define BUSY_LIMIT 0.05 /* of the time: what a sibling that is busy for less changes is less than what is printed */

/* Of the time of the thread that was counted. core cycles = cycles / 2 * (1 + share of the time alone) */
static double busy_share(const struct evaluation *e)
{
	size_t metric = model_find(e->model, "tma_info_core_core_clks"), cycles = e->model->roles[ROLE_CYCLES];

	if (metric == TABLE_NONE || cycles == TABLE_NONE || e->context_of[metric] == TABLE_NONE)
		return NOT_COUNTED;
	return 2 - 2 * e->results[metric].value / e->contexts[e->context_of[metric]].events[cycles];
}

static void results_mark(struct evaluation *e, enum quality worst)
{
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].quality <= worst && has_name_prefix(e->results[i].metric->domain, "Slots"))
			e->results[i].quality = QUALITY_ESTIMATED;
}

/* Level 1 then rests on formulas that may be of another state of the machine. */
void smt_judge(struct evaluation *e)
{
	if (!e->counts->origin.is_smt_guessed)
		return;
	results_mark(e, QUALITY_SCALED);
	note_add(e, "SMT is assumed to be off, because the events that level 1 needs with SMT on are not among these "
		    "counts: level 1 is an estimate. Say how it was with {smt} off or {smt} on.");
}

static const char *whole_cores_advice(const struct evaluation *e)
{
	return e->counts->origin.cores == CORES_SPLIT ? arena_worded(e->arena, "with {per-core} in place of {A}")
						      : arena_worded(e->arena, "with {a}");
}

static void judge_cores(struct evaluation *e)
{
	if (!e->counts->origin.is_core_wide_guessed)
		return;
	results_mark(e, QUALITY_SCALED);
	note_add(
		e,
		"Whole cores are assumed to be counted (perf stat -a), because the events that one thread's part needs "
		"are not among these counts: level 1 is an estimate. Flat counts state it with the constant "
		"#core_wide.");
}

#define NAMED_HALVED 4

/* What halves the counts of both threads and has a value, by name. */
static void note_halved(struct evaluation *e)
{
	struct string text = STRING_INIT(e->arena);
	size_t count = 0;

	for (size_t i = 0; i < e->model->count; i++) {
		const struct metric *metric = &e->model->metrics[i];

		if (!metric->halves || !e->shown[i] || isnan(e->results[i].value) || ++count > NAMED_HALVED)
			continue;
		string_printf(&text, "%s%s", count > 1 ? ", " : "", metric->title);
	}
	if (count > NAMED_HALVED)
		string_printf(&text, " and %zu more", count - NAMED_HALVED);
	if (count)
		note_add(e,
			 "Estimated, and so is what is computed from them: %s. They halve counts of both threads of a "
			 "core, as Intel defines them for whole cores. While the other thread is idle, what they halve "
			 "is up to a factor of 2 too low. Count whole cores %s.",
			 text.text, whole_cores_advice(e));
}

static void judge_busy(struct evaluation *e)
{
	double busy = busy_share(e);

	if (!(busy > BUSY_LIMIT))
		return;
	results_mark(e, QUALITY_EXACT);
	note_add(e,
		 "Level 1 is an estimate: this CPU counts slots for both threads of a core, and the other thread was "
		 "busy for %.0f %% of the time, in which half of the slots are assumed to be its own. Keep it idle, or "
		 "count whole cores %s.",
		 fmin(busy, 1) * 100, whole_cores_advice(e));
}

/* The formulas are those of whole cores, because these counts have no event of the others. */
static void judge_split(struct evaluation *e)
{
	results_mark(e, QUALITY_EXACT);
	note_add(
		e,
		"Level 1 is an estimate: half of a core's cycles are assumed for each of its threads, and these counts "
		"are not of whole cores. While the other thread is idle, the shares are up to a factor of 2 too low. "
		"Count whole cores %s.",
		whole_cores_advice(e));
}

void sibling_judge(struct evaluation *e)
{
	if (e->model->facts.smt_on != 1 || !e->model->has_shared_slots)
		return;
	judge_cores(e);
	if (e->counts->origin.facts.core_wide == 1)
		return;
	if (e->model->facts.core_wide == 1)
		judge_split(e);
	else
		judge_busy(e);
	note_halved(e);
}

/* ---- repeats: thresholds are judged on the mean, which is the number that is shown ---- */

struct statistics repeats_statistics(const struct evaluation *e, double (*value)(const struct evaluation *e, size_t of),
				     size_t of)
{
	double *values = arena_array(e->arena, e->nrepeats, sizeof(*values));

	for (size_t i = 0; i < e->nrepeats; i++)
		values[i] = value(&e->repeats[i], of);
	return statistics_of(values, e->nrepeats);
}

static double shown_value(const struct evaluation *e, size_t metric)
{
	return e->results[metric].value;
}

static double raw_value(const struct evaluation *e, size_t metric)
{
	return e->results[metric].raw;
}

static double unscaled_value(const struct evaluation *e, size_t metric)
{
	return e->unscaled[metric];
}

/* As good as the worst of those that measured it. */
static void take_quality(const struct evaluation *e, struct result *result, size_t metric)
{
	result->quality = QUALITY_NONE;
	result->running = NOT_COUNTED;
	for (size_t i = 0; i < e->nrepeats; i++) {
		const struct result *one = &e->repeats[i].results[metric];

		result->running = fmin(result->running, one->running);
		if (one->quality == QUALITY_NONE)
			continue;
		if (result->quality == QUALITY_NONE || one->quality > result->quality)
			result->quality = one->quality;
	}
}

static void take_means(struct evaluation *e)
{
	struct result *mean = arena_array(e->arena, e->model->count + 1, sizeof(*mean));
	double *unscaled = arena_array(e->arena, e->model->count + 1, sizeof(*unscaled));

	for (size_t i = 0; i < e->model->count; i++) {
		mean[i] = e->results[i];
		mean[i].spread = repeats_statistics(e, shown_value, i);
		mean[i].value = mean[i].spread.mean;
		mean[i].raw = repeats_statistics(e, raw_value, i).mean;
		unscaled[i] = repeats_statistics(e, unscaled_value, i).mean;
		take_quality(e, &mean[i], i);
	}
	e->results = mean;
	e->unscaled = unscaled;
}

/* The only measurement is the mean of all. */
static void take_only(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->count; i++)
		e->results[i].spread = statistics_of(&e->results[i].value, 1);
}

void repeats_fill(struct evaluation *e)
{
	e->nrepeats = e->counts->nrepeats;
	e->repeats = arena_array(e->arena, e->nrepeats, sizeof(*e->repeats));
	for (size_t i = 0; i < e->nrepeats; i++) {
		e->repeats[i] = *e;
		e->repeats[i].repeat = &e->counts->repeats[i];
		if (i == 0)
			continue;
		contexts_fill(&e->repeats[i]);
		results_fill(&e->repeats[i]);
	}
	if (e->nrepeats > 1)
		take_means(e);
	else
		take_only(e);
}
