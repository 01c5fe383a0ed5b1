/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - strings: comparison without regard to case, locale-independent numbers, growing buffers, nearest names. */
#ifndef TOPDOWN_COMMON_BASE_TEXT_H
#define TOPDOWN_COMMON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

/* ASCII only, whatever the locale. */
bool is_same_name(const char *a, const char *b);

/* As strcmp; NULL is an empty text. */
int compare_texts(const char *a, const char *b);
bool has_name_prefix(const char *text, const char *prefix);
char *text_lower(struct arena *arena, const char *text) MUST_CHECK;
char *text_upper(struct arena *arena, const char *text) MUST_CHECK;

/* The text itself (NULL too), or of a longer one its beginning and an ellipsis: MOST bytes in all, whole characters. */
const char *text_within(const char *text, size_t most, struct arena *arena) MUST_CHECK;

/*
 * A whole decimal or 0x-number; blanks around it are allowed. False if text is anything else or does not fit;
 * *value is then unchanged.
 */
bool text_u64(const char *text, uint64_t *value) MUST_CHECK;
/* The number at the start of text; *end points behind it. False if there is none, or it does not fit. */
bool text_u64_prefix(const char *text, const char **end, uint64_t *value) MUST_CHECK;
/* A whole floating-point number with '.', independent of the locale. */
bool text_double(const char *text, double *value) MUST_CHECK;
/* The number at the start of text; *end points behind it. False if there is none. */
bool text_double_prefix(const char *text, const char **end, double *value) MUST_CHECK;

/* A number, or two with '-' between them ("7", "0-7"), the second not less than the first. False for anything else. */
bool text_range(const char *text, size_t length, uint64_t *low, uint64_t *high) MUST_CHECK;

/* The next part of a list such as "a;b; c": skips blanks, returns its length or 0 at the end; *cursor moves on. */
size_t text_next(const char **cursor, const char *separators, const char **part);
/* Is word one of the parts of the list (case-sensitive)? */
bool has_word(const char *list, const char *separators, const char *word);

/* A growing string in an arena; text is always terminated, "" at first. Initialise with STRING_INIT(arena). */
struct string {
	struct arena *arena;
	char *text;
	size_t length, capacity;
};
#define STRING_INIT(memory) ((struct string){ .arena = (memory), .text = arena_strdup(memory, "") })

void string_add(struct string *string, const char *text);
void string_addn(struct string *string, const char *text, size_t length);
void string_printf(struct string *string, const char *format, ...) PRINTF(2, 3);

/* The word as a shell would have to read it. */
void string_add_shell_word(struct string *string, const char *word);
/* These characters as "%2C": of addresses, and of whoever borrowed that from them. */
void string_add_percent(struct string *string, const char *text, const char *escaped);

/*
 * Up to three of the names that are nearest to what was typed, best first, as "a, b or c"; of those that
 * have it as a word, where there are such. NULL if none is near.
 */
const char *nearest_names(struct arena *arena, const char *typed, const char *const *names, size_t count) MUST_CHECK;

/* ---- the front end's words ---- */

/*
 * What an error, a notice or a note names of what can be asked stands in braces, "{anchor always} never leaves this
 * out", and comes out as the front end's users say it: "--anchor always". Of a format only what is written in it is
 * worded, not what it formats: no file is called otherwise because its name has braces.
 */

/* The front end's: writes how its users say the name, "anchor always", as snprintf does. Without one: the name. */
int front_end_word(char *text, size_t size, const char *name, size_t length);

#define MOST_WORDED 2048 /* bytes of a format with its words */

/* The text with the front end's words, in buffer, cut where that is full. */
const char *text_worded(char *buffer, size_t size, const char *text) __attribute__((format_arg(3)));

/* arena_printf of a format with the front end's words. */
char *arena_worded(struct arena *arena, const char *format, ...) PRINTF(2, 3) NEVER_NULL MUST_CHECK;

#endif
