/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells.h - text that goes to a terminal: what is safe to show, the columns it takes, where it can be cut. */
#ifndef TOPDOWN_COMMON_BASE_CELLS_H
#define TOPDOWN_COMMON_BASE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

#define UTF8_INVALID 0xffffffffu

/* Decodes the character at text, which is not empty; returns its length. *code is UTF8_INVALID for a stray byte. */
size_t utf8_next(const char *text, uint32_t *code);

/*
 * A copy in which nothing can steer a terminal: control characters, bytes that are not UTF-8 and characters that turn
 * the writing direction become escapes such as \n and \x1b, and so do commands to a CI's runner: "::" where it may
 * begin a line, "##vso[" anywhere. Without has_utf8 only ASCII is left. NULL becomes "-".
 */
const char *cells_safe(struct arena *arena, const char *text, bool has_utf8) MUST_CHECK;

/* Does the locale's encoding take UTF-8? */
bool is_utf8_locale(void);

/* Columns of safe text. */
size_t cells_width(const char *text);

/* The text itself if it fits into width columns, else its beginning with an ellipsis. */
const char *cells_cut(struct arena *arena, const char *text, size_t width, bool has_utf8) MUST_CHECK;
/* The same, of a name whose both ends say something: "core::slice::…::eq". */
const char *cells_cut_middle(struct arena *arena, const char *text, size_t width, bool has_utf8) MUST_CHECK;

/* Bytes of text that fit into width columns and end between words where possible; at least one character. */
size_t cells_break(const char *text, size_t width);

#endif
