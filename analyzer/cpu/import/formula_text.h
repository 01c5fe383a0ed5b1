/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formula_text.h - what the text of a formula says, without computing it. */
#ifndef TOPDOWN_CPU_IMPORT_FORMULA_TEXT_H
#define TOPDOWN_CPU_IMPORT_FORMULA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"

/* Of a formula that is one ratio, or a hundred times one, what stands above and below the line; else they stay. */
void formula_ratio(const char **numerator, const char **denominator, const char *expr, struct arena *arena);

/* The next name of a formula, which *text moves behind; its length, 0 at the end. */
size_t formula_next_name(const char **text, const char **name);

bool formula_has_name(const char *expr, const char *wanted);

#endif
