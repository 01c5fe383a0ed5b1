/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/human.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"

struct prefix {
	double factor;
	const char *text;
};

/* Decimals that leave three significant digits; the limits are those where rounding carries over. */
static int decimals_for(double value)
{
	double size = fabs(value);

	if (size < 9.995)
		return 2;
	return size < 99.95 ? 1 : 0;
}

/* By the first prefix that does not leave the value below 1 after rounding, else the last. */
static const char *with_prefix(struct arena *arena, double value, const struct prefix *prefixes, size_t count)
{
	size_t at = 0;

	if (!isfinite(value))
		return "-";
	while (at + 1 < count && fabs(value) < 0.9995 * prefixes[at].factor)
		at++;
	value /= prefixes[at].factor;
	return arena_printf(arena, "%.*f%s", decimals_for(value), value, prefixes[at].text);
}

const char *human_count(struct arena *arena, double value)
{
	static const struct prefix prefixes[] = {
		{ 1e18, " E" }, { 1e15, " P" }, { 1e12, " T" }, { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" },
	};

	if (fabs(value) < 999.5)
		return human_fixed(arena, value, value == floor(value) ? 0 : decimals_for(value));
	return with_prefix(arena, value, prefixes, COUNT_OF(prefixes));
}

const char *human_seconds(struct arena *arena, double value)
{
	static const struct prefix prefixes[] = { { 1, " s" }, { 1e-3, " ms" }, { 1e-6, " us" } };

	return value == 0 ? "0 s" : with_prefix(arena, value, prefixes, COUNT_OF(prefixes));
}

const char *human_fixed(struct arena *arena, double value, int decimals)
{
	if (!isfinite(value))
		return "-";
	if (fabs(value) < 0.5 * pow(10, -decimals))
		value = 0; /* never "-0.0" */
	return arena_printf(arena, "%.*f", decimals, value);
}

const char *human_signed(struct arena *arena, double value)
{
	if (!isfinite(value))
		return "-";
	return fabs(value) < 0.05 ? "0.0" : arena_printf(arena, "%+.1f", value);
}

static bool is_percent(const struct metric *metric)
{
	return !strcmp(metric->unit, "%");
}

/* Three significant digits, zeros at the end too: 0.100, 0.0690. What is smaller than that has an exponent. */
static const char *small_value(struct arena *arena, double value)
{
	int zeros = (int)-floor(log10(fabs(value))) - 1;

	return zeros > 3 ? arena_printf(arena, "%.2e", value) : arena_printf(arena, "%.*f", zeros + 3, value);
}

const char *human_value(struct arena *arena, const struct metric *metric, double value)
{
	double size = fabs(value);

	if (metric->level || is_percent(metric))
		return human_fixed(arena, value, 1);
	if (size >= 1e6)
		return human_count(arena, value);
	if (isfinite(value) && size > 0 && size < 0.9995)
		return small_value(arena, value);
	return human_fixed(arena, value, decimals_for(value));
}

const char *human_spread(struct arena *arena, const struct metric *metric, double value, double half)
{
	const char *shown = human_value(arena, metric, value), *point = strchr(shown, '.');

	if (fabs(value) >= 1e6)
		return human_count(arena, half);
	if (strchr(shown, 'e'))
		return half > 0 ? human_value(arena, metric, half) : "0";
	return human_fixed(arena, half, point ? (int)strlen(point + 1) : 0);
}

/* How the vendor obtained the number is the quality's affair, not the unit's; "scaled" there means multiplexed. */
static size_t domain_length(const char *domain)
{
	static const char *const ends[] = { "_Estimated", "_Calculated", "_Retired" };
	size_t length = strlen(domain);

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		size_t end = strlen(ends[i]);

		if (length > end && !strcmp(domain + length - end, ends[i]))
			return length - end;
	}
	return length;
}

/* "per_1k_instr" → "per 1k instr" */
static const char *with_blanks(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return copy;
}

const char *human_unit(struct arena *arena, const struct metric *metric)
{
	const char *domain = has_name_prefix(metric->domain, "Scaled_") ? metric->domain + 7 : metric->domain;
	size_t length = domain_length(domain);

	if (!is_percent(metric) || !length || is_same_name(domain, "Metric"))
		return with_blanks(arena, metric->unit);
	return arena_printf(arena, "%% %s",
			    text_lower(arena, with_blanks(arena, arena_strndup(arena, domain, length))));
}

const char *plain_number(struct arena *arena, double value)
{
	return isfinite(value) ? arena_printf(arena, "%.12g", value + 0.0) : "";
}
