/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena_test.c - memory that is all zero, whoever had it before, and that a reset keeps. */
#include "rows.h"

#include <stdalign.h>

#include "common/base/arena.h"

static bool is_zero(const unsigned char *memory, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (memory[i])
			return false;
	return true;
}

/* Sizes of all kinds, more of each than a block holds; filled, so that whoever gets them next could see it. */
static bool fill(struct arena *arena, size_t most)
{
	bool is_fine = true;

	for (size_t size = 1; size <= most; size = size * 3 + 1)
		for (int i = 0; i < 5; i++) {
			unsigned char *memory = arena_alloc(arena, size);

			is_fine = is_fine && is_zero(memory, size) && (uintptr_t)memory % alignof(max_align_t) == 0;
			memset(memory, 0xa5, size);
		}
	return is_fine;
}

static void test_reset(void **state UNUSED)
{
	struct arena arena;

	arena_init(&arena);
	arena_reset(&arena); /* of nothing */
	for (int i = 0; i < 4; i++) {
		assert_true(fill(&arena, 300000));
		arena_reset(&arena);
	}
	assert_true(fill(&arena, 3000000)); /* more than was kept */
	arena_reset(&arena);
	assert_true(fill(&arena, 100));
	arena_release(&arena);
	assert_null(arena.blocks);
	assert_null(arena.spare);
}

/* What is done again takes the memory that it had. */
static void test_kept(void **state UNUSED)
{
	struct arena arena;
	const void *first, *large;

	arena_init(&arena);
	first = arena_alloc(&arena, 100);
	arena_reset(&arena);
	assert_ptr_equal(arena_alloc(&arena, 100), first);
	large = arena_alloc(&arena, 1000000);
	arena_reset(&arena);
	assert_ptr_equal(arena_alloc(&arena, 1000000), large);
	arena_release(&arena);
}

static void test_reserve(void **state UNUSED)
{
	struct arena arena;
	size_t capacity;
	int *numbers, *grown;

	arena_init(&arena);
	numbers = arena_reserve(&arena, 3, &capacity, sizeof(*numbers));
	for (int i = 0; i < 3; i++) {
		grown = arena_grow(&arena, numbers, (size_t)i, &capacity, sizeof(*numbers));
		assert_ptr_equal(grown, numbers);
		numbers[i] = i;
	}
	grown = arena_grow(&arena, numbers, 3, &capacity, sizeof(*numbers));
	assert_ptr_not_equal(grown, numbers);
	assert_true(capacity > 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(grown[i], i);
	capacity = 99;
	numbers = arena_reserve(&arena, 0, &capacity, sizeof(*numbers));
	assert_int_equal(capacity, 0);
	assert_non_null(arena_grow(&arena, numbers, 0, &capacity, sizeof(*numbers)));
	arena_release(&arena);
}

static void test_text(void **state UNUSED)
{
	char long_text[1000];
	struct arena arena;

	arena_init(&arena);
	for (size_t length = 0; length < sizeof(long_text); length++) {
		memset(long_text, 'x', length);
		long_text[length] = '\0';
		assert_string_equal(arena_printf(&arena, "%s", long_text), long_text);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
