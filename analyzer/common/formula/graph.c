/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/formula/graph.h"

#include <math.h>
#include <string.h>

static double graph_divide(double a, double b)
{
	return b == 0 ? NAN : a / b;
}

/* Of whole numbers, as perf's (long)a % (long)b. */
static double modulo(double a, double b)
{
	return trunc(b) == 0 ? NAN : fmod(trunc(a), trunc(b));
}

double op_compute(enum op op, double a, double b, double c)
{
	switch (op) {
	case OP_OR: return a != 0 || b != 0;
	case OP_XOR: return (a != 0) != (b != 0);
	case OP_AND: return a != 0 && b != 0;
	case OP_LESS: return a < b;
	case OP_GREATER: return a > b;
	case OP_ADD: return a + b;
	case OP_SUBTRACT: return a - b;
	case OP_MULTIPLY: return a * b;
	case OP_DIVIDE: return graph_divide(a, b);
	case OP_MODULO: return modulo(a, b);
	case OP_NEGATE: return -a;
	case OP_MIN: return a < b ? a : b;
	case OP_MAX: return a > b ? a : b;
	case OP_D_RATIO: return a == 0 && b == 0 ? 0 : graph_divide(a, b);
	case OP_IF: return b != 0 ? a : c;
	default: return NAN;
	}
}

static uint64_t graph_mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
	return sum ^ (sum >> 29);
}

/* Constants are the same when their bits are: NAN equals itself, 0 and -0 differ. */
static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t hash(const struct operation *o)
{
	return graph_mix(graph_mix(graph_mix(graph_mix((uint64_t)o->op + 1, o->a), o->b), o->c), bits_of(o->value));
}

static bool graph_is_same(const struct operation *x, const struct operation *y)
{
	return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c && bits_of(x->value) == bits_of(y->value);
}

/* The place of the operation in the index: taken by an equal one, or free. */
static size_t graph_place(const struct graph *graph, const struct operation *operation)
{
	size_t mask = graph->index_size - 1, i = (size_t)hash(operation) & mask;

	while (graph->index[i] && !graph_is_same(&graph->operations[graph->index[i] - 1], operation))
		i = (i + 1) & mask;
	return i;
}

static void grow_index(struct graph *graph)
{
	graph->index_size = graph->index_size ? graph->index_size * 2 : 1024;
	graph->index = arena_array(graph->arena, graph->index_size, sizeof(*graph->index));
	for (size_t i = 0; i < graph->count; i++)
		graph->index[graph_place(graph, &graph->operations[i])] = (uint32_t)i + 1;
}

void graph_reserve(struct graph *graph, size_t count)
{
	graph->operations = arena_reserve(graph->arena, count, &graph->capacity, sizeof(*graph->operations));
	while (graph->index_size < count)
		graph->index_size = graph->index_size ? graph->index_size * 2 : 1024;
	graph->index = arena_array(graph->arena, graph->index_size, sizeof(*graph->index));
}

static uint32_t intern(struct graph *graph, struct operation operation)
{
	size_t at;

	if (graph->count * 2 >= graph->index_size)
		grow_index(graph);
	at = graph_place(graph, &operation);
	if (!graph->index[at]) {
		graph->operations =
			arena_grow(graph->arena, graph->operations, graph->count, &graph->capacity, sizeof(operation));
		graph->operations[graph->count++] = operation;
		graph->index[at] = (uint32_t)graph->count;
	}
	return graph->index[at] - 1;
}

uint32_t graph_number(struct graph *graph, double value)
{
	return intern(graph, (struct operation){ .op = OP_NUMBER, .value = value });
}

bool graph_is_number(const struct graph *graph, uint32_t operation, double *value)
{
	const struct operation *o = &graph->operations[operation];

	*value = o->value;
	return o->op == OP_NUMBER;
}

uint32_t graph_add(struct graph *graph, struct operation o)
{
	unsigned operands = op_operands(o.op);
	double a = 0, b = 0, c = 0;
	bool is_constant = operands > 0;

	if (o.op == OP_IF && graph_is_number(graph, o.b, &b))
		return b != 0 ? o.a : o.c;
	is_constant = is_constant && graph_is_number(graph, o.a, &a);
	if (operands > 1)
		is_constant = is_constant && graph_is_number(graph, o.b, &b);
	if (operands > 2)
		is_constant = is_constant && graph_is_number(graph, o.c, &c);
	return is_constant ? graph_number(graph, op_compute(o.op, a, b, c)) : intern(graph, o);
}
