/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sorted_test.c - places in sorted arrays, beside a count of the items one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/macros.h"
#include "common/base/sorted.h"

struct item {
	char name;
	uint64_t end;
};

static void test_places(void **state UNUSED)
{
	static const struct item items[] = { { 'a', 0 }, { 'b', 3 }, { 'c', 3 }, { 'd', 4 }, { 'e', UINT64_MAX } };
	static const uint64_t asked[] = { 0, 1, 2, 3, 4, 5, UINT64_MAX - 1, UINT64_MAX };

	for (size_t count = 0; count <= COUNT_OF(items); count++)
		for (size_t i = 0; i < COUNT_OF(asked); i++) {
			const struct item *known = count ? items : NULL;
			size_t expected = 0;

			while (expected < count && items[expected].end <= asked[i])
				expected++;
			assert_int_equal(sorted_up_to(SORTED_BY(struct item, end, known, count), asked[i]), expected);
		}
}

static void test_numbers(void **state UNUSED)
{
	static const uint64_t numbers[] = { 0, 2, 2, UINT64_MAX };
	static const struct {
		uint64_t least;
		size_t below;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 2, 1 }, { 3, 3 }, { UINT64_MAX, 3 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(sorted_below(SORTED_NUMBERS(numbers, COUNT_OF(numbers)), rows[i].least),
				 rows[i].below);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_places), cmocka_unit_test(test_numbers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
