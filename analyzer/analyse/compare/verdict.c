/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.c - slower, faster, the same, or unknown: from the numbers that were judged, in one sentence. */
#include <math.h>
#include <string.h>

#include "analyse/compare/sides.h"
#include "common/base/text.h"

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = { [VERDICT_SLOWER] = "slower",
					     [VERDICT_FASTER] = "faster",
					     [VERDICT_SAME] = "same",
					     [VERDICT_UNKNOWN] = "unknown" };

	return names[verdict];
}

#define SEVERAL_CPUS 1.1 /* on average: some of the work is parallel */

/* Of all repeats; NAN: unknown. */
static double cpus_used(const struct side *side)
{
	double wall = 0, cpu = 0;

	for (size_t i = 0; i < side->count; i++) {
		wall += side->wall_s[i];
		cpu += side->cpu_s[i];
	}
	return cpu / wall;
}

static bool is_parallel(const struct comparing *comparing)
{
	return cpus_used(&comparing->before) > SEVERAL_CPUS || cpus_used(&comparing->after) > SEVERAL_CPUS;
}

static bool has_changed(const struct compared_metric *metric)
{
	return metric && (metric->change == CHANGE_MORE || metric->change == CHANGE_LESS);
}

/*
 * Where one CPU does the work, cycles (or CPU time) say how much it is, undisturbed by who else runs; only where these
 * are the same, the time that passed may say more. Of parallel work the time that passed comes first.
 */
static const struct compared_metric *find_headline(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const struct compared_metric *work = comparison_metric(result, "cycles");
	const struct compared_metric *wall = comparison_metric(result, "wall_s"), *first, *second;

	if (!work)
		work = comparison_metric(result, "cpu_s");
	first = is_parallel(comparing) && wall ? wall : work;
	second = first == work ? wall : work;
	if (!first)
		first = second;
	if (comparing->result->is_exact || comparing->result->is_sampled || comparing->result->is_layouts)
		return work;
	return !has_changed(first) && has_changed(second) ? second : first;
}

static enum verdict verdict_of(enum change change)
{
	return change == CHANGE_MORE   ? VERDICT_SLOWER
	       : change == CHANGE_LESS ? VERDICT_FASTER
	       : change == CHANGE_NONE ? VERDICT_SAME
				       : VERDICT_UNKNOWN;
}

/* Percent: positive is slower, or faster where that is the verdict. */
static double percent_of(double ratio, enum verdict verdict)
{
	return (verdict == VERDICT_FASTER ? 1 - ratio : ratio - 1) * 100;
}

#define LEAST_TIMES 1.5 /* below it percent are easier to read */

/* "slower by 18.2 %", "5.20 times as fast, -80.8 %". */
static const char *change_words(const struct comparing *comparing, double ratio, enum verdict verdict)
{
	bool is_faster = verdict == VERDICT_FASTER;
	double times = is_faster ? 1 / ratio : ratio, percent = percent_of(ratio, verdict);

	if (!(times >= LEAST_TIMES) || !isfinite(times))
		return arena_printf(comparing->arena, "%s by %.1f %%", verdict_name(verdict), percent);
	return arena_printf(comparing->arena,
			    is_faster ? "%.2f times as fast, -%.1f %%" : "%.2f times as long, +%.1f %%", times,
			    percent);
}

static const char *changed_sentence(const struct comparing *comparing, enum verdict verdict)
{
	const struct estimate *ratio = &comparing->result->headline->ratio;
	double one = percent_of(ratio->low, verdict), other = percent_of(ratio->high, verdict);
	const char *words = change_words(comparing, ratio->value, verdict);

	if (comparing->result->is_exact)
		return arena_printf(comparing->arena, "%s (simulated)", words);
	if (isnan(one) || isnan(other))
		return words;
	return arena_printf(comparing->arena, "%s (%s: %.1f to %.1f %%)", words,
			    comparing->result->is_layouts ? "all layouts" : "95 %", fmin(one, other), fmax(one, other));
}

static const char *unknown_sentence(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const char *more;

	if (result->is_sampled)
		return arena_worded(comparing->arena,
				    "can't tell: both were simulated in part; {sim-sample} 1 models all of them");
	if (result->is_layouts)
		return arena_worded(comparing->arena,
				    "can't tell: the ranges of the layouts overlap; more {layouts} may separate them");
	more = arena_printf(comparing->arena, "about %zu more pair%s", result->headline->more,
			    result->headline->more == 1 ? "" : "s");
	if (result->pairs < LEAST_PAIRS)
		return arena_printf(comparing->arena,
				    "can't tell: %s (%zu %s measured, and a verdict takes at least %d)", more,
				    result->pairs, result->pairs == 1 ? "was" : "were", LEAST_PAIRS);
	return arena_printf(comparing->arena, "can't tell: %s", more);
}

/* Work and time may say different things. */
static void note_other(struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const struct compared_metric *wall = comparison_metric(result, "wall_s"), *headline = result->headline;

	if (!wall || wall == headline || !has_changed(wall) || wall->change == headline->change)
		return;
	compare_note(comparing, arena_printf(comparing->arena,
					     "The elapsed time is nevertheless %.1f %% %s: the program waits, or its "
					     "clock and its parallel parts differ.",
					     fabs(wall->ratio.value - 1) * 100,
					     wall->change == CHANGE_MORE ? "longer" : "shorter"));
}

/* ---- the same session twice ---- */

static bool is_equal(double a, double b)
{
	return (isnan(a) && isnan(b)) || !(fabs(a - b) > 0);
}

/* Do all runs of both take the same time, to the nanosecond? */
static bool have_same_runs(const struct counts *before, const struct counts *after)
{
	if (before->nrepeats != after->nrepeats)
		return false;
	for (size_t i = 0; i < before->nrepeats; i++) {
		const struct repeat *one = &before->repeats[i], *other = &after->repeats[i];

		if (one->nruns != other->nruns)
			return false;
		for (size_t k = 0; k < one->nruns; k++)
			if (!is_equal(one->runs[k].wall_s, other->runs[k].wall_s))
				return false;
	}
	return true;
}

static bool have_same_values(const struct compared_metric *metric)
{
	if (metric->nbefore != metric->nafter)
		return false;
	for (size_t i = 0; i < metric->nbefore; i++)
		if (!is_equal(metric->before_values[i], metric->after_values[i]))
			return false;
	return true;
}

/* What was measured twice differs at least in its times; flat counts have none, so their names say it. */
static bool is_one_session(const struct comparing *comparing)
{
	const struct compare_request *request = comparing->request;
	const struct counts *before = &request->before.measured->parts[0], *after = &request->after.measured->parts[0];

	if (request->are_commands || compare_texts(before->origin.started, after->origin.started) != 0 ||
	    !have_same_runs(before, after) ||
	    (!before->origin.started && strcmp(request->before.label, request->after.label) != 0))
		return false;
	for (size_t i = 0; i < comparing->result->nmetrics; i++)
		if (!have_same_values(&comparing->result->metrics[i]))
			return false;
	return true;
}

/* A simulation that ended before its program did: where it ended is chance, and so is how much it counted. */
static bool is_part(const struct compare_side *side)
{
	const struct counts *counts = &side->measured->parts[0];

	return side->report && side->report->model->is_simulated && counts->repeats[0].nruns &&
	       counts->repeats[0].runs[0].is_cut;
}

static bool are_parts(const struct comparing *comparing)
{
	const struct compare_request *request = comparing->request;
	struct comparison *result = comparing->result;
	const char *of = is_part(&request->before) ? request->before.label : request->after.label;

	if (!is_part(&request->before) && !is_part(&request->after))
		return false;
	result->is_of_parts = true;
	result->sentence = arena_worded(
		comparing->arena, "can't tell: only a part of %s was simulated; {pmu} sim simulates all of it", of);
	return true;
}

void verdict_find(struct comparing *comparing)
{
	struct comparison *result = comparing->result;

	result->headline = find_headline(comparing);
	result->verdict = VERDICT_UNKNOWN;
	result->sentence = "can't tell: the two have neither cycles nor times in common";
	if (!result->headline)
		return;
	if (is_one_session(comparing)) {
		result->verdict = VERDICT_SAME;
		result->headline = NULL;
		result->sentence = "both are the same session, so nothing can differ";
		return;
	}
	if (are_parts(comparing))
		return;
	result->verdict = verdict_of(result->headline->change);
	if (result->verdict == VERDICT_SAME)
		result->sentence = "the same within 1 %";
	else
		result->sentence = result->verdict == VERDICT_UNKNOWN ? unknown_sentence(comparing)
								      : changed_sentence(comparing, result->verdict);
	note_other(comparing);
}
