/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_loops_test.c - loops by instructions that are written as text: one letter each, a number behind it is the
 * instruction that it jumps to. The expectation is a number for each: the header of the innermost loop that it is in.
 */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "program/code/profile_loops.h"

#define STEP	4 /* bytes of an instruction */
#define BASE	0x1000
#define OUTSIDE 99 /* a jump to it leaves the function */

/*
 * o: goes on, cN: conditional jump, jN: jump, iN: jump through a register, r: return, kN: call. headers: of each; "." in
 * no loop. parents: "inner<outer" for each loop in another one.
 */
static const struct {
	const char *name, *code, *headers, *parents;
} loop_rows[] = {
	{ "none", "o c3 o r", ". . . .", "" },
	{ "one", "o o o c1 r", ". 1 1 1 .", "" },
	{ "of one instruction", "o c1 r", ". 1 .", "" },
	{ "all of the function", "o c0 r", "0 0 .", "" },
	{ "nested", "o o o c2 c1 r", ". 1 2 2 1 .", "2<1" },
	{ "three deep", "o o o o c3 c2 c1 r", ". 1 2 3 3 2 1 .", "2<1 3<2" },
	{ "two after each other", "o o c1 o c3 r", ". 1 1 3 3 .", "" },
	{ "two jumps back to one header", "o o c1 o c1 r", ". 1 1 1 1 .", "" },
	{ "a condition at the end, that is entered first", "o j3 o o c2 r", ". . 3 3 3 .", "" },
	{ "a jump through a register to a header", "o i o c2 o c4 r", ". . 2 2 4 4 .", "" },
	{ "a way out", "o o c5 o c1 r", ". 1 1 1 1 .", "" },
	{ "two entries are no loop", "c3 o o o c2 r", ". . . . . .", "" },
	{ "out of the function", "o c99 j99", ". . .", "" },
	{ "a call back is no loop", "o o k1 r", ". . . .", "" },
	{ "a jump back from cold code is no loop", "o c6 o o r o o j2", ". . . . . . . .", "" },
	{ "cold code of a loop is behind the return", "o o c6 o c1 r o j3", ". 1 1 1 1 . 1 1", "" },
	{ "a switch in a loop", "o o i j6 j6 o c1 r", ". 1 1 1 1 1 1 .", "" },
	{ "code that nothing leads to", "o j4 o c2 r", ". . 2 2 .", "" },
	{ "a loop in it, and one around", "o o o c2 j1", ". 1 2 2 1", "2<1" },
};

static const char *text_of(char kind, uint64_t target, struct arena *arena)
{
	const char *at = arena_printf(arena, "%llx <f+0x1>", (unsigned long long)target);

	switch (kind) {
	case 'c': return arena_printf(arena, "jne    %s", at);
	case 'j': return arena_printf(arena, "bnd jmp %s", at);
	case 'k': return arena_printf(arena, "call   %s", at);
	case 'i': return "notrack jmp *%rax";
	case 'r': return "repz ret";
	default: return "add    $0x1,%rax";
	}
}

static size_t make(struct instruction *instructions, const char *code, struct arena *arena)
{
	size_t count = 0;

	for (const char *at = code; *at; at += strcspn(at, " "), at += *at == ' ') {
		uint64_t target = strtoull(at + 1, NULL, 10);
		bool leads = strchr("cjk", *at) != NULL;

		target = target == OUTSIDE ? 0x9000 : BASE + STEP * target;
		instructions[count] = (struct instruction){ .address = BASE + STEP * count,
							    .text = text_of(*at, target, arena),
							    .jump_target = leads ? target : 0,
							    .is_call = *at == 'k' };
		count++;
	}
	return count;
}

static uint64_t header_of(const struct code_loops *loops, uint32_t loop)
{
	return (loops->items[loop].header - BASE) / STEP;
}

static const char *headers_of(const struct code_loops *loops, size_t count, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < count; i++)
		if (loops->of[i] == NO_LOOP)
			string_printf(&text, "%s.", i ? " " : "");
		else
			string_printf(&text, "%s%llu", i ? " " : "",
				      (unsigned long long)header_of(loops, loops->of[i]));
	return text.text;
}

static const char *parents_of(const struct code_loops *loops, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (uint32_t i = 0; i < loops->count; i++)
		if (loops->items[i].parent != NO_LOOP)
			string_printf(&text, "%s%llu<%llu", text.length ? " " : "",
				      (unsigned long long)header_of(loops, i),
				      (unsigned long long)header_of(loops, loops->items[i].parent));
	return text.length ? text.text : "";
}

static void test_loops(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(loop_rows); i++) {
		struct instruction instructions[16];
		size_t count = make(instructions, loop_rows[i].code, &arena);
		struct code_loops loops;

		code_loops_find(&loops, instructions, count, &arena);
		row_expect_text(&rows, loop_rows[i].name, headers_of(&loops, count, &arena), loop_rows[i].headers);
		row_expect_text(&rows, loop_rows[i].name, parents_of(&loops, &arena), loop_rows[i].parents);
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* The last jump back, whose line names the loop; and sizes, with the loops in it. */
static void test_sizes(void **state UNUSED)
{
	struct instruction instructions[16];
	struct code_loops loops;
	struct arena arena;

	arena_init(&arena);
	code_loops_find(&loops, instructions, make(instructions, "o o c1 o c1 o o c5 c5 r", &arena), &arena);
	assert_int_equal(loops.count, 2);
	assert_int_equal(loops.items[0].latch, 4);
	assert_int_equal(loops.items[0].size, 4);
	assert_int_equal(loops.items[1].latch, 8);
	assert_int_equal(loops.items[1].size, 4);
	arena_release(&arena);
}

static void test_nothing(void **state UNUSED)
{
	struct code_loops loops;
	struct arena arena;

	arena_init(&arena);
	code_loops_find(&loops, NULL, 0, &arena);
	assert_int_equal(loops.count, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
