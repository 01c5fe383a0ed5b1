/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph.h - formulas as operations on earlier operations: each one stands once (value numbering), constants are folded
 * as they are added, and operands always come before their users.
 */
#ifndef TOPDOWN_COMMON_FORMULA_GRAPH_H
#define TOPDOWN_COMMON_FORMULA_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/formula/formula.h"

enum op {
	OP_NUMBER, /* value */
	OP_EVENT,  /* a: event number */
	OP_METRIC, /* a: formula slot; gone after linking */
	OP_OR,
	OP_XOR,
	OP_AND,
	OP_LESS,
	OP_GREATER,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_NEGATE,
	OP_MIN,
	OP_MAX,
	OP_D_RATIO,
	OP_IF, /* a if b else c */
};

struct operation {
	enum op op;
	uint32_t a, b, c; /* operands: earlier operations, or a number for OP_EVENT and OP_METRIC */
	double value;
};

struct graph {
	struct arena *arena;
	struct operation *operations;
	size_t count, capacity;
	uint32_t *index; /* hash table of operation numbers + 1 */
	size_t index_size;
};

#define GRAPH_INIT(memory) ((struct graph){ .arena = (memory) })

/* The number of operands among a, b, c. */
static inline unsigned op_operands(enum op op)
{
	switch (op) {
	case OP_NUMBER:
	case OP_EVENT:
	case OP_METRIC: return 0;
	case OP_NEGATE: return 1;
	case OP_IF: return 3;
	default: return 2;
	}
}

/* perf's semantics: see formula.h. */
double op_compute(enum op op, double a, double b, double c);

/* Room for so many operations, in an empty graph. */
void graph_reserve(struct graph *graph, size_t count);

uint32_t graph_number(struct graph *graph, double value);
/* Adds the operation, or returns the equal one, or what it folds to. */
uint32_t graph_add(struct graph *graph, struct operation operation);

bool graph_is_number(const struct graph *graph, uint32_t operation, double *value);

/* ---- parser.c ---- */

/*
 * The root operation in *root. -1 and err, "column N: ...", for anything that the grammar or names do not know, and for
 * more than 200 levels of parentheses and conditionals.
 */
int parse_formula(uint32_t *root, struct graph *graph, const char *text, const struct formula_names *names,
		  struct error *err) MUST_CHECK;

#endif
