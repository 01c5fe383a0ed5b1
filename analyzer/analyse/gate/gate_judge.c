/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/gate/gate_judge.h"

#include <math.h>
#include <string.h>

#include "analyse/gate/gate_calls.h"
#include "common/base/text.h"
#include "common/measurement/statistics.h"
#include "cpu/identify/tracepoint.h"

const char *gate_verdict_name(enum gate_verdict verdict)
{
	static const char *const names[] = {
		[GATE_WITHIN] = "within", [GATE_BEYOND] = "beyond", [GATE_UNKNOWN] = "unknown"
	};

	return names[verdict];
}

/* ---- names ---- */

const struct compared_metric *gate_metric(const struct comparison *comparison, const char *name)
{
	if (is_same_name(name, "time"))
		name = "wall_s";
	if (is_same_name(name, "cpu_time"))
		name = "cpu_s";
	return comparison_find(comparison, name);
}

const struct compared_function *gate_function(const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->nfunctions; i++)
		if (!compare_texts(comparison->functions[i].name, name) ||
		    (comparison->functions[i].name_before && !strcmp(comparison->functions[i].name_before, name)))
			return &comparison->functions[i];
	/* Which variants there are is the compiler's choice, and no reason to fail. */
	for (size_t i = 0; i < comparison->nfunctions; i++)
		if (is_same_written(comparison->functions[i].name, name) ||
		    is_same_written(comparison->functions[i].name_before, name))
			return &comparison->functions[i];
	return NULL;
}

static const char *near_metrics(const struct comparison *comparison, const char *name, struct arena *arena)
{
	const char **names = arena_array(arena, comparison->nmetrics + 2, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < comparison->nmetrics; i++)
		names[count++] =
			comparison->metrics[i].metric ? comparison->metrics[i].title : comparison->metrics[i].name;
	names[count++] = "time";
	return nearest_names(arena, name, names, count);
}

static const char *near_functions(const struct comparison *comparison, const char *name, struct arena *arena)
{
	const char **names = arena_array(arena, comparison->nfunctions + 1, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < comparison->nfunctions; i++)
		if (comparison->functions[i].name)
			names[count++] = comparison->functions[i].name;
	return nearest_names(arena, name, names, count);
}

/* ---- units ---- */

static bool is_in_percent(const struct compared_metric *metric)
{
	return !compare_texts(metric->unit, "%");
}

/* NULL: the limit's unit is one that the metric has. */
static const char *wrong_unit(const struct gate_limit *limit, const struct compared_metric *metric, struct arena *arena)
{
	const char *unit = metric->unit && *metric->unit ? metric->unit : "a number";

	if (limit->unit == UNIT_POINTS && !is_in_percent(metric))
		return arena_printf(arena, "%s %s: points are for metrics in percent, and %s is in %s", limit->metric,
				    limit->written, metric->title, unit);
	if (limit->unit == UNIT_PERCENT && !is_relative(limit) && !is_in_percent(metric))
		return arena_printf(arena, "%s %s: %s is absolute, and %s is in %s, not in percent", limit->metric,
				    limit->written, gate_bound_name(limit->bound), metric->title, unit);
	return NULL;
}

static int check_function(const struct gate_limits *limits, const struct gate_limit *limit,
			  const struct comparison *comparison, struct arena *arena, struct error *err)
{
	const char *near;

	if (!is_same_name(limit->metric, "cycles") && !is_same_name(limit->metric, "instructions") &&
	    !is_same_name(limit->metric, "time"))
		return gate_limit_error(err, limits, limit,
					arena_printf(arena,
						     "%s in %s: a function has only cycles, instructions and time",
						     limit->metric, limit->function));
	if (limit->unit == UNIT_POINTS || (limit->unit == UNIT_PERCENT && !is_relative(limit)))
		return gate_limit_error(err, limits, limit,
					arena_printf(arena, "%s in %s, %s: a function's %s is a number, not a share",
						     limit->metric, limit->function, limit->written, limit->metric));
	if (!comparison->nfunctions || gate_function(comparison, limit->function))
		return 0;
	near = near_functions(comparison, limit->function, arena);
	return near ? gate_limit_error(
			      err, limits, limit,
			      arena_printf(arena, "%s: no such function; did you mean %s?", limit->function, near))
		    : 0; /* it may be one that does little, or that was taken away */
}

/* ---- which limits hold for what there is ---- */

static int check_call(const struct gate_limits *limits, const struct gate_limit *limit, struct arena *arena,
		      struct error *err)
{
	const char *call = gate_call_of(limit->metric), *near;

	if (limit->unit == UNIT_POINTS || (limit->unit == UNIT_PERCENT && !is_relative(limit)))
		return gate_limit_error(
			err, limits, limit,
			arena_printf(arena, "%s %s: calls are a number, not a share", limit->metric, limit->written));
	if (is_call_name(call))
		return 0;
	near = near_system_calls(call, arena);
	return gate_limit_error(err, limits, limit,
				arena_printf(arena, "%s: Linux has no system call of that name%s%s%s", limit->metric,
					     near ? "; did you mean " : "", near ? near : "", near ? "?" : ""));
}

static int check_metric(const struct gate_limits *limits, const struct gate_limit *limit,
			const struct comparison *comparison, struct arena *arena, struct error *err)
{
	const struct compared_metric *metric = gate_metric(comparison, limit->metric);
	const char *near, *wrong;

	if (gate_call_of(limit->metric))
		return check_call(limits, limit, arena, err);
	if (metric) {
		wrong = wrong_unit(limit, metric, arena);
		return wrong ? gate_limit_error(err, limits, limit, wrong) : 0;
	}
	near = near_metrics(comparison, limit->metric, arena);
	return gate_limit_error(
		err, limits, limit,
		near ? arena_printf(arena, "%s: nothing measured has this name; did you mean %s?", limit->metric, near)
		     : arena_printf(arena,
				    "%s: nothing measured has this name; `topdown list metrics` and "
				    "`topdown list nodes` have all names",
				    limit->metric));
}

int gate_check(struct gate_limits *limits, const struct comparison *comparison, struct arena *arena, struct error *err)
{
	struct gate_limit *kept = arena_array(arena, limits->count + 1, sizeof(*kept));
	size_t count = 0;

	for (size_t i = 0; i < limits->count; i++) {
		const struct gate_limit *limit = &limits->items[i];

		if (!limits->source && !gate_metric(comparison, limit->metric))
			continue;
		if ((limit->function ? check_function : check_metric)(limits, limit, comparison, arena, err) < 0)
			return -1;
		kept[count++] = *limit;
	}
	limits->items = kept;
	limits->count = count;
	return 0;
}

int gate_check_functions(const struct gate_limits *limits, const struct comparison *comparison, struct arena *arena,
			 struct error *err)
{
	for (size_t i = 0; comparison->nfunctions && i < limits->count; i++) {
		const struct gate_limit *limit = &limits->items[i];

		if (limit->function && !gate_function(comparison, limit->function))
			return gate_limit_error(err, limits, limit,
						arena_printf(arena,
							     "%s: no such function ran, so nobody could judge it",
							     limit->function));
	}
	return 0;
}

/* ---- one number against its limit ---- */

/* Both sides of what is judged, whatever it is: as they were measured, and how sure the median is. */
struct measured {
	struct estimate before, after;		    /* low and high: of all layouts, or 95 %; NAN: unknown */
	struct estimate ratio;			    /* after by before */
	const double *before_values, *after_values; /* of each layout; the same number of both: layout by layout */
	size_t nbefore, nafter;
	bool is_simulated; /* intervals are of layouts, which are all there are */
	double p;	   /* that chance made the difference; NAN: no chance is in it */
	size_t more;	   /* pairs that would settle it; 0: unknown */
};

static double in_unit(const struct gate_limit *limit, double after, double before)
{
	if (limit->unit != UNIT_PERCENT)
		return after - before;
	if (before == 0) /* of nothing, anything is more than any percentage */
		return after == 0 ? 0 : copysign(INFINITY, after);
	return (after - before) / before * 100;
}

static struct estimate gate_judge_range_of(const double *values, size_t count, double middle)
{
	struct estimate range = { middle, NAN, NAN };

	for (size_t i = 0; i < count; i++) {
		range.low = fmin(range.low, values[i]);
		range.high = fmax(range.high, values[i]);
	}
	return range;
}

/* Each layout moves the program in the same way on both sides, so that what it does is in both. */
static bool is_by_layout(const struct measured *m)
{
	return m->is_simulated && m->nbefore && m->nbefore == m->nafter;
}

static struct estimate amount_by_layout(const struct gate_limit *limit, const struct measured *m, struct arena *arena)
{
	double *changes = arena_array(arena, 2 * m->nbefore, sizeof(*changes));

	for (size_t i = 0; i < m->nbefore; i++)
		changes[i] = in_unit(limit, m->after_values[i], m->before_values[i]);
	return gate_judge_range_of(changes, m->nbefore, median(changes, m->nbefore, changes + m->nbefore));
}

/* What rose, or for max_decrease fell, in the limit's unit. */
static struct estimate amount_of(const struct gate_limit *limit, const struct measured *m, struct arena *arena)
{
	struct estimate amount = { in_unit(limit, m->after.value, m->before.value), NAN, NAN };

	if (!is_relative(limit))
		return m->after;
	if (is_by_layout(m)) {
		amount = amount_by_layout(limit, m, arena);
	} else if (m->is_simulated) {
		amount.low = in_unit(limit, m->after.low, m->before.high);
		amount.high = in_unit(limit, m->after.high, m->before.low);
	} else {
		amount.low = in_unit(limit, m->before.value * m->ratio.low, m->before.value);
		amount.high = in_unit(limit, m->before.value * m->ratio.high, m->before.value);
	}
	if (limit->bound == BOUND_MAX_DECREASE)
		amount = (struct estimate){ -amount.value, -amount.high, -amount.low };
	return amount;
}

#define EACH_LAYOUT 0.5 /* of the limit, that a change exceeds in each layout */

/* A change of the program counts only where it is outside of what layouts do. */
static enum gate_verdict judge_layouts(const struct gate_limit *limit, const struct estimate *amount, bool is_by_layout)
{
	double least = is_by_layout ? EACH_LAYOUT * limit->value : 0;

	if (limit->bound == BOUND_MAX)
		return amount->low > limit->value ? GATE_BEYOND : GATE_WITHIN;
	if (limit->bound == BOUND_MIN)
		return amount->high < limit->value ? GATE_BEYOND : GATE_WITHIN;
	return amount->value > limit->value && amount->low > least ? GATE_BEYOND : GATE_WITHIN;
}

static enum gate_verdict judge_interval(const struct gate_limit *limit, const struct estimate *amount, double p)
{
	bool is_least = limit->bound == BOUND_MIN;

	if (isnan(amount->low) || isnan(amount->high))
		return GATE_UNKNOWN;
	if (is_least ? amount->low >= limit->value : amount->high <= limit->value)
		return GATE_WITHIN;
	if (is_least ? amount->high >= limit->value : amount->low <= limit->value)
		return GATE_UNKNOWN;
	return is_relative(limit) && !(p < SURE_P) ? GATE_UNKNOWN : GATE_BEYOND;
}

static void judge_number(struct gate_row *row, const struct measured *m, struct arena *arena)
{
	row->before = m->before.value;
	row->after = m->after.value;
	row->amount = amount_of(row->limit, m, arena);
	if (isinf(row->before) || isinf(row->after)) {
		row->verdict = GATE_UNKNOWN;
		row->reason = "one side has a number that nothing can have counted";
		return;
	}
	if (isnan(row->amount.value)) {
		row->verdict = GATE_UNKNOWN;
		row->reason = "one side has no value of it";
		return;
	}
	row->verdict = m->is_simulated ? judge_layouts(row->limit, &row->amount, is_by_layout(m))
				       : judge_interval(row->limit, &row->amount, m->p);
	if (row->verdict == GATE_UNKNOWN)
		row->reason = m->more ? arena_worded(arena, "about %zu more pair%s would settle it ({r})", m->more,
						     m->more == 1 ? "" : "s")
				      : arena_worded(arena, "more repeats would settle it ({r})");
	if (row->verdict == GATE_WITHIN && m->is_simulated && is_relative(row->limit) &&
	    row->amount.value > row->limit->value)
		row->reason = "layouts alone do as much: it is less in one of them";
}

/* ---- of the whole program ---- */

static struct estimate gate_judge_interval_of(const double *values, size_t count)
{
	const struct statistics statistics = statistics_of(values, count);

	return (struct estimate){ statistics.mean, statistics.mean - statistics.ci95,
				  statistics.mean + statistics.ci95 };
}

static bool is_simulated(const struct compare_side *side)
{
	return side->report && side->report->model->is_simulated;
}

static void judge_metric(struct gate_row *row, const struct gate_request *request, struct arena *arena)
{
	const struct comparison *comparison = request->comparison;
	const struct compared_metric *metric = gate_metric(comparison, row->limit->metric);
	struct measured m = { .is_simulated = is_simulated(&comparison->request->after) };

	if (!metric) {
		row->verdict = GATE_UNKNOWN;
		row->reason = "it was not measured";
		return;
	}
	row->title = metric->title;
	row->unit = metric->unit;
	if (m.is_simulated) {
		m.before = gate_judge_range_of(metric->before_values, metric->nbefore, metric->before);
		m.after = gate_judge_range_of(metric->after_values, metric->nafter, metric->after);
	} else {
		m.before = estimate_alone(metric->before);
		m.after = is_relative(row->limit) ? estimate_alone(metric->after)
						  : gate_judge_interval_of(metric->after_values, metric->nafter);
		m.p = metric->p_adjusted;
		m.more = metric->more;
	}
	m.ratio = metric->ratio;
	m.before_values = metric->before_values;
	m.after_values = metric->after_values;
	m.nbefore = metric->nbefore;
	m.nafter = metric->nafter;
	judge_number(row, &m, arena);
}

/* ---- of a system call ---- */

/* Counts, not a model's estimates: what repeats do not agree on is their range. */
static bool measure_call(struct estimate *found, const struct compare_side *side, const char *call, struct arena *arena)
{
	const struct counts *counts = &side->measured->parts[0];
	const double *values = gate_call_counts(counts, call, arena);

	if (!values)
		return false;
	*found = gate_judge_range_of(
		values, counts->nrepeats,
		median(values, counts->nrepeats, arena_array(arena, counts->nrepeats + 1, sizeof(double))));
	return true;
}

static void judge_call(struct gate_row *row, const struct gate_request *request, struct arena *arena)
{
	const struct compare_request *sides = request->comparison->request;
	const char *call = gate_call_of(row->limit->metric);
	struct measured m = { .is_simulated = true };

	if (measure_call(&m.before, &sides->before, call, arena) &&
	    measure_call(&m.after, &sides->after, call, arena)) {
		judge_number(row, &m, arena);
		return;
	}
	row->verdict = GATE_UNKNOWN;
	row->reason = "system calls were not counted on both sides; simulations count them";
}

/* ---- of a function ---- */

/* How far layouts move the cycles of the whole program, up and down, as a share: a function's are not known. */
static double layout_share(const struct comparison *comparison, bool is_after)
{
	const struct compared_metric *cycles = comparison_metric(comparison, "cycles");
	struct estimate range;

	if (!cycles)
		return 0;
	range = is_after ? gate_judge_range_of(cycles->after_values, cycles->nafter, cycles->after)
			 : gate_judge_range_of(cycles->before_values, cycles->nbefore, cycles->before);
	return range.value > 0 ? (range.high - range.low) / range.value : 0;
}

static struct estimate widened(double value, double share)
{
	return (struct estimate){ value, value * (1 - share), value * (1 + share) };
}

static void measure_function(struct measured *m, const struct compared_function *function, bool is_instructions,
			     const struct comparison *comparison)
{
	m->is_simulated = is_simulated(&comparison->request->after);
	if (is_instructions) {
		m->before = estimate_exact(function->instructions_before);
		m->after = estimate_exact(function->instructions_after);
	} else {
		m->before = widened(function->before, m->is_simulated ? layout_share(comparison, false) : 0);
		m->after = widened(function->after, m->is_simulated ? layout_share(comparison, true) : 0);
	}
	m->ratio = (struct estimate){ m->after.value / m->before.value, 1 + function->difference.low / m->before.value,
				      1 + function->difference.high / m->before.value };
	m->p = 0; /* the difference has its interval */
}

static void judge_function(struct gate_row *row, const struct gate_request *request, struct arena *arena)
{
	const struct comparison *comparison = request->comparison;
	const struct compared_function *function = gate_function(comparison, row->limit->function);
	bool is_instructions = is_same_name(row->limit->metric, "instructions");
	struct measured m = { .p = NAN };

	row->title = arena_printf(arena, "%s in %s", row->limit->metric, row->limit->function);
	row->unit = is_instructions || !comparison->unit ? "" : comparison->unit;
	if (!comparison->nfunctions) {
		row->verdict = GATE_UNKNOWN;
		row->reason = arena_worded(arena, "no functions were recorded on both sides; {functions} records them");
		return;
	}
	if (!function) {
		row->reason = "neither side has this function";
		row->verdict = GATE_UNKNOWN;
		return;
	}
	measure_function(&m, function, is_instructions, comparison);
	judge_number(row, &m, arena);
	if (function->change == FUNCTION_NEW && is_relative(row->limit)) {
		row->verdict = GATE_UNKNOWN;
		row->reason = "it is new: there is nothing to compare it with";
	}
}

/* ---- all of them ---- */

static void judge_row(struct gate_row *row, const struct gate_request *request, struct arena *arena)
{
	row->title = row->limit->metric;
	row->unit = "";
	row->before = row->after = NAN;
	row->amount = estimate_alone(NAN);
	if (row->limit->function)
		judge_function(row, request, arena);
	else if (gate_call_of(row->limit->metric))
		judge_call(row, request, arena);
	else
		judge_metric(row, request, arena);
	if (!request->has_baseline)
		row->before = NAN;
	if (is_relative(row->limit) && !request->has_baseline) {
		row->verdict = GATE_UNKNOWN;
		row->reason = arena_worded(arena, "there is no baseline; {update} makes one");
		row->amount = estimate_alone(NAN);
	} else if (request->doubt) {
		row->verdict = GATE_UNKNOWN;
		row->reason = request->doubt;
	}
	if (row->verdict == GATE_BEYOND && request->has_baseline)
		gate_find_causes(row, request->comparison);
}

void gate_judge(struct gate_result *result, const struct gate_request *request, struct arena *arena)
{
	const struct gate_limits *limits = request->limits;

	*result = (struct gate_result){ .request = request,
					.rows = arena_array(arena, limits->count + 1, sizeof(struct gate_row)),
					.count = limits->count,
					.notes = request->comparison->notes,
					.nnotes = request->has_baseline ? request->comparison->nnotes : 0 };
	for (size_t i = 0; i < result->count; i++) {
		result->rows[i].limit = &limits->items[i];
		judge_row(&result->rows[i], request, arena);
		result->nbeyond += result->rows[i].verdict == GATE_BEYOND;
		result->nunknown += result->rows[i].verdict == GATE_UNKNOWN;
	}
	result->verdict = result->nbeyond ? GATE_BEYOND : result->nunknown ? GATE_UNKNOWN : GATE_WITHIN;
}

int gate_status(const struct gate_result *result)
{
	return result->verdict == GATE_BEYOND ? STATUS_BEYOND : result->verdict == GATE_UNKNOWN ? STATUS_CANT_TELL : 0;
}
