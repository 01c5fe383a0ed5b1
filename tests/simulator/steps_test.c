/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps_test.c - instructions, and the steps in which the simulator's core goes through them. */
#include "core_fixture.h"

/* Instructions, and what they become: shapes with their slots. */
static const struct step_row {
	const char *name;
	struct {
		unsigned slots, loads, nuops;
		enum kind kinds[3];
	} insns[3]; /* without slots and micro-ops: none */
	unsigned nsteps;
	struct {
		enum shape shape;
		unsigned slots;
	} steps[4];
} step_rows[] = {
	{ "moves that execute nothing",
	  { { .slots = 1 }, { .slots = 1 }, { .slots = 1 } },
	  1,
	  { { SHAPE_NOTHING, 3 } } },
	{ "a compare and its branch", { { .slots = 1 }, { 0, 0, 1, { KIND_BRANCH } } }, 1, { { SHAPE_COMPUTE, 1 } } },
	{ "a compare behind a move",
	  { { .slots = 1 }, { .slots = 1 }, { 0, 0, 1, { KIND_BRANCH } } },
	  2,
	  { { SHAPE_NOTHING, 1 }, { SHAPE_COMPUTE, 1 } } },
	{ "a compare with memory",
	  { { 1, 1, 1, { KIND_LOAD } }, { 0, 0, 1, { KIND_BRANCH } } },
	  2,
	  { { SHAPE_LOAD, 1 }, { SHAPE_COMPUTE, 0 } } },
	{ "an addition to memory",
	  { { 2, 1, 3, { KIND_LOAD, KIND_ALU, KIND_STORE } } },
	  3,
	  { { SHAPE_LOAD, 1 }, { SHAPE_COMPUTE, 0 }, { SHAPE_STORE, 1 } } },
	{ "a call", { { 2, 0, 2, { KIND_STORE, KIND_BRANCH } } }, 2, { { SHAPE_STORE, 1 }, { SHAPE_COMPUTE, 1 } } },
	{ "a value computed to be stored",
	  { { 1, 0, 2, { KIND_ALU, KIND_STORE } } },
	  2,
	  { { SHAPE_COMPUTE, 1 }, { SHAPE_STORE, 0 } } },
	{ "a division",
	  { { 1, 0, 1, { KIND_DIVIDE_64 } }, { .slots = 1 } },
	  2,
	  { { SHAPE_OTHER, 0 }, { SHAPE_NOTHING, 1 } } },
};

static void describe_steps(char *text, size_t size, const struct block *block)
{
	size_t length = 0;

	for (unsigned i = 0; i < block->nsteps && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "shape %u with %u slots, ",
					   block->steps[i].shape, block->steps[i].slots);
	snprintf(text + length, size - length, "%u steps", block->nsteps);
}

static void make_insns(struct made *made, const struct step_row *row)
{
	const struct parameters parameters = read_parameters();
	struct block *block = &made->block;

	make_block(made, KIND_ALU, 1, false);
	block->ninsns = block->nuops = 0;
	for (unsigned i = 0; i < COUNT_OF(row->insns) && (row->insns[i].slots || row->insns[i].nuops); i++) {
		made->insns[block->ninsns++] = (struct insn){ .slots = (uint8_t)row->insns[i].slots,
							      .loads = (uint8_t)row->insns[i].loads,
							      .nuops = (uint8_t)row->insns[i].nuops };
		for (unsigned j = 0; j < row->insns[i].nuops; j++)
			made->uops[block->nuops++] = (struct uop){ .kind = (uint8_t)row->insns[i].kinds[j] };
	}
	block_finish(block, &parameters);
}

static void test_steps(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(step_rows); i++) {
		const struct step_row *row = &step_rows[i];
		struct step expected[COUNT_OF(row->steps)];
		struct block wanted = { .steps = expected, .nsteps = (uint16_t)row->nsteps };
		struct made made;
		char text[256], wanted_text[256];

		for (unsigned j = 0; j < row->nsteps; j++)
			expected[j] = (struct step){ .shape = (uint8_t)row->steps[j].shape,
						     .slots = (uint8_t)row->steps[j].slots };
		make_insns(&made, row);
		describe_steps(text, sizeof(text), &made.block);
		describe_steps(wanted_text, sizeof(wanted_text), &wanted);
		row_expect(&rows, row->name, !strcmp(text, wanted_text), text);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps) };

	return cmocka_run_group_tests_name("simulator.steps", tests, NULL, NULL);
}
