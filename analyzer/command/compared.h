/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared.h - a measurement as one side of a comparison, wherever it comes from. */
#ifndef TOPDOWN_COMMAND_COMPARED_H
#define TOPDOWN_COMMAND_COMPARED_H

#include "command/commands.h"
#include "compare/compare.h"

/*
 * Evaluates all levels of a measurement, which has at least a part. label is what errors and the report call it; it is
 * borrowed as measured is. -1 and err where no model fits its counts.
 */
int compared_side(struct compare_side *side, struct measurement *measured, const char *label,
		  const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

#endif
