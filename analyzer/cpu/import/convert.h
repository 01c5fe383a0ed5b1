/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert.h - the vendors' formulas in the grammar of our models (perf's, see formula.h): the same structure, spaced
 * alike, names as in our event files.
 */
#ifndef TOPDOWN_CPU_IMPORT_CONVERT_H
#define TOPDOWN_CPU_IMPORT_CONVERT_H

#include "common/base/arena.h"
#include "common/base/error.h"

/*
 * What a name of a formula becomes; NULL: as it is. text is in the vendor's spelling with modifiers. It may note aside
 * what
 * it meets.
 */
struct convert_names {
	void *context;
	const char *(*name)(void *context, const char *text);
};

/*
 * "( 4 ) * x" becomes "4 * x", "a >= b" "1 - (a < b)", operators stand between blanks. NULL and err for a character
 * that no
 * word begins with.
 */
const char *convert_formula(const char *text, const struct convert_names *names, struct arena *arena,
			    struct error *err) MUST_CHECK;

/*
 * "n * (27 * f) - (3 * f)" of a converted formula becomes "n * ((27 * f) - (3 * f))": n events take 27 - 3 units of
 * time f each; without the parentheses the 3 would be taken off once. *count says how often that was so; expr itself
 * when never.
 */
const char *convert_latency(const char *expr, unsigned *count, struct arena *arena) MUST_CHECK;

/*
 * Intel's "( metric_TMA_....X(%) > 5 ) & ( metric_TMA_Y(%) > 15 )", in percent of values in percent, becomes
 * "tma_x > 0.05 & tma_y > 0.15"; limits below 1 are fractions already. NULL and err when it can't be read.
 */
const char *convert_threshold(const char *text, struct arena *arena, struct error *err) MUST_CHECK;

#endif
