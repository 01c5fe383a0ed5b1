/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/formula/formula.h"

#include <math.h>

#include "common/base/text.h"
#include "common/formula/graph.h"

enum slot_state { SLOT_EMPTY, SLOT_PARSED, SLOT_OPEN /* being linked */, SLOT_DONE };

struct slot {
	enum slot_state state;
	const char *text;
	uint32_t parsed; /* root in the graph as parsed */
	uint32_t root;	 /* root in the linked graph */
	const char *failure;
	bool is_in_cycle;
};

/* What a parsed operation became. */
struct linked {
	const char *failure;
	uint32_t operation;
	bool is_done;
};

struct program {
	struct arena *arena;
	struct graph parsed;
	struct graph linked;
	struct slot *slots;
	size_t nslots, slots_capacity;
	/* Of program_events: the walk that reached each linked operation last, and what it has still to visit. */
	uint32_t *reached, walks;
	uint32_t *stack;
	size_t depth, stack_capacity;
};

#define OPERATIONS 6 /* that a formula adds, more than most do: what is not used takes no memory */

struct program *program_new(struct arena *arena, size_t formulas)
{
	struct program *program = arena_alloc(arena, sizeof(*program));

	program->arena = arena;
	program->parsed = GRAPH_INIT(arena);
	program->linked = GRAPH_INIT(arena);
	graph_reserve(&program->parsed, formulas * OPERATIONS);
	graph_reserve(&program->linked, formulas * OPERATIONS);
	program->slots = arena_reserve(arena, formulas, &program->slots_capacity, sizeof(*program->slots));
	return program;
}

static struct slot *slot_at(struct program *program, size_t slot)
{
	while (program->nslots <= slot) {
		program->slots = arena_grow(program->arena, program->slots, program->nslots, &program->slots_capacity,
					    sizeof(*program->slots));
		program->slots[program->nslots++] = (struct slot){ .state = SLOT_EMPTY };
	}
	return &program->slots[slot];
}

int program_add(struct program *program, size_t number, const char *text, const struct formula_names *names,
		struct error *err)
{
	struct slot *slot = slot_at(program, number);
	uint32_t root;

	slot->text = text;
	slot->state = SLOT_PARSED;
	if (parse_formula(&root, &program->parsed, slot->text, names, err) < 0) {
		slot->failure = arena_strdup(program->arena, err->text);
		slot->state = SLOT_DONE;
		return -1;
	}
	slot->parsed = root;
	return 0;
}

void program_fail(struct program *program, size_t number, const char *text, const char *why)
{
	struct slot *slot = slot_at(program, number);

	slot->text = text;
	slot->failure = why;
	slot->state = SLOT_DONE;
}

/* A parsed operation under way, or waiting for its neighbour. */
struct frame {
	uint32_t operation;
	bool is_open; /* an OP_METRIC whose formula is what stands above it */
};

/* Depth-first over the parsed graph with a stack of its own. */
struct linker {
	struct program *program;
	const struct formula_names *names;
	struct linked *memo; /* for each parsed operation */
	struct frame *stack;
	size_t depth, capacity;
};

static void program_push(struct linker *l, uint32_t operation)
{
	l->stack = arena_grow(l->program->arena, l->stack, l->depth, &l->capacity, sizeof(*l->stack));
	l->stack[l->depth++] = (struct frame){ .operation = operation };
}

static const char *program_slot_name(const struct linker *l, size_t slot)
{
	return l->names->slot_name(l->names->context, slot);
}

/* "refers to itself: a > b > a": the open metrics on the stack from the first mention of slot on. */
static const char *cycle_text(const struct linker *l, size_t slot)
{
	const struct operation *operations = l->program->parsed.operations;
	struct string text = STRING_INIT(l->program->arena);
	bool is_inside = false;
	unsigned names = 0;

	string_add(&text, "refers to itself: ");
	for (size_t i = 0; i + 1 < l->depth; i++) {
		const struct operation *o = &operations[l->stack[i].operation];

		if (!l->stack[i].is_open || (!is_inside && o->a != slot))
			continue;
		is_inside = true;
		l->program->slots[o->a].is_in_cycle = true;
		if (names++ < 8)
			string_printf(&text, "%s > ", program_slot_name(l, o->a));
		else if (names == 9)
			string_add(&text, "... > ");
	}
	string_add(&text, program_slot_name(l, slot));
	return text.text;
}

static const char *needs_text(const struct linker *l, size_t slot, const char *failure)
{
	if (has_name_prefix(failure, "needs ") || has_name_prefix(failure, "refers to itself"))
		return failure;
	return arena_printf(l->program->arena, "needs '%s': %s", program_slot_name(l, slot), failure);
}

/* Follows a reference; returns false when its formula has to be linked first. */
static bool link_metric(struct linker *l, uint32_t number, struct linked *result)
{
	size_t target = l->program->parsed.operations[number].a;
	struct slot *slot = slot_at(l->program, target);

	if (slot->state == SLOT_EMPTY)
		slot->failure = "has no formula", slot->state = SLOT_DONE;
	if (slot->state == SLOT_DONE) {
		result->operation = slot->root;
		result->failure = slot->failure ? needs_text(l, target, slot->failure) : NULL;
		return true;
	}
	if (l->memo[slot->parsed].is_done) {
		slot->state = SLOT_DONE;
		slot->root = l->memo[slot->parsed].operation;
		slot->failure = l->memo[slot->parsed].failure;
		return link_metric(l, number, result);
	}
	if (slot->state == SLOT_OPEN) {
		slot->failure = cycle_text(l, target);
		result->failure = slot->failure;
		return true;
	}
	slot->state = SLOT_OPEN;
	l->stack[l->depth - 1].is_open = true;
	program_push(l, slot->parsed);
	return false;
}

/* Pushes the operands that are not linked yet; true when all are. */
static bool are_operands_linked(struct linker *l, const struct operation *o)
{
	const uint32_t operands[3] = { o->a, o->b, o->c };
	bool all = true;

	for (unsigned i = 0; i < op_operands(o->op); i++) {
		if (l->memo[operands[i]].is_done)
			continue;
		program_push(l, operands[i]);
		all = false;
	}
	return all;
}

static void link_operation(struct linker *l, const struct operation *o, struct linked *result)
{
	const uint32_t operands[3] = { o->a, o->b, o->c };
	struct operation copy = *o;
	double condition;

	if (o->op == OP_IF && !l->memo[o->b].failure &&
	    graph_is_number(&l->program->linked, l->memo[o->b].operation, &condition)) {
		*result = l->memo[condition != 0 ? o->a : o->c];
		return;
	}
	for (unsigned i = 0; i < op_operands(o->op); i++)
		if (l->memo[operands[i]].failure && !result->failure)
			result->failure = l->memo[operands[i]].failure;
	if (result->failure)
		return;
	if (op_operands(o->op) > 0)
		copy.a = l->memo[o->a].operation;
	if (op_operands(o->op) > 1)
		copy.b = l->memo[o->b].operation;
	if (op_operands(o->op) > 2)
		copy.c = l->memo[o->c].operation;
	result->operation = graph_add(&l->program->linked, copy);
}

static void link_from(struct linker *l, uint32_t root)
{
	program_push(l, root);
	while (l->depth) {
		uint32_t number = l->stack[l->depth - 1].operation;
		struct operation o = l->program->parsed.operations[number];
		struct linked result = { .is_done = true };

		if (!l->memo[number].is_done) {
			if (o.op == OP_METRIC ? !link_metric(l, number, &result) : !are_operands_linked(l, &o))
				continue;
			if (o.op != OP_METRIC)
				link_operation(l, &o, &result);
			result.is_done = true;
			l->memo[number] = result;
		}
		l->depth--;
	}
}

/* A metric that is no part of the cycle only leads to it. */
static void tell_cycles_apart(struct program *program)
{
	for (size_t i = 0; i < program->nslots; i++) {
		struct slot *slot = &program->slots[i];

		if (slot->failure && !slot->is_in_cycle && has_name_prefix(slot->failure, "refers to itself"))
			slot->failure = arena_printf(program->arena, "needs a metric that %s", slot->failure);
	}
}

void program_link(struct program *program, const struct formula_names *names)
{
	struct linker l = { .program = program, .names = names };

	l.memo = arena_array(program->arena, program->parsed.count, sizeof(*l.memo));
	for (size_t i = 0; i < program->nslots; i++) {
		struct slot *slot = &program->slots[i];
		uint32_t root = slot->parsed;

		if (slot->state != SLOT_PARSED && slot->state != SLOT_OPEN)
			continue;
		link_from(&l, root);
		slot = &program->slots[i]; /* a reference to a slot beyond the last one has moved them */
		slot->state = SLOT_DONE;
		slot->root = l.memo[root].operation;
		slot->failure = l.memo[root].failure;
	}
	tell_cycles_apart(program);
}

const char *program_failure(const struct program *program, size_t slot)
{
	if (slot >= program->nslots || program->slots[slot].state == SLOT_EMPTY)
		return "has no formula";
	return program->slots[slot].failure;
}

const char *program_text(const struct program *program, size_t slot)
{
	return slot < program->nslots ? program->slots[slot].text : NULL;
}

size_t program_size(const struct program *program)
{
	return program->linked.count;
}

static void reach(struct program *program, uint32_t operation)
{
	if (program->reached[operation] == program->walks)
		return;
	program->reached[operation] = program->walks;
	program->stack = arena_grow(program->arena, program->stack, program->depth, &program->stack_capacity,
				    sizeof(*program->stack));
	program->stack[program->depth++] = operation;
}

/* Adds the number to the ascending list of count numbers. */
static void program_insert(size_t *numbers, size_t count, size_t number)
{
	for (; count && numbers[count - 1] > number; count--)
		numbers[count] = numbers[count - 1];
	numbers[count] = number;
}

size_t program_events(struct program *program, size_t slot, size_t *events)
{
	size_t count = 0;

	if (program_failure(program, slot))
		return 0;
	if (!program->reached)
		program->reached = arena_array(program->arena, program->linked.count, sizeof(*program->reached));
	program->walks++;
	reach(program, program->slots[slot].root);
	while (program->depth) {
		const struct operation *o = &program->linked.operations[program->stack[--program->depth]];
		const uint32_t operands[3] = { o->a, o->b, o->c };

		if (o->op == OP_EVENT)
			program_insert(events, count++, o->a);
		for (unsigned k = 0; k < op_operands(o->op); k++)
			reach(program, operands[k]);
	}
	return count;
}

/* Operands through which a larger number makes a larger value. */
static unsigned growing_operands(uint32_t operands[3], const struct operation *o)
{
	operands[0] = o->a;
	operands[1] = o->b;
	switch (o->op) {
	case OP_ADD:
	case OP_MULTIPLY:
	case OP_MIN:
	case OP_MAX: return 2;
	case OP_SUBTRACT:
	case OP_DIVIDE:
	case OP_D_RATIO: return 1;
	case OP_IF: operands[1] = o->c; return 2;
	default: return 0;
	}
}

/* Operands have smaller numbers than what uses them. */
size_t program_numerators(const struct program *program, size_t slot, size_t *events)
{
	bool *has = arena_array(program->arena, program->linked.count + 1, sizeof(*has));
	size_t count = 0;

	if (program_failure(program, slot))
		return 0;
	has[program->slots[slot].root] = true;
	for (size_t i = program->slots[slot].root + 1u; i-- > 0;) {
		const struct operation *o = &program->linked.operations[i];
		uint32_t operands[3];
		unsigned most = has[i] ? growing_operands(operands, o) : 0;

		if (has[i] && o->op == OP_EVENT)
			program_insert(events, count++, o->a);
		for (unsigned k = 0; k < most; k++)
			has[operands[k]] = true;
	}
	return count;
}

static bool is_root_of(const struct program *program, uint32_t operation, const size_t *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!program_failure(program, slots[i]) && program->slots[slots[i]].root == operation)
			return true;
	return false;
}

/* Operands have smaller numbers than what uses them. */
void program_reads_beside(const struct program *program, size_t event, const size_t *slots, size_t count, bool *reads)
{
	bool *has = arena_array(program->arena, program->linked.count + 1, sizeof(*has));

	for (size_t i = 0; i < program->linked.count; i++) {
		const struct operation *o = &program->linked.operations[i];
		const uint32_t operands[3] = { o->a, o->b, o->c };

		has[i] = o->op == OP_EVENT && o->a == event;
		for (unsigned k = 0; k < op_operands(o->op); k++)
			has[i] |= has[operands[k]];
		if (has[i] && o->op != OP_EVENT && is_root_of(program, (uint32_t)i, slots, count))
			has[i] = false;
	}
	for (size_t i = 0; i < program->nslots; i++)
		reads[i] = !program_failure(program, i) && has[program->slots[i].root];
}

/* values has the operands already. */
static double compute(const struct operation *o, const double *events, const double *values)
{
	if (o->op == OP_NUMBER)
		return o->value;
	if (o->op == OP_EVENT)
		return events[o->a];
	return op_compute(o->op, values[o->a], op_operands(o->op) > 1 ? values[o->b] : 0,
			  o->op == OP_IF ? values[o->c] : 0);
}

void program_eval(const struct program *program, const double *events, double *values)
{
	for (size_t i = 0; i < program->linked.count; i++)
		values[i] = compute(&program->linked.operations[i], events, values);
}

/* Operands have smaller numbers than what uses them. */
struct program_slice program_slice(const struct program *program, size_t slot, struct arena *arena)
{
	struct program_slice slice = { .program = program, .slot = slot };
	size_t end = program_failure(program, slot) ? 0 : program->slots[slot].root + 1;
	bool *is_needed = arena_array(arena, end + 1, sizeof(*is_needed));

	slice.operations = arena_array(arena, end + 1, sizeof(*slice.operations));
	slice.values = arena_array(arena, end + 1, sizeof(*slice.values));
	for (size_t i = end; i-- > 0;) {
		const struct operation *o = &program->linked.operations[i];
		const uint32_t operands[3] = { o->a, o->b, o->c };

		is_needed[i] = is_needed[i] || i + 1 == end;
		for (unsigned k = 0; is_needed[i] && k < op_operands(o->op); k++)
			is_needed[operands[k]] = true;
	}
	for (size_t i = 0; i < end; i++)
		if (is_needed[i])
			slice.operations[slice.count++] = (uint32_t)i;
	return slice;
}

double program_slice_eval(const struct program_slice *slice, const double *events)
{
	for (size_t i = 0; i < slice->count; i++) {
		uint32_t number = slice->operations[i];

		slice->values[number] = compute(&slice->program->linked.operations[number], events, slice->values);
	}
	return program_value(slice->program, slice->values, slice->slot);
}

double program_value(const struct program *program, const double *values, size_t slot)
{
	return program_failure(program, slot) ? NAN : values[program->slots[slot].root];
}
