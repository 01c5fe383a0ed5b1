/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_text.c - numbers, times and dates as they stand at an axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "present/plot/plot_axis.h"

#define DAY 86400LL

struct prefix {
	double factor;
	const char *text;
};

/* The largest one that leaves size at least 1. */
static const struct prefix *prefix_of(double size)
{
	static const struct prefix prefixes[] = {
		{ 1e18, "E" }, { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
	};
	static const struct prefix none = { 1, "" };

	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		if (size >= prefixes[i].factor * (1 - 1e-9))
			return &prefixes[i];
	return &none;
}

/* Without zeros at the end, in place. */
static char *trim(char *text)
{
	size_t length = strlen(text);

	if (!strchr(text, '.'))
		return text;
	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	text[length] = '\0';
	return text;
}

/* "1.5e-300" */
static const char *with_exponent(double value, struct arena *arena)
{
	char *text = arena_printf(arena, "%.3e", value);
	size_t digits = strcspn(text, "e");

	if (!text[digits]) /* infinite */
		return text;

	int power = (int)strtol(text + digits + 1, NULL, 10);

	text[digits] = '\0';
	return arena_printf(arena, "%se%d", trim(text), power);
}

static bool is_out_of_prefixes(double size)
{
	return size >= 1e21 || (size > 0 && size < 1e-3);
}

/* ---- values ---- */

static const char *number_text(double value, const char *unit, struct arena *arena)
{
	double size = fabs(value);
	const struct prefix *prefix = prefix_of(size >= 1e5 ? size : 0);
	const char *blank = unit || *prefix->text ? " " : "";
	int decimals;

	if (is_out_of_prefixes(size))
		return arena_printf(arena, "%s%s%s", with_exponent(value, arena), unit ? " " : "", unit ? unit : "");
	size /= prefix->factor;
	decimals = size > 0 ? 3 - (int)floor(log10(size)) : 0;
	if (unit && !strcmp(unit, "%") && size >= 1 && decimals > 1)
		decimals = 1; /* as everywhere else */
	return arena_printf(arena, "%s%s%s%s",
			    trim(arena_printf(arena, "%.*f", decimals > 0 ? decimals : 0, value / prefix->factor)),
			    blank, prefix->text, unit ? unit : "");
}

struct date {
	long long year;
	int month, day, hour, minute, second;
};

/* Of the Gregorian calendar, in UTC. Years are counted from March on, so that the leap day is their last. */
static struct date date_of(double seconds)
{
	long long whole = (long long)fmin(fmax(floor(seconds), -1e15), 1e15);
	long long days = whole / DAY - (whole % DAY < 0), rest = whole - days * DAY;
	long long since = days + 719468, cycle = (since >= 0 ? since : since - 146096) / 146097;
	long long of_cycle = since - cycle * 146097;
	long long year = (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) / 365;
	long long of_year = of_cycle - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;

	return (struct date){ .year = year + cycle * 400 + (month >= 10),
			      .month = (int)(month < 10 ? month + 3 : month - 9),
			      .day = (int)(of_year - (153 * month + 2) / 5 + 1),
			      .hour = (int)(rest / 3600),
			      .minute = (int)(rest / 60 % 60),
			      .second = (int)(rest % 60) };
}

const char *plot_value_text(enum plot_scale scale, double value, const char *unit, struct arena *arena)
{
	struct date date;

	if (!isfinite(value))
		return "-";
	if (scale == PLOT_SECONDS)
		return number_text(value, "s", arena);
	if (scale != PLOT_DATE)
		return number_text(value, unit, arena);
	date = date_of(value);
	return arena_printf(arena, "%04lld-%02d-%02d %02d:%02d:%02d", date.year, date.month, date.day, date.hour,
			    date.minute, date.second);
}

/* ---- ticks ---- */

/* As many decimals as make the ticks different texts. */
static const char *linear_text(const struct plot_ticks *ticks, const struct plot_range *range, double at,
			       struct arena *arena)
{
	double size = fmax(fabs(range->low), fabs(range->high));
	const struct prefix *prefix = prefix_of(size >= 1e4 ? size : 0);
	int decimals = (int)ceil(-log10(ticks->step / prefix->factor) - 1e-9);

	if (is_out_of_prefixes(size))
		return at == 0 ? "0" : with_exponent(at, arena);
	if (fabs(at) < ticks->step / 2)
		at = 0; /* never "-0" */
	return arena_printf(arena, "%.*f%s%s", decimals > 0 ? decimals : 0, at / prefix->factor,
			    *prefix->text && at != 0 ? " " : "", at != 0 ? prefix->text : "");
}

static const char *log_text(enum plot_scale scale, double at, struct arena *arena)
{
	static const char *const binary[] = { "", " Ki", " Mi", " Gi", " Ti", " Pi" };
	size_t thousand = 0;

	if (scale == PLOT_LOG2)
		for (; thousand + 1 < COUNT_OF(binary) && at >= 1024; thousand++)
			at /= 1024;
	if (thousand)
		return arena_printf(arena, "%.4g%s", at, binary[thousand]);
	return at >= 1e-3 && at < 9999.5 ? arena_printf(arena, "%.4g", at) : number_text(at, NULL, arena);
}

/* "1:30 min", "2:00 h", "2:00:10" */
static const char *seconds_text(const struct plot_ticks *ticks, const struct plot_range *range, double at,
				struct arena *arena)
{
	double size = fmax(fabs(range->low), fabs(range->high));
	long long whole = llround(fabs(at));
	const char *sign = at < 0 ? "-" : "";

	if (size < 60 || ticks->step < 1 || size > 1e15)
		return arena_printf(arena, "%s s", linear_text(ticks, range, at, arena));
	if (size < 3600)
		return arena_printf(arena, "%s%lld:%02lld min", sign, whole / 60, whole % 60);
	if (ticks->step < 60)
		return arena_printf(arena, "%s%lld:%02lld:%02lld", sign, whole / 3600, whole / 60 % 60, whole % 60);
	return arena_printf(arena, "%s%lld:%02lld h", sign, whole / 3600, whole / 60 % 60);
}

static const char *date_text(double step, double at, struct arena *arena)
{
	struct date date = date_of(at);

	if (step >= 360.0 * (double)DAY)
		return arena_printf(arena, "%lld", date.year);
	if (step >= 28.0 * (double)DAY)
		return arena_printf(arena, "%04lld-%02d", date.year, date.month);
	if (step >= (double)DAY)
		return arena_printf(arena, "%04lld-%02d-%02d", date.year, date.month, date.day);
	if (!date.hour && !date.minute && !date.second)
		return arena_printf(arena, "%02d-%02d", date.month, date.day);
	if (step >= 60)
		return arena_printf(arena, "%02d:%02d", date.hour, date.minute);
	return arena_printf(arena, "%02d:%02d:%02d", date.hour, date.minute, date.second);
}

const char *plot_tick_text(const struct plot_ticks *ticks, const struct plot_range *range, double at,
			   struct arena *arena)
{
	if (range->scale == PLOT_SECONDS)
		return seconds_text(ticks, range, at, arena);
	if (range->scale == PLOT_DATE)
		return date_text(ticks->step, at, arena);
	if (isnan(ticks->step))
		return log_text(range->scale, at, arena);
	return linear_text(ticks, range, at, arena);
}
