/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_expression.c - DWARF's expressions, as far as call frame information has them (DWARF 5, 2.5 and 7.7.1): a machine
 * with a stack. Few functions need one: entries of the procedure linkage table, signal frames, realigned stacks.
 */
#include "program/unwind/cfi.h"
#include "program/unwind/cfi_entry.h"

enum { DEEPEST = 64, MOST_STEPS = 1000 };

struct calculation {
	const struct cfi_machine *machine;
	struct bytes bytes;
	const unsigned char *begin;
	uint64_t stack[DEEPEST];
	size_t depth;
	bool is_damaged;
};

static void cfi_expression_push(struct calculation *c, uint64_t value)
{
	if (c->depth == DEEPEST)
		c->is_damaged = true;
	else
		c->stack[c->depth++] = value;
}

/* The value that lies `below` others. */
static uint64_t peek(struct calculation *c, uint64_t below)
{
	if (below < c->depth)
		return c->stack[c->depth - 1 - below];
	c->is_damaged = true;
	return 0;
}

static uint64_t pop(struct calculation *c)
{
	const uint64_t value = peek(c, 0);

	c->depth -= c->depth > 0;
	return value;
}

static void read_memory(struct calculation *c, size_t size)
{
	uint64_t value = 0;

	c->is_damaged |= !size || size > 8 || !c->machine->read(c->machine->context, pop(c), &value);
	cfi_expression_push(c, size < 8 && size ? value & (((uint64_t)1 << 8 * size) - 1) : value);
}

static void jump(struct calculation *c, int64_t distance)
{
	const int64_t target = (c->bytes.at - c->begin) + distance;

	if (target < 0 || target > c->bytes.end - c->begin)
		c->is_damaged = true;
	else
		c->bytes.at = c->begin + target;
}

/* A register's value and what is added to it. */
static void push_register(struct calculation *c, uint64_t number)
{
	const uint64_t added = (uint64_t)bytes_sleb(&c->bytes);

	if (number < CFI_COLUMNS)
		cfi_expression_push(c, c->machine->registers[number] + added);
	else
		c->is_damaged = true;
}

/* Of two values; b was pushed last. */
static uint64_t combined(struct calculation *c, unsigned code, uint64_t a, uint64_t b)
{
	const int64_t left = (int64_t)a, right = (int64_t)b;

	switch (code) {
	case 0x1a: return a & b;
	case 0x1b:
		c->is_damaged |= !b || (left == INT64_MIN && right == -1);
		return c->is_damaged ? 0 : (uint64_t)(left / right);
	case 0x1c: return a - b;
	case 0x1d: c->is_damaged |= !b; return b ? a % b : 0;
	case 0x1e: return a * b;
	case 0x21: return a | b;
	case 0x22: return a + b;
	case 0x24: return b < 64 ? a << b : 0;
	case 0x25: return b < 64 ? a >> b : 0;
	case 0x26: return (uint64_t)(left >> (b < 64 ? b : 63));
	case 0x27: return a ^ b;
	case 0x29: return left == right;
	case 0x2a: return left >= right;
	case 0x2b: return left > right;
	case 0x2c: return left <= right;
	case 0x2d: return left < right;
	case 0x2e: return left != right;
	default: c->is_damaged = true; return 0;
	}
}

/* DW_OP_dup to DW_OP_rot: what is on the stack already. */
static void arrange(struct calculation *c, unsigned code)
{
	const uint64_t first = code == 0x12 || code == 0x13 || code == 0x16 || code == 0x17 ? pop(c) : 0;
	uint64_t second, third;

	switch (code) {
	case 0x12:
		cfi_expression_push(c, first);
		cfi_expression_push(c, first);
		break;
	case 0x13: break;
	case 0x14: cfi_expression_push(c, peek(c, 1)); break;
	case 0x15: cfi_expression_push(c, peek(c, bytes_unsigned(&c->bytes, 1))); break;
	case 0x16:
		second = pop(c);
		cfi_expression_push(c, first);
		cfi_expression_push(c, second);
		break;
	case 0x17:
		second = pop(c);
		third = pop(c);
		cfi_expression_push(c, first);
		cfi_expression_push(c, third);
		cfi_expression_push(c, second);
		break;
	default: c->is_damaged = true;
	}
}

/* DW_OP_abs, neg, not and plus_uconst. */
static void change(struct calculation *c, unsigned code)
{
	const uint64_t value = pop(c);

	switch (code) {
	case 0x19: cfi_expression_push(c, (int64_t)value < 0 ? 0 - value : value); break;
	case 0x1f: cfi_expression_push(c, 0 - value); break;
	case 0x20: cfi_expression_push(c, ~value); break;
	default: cfi_expression_push(c, value + bytes_uleb(&c->bytes));
	}
}

/* DW_OP_bra and DW_OP_skip. */
static void branch(struct calculation *c, unsigned code)
{
	const int64_t distance = bytes_signed(&c->bytes, 2);

	if (code == 0x2f || pop(c))
		jump(c, distance);
}

static void push_constant(struct calculation *c, unsigned code)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };

	if (code == 0x10)
		cfi_expression_push(c, bytes_uleb(&c->bytes));
	else if (code == 0x11)
		cfi_expression_push(c, (uint64_t)bytes_sleb(&c->bytes));
	else if (code & 1)
		cfi_expression_push(c, (uint64_t)bytes_signed(&c->bytes, sizes[(code - 0x08) / 2]));
	else
		cfi_expression_push(c, bytes_unsigned(&c->bytes, sizes[(code - 0x08) / 2]));
}

static void push_address(struct calculation *c, unsigned code UNUSED)
{
	cfi_expression_push(c, bytes_unsigned(&c->bytes, 8));
}

static void push_literal(struct calculation *c, unsigned code)
{
	cfi_expression_push(c, code - 0x30);
}

static void push_base_register(struct calculation *c, unsigned code)
{
	push_register(c, code == 0x92 ? bytes_uleb(&c->bytes) : code - 0x70);
}

static void dereference(struct calculation *c, unsigned code)
{
	read_memory(c, code == 0x94 ? bytes_unsigned(&c->bytes, 1) : 8);
}

static void combine(struct calculation *c, unsigned code)
{
	const uint64_t last = pop(c);

	cfi_expression_push(c, combined(c, code, pop(c), last));
}

static void do_nothing(struct calculation *c UNUSED, unsigned code UNUSED)
{
}

/* In the order of their codes. */
static const struct {
	uint8_t first, last;
	void (*act)(struct calculation *c, unsigned code);
} operations[] = {
	{ 0x03, 0x03, push_address },
	{ 0x06, 0x06, dereference },
	{ 0x08, 0x11, push_constant },
	{ 0x12, 0x17, arrange },
	{ 0x19, 0x19, change },
	{ 0x1a, 0x1e, combine },
	{ 0x1f, 0x20, change },
	{ 0x21, 0x22, combine },
	{ 0x23, 0x23, change },
	{ 0x24, 0x27, combine },
	{ 0x28, 0x28, branch },
	{ 0x29, 0x2e, combine },
	{ 0x2f, 0x2f, branch },
	{ 0x30, 0x4f, push_literal },
	{ 0x70, 0x8f, push_base_register },
	{ 0x92, 0x92, push_base_register },
	{ 0x94, 0x94, dereference },
	{ 0x96, 0x96, do_nothing },
};

static void operate(struct calculation *c, unsigned code)
{
	size_t i = 0;

	while (i < COUNT_OF(operations) && operations[i].last < code)
		i++;
	if (i == COUNT_OF(operations) || operations[i].first > code)
		c->is_damaged = true;
	else
		operations[i].act(c, code);
	c->is_damaged |= c->bytes.is_broken;
}

bool cfi_evaluate(const struct cfi *cfi, const struct cfi_cell *cell, const struct cfi_machine *machine,
		  const uint64_t *first, uint64_t *value)
{
	const unsigned char *begin = cfi->data + cell->offset;
	struct calculation c;

	if (cell->offset < 0 || (size_t)cell->offset > cfi->size || cell->length > cfi->size - (size_t)cell->offset)
		return false;
	c.machine = machine;
	c.bytes = (struct bytes){ begin, begin + cell->length, false };
	c.begin = begin;
	c.depth = 0;
	c.is_damaged = false;
	if (first)
		cfi_expression_push(&c, *first);
	for (size_t step = 0; bytes_left(&c.bytes) && !c.is_damaged; step++) {
		c.is_damaged |= step > MOST_STEPS;
		operate(&c, (unsigned)bytes_unsigned(&c.bytes, 1));
	}
	*value = pop(&c);
	return !c.is_damaged;
}
