/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shadow_stack_test.c - calls, returns and everything else that leaves a function, and the call stacks that come of it. */
#include <stdio.h>

#include "core_fixture.h"
#include "simulator/model/shadow_stack.h"

#define FUNCTIONS 8
#define RETURNED  8u /* what a return takes off the stack on x86-64 */

#if defined(__x86_64__)
#define POPPED RETURNED
#else
#define POPPED 0u
#endif

/*
 * Function a has the source rows 1 and 2 (all of it, and its only line), b 3 and 4, and so on. Each calls from the end
 * of a block of its own, at 1000 times its number.
 */
struct aligned {
	_Alignas(HOST_LINE) struct block block;
};

struct world {
	struct contexts contexts;
	struct shadow_stack stack;
	uint32_t functions[2 * FUNCTIONS + 1];
	struct insn insns[FUNCTIONS][1];
	uint32_t rows[FUNCTIONS][1];
	struct aligned blocks[FUNCTIONS][3]; /* call, return, jump */
};

enum { CALLS, RETURNS, JUMPS };

static uint64_t back_to(unsigned function)
{
	return 1000 * (function + 1) + 5;
}

static struct world *world_new(void)
{
	static const uint8_t branches[] = { BRANCH_CALL, BRANCH_RETURN, BRANCH_INDIRECT };
	struct world *w = sim_allocate(1, sizeof(*w));

	contexts_init(&w->contexts);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		w->functions[2 * i + 1] = w->functions[2 * i + 2] = 2 * i + 1;
		w->rows[i][0] = 2 * i + 2;
		for (unsigned j = 0; j < 3; j++)
			w->blocks[i][j].block = (struct block){ .address = 1000 * (i + 1),
								.end = back_to(i),
								.branch = branches[j],
								.is_followed = true,
								.insns = w->insns[i],
								.ninsns = 1,
								.rows = w->rows[i],
								.nrows = 1 };
	}
	w->contexts.functions = w->functions;
	shadow_begin(&w->stack, contexts_root(&w->contexts, 1));
	return w;
}

static void follow(struct world *w, unsigned function, unsigned what, const uint64_t pointer_and_next[2])
{
	const uint64_t entry[] = { trace_word(&w->blocks[function][what].block, 2), pointer_and_next[0] };

	shadow_follow(&w->stack, &w->contexts, entry, pointer_and_next[1]);
}

/* "ab*": a's line, then all of b; in front of it '!' where callers are missing. */
static void tell(const struct world *w, uint32_t context, char *text)
{
	const struct context *c = &w->contexts.all[context];

	if (c->caller)
		tell(w, c->caller, text);
	if (c->site) {
		char *end = text + strlen(text);

		*end++ = (char)('a' + (c->site - 1) / 2);
		if (c->site % 2)
			*end++ = '*';
		*end = '\0';
	}
}

/*
 * Steps: "a>90" a calls, with the stack pointer 90 in what it calls; "b<90a" b returns, from the frame at 90 into a;
 * "b~90a" a jump from b with the pointer 90 to behind a's call, and "b=90a" with what a return from the frame at 90
 * leaves; "b^80" a handler interrupts b at 80, "$" it ends.
 */
static void run(struct world *w, const char *steps)
{
	while (*steps) {
		unsigned function = (unsigned)(*steps - 'a'), pointer = 0;
		char what = *steps == '$' ? '$' : steps[1], to = 'h';
		int length = 0;

		if (what == '$') {
			shadow_signal_end(&w->stack);
			steps += 1 + (steps[1] == ' ');
			continue;
		}
		sscanf(steps + 2, "%u%n", &pointer, &length);
		steps += 2 + length;
		if (*steps >= 'a' && *steps <= 'h')
			to = *steps++;
		steps += *steps == ' ';
		if (what == '>')
			follow(w, function, CALLS, (const uint64_t[]){ pointer, 1 });
		else if (what == '<')
			follow(w, function, RETURNS,
			       (const uint64_t[]){ pointer + POPPED, back_to((unsigned)(to - 'a')) });
		else if (what == '~')
			follow(w, function, JUMPS, (const uint64_t[]){ pointer, back_to((unsigned)(to - 'a')) });
		else if (what == '=')
			follow(w, function, JUMPS,
			       (const uint64_t[]){ pointer + POPPED, back_to((unsigned)(to - 'a')) });
		else
			shadow_signal(&w->stack, &w->contexts, &w->blocks[function][CALLS].block, pointer);
	}
}

static const struct step_row {
	const char *name, *steps, *callers;
} step_rows[] = {
	{ "nothing", "", "" },
	{ "a call", "a>900", "a" },
	{ "two calls", "a>900 b>800", "ab" },
	{ "a return", "a>900 b>800 c<800b", "a" },
	{ "all returns", "a>900 b>800 c<800b b<900a", "" },
	{ "one after the other", "a>900 b<900a a>900 c>800", "ac" },
	{ "recursion is one of all of the function", "a>900 b>800 b>700 b>600", "abb*b*" },
	{ "and so through others", "a>900 b>800 c>700 b>600 c>500", "abcb*c*" },
	{ "recursion returns", "a>900 b>800 b>700 b>600 b<600b b<700b", "ab" },
	{ "longjmp", "a>900 b>800 c>700 d~950h", "" },
	{ "longjmp to the middle", "a>900 b>800 c>700 d~850h", "a" },
	{ "longjmp, and on", "a>900 b>800 c>700 d~850h b>800", "ab" },
	{ "a switch's jump", "a>900 b~850h", "a" },
	{ "a jump to another function", "a>900 b~900h c>800", "ac" },
	{ "frames that were left without a word go with the next call", "a>900 b>800 c>700 b>850", "ab" },
	{ "but not those above it", "a>900 b>800 c>700 c>750", "abc" },
	{ "an exception's return", "a>900 b>800 c>700 d<850h", "a" },
	{ "a return that is a jump, as the dynamic loader's", "a>900 b>800 c<700h", "ab" },
	{ "a return into nothing", "a<900h", "" },
	{ "a handler", "a>900 b^850 c>700", "abc" },
	{ "a handler has ended", "a>900 b^850 c>700 d<700c $", "a" },
	{ "a handler leaves by siglongjmp", "a>900 b>800 c^750 d>700 e~950h", "" },
	{ "a handler on a stack above", "a>900 b^850 c>50000 d>49000", "abcd" },
	{ "and back", "a>900 b^850 c>50000 d<50000c $", "a" },
	{ "a coroutine above, and back", "a>900 b>800 c<50000h d>40000 e<800b", "a" },
	{ "a coroutine below, and back", "a>900 b>800 c<300h d>200 e<800b", "a" },
	{ "a stack moves down", "a>100900 b>100800 c~900000h c>890000 d=50800b", "a" },
	{ "and its callers with it", "a>100900 b>100800 c~900000h c>890000 d=50800b b<50900a", "" },
	{ "a stack moves up", "a>100900 b>100800 c~30000h c>29000 d=200800b", "a" },
	{ "by little, and its callers with it", "a>100900 b>100800 c~900000h c>890000 d=101000b b<101100a", "" },
	{ "a large frame's switch", "a>900000 b~850000h", "a" },
	{ "a coroutine by a jump, and back", "a>900 b>800 c~50000h d>40000 e<800b", "a" },
};

static void test_steps(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(step_rows); i++) {
		struct world *w = world_new();
		char text[256] = "";

		run(w, step_rows[i].steps);
		tell(w, w->stack.context, text);
		row_expect_text(&failed, step_rows[i].name, text, step_rows[i].callers);
	}
	rows_end(&failed);
}

/* Each call stack is there once, however often it comes. */
static void test_once(void **state UNUSED)
{
	struct world *w = world_new();
	uint32_t count;

	run(w, "a>900 b>800 c<800b b<900a ");
	count = w->contexts.count;
	for (unsigned i = 0; i < 1000; i++)
		run(w, "a>900 b>800 c<800b b<900a ");
	assert_int_equal(w->contexts.count, count);
	assert_int_equal(w->stack.count, 0);
}

/* Deeper than is kept: cut, and whole again after the returns. */
static void test_deep(void **state UNUSED)
{
	struct world *w = world_new();
	const unsigned depth = 10000;
	uint32_t before = w->stack.context;

	for (unsigned i = 0; i < depth; i++)
		follow(w, 1, CALLS, (const uint64_t[]){ 1000000 - 16 * i, 1 });
	assert_true(w->contexts.all[w->stack.context].is_cut);
	assert_in_range(w->contexts.count, MOST_DEPTH, MOST_DEPTH + 4);
	assert_int_equal(w->stack.count, depth);
	for (unsigned i = depth; i-- > 0;)
		follow(w, 1, RETURNS, (const uint64_t[]){ 1000000 - 16 * i + POPPED, back_to(1) });
	assert_int_equal(w->stack.context, before);
}

/* Where there are many call stacks, recursion goes on below the function's last call: their number stays small. */
static void test_folded(void **state UNUSED)
{
	struct world *w = world_new();
	uint64_t random = 1;

	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned depth = 0; depth < 100; depth++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			follow(w, (unsigned)(random >> 61), CALLS, (const uint64_t[]){ 100000 - 16 * depth, 1 });
		}
		shadow_begin(&w->stack, 2);
	}
	assert_in_range(w->contexts.count, FEW_CONTEXTS, MOST_CONTEXTS);
}

/* Cells of a block in two call stacks are apart, and a fork's child begins at 0. */
static void test_placements(void **state UNUSED)
{
	struct world *w = world_new();
	uint32_t root = w->stack.context, called = contexts_call(&w->contexts, root, 2);
	struct placement *here = contexts_place(&w->contexts, root, &w->blocks[0][0].block);
	struct placement *there = contexts_place(&w->contexts, called, &w->blocks[0][0].block);

	assert_int_not_equal(here->base, there->base);
	assert_ptr_equal(contexts_place(&w->contexts, root, &w->blocks[0][0].block), here);
	assert_ptr_equal(w->blocks[0][0].block.placement, here);
	w->contexts.attribution.rows[there->base][CAUSE_DRAM] = 7;
	there->detailed = 3;
	contexts_forget(&w->contexts);
	assert_int_equal(w->contexts.attribution.rows[there->base][CAUSE_DRAM], 0);
	assert_int_equal(there->detailed, 0);
}

/* More than the table and a pool of them have room for at first: each is found again, with cells of its own. */
static void test_many_placements(void **state UNUSED)
{
	enum { ROOTS = 3000 };
	static struct placement *placed[ROOTS][2];
	static bool is_taken[2 * ROOTS * 8];
	struct world *w = world_new();
	uint32_t first = 0;

	for (uint32_t i = 0; i < ROOTS; i++) {
		uint32_t root = contexts_root(&w->contexts, i);

		first = i ? first : root;
		assert_int_equal(root, first + i);
		for (unsigned k = 0; k < 2; k++)
			placed[i][k] = contexts_place(&w->contexts, root, &w->blocks[k][0].block);
	}
	for (uint32_t i = 0; i < ROOTS; i++)
		for (unsigned k = 0; k < 2; k++) {
			struct placement *placement = contexts_place(&w->contexts, first + i, &w->blocks[k][0].block);

			assert_ptr_equal(placement, placed[i][k]);
			assert_ptr_equal(placement->block, &w->blocks[k][0].block);
			assert_int_equal(placement->context, first + i);
			for (uint32_t cell = placement->base; cell < placement->base + placement->block->nrows;
			     cell++) {
				assert_in_range(cell, 1, COUNT_OF(is_taken) - 1);
				assert_false(is_taken[cell]);
				is_taken[cell] = true;
			}
		}
	assert_int_equal(w->contexts.nplacements, 2 * ROOTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps),      cmocka_unit_test(test_once),
					    cmocka_unit_test(test_deep),       cmocka_unit_test(test_folded),
					    cmocka_unit_test(test_placements), cmocka_unit_test(test_many_placements) };

	return cmocka_run_group_tests_name("simulator.shadow_stack", tests, NULL, NULL);
}
