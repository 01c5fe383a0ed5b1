/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lexer.h - the words of a metric formula (linux tools/perf/util/expr.l). */
#ifndef TOPDOWN_LEXER_H
#define TOPDOWN_LEXER_H

#include <stddef.h>

#include "base/arena.h"

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

/* The word at or behind position, blanks skipped. */
struct token lexer_next(const char *text, size_t position);

/* The token's text with the escapes \- \, \= resolved. */
char *token_text(const char *text, const struct token *token, struct arena *arena) MUST_CHECK;

#endif
