/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "formula/lexer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#define BIT(character) (1ull << (character) % 64)

static bool is_word(char c)
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
		if (is_word(text[n]))
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

	while (is_digit(text[n]) || (text[n] != '@' && text[n] != ':' && text[n] != '?' && is_word(text[n])) ||
	       text[n] == '-')
		n++;
	return n;
}

#define EXACT_DIGITS 15 /* whole numbers of so many digits are the same as doubles */

/* As text_double_prefix; most numbers are short and whole. */
static bool number_value(const char *text, size_t length, double *value)
{
	const char *end;
	double number = 0;

	if (length > EXACT_DIGITS || digits(text) != length)
		return text_double_prefix(text, &end, value);
	for (size_t i = 0; i < length; i++)
		number = number * 10 + (text[i] - '0');
	*value = number;
	return true;
}

/*
 * The longest match wins, and a number wins over an identifier of the same length; id is the length that an identifier would have.
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

struct token lexer_next(const char *text, size_t position)
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

char *token_text(const char *text, const struct token *token, struct arena *arena)
{
	char *copy = arena_alloc(arena, token->length + 1);
	size_t n = 0;

	for (size_t i = 0; i < token->length; i++)
		if (text[token->start + i] != '\\')
			copy[n++] = text[token->start + i];
	return copy;
}
