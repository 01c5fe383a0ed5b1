/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finder_test.c - what is equal has one number, whatever its hash; and nothing else is found. */
#include "rows.h"

#include "common/base/finder.h"

enum { MANY = 50000 };

struct words {
	const char *items[8];
};

static bool is_same_word(const void *owner, uint32_t number, const void *key)
{
	return strcmp(((const struct words *)owner)->items[number], key) == 0;
}

static bool is_same_number(const void *owner, uint32_t number, const void *key)
{
	return ((const uint64_t *)owner)[number] == *(const uint64_t *)key;
}

/* All words have the same hash: equality alone decides. */
static void test_equal_hashes(void **state UNUSED)
{
	static const char *const taken[] = { "retiring", "frontend", "retiring", "backend", "frontend" };
	static const uint32_t numbers[] = { 0, 1, 0, 2, 1 };
	struct words words = { { NULL } };
	struct finder finder = { 0 };
	uint32_t count = 0;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(taken); i++) {
		const struct finder_key key = { 42, is_same_word, &words, taken[i] };
		bool is_new, is_first = i < 2 || i == 3;
		uint32_t number = finder_take(&finder, &key, &count, &is_new, &arena);

		assert_int_equal(number, numbers[i]);
		assert_int_equal(is_new, is_first);
		words.items[number] = taken[i];
	}
	assert_int_equal(count, 3);
	assert_int_equal(finder_find(&finder, &(struct finder_key){ 42, is_same_word, &words, "memory" }), FINDER_NONE);
	assert_int_equal(finder_find(&finder, &(struct finder_key){ 43, is_same_word, &words, "backend" }),
			 FINDER_NONE);
	arena_release(&arena);
}

static void test_empty(void **state UNUSED)
{
	const struct finder finder = { 0 };

	assert_int_equal(finder_find(&finder, &(struct finder_key){ 0, is_same_word, NULL, "x" }), FINDER_NONE);
}

static void test_many(void **state UNUSED)
{
	uint64_t *numbers;
	struct finder finder = { 0 };
	uint32_t count = 0;
	struct arena arena;

	arena_init(&arena);
	numbers = arena_array(&arena, MANY, sizeof(*numbers));
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < MANY; i++) {
			const uint64_t value = i << 20;
			const struct finder_key key = { hash_numbers(&value, 1), is_same_number, numbers, &value };
			bool is_new;
			uint32_t number = finder_take(&finder, &key, &count, &is_new, &arena);

			assert_int_equal(number, i);
			assert_int_equal(is_new, round == 0);
			numbers[number] = value;
		}
	assert_int_equal(count, MANY);
	assert_true(finder.nslots >= 2 * (size_t)MANY);
	arena_release(&arena);
}

static void test_hashes(void **state UNUSED)
{
	const uint64_t one[] = { 1, 2 }, other[] = { 2, 1 };

	assert_true(hash_numbers(one, 2) == hash_numbers((const uint64_t[]){ 1, 2 }, 2));
	assert_true(hash_numbers(one, 2) != hash_numbers(other, 2));
	assert_true(hash_numbers(one, 1) != hash_numbers(one, 2));
	assert_true(hash_text("main") != hash_text("mian"));
	assert_true(hash_text(NULL) == hash_text(""));
	/* The published test vectors of FNV-1a, 64 bits (draft-eastlake-fnv). */
	assert_true(hash_text("") == 0xcbf29ce484222325u);
	assert_true(hash_text("foobar") == 0x85944171f73967e8u);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_equal_hashes), cmocka_unit_test(test_empty),
					    cmocka_unit_test(test_many), cmocka_unit_test(test_hashes) };

	return cmocka_run_group_tests_name("finder", tests, NULL, NULL);
}
