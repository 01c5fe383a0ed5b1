/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_same_name(const char *a, const char *b)
{
	if (lower(*a) != lower(*b))
		return false;
	if (!strcmp(a, b)) /* nearly all are spelled alike */
		return true;
	while (*a && lower(*a) == lower(*b))
		a++, b++;
	return lower(*a) == lower(*b);
}

int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

bool has_name_prefix(const char *text, const char *prefix)
{
	while (*prefix && lower(*text) == lower(*prefix))
		text++, prefix++;
	return !*prefix;
}

char *text_lower(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c; c++)
		*c = lower(*c);
	return copy;
}

char *text_upper(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c; c++)
		*c = upper(*c);
	return copy;
}

const char *text_within(const char *text, size_t most, struct arena *arena)
{
	static const char ellipsis[] = "…";
	size_t length = text ? strnlen(text, most + 1) : 0;

	if (length <= most)
		return text;
	length = most - strlen(ellipsis);
	while (((unsigned char)text[length] & 0xc0) == 0x80 && length > most - 2 * sizeof(ellipsis))
		length--;
	return arena_printf(arena, "%.*s%s", (int)length, text, ellipsis);
}

static bool is_end(const char *text)
{
	while (is_blank(*text))
		text++;
	return !*text;
}

bool text_u64_prefix(const char *text, const char **end, uint64_t *value)
{
	int base = text[0] == '0' && lower(text[1]) == 'x' ? 16 : 10;
	unsigned long long number;
	char *rest;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoull(text, &rest, base);
	if (errno)
		return false;
	*end = rest;
	*value = number;
	return true;
}

bool text_u64(const char *text, uint64_t *value)
{
	const char *end;
	uint64_t number;

	while (is_blank(*text))
		text++;
	if (!text_u64_prefix(text, &end, &number) || !is_end(end))
		return false;
	*value = number;
	return true;
}

bool text_double_prefix(const char *text, const char **end, double *value)
{
	size_t sign = *text == '-' || *text == '+';
	char *stop;
	double number;

	if (!text[sign] || !strchr(".0123456789", text[sign]))
		return false;
	if (text[sign] == '0' && lower(text[sign + 1]) == 'x') { /* strtod would take it for hexadecimal */
		*end = text + sign + 1;
		*value = 0;
		return true;
	}
	number = strtod(text, &stop); /* the program sets no locale but LC_CTYPE, so '.' is the decimal point */
	if (stop == text)
		return false;
	*end = stop;
	*value = number;
	return true;
}

bool text_double(const char *text, double *value)
{
	const char *end;
	double number;

	while (is_blank(*text))
		text++;
	if (!text_double_prefix(text, &end, &number) || !is_end(end))
		return false;
	*value = number;
	return true;
}

bool text_range(const char *text, size_t length, uint64_t *low, uint64_t *high)
{
	char copy[64], *dash;
	uint64_t first, last;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (!text_u64(copy, &first))
		return false;
	last = first;
	if ((dash && !text_u64(dash + 1, &last)) || first > last)
		return false;
	*low = first;
	*high = last;
	return true;
}

size_t text_next(const char **cursor, const char *separators, const char **part)
{
	const char *start = *cursor;
	size_t length;

	while (*start && (is_blank(*start) || strchr(separators, *start)))
		start++;
	length = strcspn(start, separators);
	*cursor = start + length;
	*part = start;
	while (length && is_blank(start[length - 1]))
		length--;
	return length;
}

bool has_word(const char *list, const char *separators, const char *word)
{
	size_t want = strlen(word), length;
	const char *part;

	while ((length = text_next(&list, separators, &part)) > 0)
		if (length == want && !memcmp(part, word, want))
			return true;
	return false;
}

/* Room for length bytes in all. */
static void string_reserve(struct string *string, size_t length)
{
	char *grown;

	if (length < string->capacity)
		return;
	grown = arena_alloc(string->arena, length + 1);
	memcpy(grown, string->text, string->length);
	string->text = grown;
	string->capacity = length + 1;
}

void string_addn(struct string *string, const char *text, size_t length)
{
	if (string->length + length + 1 > string->capacity)
		string_reserve(string, (string->length + length + 1) * 2);
	memcpy(string->text + string->length, text, length);
	string->length += length;
	string->text[string->length] = '\0';
}

void string_add(struct string *string, const char *text)
{
	string_addn(string, text, strlen(text));
}

void string_printf(struct string *string, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	string_add(string, arena_vprintf(string->arena, format, args));
	va_end(args);
}

void string_add_shell_word(struct string *string, const char *word)
{
	if (*word && !word[strcspn(word, " \t\n\\'\"$`&|;<>()*?[]{}~#!")]) {
		string_add(string, word);
		return;
	}
	string_add(string, "'");
	for (const char *c = word; *c; c++)
		string_addn(string, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
	string_add(string, "'");
}

void string_add_percent(struct string *string, const char *text, const char *escaped)
{
	for (const char *c = text; *c; c++)
		string_printf(string, strchr(escaped, *c) ? "%%%02X" : "%c", (unsigned char)*c);
}

#define NAME_MAX_LENGTH 96 /* longer names are compared by their first characters */

/* Levenshtein distance without regard to case, on the first NAME_MAX_LENGTH characters. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LENGTH + 1], la = strnlen(a, NAME_MAX_LENGTH), lb = strnlen(b, NAME_MAX_LENGTH);

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

struct near {
	const char *name;
	size_t distance;
};

/* Keeps the three best in order; equal distance keeps the earlier name. A name that comes twice is kept once. */
static void keep_best(struct near best[3], const char *name, size_t far)
{
	for (size_t i = 0; i < 3; i++) {
		if (best[i].name && !strcmp(best[i].name, name))
			return;
		if (best[i].name && best[i].distance <= far)
			continue;
		for (size_t j = 2; j > i; j--)
			best[j] = best[j - 1];
		best[i] = (struct near){ .name = name, .distance = far };
		return;
	}
}

#define LEAST_WORD 3 /* letters: shorter ones are in too many names */

/* Is typed a word of the name, "arm" of "generic-arm"? */
static bool has_typed_word(const char *name, const char *typed)
{
	size_t length = strlen(typed);

	if (length < LEAST_WORD || length == strlen(name))
		return false;
	for (size_t at = 0; name[at]; at++)
		if (has_name_prefix(name + at, typed) && (at == 0 || !isalnum((unsigned char)name[at - 1])) &&
		    !isalnum((unsigned char)name[at + length]))
			return true;
	return false;
}

/* Those that have it as a word, where there are such. */
static size_t choose_by_word(const char **chosen, const char *typed, const char *const *names, size_t count)
{
	size_t with = 0;

	for (size_t i = 0; i < count; i++)
		if (has_typed_word(names[i], typed))
			chosen[with++] = names[i];
	return with;
}

const char *nearest_names(struct arena *arena, const char *typed, const char *const *names, size_t count)
{
	size_t length = strlen(typed + strspn(typed, "-")); /* of an option, without dashes */
	size_t limit = length > 4 ? length / 2 + 1 : (length + 1) / 2;
	struct near best[3] = { { NULL, 0 } };
	struct string list = STRING_INIT(arena);
	const char **chosen = arena_array(arena, count + 1, sizeof(*chosen));
	size_t with = choose_by_word(chosen, typed, names, count);

	if (with) {
		names = chosen;
		count = with;
		limit = NAME_MAX_LENGTH;
	}
	for (size_t i = 0; i < count; i++) {
		size_t far = distance(typed, names[i]);

		if (length >= 2 && has_name_prefix(names[i], typed))
			far = far > limit ? limit : far;
		if (far <= limit)
			keep_best(best, names[i], far);
	}
	for (size_t i = 0; i < 3 && best[i].name; i++) {
		bool is_last = i == 2 || !best[i + 1].name;

		string_printf(&list, "%s%s", i == 0 ? "" : is_last ? " or " : ", ", best[i].name);
	}
	return list.length ? list.text : NULL;
}

/* ---- the front end's words ---- */

#define NAME_SIGNS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789- "

__attribute__((weak)) int front_end_word(char *text, size_t size, const char *name, size_t length)
{
	return snprintf(text, size, "%.*s", (int)length, name);
}

const char *text_worded(char *buffer, size_t size, const char *text)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		size_t length = *text == '{' ? strspn(text + 1, NAME_SIGNS) : 0;

		if (!length || text[1 + length] != '}') {
			buffer[used++] = *text++;
			continue;
		}
		used += (size_t)front_end_word(buffer + used, size - used, text + 1, length);
		text += length + 2;
	}
	buffer[used < size ? used : size - 1] = '\0';
	return buffer;
}

char *arena_worded(struct arena *arena, const char *format, ...)
{
	char words[MOST_WORDED];
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, text_worded(words, sizeof(words), format), args);
	va_end(args);
	return text;
}
