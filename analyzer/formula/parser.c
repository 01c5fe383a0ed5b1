/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser.c - operator precedence with two explicit stacks. The grammar (vendors' and perf's alike):
 *
 *   if_expr := expr [ 'if' expr 'else' if_expr ]
 *   expr    := '|' < '^' < '&' < ('<' '>') < ('+' '-') < ('*' '/' '%') < unary '-', left to right
 *   primary := number | name | literal | '(' if_expr ')' | function '(' ... ')'
 */
#include "formula/parser.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "formula/lexer.h"
#include "formula/literals.h"

/* What waits on the stack for its right-hand side or its closing. */
enum waiting_kind { WAIT_OPERATOR, WAIT_PAREN, WAIT_FUNCTION, WAIT_IF, WAIT_ELSE };

struct waiting {
	enum waiting_kind kind;
	enum op op;	    /* of an operator or function */
	unsigned priority;  /* of an operator */
	unsigned arguments; /* function: how many are complete */
	struct token token;
};

struct parser {
	const char *text;
	struct token token; /* the current one */
	struct graph *graph;
	const struct formula_names *names;
	struct error *err;
	struct waiting *waiting;
	size_t nwaiting, waiting_capacity;
	uint32_t *values;
	size_t nvalues, values_capacity;
	/* Where the stacks begin, and a name is read: enough for nearly all formulas, so that these leave nothing in the arena. */
	struct waiting first_waiting[16];
	uint32_t first_values[16];
	char name[128];
};

static const struct operator_row {
	char symbol;
	enum op op;
	unsigned priority;
} operators[] = {
	/* clang-format off */
	{ '|', OP_OR,       1 },
	{ '^', OP_XOR,      2 },
	{ '&', OP_AND,      3 },
	{ '<', OP_LESS,     4 },
	{ '>', OP_GREATER,  4 },
	{ '+', OP_ADD,      5 },
	{ '-', OP_SUBTRACT, 5 },
	{ '*', OP_MULTIPLY, 6 },
	{ '/', OP_DIVIDE,   6 },
	{ '%', OP_MODULO,   6 },
	/* clang-format on */
};
#define NEGATE_PRIORITY 7

static const struct function_row {
	const char *name;
	enum op op;
} functions[] = {
	/* clang-format off */
	{ "min",     OP_MIN },
	{ "max",     OP_MAX },
	{ "d_ratio", OP_D_RATIO },
	/* clang-format on */
};

/* Always -1. */
static int add_column(const struct parser *p, const struct token *at)
{
	error_in(p->err, "column %zu", at->start + 1);
	return -1;
}

static int fail(const struct parser *p, const struct token *at, const char *what)
{
	error_set(p->err, "%s", what);
	return add_column(p, at);
}

static void advance(struct parser *p)
{
	p->token = lexer_next(p->text, p->token.start + p->token.length);
}

static bool is_symbol(const struct parser *p, char symbol)
{
	return p->token.kind == TOKEN_OPERATOR && p->token.symbol == symbol;
}

static void push_value(struct parser *p, uint32_t value)
{
	p->values = arena_grow(p->graph->arena, p->values, p->nvalues, &p->values_capacity, sizeof(*p->values));
	p->values[p->nvalues++] = value;
}

static void push_waiting(struct parser *p, struct waiting waiting)
{
	waiting.token = p->token;
	p->waiting = arena_grow(p->graph->arena, p->waiting, p->nwaiting, &p->waiting_capacity, sizeof(*p->waiting));
	p->waiting[p->nwaiting++] = waiting;
}

static struct waiting *top(const struct parser *p)
{
	return p->nwaiting ? &p->waiting[p->nwaiting - 1] : NULL;
}

/* The current token's text, until the next one is asked for. */
static const char *current_text(struct parser *p)
{
	size_t length = p->token.length;

	if (length >= sizeof(p->name) || memchr(p->text + p->token.start, '\\', length))
		return token_text(p->text, &p->token, p->graph->arena);
	memcpy(p->name, p->text + p->token.start, length);
	p->name[length] = '\0';
	return p->name;
}

/* Replaces the operands on the value stack by the operation on them. */
static void apply(struct parser *p, enum op op)
{
	unsigned operands = op_operands(op);
	uint32_t *operand = &p->values[p->nvalues -= operands];
	struct operation operation = { .op = op, .a = operand[0] };

	if (operands > 1)
		operation.b = operand[1];
	if (operands > 2)
		operation.c = operand[2];
	push_value(p, graph_add(p->graph, operation));
}

/* Applies the waiting operators that bind at least as strongly as priority. */
static void reduce_operators(struct parser *p, unsigned priority)
{
	while (top(p) && top(p)->kind == WAIT_OPERATOR && top(p)->priority >= priority) {
		enum op op = top(p)->op;

		p->nwaiting--;
		apply(p, op);
	}
}

/* Ends an if_expr: all operators, then the conditionals whose last branch this was. */
static int reduce_all(struct parser *p)
{
	reduce_operators(p, 0);
	while (top(p) && top(p)->kind == WAIT_ELSE) {
		p->nwaiting--;
		apply(p, OP_IF);
		reduce_operators(p, 0);
	}
	if (top(p) && top(p)->kind == WAIT_IF)
		return fail(p, &top(p)->token, "'if' without 'else'");
	return 0;
}

/* '(' ID ')' of has_event and its like; returns the name, NULL on error. */
static char *parse_name_argument(struct parser *p)
{
	char *name;

	advance(p);
	if (!is_symbol(p, '(')) {
		fail(p, &p->token, "expected '('");
		return NULL;
	}
	advance(p);
	if (p->token.kind != TOKEN_ID && p->token.kind != TOKEN_NUMBER) {
		fail(p, &p->token, "expected a name");
		return NULL;
	}
	name = token_text(p->text, &p->token, p->graph->arena);
	advance(p);
	if (!is_symbol(p, ')')) {
		fail(p, &p->token, "expected ')'");
		return NULL;
	}
	return name;
}

/* A function of a name, known when the formula is compiled. */
static int parse_name_function(struct parser *p, const char *function)
{
	const struct formula_names *names = p->names;
	const char *name = parse_name_argument(p);
	double value;

	if (!name)
		return -1;
	if (!strcmp(function, "has_event"))
		value = names->has_event && names->has_event(names->context, name);
	else if (!strcmp(function, "source_count"))
		value = names->source_count ? names->source_count(names->context, name) : 1;
	else
		value = is_cpuid_match(name, names->facts->cpuid);
	push_value(p, graph_number(p->graph, value));
	return 1;
}

/* 0: a function was opened and its first argument follows; 1: a value is complete; -1: error. */
static int parse_function(struct parser *p)
{
	const char *name = current_text(p);
	struct waiting waiting = { .kind = WAIT_FUNCTION };
	bool is_found = false;

	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		if (strcmp(functions[i].name, name) != 0)
			continue;
		waiting.op = functions[i].op;
		is_found = true;
	}
	if (!is_found)
		return parse_name_function(p, arena_strdup(p->graph->arena, name));
	push_waiting(p, waiting);
	advance(p);
	if (!is_symbol(p, '('))
		return fail(p, &p->token, "expected '('");
	return 0;
}

static int parse_name(struct parser *p)
{
	const char *id = current_text(p);
	struct name name = p->names->resolve(p->names->context, id, p->err);
	struct operation operation = { .a = (uint32_t)name.index };

	switch (name.kind) {
	case NAME_EVENT: operation.op = OP_EVENT; break;
	case NAME_METRIC: operation.op = OP_METRIC; break;
	case NAME_CONSTANT: push_value(p, graph_number(p->graph, name.value)); return 1;
	case NAME_UNKNOWN:
	default: error_set(p->err, "unknown event '%s'", id); return add_column(p, &p->token);
	}
	push_value(p, graph_add(p->graph, operation));
	return 1;
}

static int parse_literal(struct parser *p)
{
	const char *name = current_text(p);
	double value;

	if (!literal_value(name, p->names->facts, &value)) {
		error_set(p->err, "unknown literal '%s'", name);
		return add_column(p, &p->token);
	}
	push_value(p, graph_number(p->graph, value));
	return 1;
}

/* Where an operand may begin. 1: an operand is complete; 0: one is still expected; -1: error. */
static int parse_operand(struct parser *p)
{
	switch (p->token.kind) {
	case TOKEN_NUMBER: push_value(p, graph_number(p->graph, p->token.number)); return 1;
	case TOKEN_ID: return parse_name(p);
	case TOKEN_LITERAL: return parse_literal(p);
	case TOKEN_FUNCTION: return parse_function(p);
	default: break;
	}
	if (is_symbol(p, '('))
		push_waiting(p, (struct waiting){ .kind = WAIT_PAREN });
	else if (is_symbol(p, '-'))
		push_waiting(p,
			     (struct waiting){ .kind = WAIT_OPERATOR, .op = OP_NEGATE, .priority = NEGATE_PRIORITY });
	else
		return fail(p, &p->token, "expected a number, a name or '('");
	return 0;
}

/* ')' after an operand. */
static int parse_close(struct parser *p)
{
	struct waiting *open;

	if (reduce_all(p) < 0)
		return -1;
	open = top(p);
	if (!open)
		return fail(p, &p->token, "')' without '('");
	if (open->kind == WAIT_FUNCTION && open->arguments != 1)
		return fail(p, &p->token, "expected ',' and a second argument");
	p->nwaiting--;
	if (open->kind == WAIT_FUNCTION)
		apply(p, open->op);
	return 1;
}

static int parse_comma(struct parser *p)
{
	if (reduce_all(p) < 0)
		return -1;
	if (!top(p) || top(p)->kind != WAIT_FUNCTION)
		return fail(p, &p->token, "',' outside of a function");
	if (top(p)->arguments == 1)
		return fail(p, &p->token, "expected ')': the function takes two arguments");
	top(p)->arguments = 1;
	return 0;
}

static int parse_conditional(struct parser *p)
{
	reduce_operators(p, 0);
	if (p->token.kind == TOKEN_IF) {
		if (top(p) && top(p)->kind == WAIT_IF)
			return fail(p, &p->token, "expected 'else'");
		push_waiting(p, (struct waiting){ .kind = WAIT_IF });
		return 0;
	}
	if (!top(p) || top(p)->kind != WAIT_IF)
		return fail(p, &p->token, "'else' without 'if'");
	top(p)->kind = WAIT_ELSE;
	return 0;
}

/* Where an operator may stand. 0: an operand is expected next; 1: an operand is complete again; -1: error. */
static int parse_operator(struct parser *p)
{
	if (p->token.kind == TOKEN_IF || p->token.kind == TOKEN_ELSE)
		return parse_conditional(p);
	if (is_symbol(p, ')'))
		return parse_close(p);
	if (is_symbol(p, ','))
		return parse_comma(p);
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		if (!is_symbol(p, operators[i].symbol))
			continue;
		reduce_operators(p, operators[i].priority);
		push_waiting(p, (struct waiting){ .kind = WAIT_OPERATOR,
						  .op = operators[i].op,
						  .priority = operators[i].priority });
		return 0;
	}
	return fail(p, &p->token, "expected an operator");
}

static void parser_init(struct parser *p, const char *text, struct graph *graph)
{
	p->text = text;
	p->token = (struct token){ .start = 0 };
	p->graph = graph;
	p->waiting = p->first_waiting;
	p->waiting_capacity = COUNT_OF(p->first_waiting);
	p->values = p->first_values;
	p->values_capacity = COUNT_OF(p->first_values);
	p->nwaiting = p->nvalues = 0;
}

int parse_formula(uint32_t *root, struct graph *graph, const char *text, const struct formula_names *names,
		  struct error *err)
{
	struct parser p;
	int is_complete = 0;

	parser_init(&p, text, graph);
	p.names = names;
	p.err = err;
	advance(&p);
	while (p.token.kind != TOKEN_END || !is_complete) {
		is_complete = is_complete ? parse_operator(&p) : parse_operand(&p);
		if (is_complete < 0)
			return -1;
		advance(&p);
	}
	if (reduce_all(&p) < 0)
		return -1;
	if (top(&p))
		return fail(&p, &top(&p)->token, "'(' is never closed");
	*root = p.values[0];
	return 0;
}
