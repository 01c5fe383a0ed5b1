/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_axis_test.c - the ticks of plots beside those that trying all round steps finds, dates beside the C library's. */
#include "rows.h"

#include <time.h>

#include "present/plot/plot_axis.h"

#define DRAWS 4000

/* Numbers of a fixed sequence, 0 ... 1. */
static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* Of all steps 1, 2 and 5 times a power of ten the smallest that has at most `most` multiples in the range. */
static long double best_step(long double low, long double high, size_t most)
{
	long double best = 0;

	for (int power = -40; power <= 40; power++)
		for (int digit = 1; digit <= 5; digit += digit == 2 ? 3 : 1) {
			long double step = (long double)digit * powl(10, power);
			long double count = floorl(high / step) - ceill(low / step) + 1;

			if (digit != 3 && count <= (long double)most && (best <= 0 || step < best))
				best = step;
		}
	return best;
}

static void test_linear(void **state UNUSED)
{
	struct rows rows = { 0 };
	uint64_t seed = 18;

	for (size_t i = 0; i < DRAWS; i++) {
		double size = pow(10, 24 * draw(&seed) - 12), low = size * (2 * draw(&seed) - 1);
		struct plot_range range = { PLOT_LINEAR, low, low + size * (0.001 + draw(&seed)) };
		size_t most = 2 + (size_t)(draw(&seed) * 9);
		double step = (double)best_step(range.low, range.high, most);
		const char *row = "linear";
		struct plot_ticks ticks;
		char name[128];

		snprintf(name, sizeof(name), "%.17g to %.17g, %zu", range.low, range.high, most);
		row = name;
		plot_ticks_of(&ticks, &range, most);
		row_expect_number(&rows, row, ticks.step, step);
		row_expect(&rows, row, ticks.count <= most, "too many");
		row_expect(&rows, row, (double)ticks.count == floor(range.high / step) - ceil(range.low / step) + 1,
			   "not all multiples");
		for (size_t k = 0; k < ticks.count; k++)
			row_expect(&rows, row,
				   fabs(ticks.at[k] - (ceil(range.low / step) + (double)k) * step) < step * 1e-9,
				   "not a multiple");
	}
	rows_end(&rows);
}

/* The values' own ends are ticks, no more than one step away, whatever was drawn. */
static void test_rounded(void **state UNUSED)
{
	const struct plot_axis axis = { .low = NOT_COUNTED, .high = NOT_COUNTED };
	struct rows rows = { 0 };
	uint64_t seed = 7;

	for (size_t i = 0; i < DRAWS; i++) {
		double size = pow(10, 12 * draw(&seed) - 6), low = size * (2 * draw(&seed) - 1);
		double high = low + size * (0.01 + draw(&seed));
		struct plot_range range = plot_range_of(&axis, low, high, true);
		struct plot_ticks ticks;

		plot_ticks_of(&ticks, &range, 7);
		row_expect(&rows, "rounded", range.low <= low + size * 1e-6 && range.high >= high - size * 1e-6,
			   "a value lies outside");
		row_expect(&rows, "rounded", fabs(ticks.at[0] - range.low) < ticks.step * 1e-5, "low is no tick");
		row_expect(&rows, "rounded", fabs(ticks.at[ticks.count - 1] - range.high) < ticks.step * 1e-5,
			   "high is no tick");
		row_expect(&rows, "rounded", low - range.low < ticks.step * 1.001, "room below");
		row_expect(&rows, "rounded", range.high - high < ticks.step * 1.001, "room above");
	}
	rows_end(&rows);
}

static const struct {
	const char *name;
	enum plot_scale scale;
	double low, high;
	size_t most, count;
	double first, last;
} written[] = {
	{ "three decades", PLOT_LOG10, 1, 1000, 10, 10, 1, 1000 }, /* 1 2 5 10 20 50 100 200 500 1000 */
	{ "decades alone", PLOT_LOG10, 1, 1000, 9, 4, 1, 1000 },
	{ "a part of a decade", PLOT_LOG10, 3, 30, 7, 3, 5, 20 },
	{ "600 decades", PLOT_LOG10, 1e-300, 1e300, 7, 7, 1e-300, 1e300 }, /* every 100 */
	{ "within two powers", PLOT_LOG2, 1.1, 1.9, 5, 4, 1.2, 1.8 },
	{ "sizes", PLOT_LOG2, 1, 1024, 11, 11, 1, 1024 },
	{ "every other size", PLOT_LOG2, 1, 1024, 7, 6, 1, 1024 },
	{ "half minutes", PLOT_SECONDS, 0, 100, 5, 4, 0, 90 },
	{ "hours", PLOT_SECONDS, 0, 86400, 9, 9, 0, 86400 },			       /* every third */
	{ "months", PLOT_DATE, 1704067200, 1718409600, 7, 6, 1704067200, 1717200000 }, /* 2024-01-01 to 06-15 */
	{ "years", PLOT_DATE, 0, 1735689600, 7, 6, 0, 1577836800 },		       /* 1970 ... 2020 */
	{ "names", PLOT_NAMES, -0.5, 9.5, 5, 5, 0, 8 },
};

/* Of no values: where an axis begins that has none, and how far it goes. */
static void test_nothing(void **state UNUSED)
{
	static const struct {
		const char *name;
		enum plot_scale scale;
		double low, high;
	} table[] = {
		{ "linear", PLOT_LINEAR, 0, 1 },
		{ "decades", PLOT_LOG10, 1, 10 },
		{ "powers", PLOT_LOG2, 1, 10 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct plot_axis axis = { .scale = table[i].scale, .low = (double)NAN, .high = (double)NAN };
		const struct plot_range range = plot_range_of(&axis, (double)NAN, (double)NAN, false);

		row_expect_number(&rows, table[i].name, range.low, table[i].low);
		row_expect_number(&rows, table[i].name, range.high, table[i].high);
	}
	rows_end(&rows);
}

static void test_written(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(written); i++) {
		struct plot_range range = { written[i].scale, written[i].low, written[i].high };
		struct plot_ticks ticks;

		plot_ticks_of(&ticks, &range, written[i].most);
		row_expect_number(&rows, written[i].name, (double)ticks.count, (double)written[i].count);
		row_expect_number(&rows, written[i].name, ticks.at[0], written[i].first);
		row_expect_number(&rows, written[i].name, ticks.at[ticks.count - 1], written[i].last);
	}
	rows_end(&rows);
}

/* Against gmtime_r, from the year 1 to 9999, and of every tick of a random span. */
static void test_dates(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;
	uint64_t seed = 5;

	arena_init(&arena);
	for (size_t i = 0; i < DRAWS; i++) {
		double at = floor(-62135596800.0 + draw(&seed) * (253402300799.0 + 62135596800.0));
		struct plot_range range = { PLOT_DATE, at, at + pow(10, 1 + draw(&seed) * 8) };
		time_t whole = (time_t)at;
		struct plot_ticks ticks;
		struct tm parts;
		char text[64];

		gmtime_r(&whole, &parts);
		snprintf(text, sizeof(text), "%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
			 parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
		row_expect_text(&rows, "date", plot_value_text(PLOT_DATE, at, NULL, &arena), text);
		plot_ticks_of(&ticks, &range, 7);
		row_expect(&rows, text, ticks.count && ticks.count <= 7, "a span has 1 to 7 ticks");
		for (size_t k = 0; k < ticks.count; k++) {
			whole = (time_t)ticks.at[k];
			gmtime_r(&whole, &parts);
			row_expect(&rows, text, ticks.step < 28 * 86400.0 || parts.tm_mday == 1, "a month's first");
			row_expect(&rows, text, ticks.step < 360 * 86400.0 || parts.tm_mon == 0, "a year's first");
			row_expect(&rows, text, ticks.step < 86400 || (!parts.tm_hour && !parts.tm_sec), "midnight");
		}
	}
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	enum plot_scale scale;
	double value;
	const char *unit, *text;
} values[] = {
	{ PLOT_LINEAR, 12.3456, "GHz", "12.35 GHz" },
	{ PLOT_LINEAR, 8.1, "%", "8.1 %" },
	{ PLOT_LINEAR, 0, NULL, "0" },
	{ PLOT_LINEAR, 1234567, NULL, "1.235 M" },
	{ PLOT_LINEAR, 1234567, "Hz", "1.235 MHz" },
	{ PLOT_LINEAR, -0.00012, NULL, "-1.2e-4" },
	{ PLOT_LINEAR, 1e300, "s", "1e300 s" },
	{ PLOT_SECONDS, 0.25, NULL, "0.25 s" },
	{ PLOT_DATE, 951782400, NULL, "2000-02-29 00:00:00" },
	{ PLOT_LINEAR, (double)NAN, "s", "-" },
};

static void test_values(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(values); i++)
		row_expect_text(&rows, values[i].text,
				plot_value_text(values[i].scale, values[i].value, values[i].unit, &arena),
				values[i].text);
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),	cmocka_unit_test(test_rounded), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_written), cmocka_unit_test(test_dates),	cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
