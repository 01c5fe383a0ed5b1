/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.h - tests as rows of a table: a failed row names itself and the others still run. */
#ifndef TOPDOWN_TEST_ROWS_H
#define TOPDOWN_TEST_ROWS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Counts the failed rows of one test; the test ends with rows_end. Started as `struct rows rows = { 0 }`. */
struct rows {
	size_t failed;
};

static inline void row_expect(struct rows *rows, const char *row, bool is_right, const char *what)
{
	if (is_right)
		return;
	rows->failed++;
	print_error("row '%s': %s\n", row, what);
}

static inline void row_expect_text(struct rows *rows, const char *row, const char *found, const char *expected)
{
	if (found && expected ? !strcmp(found, expected) : found == expected)
		return;
	rows->failed++;
	print_error("row '%s':\n--- expected\n%s\n--- found\n%s\n", row, expected ? expected : "(NULL)",
		    found ? found : "(NULL)");
}

/* Relative to the expected value; NAN equals NAN. */
static inline void row_expect_number(struct rows *rows, const char *row, double found, double expected)
{
	if (isnan(expected) ? isnan(found) : fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected)))
		return;
	rows->failed++;
	print_error("row '%s': expected %.17g, found %.17g\n", row, expected, found);
}

static inline void rows_end(const struct rows *rows)
{
	if (rows->failed)
		fail_msg("%zu failed", rows->failed);
}

#endif
