/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_calls_test.c - which system call stands before a place: code as compilers and libraries write it, and any. */
#include "rows.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/waits/wait_parts.h"
#include "common/base/macros.h"
#include "cpu/identify/tracepoint.h"

#if defined(__x86_64__)

enum { CODE = 24, DRAWS = 200000 };

#define NAMELESS "a number that no call has"

/* As the registers of a thread that waits behind the code have it; NULL: that does not say it. */
static const char *waits_for(struct wait_calls *calls, const unsigned char *code)
{
	static char name[64];
	const uint64_t registers[] = { 0, 0, 0, (uint64_t)(uintptr_t)code + CODE };
	const struct record record = { .identity = { .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid() },
				       .of.sample = { .registers = registers,
						      .nregisters = COUNT_OF(registers),
						      .registers_abi = PERF_SAMPLE_REGS_ABI_64 } };
	struct wait_found found;

	if (!wait_calls_find(calls, &found, &record))
		return NULL;
	snprintf(name, sizeof(name), "%s", found.call ? found.call : found.name ? found.name : NAMELESS);
	return name;
}

/* The bytes end with what stands before the place. */
static void test_codes(void **state UNUSED)
{
	static const struct {
		const char *row;
		unsigned char bytes[CODE];
		size_t count;
		const char *expected;
	} rows_of[] = {
		/* clang-format off */
		{ "mov $35,%eax; syscall", { 0xb8, 35, 0, 0, 0, 0x0f, 0x05 }, 7, "nanosleep" },
		{ "mov $230,%eax; mov %rsp,%rsi; syscall", { 0xb8, 230, 0, 0, 0, 0x48, 0x89, 0xe6, 0x0f, 0x05 }, 10,
		  "clock_nanosleep" },
		{ "the last of two", { 0xb8, 35, 0, 0, 0, 0xb8, 34, 0, 0, 0, 0x0f, 0x05 }, 12, "pause" },
		{ "xor behind mov", { 0xb8, 35, 0, 0, 0, 0x31, 0xc0, 0x0f, 0x05 }, 9, "read" },
		{ "too large for a number", { 0xb8, 0, 0, 1, 0, 0x0f, 0x05 }, 7, NULL },
		{ "its number is from elsewhere", { 0x89, 0xf8, 0x0f, 0x05 }, 4, NULL },
		{ "no call", { 0xb8, 35, 0, 0, 0, 0x90, 0x90 }, 7, "page fault" },
		/* clang-format on */
	};
	struct rows rows = { 0 };
	struct arena arena;
	struct lock_names *locks;
	struct wait_calls *calls;
	unsigned char code[COUNT_OF(rows_of)][CODE];

	arena_init(&arena);
	locks = lock_names_new(&arena);
	calls = wait_calls_new(locks, &arena);
	for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
		memset(code[i], 0x90, CODE);
		memcpy(code[i] + CODE - rows_of[i].count, rows_of[i].bytes, rows_of[i].count);
		row_expect_text(&rows, rows_of[i].row, waits_for(calls, code[i]), rows_of[i].expected);
	}
	row_expect_text(&rows, "nothing is mapped there", waits_for(calls, (const unsigned char *)16), NULL);
	lock_names_release(locks);
	arena_release(&arena);
	rows_end(&rows);
}

/* A number that stands there, or none: whatever the bytes are. Half of them end with the instruction. */
static void test_any(void **state UNUSED)
{
	unsigned char *code = malloc((size_t)DRAWS * CODE);
	struct arena arena;
	struct lock_names *locks;
	struct wait_calls *calls;

	assert_non_null(code);
	srand(1);
	for (size_t i = 0; i < (size_t)DRAWS * CODE; i++)
		code[i] = rand() % 8 ? (unsigned char)rand() : (unsigned char[]){ 0xb8, 0x31, 0xc0, 0 }[rand() % 4];
	for (size_t i = 0; i < DRAWS; i += 2)
		memcpy(code + (i + 1) * CODE - 2, (unsigned char[]){ 0x0f, 0x05 }, 2);
	arena_init(&arena);
	locks = lock_names_new(&arena);
	calls = wait_calls_new(locks, &arena);
	for (size_t i = 0; i < DRAWS; i++) {
		const unsigned char *one = code + i * CODE;
		const char *found = waits_for(calls, one);
		bool is_call = one[CODE - 2] == 0x0f && one[CODE - 1] == 0x05, is_there = !found;

		if (!is_call) {
			assert_non_null(found);
			assert_string_equal(found, "page fault");
			continue;
		}
		for (size_t k = 0; k + 4 <= CODE && !is_there; k++) {
			uint32_t number = one[k] == 0xb8 && k + 7 <= CODE
						  ? one[k + 1] | (uint32_t)one[k + 2] << 8 |
							    (uint32_t)one[k + 3] << 16 | (uint32_t)one[k + 4] << 24
						  : UINT32_MAX;
			const char *name = one[k] == 0x31 && one[k + 1] == 0xc0 ? system_call_name(0)
					   : number < 1024			? system_call_name(number)
										: NULL;

			is_there = name && !strcmp(name, found);
		}
		if (!is_there)
			assert_string_equal(found, NAMELESS);
	}
	lock_names_release(locks);
	arena_release(&arena);
	free(code);
}

#endif

int main(void)
{
#if defined(__x86_64__)
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_codes), cmocka_unit_test(test_any) };

	return cmocka_run_group_tests_name("wait_calls", tests, NULL, NULL);
#else
	return 77; /* elsewhere the number is in a register */
#endif
}
