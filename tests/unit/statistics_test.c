/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistics_test.c - mean, deviation and interval against certified values; Student's t against the printed tables. */
#include "rows.h"

#include <stdlib.h>

#include "common/base/macros.h"
#include "common/measurement/statistics.h"

/* NIST/SEMATECH e-Handbook of Statistical Methods, table of Student's t, 1.3.6.7.2, column 0.975 */
static const struct {
	size_t degrees;
	double t;
} points[] = {
	{ 1, 12.706 }, { 2, 4.303 },   { 3, 3.182 },	   { 4, 2.776 },  { 5, 2.571 },	 { 6, 2.447 },	{ 7, 2.365 },
	{ 8, 2.306 },  { 9, 2.262 },   { 10, 2.228 },	   { 11, 2.201 }, { 12, 2.179 }, { 13, 2.160 }, { 14, 2.145 },
	{ 15, 2.131 }, { 16, 2.120 },  { 17, 2.110 },	   { 18, 2.101 }, { 19, 2.093 }, { 20, 2.086 }, { 21, 2.080 },
	{ 22, 2.074 }, { 23, 2.069 },  { 24, 2.064 },	   { 25, 2.060 }, { 26, 2.056 }, { 27, 2.052 }, { 28, 2.048 },
	{ 29, 2.045 }, { 30, 2.042 },  { 31, 2.040 },	   { 40, 2.021 }, { 50, 2.009 }, { 60, 2.000 }, { 80, 1.990 },
	{ 99, 1.984 }, { 100, 1.984 }, { 1000000, 1.960 },
};

static void t_is_that_of_the_tables(void **state)
{
	struct rows rows = { 0 };
	char name[32];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(points); i++) {
		snprintf(name, sizeof(name), "%zu degrees", points[i].degrees);
		row_expect(&rows, name, fabs(student_t95(points[i].degrees) - points[i].t) <= 0.00051, "t");
	}
	row_expect(&rows, "0 degrees", isnan(student_t95(0)), "not a number");
	rows_end(&rows);
}

/* first, then both others alternately, as the NIST's data sets for numerical accuracy are made (itl.nist.gov/div898/strd) */
static const struct row {
	const char *name;
	double first, others[2];
	size_t count;
	double mean, stddev; /* certified */
	double tolerance;    /* of the deviation, relative: what doubles of that size leave */
} table[] = {
	{ "NumAcc1", 10000002, { 10000001, 10000003 }, 3, 10000002, 1, 1e-12 },
	{ "NumAcc2", 1.2, { 1.1, 1.3 }, 1001, 1.2, 0.1, 1e-12 },
	{ "NumAcc3", 1000000.2, { 1000000.1, 1000000.3 }, 1001, 1000000.2, 0.1, 1e-8 },
	{ "NumAcc4", 10000000.2, { 10000000.1, 10000000.3 }, 1001, 10000000.2, 0.1, 1e-7 },
};

static bool is_near(double found, double expected, double tolerance)
{
	return fabs(found - expected) <= tolerance * fabs(expected);
}

static void certified_values(void **state)
{
	struct rows rows = { 0 };
	double values[1001];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		struct statistics found;

		values[0] = row->first;
		for (size_t k = 1; k < row->count; k++)
			values[k] = row->others[(k + 1) % 2];
		found = statistics_of(values, row->count);
		row_expect(&rows, row->name, found.n == row->count, "n");
		row_expect(&rows, row->name, is_near(found.mean, row->mean, 1e-13), "mean");
		row_expect(&rows, row->name, is_near(found.stddev, row->stddev, row->tolerance), "deviation");
	}
	rows_end(&rows);
}

/*
 * Five values around 20 with the deviation sqrt(2.5): its 95 % interval is 2.776445 * sqrt(2.5 / 5), with the t of four
 * degrees of freedom.
 */
static void interval(void **state)
{
	const double values[] = { 18, 19, NAN, 20, 21, 22, NAN };
	struct statistics found = statistics_of(values, COUNT_OF(values));

	(void)state;
	assert_int_equal(found.n, 5);
	assert_true(is_near(found.mean, 20, 1e-12));
	assert_true(is_near(found.stddev, 1.5811388300841898, 1e-12));
	assert_true(is_near(found.ci95, 1.9632432, 1e-6));
}

static void too_few_values(void **state)
{
	const double values[] = { NAN, 7, NAN };
	struct statistics one = statistics_of(values, 3), none = statistics_of(values, 1),
			  nothing = statistics_of(NULL, 0);

	(void)state;
	assert_int_equal(one.n, 1);
	assert_true(is_near(one.mean, 7, 1e-15) && isnan(one.stddev) && isnan(one.ci95));
	assert_true(none.n == 0 && isnan(none.mean) && isnan(none.stddev) && isnan(none.ci95));
	assert_true(nothing.n == 0 && isnan(nothing.mean));
}

static void equal_values_do_not_vary(void **state)
{
	const double values[] = { 0.1, 0.1, 0.1, 0.1 };
	struct statistics found = statistics_of(values, COUNT_OF(values));

	(void)state;
	assert_true(found.stddev < 1e-16 && found.ci95 < 1e-16 && is_near(found.mean, 0.1, 1e-15));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_is_that_of_the_tables),
		cmocka_unit_test(certified_values),
		cmocka_unit_test(interval),
		cmocka_unit_test(too_few_values),
		cmocka_unit_test(equal_values_do_not_vary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
