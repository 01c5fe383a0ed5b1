/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/plot_axis.h"

#include <math.h>
#include <string.h>

#define NEARLY	    1e-6   /* of a step: what rounding makes of a tick at the very end */
#define FINEST	    1e-10  /* a range that is less of its values has no round numbers left */
#define SMALLEST    1e-290 /* and one that is less than this is 0 */
#define ROUND_TICKS 7	   /* of an axis whose ends are ticks */
#define LOG10_2	    0.30102999566398119521
#define DAY	    86400.0

bool plot_can_show(enum plot_scale scale, double value)
{
	bool is_log = scale == PLOT_LOG10 || scale == PLOT_LOG2;

	return isfinite(value) && (!is_log || value > 0);
}

static bool is_log(const struct plot_range *range)
{
	return range->scale == PLOT_LOG10 || range->scale == PLOT_LOG2;
}

double plot_place(const struct plot_range *range, double value)
{
	if (!plot_can_show(range->scale, value))
		return NOT_COUNTED;
	if (is_log(range))
		return (log(value) - log(range->low)) / (log(range->high) - log(range->low));
	/* halves, because the whole range may be more than a double holds */
	return (value / 2 - range->low / 2) / (range->high / 2 - range->low / 2);
}

/* ---- steps ---- */

/* 1, 2 or 5 times a power of ten. */
struct step {
	double digit;
	int power;
};

static double times(const struct step *step, double count)
{
	if (step->power < 0 && step->power >= -300)
		return count * step->digit / pow(10, -step->power); /* 0.3, not 3 * 0.1 */
	return count * step->digit * pow(10, step->power);
}

static struct step step_after(struct step step)
{
	if (step.digit < 5)
		return (struct step){ step.digit < 2 ? 2 : 5, step.power };
	return (struct step){ 1, step.power + 1 };
}

/* The ticks from the first at low or above it to the last at high or below it; is_outer: the other way about. */
static double plot_axis_count_of(double low, double high, double step, bool is_outer)
{
	if (is_outer)
		return ceil(high / step - NEARLY) - floor(low / step + NEARLY) + 1;
	return floor(high / step + NEARLY) - ceil(low / step - NEARLY) + 1;
}

static struct step find_step(double low, double high, size_t most, bool is_outer)
{
	double width = high / (double)most - low / (double)most;
	struct step step = { 1, (int)fmax(floor(log10(width)), -307) - 1 };

	while (plot_axis_count_of(low, high, times(&step, 1), is_outer) > (double)most)
		step = step_after(step);
	return step;
}

/* ---- ranges ---- */

/* A single value in the middle of what is like it. */
static void plot_axis_widen(struct plot_range *range)
{
	double middle = range->low / 2 + range->high / 2, room = fabs(middle) * 0.1;

	if (is_log(range)) {
		range->low = fmax(middle / 2, 1e-307);
		range->high = fmin(middle * 2, 1e308);
		return;
	}
	if (room < SMALLEST)
		room = 0.5;
	range->low = fmax(middle - room, -1e308);
	range->high = fmin(middle + room, 1e308);
}

static bool is_too_narrow(const struct plot_range *range)
{
	double size = fmax(fabs(range->low), fabs(range->high));

	if (is_log(range))
		return !(log(range->high) - log(range->low) > FINEST);
	return !(range->high / 2 - range->low / 2 > fmax(size * FINEST, SMALLEST));
}

static void round_linear(struct plot_range *range, const struct plot_axis *axis)
{
	struct step step = find_step(range->low, range->high, ROUND_TICKS, true);
	double size = times(&step, 1), low = times(&step, floor(range->low / size + NEARLY));
	double high = times(&step, ceil(range->high / size - NEARLY));

	if (isnan(axis->low) && isfinite(low))
		range->low = low;
	if (isnan(axis->high) && isfinite(high))
		range->high = high;
}

/* The 1, 2 or 5 of a power of ten, or the power of two, next to the value: below it, or above it. */
static double round_log(enum plot_scale scale, double value, bool is_up)
{
	struct step step = { 1, (int)floor(log10(value)) - 1 };
	double power, before = times(&step, 1), at = before;

	if (scale == PLOT_LOG2) {
		power = log2(value);
		return exp2(is_up ? ceil(power - NEARLY) : floor(power + NEARLY));
	}
	while (at < value * (1 - NEARLY * 1e-3)) {
		before = at;
		step = step_after(step);
		at = times(&step, 1);
	}
	return is_up || at <= value * (1 + NEARLY * 1e-3) ? at : before;
}

static void round_ends(struct plot_range *range, const struct plot_axis *axis)
{
	double low, high;

	if (!is_log(range)) {
		round_linear(range, axis);
		return;
	}
	low = round_log(range->scale, range->low, false);
	high = round_log(range->scale, range->high, true);
	if (isnan(axis->low) && low > 0)
		range->low = low;
	if (isnan(axis->high) && isfinite(high))
		range->high = high;
}

struct plot_range plot_range_of(const struct plot_axis *axis, double least, double greatest, bool is_rounded)
{
	struct plot_range range = { .scale = axis->scale, .low = least, .high = greatest };

	if (axis->scale == PLOT_NAMES)
		return (struct plot_range){ PLOT_NAMES, -0.5, fmax((double)axis->nnames, 1) - 0.5 };
	if (isnan(least) || isnan(greatest)) {
		range.low = is_log(&range) ? 1 : 0;
		range.high = is_log(&range) ? 10 : 1;
	}
	if (plot_can_show(axis->scale, axis->low))
		range.low = axis->low;
	if (plot_can_show(axis->scale, axis->high))
		range.high = axis->high;
	if (range.high < range.low && plot_can_show(axis->scale, axis->low))
		range.high = range.low;
	range.low = fmin(range.low, range.high);
	if (is_too_narrow(&range))
		plot_axis_widen(&range);
	if (is_rounded)
		round_ends(&range, axis);
	return range;
}

/* ---- ticks ---- */

static void plot_axis_add(struct plot_ticks *ticks, const struct plot_range *range, double at)
{
	if (ticks->count < PLOT_TICKS_MOST)
		ticks->at[ticks->count++] = fmin(fmax(at, range->low), range->high);
}

static void linear_ticks(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	struct step step = find_step(range->low, range->high, most, false);
	double size = times(&step, 1), first = ceil(range->low / size - NEARLY);
	double count = plot_axis_count_of(range->low, range->high, size, false);

	ticks->step = size;
	for (size_t i = 0; (double)i < count; i++)
		plot_axis_add(ticks, range, times(&step, first + (double)i));
}

/* Multiples of a step that is one of a list, or, beyond it, 1, 2 or 5 times a power of ten of the last one. */
static double listed_step(const struct plot_range *range, size_t most, const double *steps, size_t count)
{
	struct step step = { 1, 0 };

	for (size_t i = 0; i < count; i++)
		if (plot_axis_count_of(range->low, range->high, steps[i], false) <= (double)most)
			return steps[i];
	while (plot_axis_count_of(range->low, range->high, times(&step, steps[count - 1]), false) > (double)most)
		step = step_after(step);
	return times(&step, steps[count - 1]);
}

static void add_multiples(struct plot_ticks *ticks, const struct plot_range *range, double step)
{
	double first = ceil(range->low / step - NEARLY),
	       count = plot_axis_count_of(range->low, range->high, step, false);

	ticks->step = step;
	for (size_t i = 0; (double)i < count; i++)
		plot_axis_add(ticks, range, (first + (double)i) * step);
}

static void seconds_ticks(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	static const double steps[] = { 1,   2,	  5,	10,   15,   30,	   60,	  120,	 300,
					600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY };

	/* below a minute seconds are numbers as others are */
	if (fmax(fabs(range->low), fabs(range->high)) < 60 || range->high - range->low < 2)
		linear_ticks(ticks, range, most);
	else
		add_multiples(ticks, range, listed_step(range, most, steps, COUNT_OF(steps)));
}

/* Days of the Gregorian calendar since 1970-01-01, of a month counted from the year 0 on. */
static double days_of_month(double months)
{
	double year = floor(months / 12), month = months - 12 * year; /* 0: January */
	/* years that begin in March end with the leap day */
	double y = month < 2 ? year - 1 : year, m = month < 2 ? month + 10 : month - 2;

	return 365 * y + floor(y / 4) - floor(y / 100) + floor(y / 400) + floor((153 * m + 2) / 5) - 719468;
}

static double month_of(double seconds)
{
	double days = floor(seconds / DAY), months = floor(days / 30.436875) + 1970 * 12;

	while (days_of_month(months) > days)
		months--;
	while (days_of_month(months + 1) <= days)
		months++;
	return months;
}

static bool month_ticks(struct plot_ticks *ticks, const struct plot_range *range, double months, size_t most)
{
	double at = ceil(month_of(range->low) / months) * months;

	ticks->count = 0;
	ticks->step = months * 30 * DAY;
	if (days_of_month(at) * DAY < range->low)
		at += months;
	for (; days_of_month(at) * DAY <= range->high; at += months) {
		if (ticks->count == most)
			return false;
		plot_axis_add(ticks, range, days_of_month(at) * DAY);
	}
	return true;
}

static void date_ticks(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	static const double steps[] = { 1,    2,    5,	   10,	  15,	 30,  60,      120,	300,	 600,	  900,
					1800, 3600, 10800, 21600, 43200, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY };
	static const double months[] = { 1, 3, 6, 12, 24, 60, 120, 240, 600, 1200 };

	if (range->high - range->low < 2) {
		linear_ticks(ticks, range, most);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (plot_axis_count_of(range->low, range->high, steps[i], false) <= (double)most) {
			add_multiples(ticks, range, steps[i]);
			return;
		}
	for (size_t i = 0; i < COUNT_OF(months) && range->high < 1e12; i++)
		if (month_ticks(ticks, range, months[i], most))
			return;
	ticks->count = 0;
	linear_ticks(ticks, range, most);
}

/* 1, 2 and 5 times each power of ten. */
static size_t add_digits(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	struct step step = { 1, (int)floor(log10(range->low)) - 1 };

	ticks->count = 0;
	while (times(&step, 1) <= range->high * (1 + NEARLY)) {
		double at = times(&step, 1);

		if (at >= range->low * (1 - NEARLY) && ticks->count == most)
			return 0;
		if (at >= range->low * (1 - NEARLY))
			plot_axis_add(ticks, range, at);
		step = step_after(step);
	}
	return ticks->count;
}

static void log_ticks(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	double unit = range->scale == PLOT_LOG2 ? LOG10_2 : 1;
	double low = log10(range->low) / unit, high = log10(range->high) / unit;
	struct step step = { 1, 0 };

	ticks->step = NOT_COUNTED;
	if (range->scale == PLOT_LOG10 && high - low < (double)most && add_digits(ticks, range, most) > 1)
		return;
	while (plot_axis_count_of(low, high, times(&step, 1), false) > (double)most)
		step = step_after(step);
	ticks->count = 0;
	for (double at = ceil(low / times(&step, 1) - NEARLY); at * times(&step, 1) <= high + NEARLY; at++)
		plot_axis_add(ticks, range,
			      range->scale == PLOT_LOG2 ? exp2(at * times(&step, 1)) : pow(10, at * times(&step, 1)));
	if (ticks->count > 1)
		return;
	ticks->count = 0;
	linear_ticks(ticks, range, most);
}

static void name_ticks(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	size_t names = (size_t)(range->high + 0.5), step = (names + most - 1) / most;

	ticks->step = (double)step;
	for (size_t i = 0; i < names; i += step)
		plot_axis_add(ticks, range, (double)i);
}

void plot_ticks_of(struct plot_ticks *ticks, const struct plot_range *range, size_t most)
{
	static void (*const kinds[])(struct plot_ticks * ticks, const struct plot_range *range, size_t most) = {
		[PLOT_LINEAR] = linear_ticks,	[PLOT_LOG10] = log_ticks, [PLOT_LOG2] = log_ticks,
		[PLOT_SECONDS] = seconds_ticks, [PLOT_DATE] = date_ticks, [PLOT_NAMES] = name_ticks,
	};

	*ticks = (struct plot_ticks){ .count = 0 };
	kinds[range->scale](ticks, range, most < PLOT_TICKS_MOST ? most : PLOT_TICKS_MOST);
}
