/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser.c - words (linux tools/perf/util/expr.l), then recursive descent; each function is named after a rule of the
 * grammar (vendors' and perf's alike):
 *
 *   conditional := expression [ 'if' expression 'else' conditional ]
 *   expression  := '|' < '^' < '&' < ('<' '>') < ('+' '-') < ('*' '/' '%') < unary '-', left to right
 *   primary     := number | name | literal | '(' conditional ')' | function '(' ... ')'
 */
#include "common/formula/graph.h"

#include <string.h>

#include "common/base/text.h"

/* ---- words ---- */

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_ID,
	TOKEN_LITERAL,	/* #SMT_on */
	TOKEN_OPERATOR, /* one character of | ^ & < > + - * / % ( ) , */
	TOKEN_IF,
	TOKEN_ELSE,
	TOKEN_FUNCTION, /* min, max, d_ratio, source_count, has_event, strcmp_cpuid_str */
	TOKEN_BAD,	/* a character that no word begins with */
};

struct token {
	enum token_kind kind;
	size_t start, length; /* in the formula's text */
	double number;	      /* TOKEN_NUMBER */
	char symbol;	      /* TOKEN_OPERATOR, TOKEN_BAD */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#define BIT(character) (1ull << (character) % 64)

static bool parser_is_word(char c)
{
	/* a bit for each ASCII character: 0-9 . : ? and @ A-Z _ a-z */
	static const uint64_t words[2] = { 0x3ffull << '0' | BIT('.') | BIT(':') | BIT('?'),
					   BIT('@') | 0x3ffffffull << ('A' - 64) | BIT('_') |
						   0x3ffffffull << ('a' - 64) };
	unsigned char byte = (unsigned char)c;

	return byte < 128 && words[byte / 64] >> byte % 64 & 1;
}

/* Length of an identifier: word characters and the escapes \- \, \= */
static size_t id_length(const char *text)
{
	size_t n = 0;

	for (;;) {
		if (parser_is_word(text[n]))
			n++;
		else if (text[n] == '\\' && text[n + 1] && strchr("-,=", text[n + 1]))
			n += 2;
		else
			return n;
	}
}

static size_t digits(const char *text)
{
	size_t n = 0;

	while (is_digit(text[n]))
		n++;
	return n;
}

/* Length of ([0-9]+\.?[0-9]*|[0-9]*\.?[0-9]+)(e-?[0-9]+)? or 0. */
static size_t number_length(const char *text)
{
	size_t whole = digits(text), n = whole, fraction, exponent;

	if (text[n] == '.') {
		fraction = digits(text + n + 1);
		if (whole + fraction == 0)
			return 0;
		n += 1 + fraction;
	}
	if (n && text[n] == 'e') {
		size_t sign = text[n + 1] == '-' ? 1 : 0;

		exponent = digits(text + n + 1 + sign);
		if (exponent)
			n += 1 + sign + exponent;
	}
	return n;
}

static const struct keyword {
	const char *word;
	enum token_kind kind;
} keywords[] = {
	/* clang-format off */
	{ "if",               TOKEN_IF },
	{ "else",             TOKEN_ELSE },
	{ "min",              TOKEN_FUNCTION },
	{ "max",              TOKEN_FUNCTION },
	{ "d_ratio",          TOKEN_FUNCTION },
	{ "source_count",     TOKEN_FUNCTION },
	{ "has_event",        TOKEN_FUNCTION },
	{ "strcmp_cpuid_str", TOKEN_FUNCTION },
	/* clang-format on */
};

static enum token_kind id_kind(const char *text, size_t length)
{
	for (size_t i = 0; i < COUNT_OF(keywords); i++)
		if (keywords[i].word[0] == *text && strlen(keywords[i].word) == length &&
		    !memcmp(keywords[i].word, text, length))
			return keywords[i].kind;
	return TOKEN_ID;
}

static size_t literal_length(const char *text)
{
	size_t n = 1;

	while (is_digit(text[n]) || (text[n] != '@' && text[n] != ':' && text[n] != '?' && parser_is_word(text[n])) ||
	       text[n] == '-')
		n++;
	return n;
}

#define EXACT_DIGITS 15 /* whole numbers of so many digits, and the powers of ten up to that, are exact as doubles */

/* As text_double_prefix; most numbers are short, so that a division of two exact numbers gives the nearest double. */
static bool number_value(const char *text, size_t length, double *value)
{
	double number = 0, divisor = 1;
	bool has_point = false;
	const char *end;

	for (size_t i = 0; i < length; i++) {
		bool is_point = text[i] == '.';

		if (length > EXACT_DIGITS || (!is_point && !is_digit(text[i])))
			return text_double_prefix(text, &end, value);
		if (has_point)
			divisor *= 10;
		if (!is_point)
			number = number * 10 + (text[i] - '0');
		has_point |= is_point;
	}
	*value = number / divisor;
	return true;
}

/*
 * The longest match wins, and a number wins over an identifier of the same length; id is the length
 * that an identifier would have.
 */
static struct token word(const char *text, size_t start, size_t id)
{
	struct token token = { .start = start };
	size_t number = number_length(text + start);

	if (number && number >= id) {
		token.kind = TOKEN_NUMBER;
		token.length = number;
		if (!number_value(text + start, number, &token.number))
			token.kind = TOKEN_BAD;
		return token;
	}
	token.kind = id_kind(text + start, id);
	token.length = id;
	return token;
}

static size_t skip_blanks(const char *text, size_t position)
{
	while (text[position] == ' ' || text[position] == '\t' || text[position] == '\r' || text[position] == '\n')
		position++;
	return position;
}

/* The word at or behind position, blanks skipped. */
static struct token next_token(const char *text, size_t position)
{
	size_t start = skip_blanks(text, position), id = id_length(text + start);
	struct token token = { .start = start, .symbol = text[start], .length = 1 };

	if (id)
		return word(text, start, id);
	if (!text[start]) {
		token.kind = TOKEN_END;
		token.length = 0;
	} else if (text[start] == '#') {
		token.kind = TOKEN_LITERAL;
		token.length = literal_length(text + start);
	} else {
		token.kind = strchr("|^&<>+-*/%(),", text[start]) ? TOKEN_OPERATOR : TOKEN_BAD;
	}
	return token;
}

/* The token's text with the escapes \- \, \= resolved. */
static char *token_text(const char *text, const struct token *token, struct arena *arena)
{
	char *copy = arena_alloc(arena, token->length + 1);
	size_t n = 0;

	for (size_t i = 0; i < token->length; i++)
		if (text[token->start + i] != '\\')
			copy[n++] = text[token->start + i];
	return copy;
}

/* ---- grammar ---- */

#define DEEPEST 200	   /* levels of parentheses and conditionals; vendors' formulas have 13 at most */
#define FAILED	UINT32_MAX /* instead of an operation; err is set */

struct parser {
	const char *text;
	struct token token; /* the current one */
	struct graph *graph;
	const struct formula_names *names;
	struct error *err;
	unsigned depth;
	char name[128]; /* enough for nearly all names, which then leave nothing in the arena */
};

/* By symbol. A higher priority binds more strongly; 0: no operator. */
static const struct operator_row {
	enum op op;
	unsigned priority;
} operators[128] = {
	/* clang-format off */
	['|'] = { OP_OR,       1 },
	['^'] = { OP_XOR,      2 },
	['&'] = { OP_AND,      3 },
	['<'] = { OP_LESS,     4 },
	['>'] = { OP_GREATER,  4 },
	['+'] = { OP_ADD,      5 },
	['-'] = { OP_SUBTRACT, 5 },
	['*'] = { OP_MULTIPLY, 6 },
	['/'] = { OP_DIVIDE,   6 },
	['%'] = { OP_MODULO,   6 },
	/* clang-format on */
};

/* Functions of two values. Those of a name are in parse_name_function. */
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

static uint32_t parse_conditional(struct parser *p);

/* Always FAILED; what is wrong is in err already, or it is said here. */
static uint32_t parser_fail(const struct parser *p, size_t position, const char *what)
{
	if (what)
		error_set(p->err, "%s", what);
	error_in(p->err, "column %zu", position + 1);
	return FAILED;
}

static void advance(struct parser *p)
{
	p->token = next_token(p->text, p->token.start + p->token.length);
}

static bool is_symbol(const struct parser *p, char symbol)
{
	return p->token.kind == TOKEN_OPERATOR && p->token.symbol == symbol;
}

/* The current token's text, until the next call. */
static const char *current_text(struct parser *p)
{
	size_t length = p->token.length;

	if (length >= sizeof(p->name) || memchr(p->text + p->token.start, '\\', length))
		return token_text(p->text, &p->token, p->graph->arena);
	memcpy(p->name, p->text + p->token.start, length);
	p->name[length] = '\0';
	return p->name;
}

/* What may not follow a complete value, where only an operator or the end of what is open could. */
static uint32_t fail_behind_value(const struct parser *p)
{
	if (p->token.kind == TOKEN_ELSE)
		return parser_fail(p, p->token.start, "'else' without 'if'");
	if (is_symbol(p, ')'))
		return parser_fail(p, p->token.start, "')' without '('");
	if (is_symbol(p, ','))
		return parser_fail(p, p->token.start, "',' outside of a function");
	return parser_fail(p, p->token.start, "expected an operator");
}

/* An event, another metric or a constant. */
static uint32_t parse_name(struct parser *p)
{
	const char *id = current_text(p);
	struct name name = p->names->resolve(p->names->context, id, p->err);
	struct operation operation = { .op = OP_EVENT, .a = (uint32_t)name.index };

	if (name.kind == NAME_UNKNOWN) {
		error_set(p->err, "unknown event '%s'", id);
		return parser_fail(p, p->token.start, NULL);
	}
	advance(p);
	if (name.kind == NAME_CONSTANT)
		return graph_number(p->graph, name.value);
	if (name.kind == NAME_METRIC)
		operation.op = OP_METRIC;
	return graph_add(p->graph, operation);
}

static uint32_t parse_literal(struct parser *p)
{
	const char *name = current_text(p);
	double value;

	if (!literal_value(name, p->names->facts, &value)) {
		error_set(p->err, "unknown literal '%s'", name);
		return parser_fail(p, p->token.start, NULL);
	}
	advance(p);
	return graph_number(p->graph, value);
}

static uint32_t parse_number(struct parser *p)
{
	double value = p->token.number;

	advance(p);
	return graph_number(p->graph, value);
}

/* What is open, since that position, ends at symbol. */
static bool take_close(struct parser *p, char symbol, size_t opened)
{
	if (is_symbol(p, symbol)) {
		advance(p);
		return true;
	}
	if (p->token.kind == TOKEN_END)
		parser_fail(p, opened, "'(' is never closed");
	else
		fail_behind_value(p);
	return false;
}

/* '(' conditional ')' */
static uint32_t parse_parentheses(struct parser *p)
{
	size_t open = p->token.start;
	uint32_t value;

	advance(p);
	value = parse_conditional(p);
	return value != FAILED && take_close(p, ')', open) ? value : FAILED;
}

/* The value is known when the formula is compiled. */
static double value_of_name(const struct formula_names *names, const char *function, const char *name)
{
	if (!strcmp(function, "has_event"))
		return names->has_event && names->has_event(names->context, name);
	if (!strcmp(function, "source_count"))
		return names->source_count ? names->source_count(names->context, name) : 1;
	return is_cpuid_match(name, names->facts->cpuid);
}

/* function '(' name ')' */
static uint32_t parse_name_function(struct parser *p)
{
	const char *function = token_text(p->text, &p->token, p->graph->arena), *name;

	advance(p);
	if (!is_symbol(p, '('))
		return parser_fail(p, p->token.start, "expected '('");
	advance(p);
	if (p->token.kind != TOKEN_ID && p->token.kind != TOKEN_NUMBER)
		return parser_fail(p, p->token.start, "expected a name");
	name = token_text(p->text, &p->token, p->graph->arena);
	advance(p);
	if (!is_symbol(p, ')'))
		return parser_fail(p, p->token.start, "expected ')'");
	advance(p);
	return graph_number(p->graph, value_of_name(p->names, function, name));
}

/* function '(' conditional ',' conditional ')' */
static uint32_t parse_value_function(struct parser *p, enum op op)
{
	struct operation operation = { .op = op };
	size_t function = p->token.start;

	advance(p);
	if (!is_symbol(p, '('))
		return parser_fail(p, p->token.start, "expected '('");
	advance(p);
	operation.a = parse_conditional(p);
	if (operation.a == FAILED)
		return FAILED;
	if (is_symbol(p, ')'))
		return parser_fail(p, p->token.start, "expected ',' and a second argument");
	if (!take_close(p, ',', function))
		return FAILED;
	operation.b = parse_conditional(p);
	if (operation.b == FAILED)
		return FAILED;
	if (is_symbol(p, ','))
		return parser_fail(p, p->token.start, "expected ')': the function takes two arguments");
	return take_close(p, ')', function) ? graph_add(p->graph, operation) : FAILED;
}

static uint32_t parse_function(struct parser *p)
{
	const char *name = current_text(p);

	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (!strcmp(functions[i].name, name))
			return parse_value_function(p, functions[i].op);
	return parse_name_function(p);
}

static uint32_t parse_primary(struct parser *p)
{
	switch (p->token.kind) {
	case TOKEN_NUMBER: return parse_number(p);
	case TOKEN_ID: return parse_name(p);
	case TOKEN_LITERAL: return parse_literal(p);
	case TOKEN_FUNCTION: return parse_function(p);
	default: break;
	}
	return is_symbol(p, '(') ? parse_parentheses(p)
				 : parser_fail(p, p->token.start, "expected a number, a name or '('");
}

/* unary := { '-' } primary */
static uint32_t parse_unary(struct parser *p)
{
	size_t negations = 0;
	uint32_t value;

	for (; is_symbol(p, '-'); negations++)
		advance(p);
	value = parse_primary(p);
	for (; value != FAILED && negations; negations--)
		value = graph_add(p->graph, (struct operation){ .op = OP_NEGATE, .a = value });
	return value;
}

/* Operators of at least that priority; what is on the right of one has only those that bind more strongly. */
static uint32_t parse_expression(struct parser *p, unsigned priority)
{
	uint32_t value = parse_unary(p);

	while (value != FAILED && p->token.kind == TOKEN_OPERATOR) {
		const struct operator_row *row = &operators[(unsigned char)p->token.symbol];
		struct operation operation = { .op = row->op, .a = value };

		if (!row->priority || row->priority < priority)
			break;
		advance(p);
		operation.b = parse_expression(p, row->priority + 1);
		value = operation.b == FAILED ? FAILED : graph_add(p->graph, operation);
	}
	return value;
}

/* 'if' expression 'else' conditional, behind the value */
static uint32_t parse_if(struct parser *p, uint32_t value)
{
	struct operation operation = { .op = OP_IF, .a = value };
	size_t start = p->token.start;

	advance(p);
	operation.b = parse_expression(p, 1);
	if (operation.b == FAILED)
		return FAILED;
	if (p->token.kind == TOKEN_IF)
		return parser_fail(p, p->token.start, "expected 'else'");
	if (p->token.kind == TOKEN_END || is_symbol(p, ')') || is_symbol(p, ','))
		return parser_fail(p, start, "'if' without 'else'");
	if (p->token.kind != TOKEN_ELSE)
		return fail_behind_value(p);
	advance(p);
	operation.c = parse_conditional(p);
	return operation.c == FAILED ? FAILED : graph_add(p->graph, operation);
}

static uint32_t parse_conditional(struct parser *p)
{
	uint32_t value;

	if (p->depth > DEEPEST)
		return parser_fail(p, p->token.start, "too deep: at most 200 levels of parentheses and conditionals");
	p->depth++;
	value = parse_expression(p, 1);
	if (value != FAILED && p->token.kind == TOKEN_IF)
		value = parse_if(p, value);
	p->depth--;
	return value;
}

int parse_formula(uint32_t *root, struct graph *graph, const char *text, const struct formula_names *names,
		  struct error *err)
{
	struct parser p = { .text = text, .graph = graph, .names = names, .err = err };

	advance(&p);
	*root = parse_conditional(&p);
	if (*root != FAILED && p.token.kind != TOKEN_END)
		*root = fail_behind_value(&p);
	return *root == FAILED ? -1 : 0;
}
