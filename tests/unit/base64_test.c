/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base64_test.c - the vectors of RFC 4648, section 10, and what is no base64. */
#include "rows.h"

#include <string.h>

#include "common/base/bytes.h"

static void test_vectors(void **state UNUSED)
{
	static const char *const rows[][2] = { { "", "" },
					       { "f", "Zg==" },
					       { "fo", "Zm8=" },
					       { "foo", "Zm9v" },
					       { "foob", "Zm9vYg==" },
					       { "fooba", "Zm9vYmE=" },
					       { "foobar", "Zm9vYmFy" },
					       { "\xff\xfe\xfd", "//79" } };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t length = 99;
		const char *text = base64_encode(rows[i][0], strlen(rows[i][0]), &arena);
		const char *bytes = base64_decode(rows[i][1], strlen(rows[i][1]), &length, &arena);

		assert_string_equal(text, rows[i][1]);
		assert_int_equal(length, strlen(rows[i][0]));
		assert_memory_equal(bytes, rows[i][0], length);
	}
	arena_release(&arena);
}

static void test_refused(void **state UNUSED)
{
	static const char *const rows[] = { "Z",    "Zg",	"Zg=",	 "Zm9",	 "=",	 "====",
					    "Z===", "Zg==Zg==", "Zm9v!", "Zm-v", "Zg=v", "Zm9vYg=" };
	struct arena arena;
	size_t length;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (base64_decode(rows[i], strlen(rows[i]), &length, &arena))
			fail_msg("%s is taken", rows[i]);
	assert_non_null(base64_decode(" Zm9\r\nv ", 8, &length, &arena));
	assert_int_equal(length, 3);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_vectors), cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
