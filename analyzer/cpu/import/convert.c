/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/import/convert.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/text.h"

struct words {
	const char **items;
	size_t count, capacity;
	struct arena *arena;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Characters of names in all three spellings: A.B:c1, cpu@A\,cmask\=1@, :ocr_msr_val=0x1, #SMT_on. */
static bool is_name_part(const char *text, size_t n)
{
	if (is_digit(text[n]) || is_letter(text[n]) || (text[n] && strchr(".:@?", text[n])))
		return true;
	return text[n] == '=' && n && text[n + 1] == '0' && text[n + 2] == 'x';
}

static size_t name_length(const char *text)
{
	size_t n = text[0] == '#' ? 1 : 0;

	for (;;) {
		if (is_name_part(text, n))
			n++;
		else if (text[n] == '\\' && text[n + 1])
			n += 2;
		else
			return n;
	}
}

static size_t digits_length(const char *text)
{
	size_t n = 0;

	while (is_digit(text[n]) || text[n] == '.')
		n++;
	return n;
}

/* 12, 0.5, 1e-9; 0 when what follows makes it a name ("16B.X"). */
static size_t number_length(const char *text)
{
	size_t n = digits_length(text), sign;

	if (n && text[n] == 'e') {
		sign = text[n + 1] == '-' ? 2 : 1;
		if (is_digit(text[n + sign]))
			n += sign + digits_length(text + n + sign);
	}
	return is_letter(text[n]) || text[n] == ':' ? 0 : n;
}

static size_t word_length(const char *text)
{
	size_t length = number_length(text);

	if (!length)
		length = name_length(text);
	if (length)
		return length;
	if (strchr("<>", text[0]) && text[1 + strspn(text + 1, " ")] == '=')
		return 2 + strspn(text + 1, " ");
	if ((text[0] == '&' || text[0] == '|') && text[1] == text[0])
		return 2;
	return strchr("-+*/(),<>&|^%", text[0]) ? 1 : 0;
}

static void convert_push(struct words *words, const char *word)
{
	words->items = arena_grow(words->arena, words->items, words->count, &words->capacity, sizeof(*words->items));
	words->items[words->count++] = word;
}

static bool convert_is_word(const char *word, const char *list)
{
	return has_word(list, " ", word);
}

static const char functions[] = "min max d_ratio has_event source_count strcmp_cpuid_str";

static bool is_name(const char *word)
{
	return (is_letter(word[0]) || word[0] == '#' || (is_digit(word[0]) && !number_length(word))) &&
	       !convert_is_word(word, functions) && !convert_is_word(word, "if else");
}

/* "( 4 )" is "4"; the parentheses of a call stay. */
static void drop_single(struct words *words)
{
	const char **last = words->items + words->count;

	if (words->count < 3 || strcmp(last[-1], ")") != 0 || strcmp(last[-3], "(") != 0 || strchr("()", last[-2][0]))
		return;
	if (words->count > 3 && convert_is_word(last[-4], functions))
		return;
	last[-3] = last[-2];
	words->count -= 2;
}

/* "a >= b" as "1 - (a < b)", between two single words, which is how the files use it. */
static int replace_comparison(struct words *words, const char *right, struct error *err)
{
	const char *left = words->count > 1 ? words->items[words->count - 2] : "(";
	const char *symbol = words->items[words->count - 1][0] == '>' ? "<" : ">";

	if (strchr("()", left[0]) || strchr("()", right[0]))
		return error_set(err, "a comparison with '=' of more than single words");
	words->count -= 2;
	convert_push(words, "1");
	convert_push(words, "-");
	convert_push(words, "(");
	convert_push(words, left);
	convert_push(words, symbol);
	convert_push(words, right);
	convert_push(words, ")");
	return 0;
}

static bool is_or_equal(const char *word)
{
	return strchr("<>", word[0]) && word[strlen(word) - 1] == '=';
}

static int take_word(struct words *words, const char *word, const struct convert_names *names, struct error *err)
{
	const char *other = is_name(word) ? names->name(names->context, word) : NULL;

	if (other && !*other)
		return error_set(err, "'%s' names no event", word);
	word = other ? other : word;
	if (words->count && is_or_equal(words->items[words->count - 1]))
		return replace_comparison(words, word, err);
	convert_push(words, !strcmp(word, "&&") ? "&" : !strcmp(word, "||") ? "|" : word);
	drop_single(words);
	return 0;
}

/* Blanks, and the "[0]" of a constant that a file has once for each socket. */
static const char *skip(const char *text)
{
	text += strspn(text, " \t\r\n");
	return strncmp(text, "[0]", 3) ? text : text + 3 + strspn(text + 3, " \t\r\n");
}

static const char *convert_join(const struct words *words)
{
	struct string text = STRING_INIT(words->arena);
	const char *before = "(";

	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		bool is_tight = !strcmp(before, "(") || !strcmp(word, ")") || !strcmp(word, ",") ||
				(!strcmp(word, "(") && convert_is_word(before, functions));

		string_add(&text, is_tight ? "" : " ");
		string_add(&text, word);
		before = word;
	}
	return text.text;
}

const char *convert_formula(const char *text, const struct convert_names *names, struct arena *arena, struct error *err)
{
	struct words words = { .arena = arena };
	size_t length;

	for (text = skip(text); *text; text = skip(text + length)) {
		length = word_length(text);
		if (!length) {
			error_set(err, "'%.20s' is not understood", text);
			return NULL;
		}
		if (take_word(&words, arena_strndup(arena, text, length), names, err) < 0)
			return NULL;
	}
	return convert_join(&words);
}

/* Length of "(27 * f)", a number times a name, with the name in *name; 0 when text begins otherwise. */
static size_t scaled_name(const char *text, const char **name, size_t *length)
{
	size_t digits = text[0] == '(' ? digits_length(text + 1) : 0;

	*name = text + 1 + digits + strlen(" * ");
	if (!digits || strncmp(text + 1 + digits, " * ", strlen(" * ")) != 0)
		return 0;
	*length = name_length(*name);
	return *length && (*name)[*length] == ')' ? (size_t)(*name + *length + 1 - text) : 0;
}

/* Length of "(27 * f) - (3 * f)"; 0 when text begins otherwise. */
static size_t latency_length(const char *text)
{
	const char *name, *other;
	size_t length, other_length, first = scaled_name(text, &name, &length), second;

	if (!first || strncmp(text + first, " - ", strlen(" - ")) != 0)
		return 0;
	first += strlen(" - ");
	second = scaled_name(text + first, &other, &other_length);
	return second && length == other_length && !memcmp(name, other, length) ? first + second : 0;
}

const char *convert_latency(const char *expr, unsigned *count, struct arena *arena)
{
	static const char times[] = " * ";
	struct string text = STRING_INIT(arena);
	const char *found, *from = expr;

	*count = 0;
	while ((found = strstr(from, times)) != NULL) {
		size_t length = latency_length(found + strlen(times));

		string_addn(&text, from, (size_t)(found - from) + strlen(times));
		from = found + strlen(times) + length;
		if (!length)
			continue;
		string_printf(&text, "(%.*s)", (int)length, from - length);
		++*count;
	}
	string_add(&text, from);
	return *count ? text.text : expr;
}

/* "15" (percent) as a fraction in the shortest spelling; a limit below 1 is a fraction already. */
static const char *fraction(const char *limit, struct arena *arena)
{
	double number;

	if (!text_double(limit, &number) || number < 1)
		return limit;
	return arena_printf(arena, "%.12g", number / 100);
}

static const char *strip(const char *text, size_t length, struct arena *arena)
{
	while (length && strchr(" \t", *text))
		text++, length--;
	while (length && strchr(" \t", text[length - 1]))
		length--;
	return arena_strndup(arena, text, length);
}

/* "metric_TMA_....X(%) > 5" */
static const char *convert_comparison(const char *part, struct arena *arena, struct error *err)
{
	static const char prefix[] = "metric_TMA_", percent[] = "(%)";
	const char *name = part + strlen(prefix), *rest, *symbol, *limit;
	bool is_percent;
	size_t length;

	if (strncmp(part, prefix, strlen(prefix)) != 0)
		goto unreadable;
	name += strspn(name, ".");
	length = 0;
	while (is_letter(name[length]) || is_digit(name[length]))
		length++;
	rest = name + length;
	is_percent = !strncmp(rest, percent, strlen(percent));
	rest += is_percent ? strlen(percent) : 0;
	symbol = rest + strcspn(rest, "<>");
	if (!*symbol || !length)
		goto unreadable;
	limit = strip(symbol + 1, strlen(symbol + 1), arena);
	if (!*limit || limit[strspn(limit, "-+*/0123456789. ")])
		goto unreadable;
	rest = strip(rest, (size_t)(symbol - rest), arena);
	return arena_printf(arena, "tma_%s%s%s %c %s", text_lower(arena, arena_strndup(arena, name, length)),
			    *rest ? " " : "", rest, *symbol, is_percent ? fraction(limit, arena) : limit);
unreadable:
	error_set(err, "the comparison '%.60s' is not understood", part);
	return NULL;
}

/* One pair of parentheses around the whole part. */
static const char *unwrap(const char *part, size_t length, struct arena *arena)
{
	const char *text = strip(part, length, arena);

	length = strlen(text);
	if (length > 2 && text[0] == '(' && text[length - 1] == ')')
		return strip(text + 1, length - 2, arena);
	return text;
}

const char *convert_threshold(const char *text, struct arena *arena, struct error *err)
{
	struct string result = STRING_INIT(arena);
	const char *comparison;

	if (strchr(text, '&') && strchr(text, '|')) {
		error_set(err, "& and | are mixed");
		return NULL;
	}
	for (;;) {
		size_t length = strcspn(text, "&|");

		comparison = convert_comparison(unwrap(text, length, arena), arena, err);
		if (!comparison)
			return NULL;
		string_add(&result, comparison);
		text += length;
		if (!*text)
			return result.text;
		string_printf(&result, " %c ", *text);
		text += text[1] == text[0] ? 2 : 1;
	}
}
