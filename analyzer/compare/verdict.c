/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.c - slower, faster, the same, or unknown: from the numbers that were judged, in one sentence. */
#include <math.h>

#include "compare/sides.h"

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

static const char *changed_sentence(const struct comparing *comparing, enum verdict verdict)
{
	const struct estimate *ratio = &comparing->result->headline->ratio;
	double value = percent_of(ratio->value, verdict), one = percent_of(ratio->low, verdict),
	       other = percent_of(ratio->high, verdict);
	const char *word = verdict_name(verdict);

	if (comparing->result->is_exact)
		return arena_printf(comparing->arena, "%s by %.1f %% (simulated)", word, value);
	if (isnan(one) || isnan(other))
		return arena_printf(comparing->arena, "%s by %.1f %%", word, value);
	return arena_printf(comparing->arena, "%s by %.1f %% (%s: %.1f to %.1f)", word, value,
			    comparing->result->is_layouts ? "all layouts" : "95 %", fmin(one, other), fmax(one, other));
}

static const char *unknown_sentence(const struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const char *more;

	if (result->is_sampled)
		return "can't tell: both were simulated in part; --sim-sample 1 models all of them";
	if (result->is_layouts)
		return "can't tell: what layouts change overlaps; more --layouts may part them";
	more = arena_printf(comparing->arena, "about %zu more pair%s", result->headline->more,
			    result->headline->more == 1 ? "" : "s");
	if (result->pairs < LEAST_PAIRS)
		return arena_printf(comparing->arena,
				    "can't tell: %s (%zu %s measured, and %d are the fewest that say "
				    "anything)",
				    more, result->pairs, result->pairs == 1 ? "was" : "were", LEAST_PAIRS);
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
					     "The time that passed is %.1f %% %s all the same: the program waits, or "
					     "its clock and its parallel parts differ.",
					     fabs(wall->ratio.value - 1) * 100,
					     wall->change == CHANGE_MORE ? "longer" : "shorter"));
}

void verdict_find(struct comparing *comparing)
{
	struct comparison *result = comparing->result;

	result->headline = find_headline(comparing);
	result->verdict = VERDICT_UNKNOWN;
	result->sentence = "can't tell: neither cycles nor times are common to both";
	if (!result->headline)
		return;
	result->verdict = verdict_of(result->headline->change);
	if (result->verdict == VERDICT_SAME)
		result->sentence = "the same within 1 %";
	else
		result->sentence = result->verdict == VERDICT_UNKNOWN ? unknown_sentence(comparing)
								      : changed_sentence(comparing, result->verdict);
	note_other(comparing);
}
