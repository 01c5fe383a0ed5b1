/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values are ratios x / y of two totals. What was modelled in full is known exactly; the windows stand for the rest.
 * The error of a ratio is that of the total of x - value * y (Cochran, Sampling Techniques, chapter 6), which is the
 * number of windows that the rest would have, times the mean of those that were modelled; less what was not left to
 * chance because it was modelled.
 */
#include "common/measurement/sampled_windows.h"

#include <math.h>
#include <stdio.h>

#include "common/measurement/statistics.h"

/* A sum over windows by its event's name; NAN: not counted. */
static double sampling_sum(const struct sampled_windows *s, const char *name, const char *suffix)
{
	char event[64];

	snprintf(event, sizeof(event), "%s%s", name, suffix);
	return repeat_value(s->repeat, event);
}

#define SAMPLE_UNIT 64.0 /* slots and instructions in a unit of the sums (simulator/model/windows.h) */

/* What a window can't see, as a share of what the windows stand for: it begins with the core of the one before. */
#define UNSEEN 0.01

/* The sums of x and of y over the windows, and of their squares and products. */
struct ratio {
	double value, x, y, xx, xy, yy;
};

/* Half of the 95 % interval of the total of x - value * y; NAN: not enough windows. */
static double total_error(const struct sampled_windows *s, const struct ratio *r)
{
	double value = r->value, sum = r->x - value * r->y;
	double squares = r->xx - 2 * value * r->xy + value * value * r->yy - sum * sum / s->n;

	if (!(s->n >= 2))
		return NOT_COUNTED;
	return student_t95((size_t)s->n - 1) * s->all *
	       sqrt(fmax(squares, 0) / (s->n * (s->n - 1)) * fmax(1 - s->modelled, 0));
}

/* Of a total of slots: as a share of all, with what no window sees of those that windows stand for. */
static double share_of_slots(const struct sampled_windows *s, double error)
{
	double slots = repeat_value(s->repeat, "slots.all") / SAMPLE_UNIT;
	double sampled = s->all / s->n * repeat_value(s->repeat, "sample.slots");

	return error / slots + UNSEEN * fmin(sampled / slots, 1);
}

bool sampled_windows_read(struct sampled_windows *windows, const struct repeat *repeat)
{
	double modelled, retired, whole;

	*windows = (struct sampled_windows){ .repeat = repeat };
	modelled = repeat_value(repeat, "inst.modelled");
	retired = repeat_value(repeat, "inst.retired");
	whole = repeat_value(repeat, "inst.unsampled");
	if (!(modelled < retired))
		return false;
	/* Older sessions do not say what was modelled in full: nothing was where something was sampled. */
	windows->whole = whole > 0 ? whole : 0;
	windows->part = modelled / retired;
	windows->n = repeat_value(repeat, "sample.windows");
	windows->modelled = (modelled - windows->whole) / (retired - windows->whole);
	windows->all = windows->n / windows->modelled;
	return true;
}

double sampled_windows_share_error(const struct sampled_windows *windows, const char *sum, double share)
{
	const struct ratio ratio = { .value = share,
				     .x = sampling_sum(windows, sum, ""),
				     .y = sampling_sum(windows, "sample.slots", ""),
				     .xx = sampling_sum(windows, sum, "_squared"),
				     .xy = sampling_sum(windows, sum, "_slots"),
				     .yy = sampling_sum(windows, "sample.slots", "_squared") };

	return share_of_slots(windows, total_error(windows, &ratio));
}

/* Cycles for each instruction; the number of instructions is known. */
double sampled_windows_cycles_error(const struct sampled_windows *windows)
{
	struct ratio ratio = { .x = sampling_sum(windows, "sample.slots", ""),
			       .y = sampling_sum(windows, "sample.instructions", ""),
			       .xx = sampling_sum(windows, "sample.slots", "_squared"),
			       .xy = sampling_sum(windows, "sample.slots", "_instructions"),
			       .yy = sampling_sum(windows, "sample.instructions", "_squared") };

	ratio.value = ratio.x / ratio.y;
	return share_of_slots(windows, total_error(windows, &ratio));
}
