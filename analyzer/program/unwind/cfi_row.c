/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_row.c - the program of a function, run until the row of an address (DWARF 5, 6.4.2 and 7.24). What an instruction
 * does and which operands it has stands in one table.
 */
#include "common/base/sorted.h"
#include "program/unwind/cfi_entry.h"

enum { MOST_REMEMBERED = 16, MOST_PROGRAM = 1 << 20 };

/* The table's columns: registers that are not followed have one behind the last. */
struct columns {
	struct cfi_cell cfa, cells[CFI_COLUMNS + 1];
};

struct run {
	const struct cfi *cfi;
	const struct cfi_common *common;
	struct bytes bytes; /* the program's, that are left */
	uint64_t location, wanted;
	struct columns now, first;  /* first: after the common part */
	struct columns *remembered; /* MOST_REMEMBERED of them */
	size_t nremembered;
	bool is_damaged, is_over;   /* is_over: what follows is of addresses behind the wanted one */
	const unsigned char *block; /* the operand that is one */
	uint16_t block_length;
};

/* How an operand is written. */
enum operand { NONE, FIXED_1, FIXED_2, FIXED_4, FIXED_8, ULEB, SLEB, FACTORED_ULEB, FACTORED_SLEB, BLOCK, ADDRESS };

static uint64_t block_operand(struct run *run)
{
	const uint64_t length = bytes_uleb(&run->bytes);

	run->block = bytes_skip(&run->bytes, length);
	run->block_length = (uint16_t)length;
	run->is_damaged |= length > UINT16_MAX;
	return (uint64_t)(run->block - run->cfi->data);
}

static uint64_t operand(struct run *run, enum operand kind)
{
	const uint64_t factor = (uint64_t)run->common->data_factor;
	uint64_t address = 0;

	switch (kind) {
	case FIXED_1: return bytes_unsigned(&run->bytes, 1);
	case FIXED_2: return bytes_unsigned(&run->bytes, 2);
	case FIXED_4: return bytes_unsigned(&run->bytes, 4);
	case FIXED_8: return bytes_unsigned(&run->bytes, 8);
	case ULEB: return bytes_uleb(&run->bytes);
	case SLEB: return (uint64_t)bytes_sleb(&run->bytes);
	case FACTORED_ULEB: return bytes_uleb(&run->bytes) * factor;
	case FACTORED_SLEB: return (uint64_t)bytes_sleb(&run->bytes) * factor;
	case BLOCK: return block_operand(run);
	case ADDRESS: run->is_damaged |= !cfi_address(run->cfi, &run->bytes, run->common->encoding, &address); break;
	case NONE: break;
	}
	return address;
}

static size_t column(uint64_t number)
{
	return number < CFI_COLUMNS ? number : CFI_COLUMNS;
}

/* A number that does not fit is of no program that runs. */
static int32_t narrow(struct run *run, uint64_t value)
{
	run->is_damaged |= (int64_t)value != (int32_t)value;
	return (int32_t)value;
}

static void set(struct run *run, uint64_t number, enum cfi_way way, uint64_t value)
{
	const bool is_expression = way == CFI_AT_EXPRESSION || way == CFI_IS_EXPRESSION;

	run->now.cells[column(number)] = (struct cfi_cell){ (uint8_t)column(number), (uint8_t)way,
							    is_expression ? run->block_length : 0, narrow(run, value) };
}

static void set_cfa(struct run *run, enum cfi_way way, uint64_t number, uint64_t value)
{
	run->is_damaged |= number >= CFI_COLUMNS;
	run->now.cfa = (struct cfi_cell){ (uint8_t)column(number), (uint8_t)way,
					  way == CFI_IS_EXPRESSION ? run->block_length : 0, narrow(run, value) };
}

static void do_nothing(struct run *run UNUSED, uint64_t a UNUSED, uint64_t b UNUSED)
{
}

static void do_location(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	run->location = a;
	run->is_over = a > run->wanted;
}

static void do_advance(struct run *run, uint64_t a, uint64_t b)
{
	do_location(run, run->location + a * run->common->code_factor, b);
}

static void do_at_offset(struct run *run, uint64_t a, uint64_t b)
{
	set(run, a, CFI_AT_OFFSET, b);
}

static void do_at_negative_offset(struct run *run, uint64_t a, uint64_t b)
{
	set(run, a, CFI_AT_OFFSET, 0 - b);
}

static void do_is_offset(struct run *run, uint64_t a, uint64_t b)
{
	set(run, a, CFI_IS_OFFSET, b);
}

static void do_register(struct run *run, uint64_t a, uint64_t b)
{
	run->is_damaged |= b >= CFI_COLUMNS;
	set(run, a, CFI_REGISTER, b);
}

static void do_at_expression(struct run *run, uint64_t a, uint64_t b)
{
	set(run, a, CFI_AT_EXPRESSION, b);
}

static void do_is_expression(struct run *run, uint64_t a, uint64_t b)
{
	set(run, a, CFI_IS_EXPRESSION, b);
}

static void do_undefined(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	set(run, a, CFI_UNDEFINED, 0);
}

static void do_same(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	set(run, a, CFI_SAME, 0);
}

static void do_restore(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	run->now.cells[column(a)] = run->first.cells[column(a)];
}

static void do_remember(struct run *run, uint64_t a UNUSED, uint64_t b UNUSED)
{
	if (run->nremembered == MOST_REMEMBERED)
		run->is_damaged = true;
	else
		run->remembered[run->nremembered++] = run->now;
}

/* The CFA too: so do all that read it, and the compilers count on it. */
static void do_recall(struct run *run, uint64_t a UNUSED, uint64_t b UNUSED)
{
	if (!run->nremembered)
		run->is_damaged = true;
	else
		run->now = run->remembered[--run->nremembered];
}

static void do_cfa(struct run *run, uint64_t a, uint64_t b)
{
	set_cfa(run, CFI_REGISTER_PLUS, a, b);
}

static void do_cfa_register(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	run->is_damaged |= run->now.cfa.way != CFI_REGISTER_PLUS;
	set_cfa(run, CFI_REGISTER_PLUS, a, (uint64_t)run->now.cfa.offset);
}

static void do_cfa_offset(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	run->is_damaged |= run->now.cfa.way != CFI_REGISTER_PLUS;
	set_cfa(run, CFI_REGISTER_PLUS, run->now.cfa.column, a);
}

static void do_cfa_expression(struct run *run, uint64_t a, uint64_t b UNUSED)
{
	set_cfa(run, CFI_IS_EXPRESSION, 0, a);
}

struct instruction {
	void (*act)(struct run *run, uint64_t a, uint64_t b);
	uint8_t first, second; /* enum operand */
};

/* By number; those from 0x40 on have an operand in their low six bits, and stand behind. */
static const struct instruction instructions[] = {
	[0x00] = { do_nothing, NONE, NONE },
	[0x01] = { do_location, ADDRESS, NONE },
	[0x02] = { do_advance, FIXED_1, NONE },
	[0x03] = { do_advance, FIXED_2, NONE },
	[0x04] = { do_advance, FIXED_4, NONE },
	[0x05] = { do_at_offset, ULEB, FACTORED_ULEB },
	[0x06] = { do_restore, ULEB, NONE },
	[0x07] = { do_undefined, ULEB, NONE },
	[0x08] = { do_same, ULEB, NONE },
	[0x09] = { do_register, ULEB, ULEB },
	[0x0a] = { do_remember, NONE, NONE },
	[0x0b] = { do_recall, NONE, NONE },
	[0x0c] = { do_cfa, ULEB, ULEB },
	[0x0d] = { do_cfa_register, ULEB, NONE },
	[0x0e] = { do_cfa_offset, ULEB, NONE },
	[0x0f] = { do_cfa_expression, BLOCK, NONE },
	[0x10] = { do_at_expression, ULEB, BLOCK },
	[0x11] = { do_at_offset, ULEB, FACTORED_SLEB },
	[0x12] = { do_cfa, ULEB, FACTORED_SLEB },
	[0x13] = { do_cfa_offset, FACTORED_SLEB, NONE },
	[0x14] = { do_is_offset, ULEB, FACTORED_ULEB },
	[0x15] = { do_is_offset, ULEB, FACTORED_SLEB },
	[0x16] = { do_is_expression, ULEB, BLOCK },
	[0x1d] = { do_advance, FIXED_8, NONE }, /* MIPS */
	[0x2c] = { do_nothing, NONE, NONE }, /* aarch64: the return address is signed from here on, by this address */
	[0x2d] = { do_nothing, NONE, NONE }, /* the same; walks strip the signature of each return address */
	[0x2e] = { do_nothing, ULEB, NONE }, /* GNU: size of arguments */
	[0x2f] = { do_at_negative_offset, ULEB, FACTORED_ULEB },
};

static const struct instruction packed[] = {
	[0x1] = { do_advance, NONE, NONE },
	[0x2] = { do_at_offset, NONE, FACTORED_ULEB },
	[0x3] = { do_restore, NONE, NONE },
};

static void step(struct run *run)
{
	const unsigned code = (unsigned)bytes_unsigned(&run->bytes, 1);
	const struct instruction *instruction = code >= 0x40			? &packed[code >> 6]
						: code < COUNT_OF(instructions) ? &instructions[code]
										: NULL;
	uint64_t first, second;

	if (!instruction || !instruction->act) {
		run->is_damaged = true;
		return;
	}
	first = code >= 0x40 ? code & 0x3f : operand(run, instruction->first);
	second = operand(run, instruction->second);
	instruction->act(run, first, second);
	run->is_damaged |= run->bytes.is_broken;
}

/* Until the next row would be of addresses behind the wanted one. */
static bool run_program(struct run *run, struct bytes program)
{
	if (bytes_left(&program) > MOST_PROGRAM)
		return false;
	run->bytes = program;
	while (bytes_left(&run->bytes) && !run->is_damaged && !run->is_over)
		step(run);
	return !run->is_damaged;
}

static void make_row(const struct run *run, struct cfi_row *row)
{
	*row = (struct cfi_row){ .cfa = run->now.cfa,
				 .return_column = (uint8_t)run->common->return_column,
				 .is_signal = run->common->is_signal,
				 .is_debug_frame = run->cfi->is_debug_frame,
				 .is_outermost = run->now.cells[run->common->return_column].way == CFI_UNDEFINED };
	for (size_t i = 0; i < CFI_COLUMNS; i++)
		if (run->now.cells[i].way != CFI_SAME)
			row->cells[row->ncells++] = run->now.cells[i];
}

const struct cfi_range *cfi_range_of(const struct cfi *cfi, uint64_t address)
{
	size_t begun = sorted_up_to(SORTED_BY(struct cfi_range, begin, cfi->ranges, cfi->nranges), address);

	if (!begun || address - cfi->ranges[begun - 1].begin >= cfi->ranges[begun - 1].length)
		return NULL;
	return &cfi->ranges[begun - 1];
}

bool cfi_find(const struct cfi *cfi, uint64_t address, struct cfi_row *row)
{
	const struct cfi_range *range = cfi_range_of(cfi, address);
	struct cfi_function function = { .common.offset = SIZE_MAX };
	struct columns remembered[MOST_REMEMBERED]; /* written before it is read: no time for zeros */
	struct run run = { .cfi = cfi, .common = &function.common, .wanted = address, .remembered = remembered };

	if (!range || !cfi_function(cfi, range->entry, &function))
		return false;
	run.location = function.begin;
	if (!run_program(&run, function.common.program))
		return false;
	run.first = run.now;
	if (!run_program(&run, function.program) || run.now.cfa.way == CFI_SAME)
		return false;
	make_row(&run, row);
	return true;
}
