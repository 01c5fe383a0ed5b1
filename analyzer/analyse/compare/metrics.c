/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.c - each number that both sides have: its ratio with an interval, how likely chance made it, its change. */
#include <math.h>
#include <string.h>

#include "analyse/compare/compare_internal.h"
#include "analyse/compare/sides.h"
#include "common/base/text.h"
#include "common/waits/waits.h"

/* ---- ratios ---- */

struct ratio_context {
	const struct compared_metric *metric;
	double *drawn, *scratch;
};

static double drawn_median(const double *values, const size_t *numbers, size_t count,
			   const struct ratio_context *context)
{
	for (size_t i = 0; i < count; i++)
		context->drawn[i] = values[numbers[i]];
	return median(context->drawn, count, context->scratch);
}

static void ratio_figure(double *figures, const struct resample *drawn, void *context)
{
	const struct ratio_context *ratio = context;

	figures[0] = drawn_median(ratio->metric->after_values, drawn->after, drawn->nafter, ratio) /
		     drawn_median(ratio->metric->before_values, drawn->before, drawn->nbefore, ratio);
	if (!isfinite(figures[0]))
		figures[0] = NAN;
}

static void metrics_range_of(double *low, double *high, const double *values, size_t count)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		*low = fmin(*low, values[i]);
		*high = fmax(*high, values[i]);
	}
}

/* Of layouts, which are chosen and not drawn: as far apart, or as near, as any two of both sides are. */
static void take_range(struct compared_metric *metric)
{
	double low[2], high[2];

	metrics_range_of(&low[0], &high[0], metric->before_values, metric->nbefore);
	metrics_range_of(&low[1], &high[1], metric->after_values, metric->nafter);
	metric->ratio.low = low[1] / high[0];
	metric->ratio.high = high[1] / low[0];
}

static void fill_ratio(struct compared_metric *metric, const struct comparing *comparing)
{
	size_t most = metric->nbefore + metric->nafter + 1;
	struct ratio_context context = { metric, arena_array(comparing->arena, most, sizeof(double)),
					 arena_array(comparing->arena, most, sizeof(double)) };
	const struct resampling from = { metric->nbefore, metric->nafter,
					 comparing->repeats.is_paired && metric->nbefore == metric->nafter };

	metric->before = median(metric->before_values, metric->nbefore, context.scratch);
	metric->after = median(metric->after_values, metric->nafter, context.scratch);
	bootstrap(&metric->ratio, 1, &from, ratio_figure, &context);
	if (comparing->result->is_exact)
		metric->ratio = estimate_exact(metric->ratio.value);
	if (comparing->result->is_layouts)
		take_range(metric);
}

/* Layouts are chosen and not drawn, and one simulation has no chance in it. */
static void fill_p(struct compared_metric *metric, const struct comparing *comparing)
{
	const struct two_series series = { metric->before_values, metric->after_values, metric->nbefore,
					   metric->nafter };

	metric->p = metric->p_paired = metric->p_adjusted = NAN;
	if (comparing->result->is_exact || comparing->result->is_layouts || metric->nbefore < 2 || metric->nafter < 2)
		return;
	metric->p = mann_whitney_p(&series, comparing->arena);
	if (comparing->repeats.is_paired && metric->nbefore == metric->nafter)
		metric->p_paired = signed_rank_p(&series, comparing->arena);
}

/* ---- which there are ---- */

/* A number of both sides, before it is known whether both have it. */
struct pair_of_series {
	const char *name, *title, *unit;
	const double *before, *after;
	double before_ci95, after_ci95; /* of one sampled simulation; 0: exact */
};

static size_t count_known(const double *values, size_t count)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		known += isfinite(values[i]) ? 1 : 0;
	return known;
}

/* Those that were measured; pairs stay pairs only where all were. */
static const double *known_values(const double *values, size_t count, size_t known, struct arena *arena)
{
	double *kept = arena_array(arena, known + 1, sizeof(*kept));
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			kept[used++] = values[i];
	return kept;
}

/* What the windows of sampled simulations leave open: both sides' parts of it, independent of each other. */
static void take_windows(struct compared_metric *metric, const struct pair_of_series *pair)
{
	double half = hypot(pair->before_ci95 / metric->before, pair->after_ci95 / metric->after);

	metric->ratio.low = metric->ratio.value * exp(-half);
	metric->ratio.high = metric->ratio.value * exp(half);
}

static struct compared_metric *metrics_add_metric(struct comparing *comparing, const struct pair_of_series *pair)
{
	struct comparison *result = comparing->result;
	size_t nbefore = count_known(pair->before, comparing->before.count);
	size_t nafter = count_known(pair->after, comparing->after.count);
	struct compared_metric *metric = &result->metrics[result->nmetrics];

	if (!nbefore || !nafter)
		return NULL;
	*metric = (struct compared_metric){
		.name = pair->name,
		.title = pair->title,
		.unit = pair->unit,
		.before_values = known_values(pair->before, comparing->before.count, nbefore, comparing->arena),
		.after_values = known_values(pair->after, comparing->after.count, nafter, comparing->arena),
		.nbefore = nbefore,
		.nafter = nafter,
	};
	fill_ratio(metric, comparing);
	fill_p(metric, comparing);
	if (result->is_sampled)
		take_windows(metric, pair);
	result->nmetrics++;
	return metric;
}

/* 0 of what has no windows. */
static double figure_ci95(const struct side *side, enum figure figure)
{
	const struct report *report = side->given->report;
	double ci95 = report && report->summary.is_sampled ? report->summary.spread[figure].ci95 : 0;

	return isnan(ci95) ? 0 : ci95;
}

static double result_ci95(const struct side *side, const struct result *result)
{
	return side->given->report->summary.is_sampled && !isnan(result->spread.ci95) ? result->spread.ci95 : 0;
}

static void metrics_add_figures(struct comparing *comparing)
{
	const struct side *before = &comparing->before, *after = &comparing->after;
	const struct pair_of_series pairs[] = {
		{ "cycles", "Cycles", "", before->cycles, after->cycles, figure_ci95(before, FIGURE_CYCLES),
		  figure_ci95(after, FIGURE_CYCLES) },
		{ "instructions", "Instructions", "", before->instructions, after->instructions,
		  figure_ci95(before, FIGURE_INSTRUCTIONS), figure_ci95(after, FIGURE_INSTRUCTIONS) },
		{ "wall_s", "Wall time", "s", before->wall_s, after->wall_s, 0, 0 },
		{ "cpu_s", "CPU time", "s", before->cpu_s, after->cpu_s, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		metrics_add_metric(comparing, &pairs[i]);
}

/* One part of the main thread's clock, in each repeat. */
static const double *wall_values(const struct side *side, size_t part, struct arena *arena)
{
	const struct counts *counts = side->given->measured->count ? &side->given->measured->parts[0] : NULL;
	double *values = arena_array(arena, side->count + 1, sizeof(*values));

	for (size_t i = 0; i < side->count; i++) {
		const double *wall = counts && i < counts->nrepeats ? counts->repeats[i].wall : NULL;

		values[i] = wall && !side->is_simulated ? wall[part] : NOT_COUNTED;
	}
	return values;
}

/* What both sides have of the clock, where both were asked for it. */
static void add_wall(struct comparing *comparing)
{
	for (size_t i = 0; i < WALL_PARTS; i++) {
		const struct pair_of_series pair = { wall_part_name(i),
						     wall_part_title(i),
						     "s",
						     wall_values(&comparing->before, i, comparing->arena),
						     wall_values(&comparing->after, i, comparing->arena),
						     0,
						     0 };

		metrics_add_metric(comparing, &pair);
	}
}

static const double *values_of(const struct side *side, const struct result *result, struct arena *arena)
{
	double *values = arena_array(arena, side->count + 1, sizeof(*values));

	for (size_t i = 0; i < side->count; i++)
		values[i] = side_value(side, result, i);
	return values;
}

static void add_result(struct comparing *comparing, const struct result *after)
{
	const struct result *before = side_result(&comparing->before, after->metric);
	struct pair_of_series pair = { .name = after->metric->name,
				       .title = after->metric->title,
				       .unit = after->metric->unit };
	struct compared_metric *metric;

	if (!before || comparison_metric(comparing->result, after->metric->name))
		return;
	pair.before_ci95 = result_ci95(&comparing->before, before);
	pair.after_ci95 = result_ci95(&comparing->after, after);
	pair.before = values_of(&comparing->before, before, comparing->arena);
	pair.after = values_of(&comparing->after, after, comparing->arena);
	metric = metrics_add_metric(comparing, &pair);
	if (metric)
		metric->metric = after->metric;
}

/* ---- what is judged ---- */

static bool is_judged(const struct compared_metric *metric, const struct comparing *comparing)
{
	static const char *const by_default[] = { "cycles", "cpu_s", "wall_s" };
	const struct compare_request *request = comparing->request;

	for (size_t i = 0; i < request->njudged; i++)
		if (comparison_find(comparing->result, request->judged[i]) == metric)
			return true;
	/* Cycles say what CPU time says, and more exactly. */
	if (!strcmp(metric->name, "cpu_s") && comparison_metric(comparing->result, "cycles"))
		return false;
	for (size_t i = 0; i < COUNT_OF(by_default); i++)
		if (!strcmp(metric->name, by_default[i]))
			return true;
	return false;
}

/* Of two tests the smaller p counts twice (Bonferroni). */
static double both_tests(const struct compared_metric *metric)
{
	return isnan(metric->p_paired) ? metric->p : fmin(1, 2 * fmin(metric->p, metric->p_paired));
}

static void adjust(struct comparing *comparing)
{
	struct comparison *result = comparing->result;
	double *p = arena_array(comparing->arena, result->nmetrics + 1, sizeof(*p));
	double *adjusted = arena_array(comparing->arena, result->nmetrics + 1, sizeof(*adjusted));

	for (size_t i = 0; i < result->nmetrics; i++)
		p[i] = is_judged(&result->metrics[i], comparing) ? both_tests(&result->metrics[i]) : NAN;
	holm_adjust(adjusted, p, result->nmetrics, comparing->arena);
	for (size_t i = 0; i < result->nmetrics; i++)
		result->metrics[i].p_adjusted = adjusted[i];
}

static bool is_surely_same(const struct estimate *ratio)
{
	return ratio->low >= 1 - SAME_WITHIN && ratio->high <= 1 + SAME_WITHIN;
}

static enum change direction(const struct estimate *ratio)
{
	return ratio->value > 1 ? CHANGE_MORE : CHANGE_LESS;
}

/* One simulation each: beyond what addresses and the turns of threads change, which is below 1 %. */
static enum change change_of_exact(const struct compared_metric *metric)
{
	return fabs(metric->ratio.value - 1) > SAME_WITHIN ? direction(&metric->ratio) : CHANGE_NONE;
}

/* What layouts can make of it is no change of the program. */
static enum change change_of_layouts(const struct compared_metric *metric)
{
	if (metric->ratio.low > 1 || metric->ratio.high < 1)
		return direction(&metric->ratio);
	return fabs(metric->ratio.value - 1) <= SAME_WITHIN ? CHANGE_NONE : CHANGE_UNKNOWN;
}

/* Of one simulation each; below 1 % is what one is not sure of anyway. */
static enum change change_of_windows(const struct compared_metric *metric)
{
	bool is_apart = metric->ratio.low > 1 || metric->ratio.high < 1;

	if (is_apart && fabs(metric->ratio.value - 1) > SAME_WITHIN)
		return direction(&metric->ratio);
	return is_surely_same(&metric->ratio) ? CHANGE_NONE : CHANGE_UNKNOWN;
}

static enum change change_of_repeats(const struct compared_metric *metric)
{
	const struct estimate *ratio = &metric->ratio;

	if (metric->nbefore < LEAST_PAIRS || metric->nafter < LEAST_PAIRS || isnan(ratio->low))
		return CHANGE_UNKNOWN;
	if (metric->p_adjusted < SURE_P && (ratio->low > 1 || ratio->high < 1))
		return direction(ratio);
	return is_surely_same(ratio) ? CHANGE_NONE : CHANGE_UNKNOWN;
}

#define BOTH_SIDES   1.959963984540054	/* the normal distribution's 97.5 % point, */
#define POWER_OF_80  0.8416212335729143 /* and its 80 % point */
#define MOST_FURTHER 9999

/*
 * From the interval's width, which shrinks with the root of the number: so that a difference of what was seen, or of
 * 1 % if that is more, is found in four of five cases.
 */
static size_t pairs_needed(const struct compared_metric *metric)
{
	size_t count = metric->nbefore < metric->nafter ? metric->nbefore : metric->nafter;
	double spread = log(metric->ratio.high / metric->ratio.low) / (2 * BOTH_SIDES) * sqrt((double)count);
	double effect = fmax(fabs(log(metric->ratio.value)), SAME_WITHIN);
	double needed = ceil(pow((BOTH_SIDES + POWER_OF_80) * spread / effect, 2));

	if (isnan(needed))
		return count < LEAST_PAIRS ? LEAST_PAIRS - count : 0;
	needed = fmax(fmin(needed, MOST_FURTHER), LEAST_PAIRS);
	return needed > (double)count ? (size_t)needed - count : 1;
}

static void metrics_judge(struct compared_metric *metric, const struct comparing *comparing)
{
	if (comparing->result->is_exact)
		metric->change = change_of_exact(metric);
	else if (comparing->result->is_sampled)
		metric->change = change_of_windows(metric);
	else if (comparing->result->is_layouts)
		metric->change = change_of_layouts(metric);
	else
		metric->change = change_of_repeats(metric);
	if (metric->change == CHANGE_UNKNOWN && !comparing->result->is_sampled)
		metric->more = pairs_needed(metric);
}

void metrics_fill(struct comparing *comparing)
{
	const struct report *report = comparing->request->after.report;
	struct comparison *result = comparing->result;

	result->metrics =
		arena_array(comparing->arena, 8 + WALL_PARTS + (report ? report->nmetrics + report->nnodes : 0),
			    sizeof(*result->metrics));
	metrics_add_figures(comparing);
	add_wall(comparing);
	for (size_t i = 0; report && i < report->nmetrics; i++)
		add_result(comparing, &report->metrics[i]);
	for (size_t i = 0; report && i < report->nnodes; i++)
		add_result(comparing, &report->nodes[i]);
	adjust(comparing);
	for (size_t i = 0; i < result->nmetrics; i++)
		if (is_judged(&result->metrics[i], comparing))
			metrics_judge(&result->metrics[i], comparing);
}
