/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared.h - a measurement as one side of a comparison, wherever it comes from. */
#ifndef TOPDOWN_COMMAND_JOBS_COMPARED_H
#define TOPDOWN_COMMAND_JOBS_COMPARED_H

#include <stdio.h>

#include "analyse/compare/compare.h"
#include "command/commands.h"

/*
 * Evaluates all levels of a measurement, which has at least a part, and fills the side but for its label, which is
 * there already: errors and the report call it that. measured is borrowed. -1 and err where no model fits its counts.
 */
int compared_side(struct compare_side *side, struct measurement *measured, const struct options *options,
		  struct arena *arena, struct error *err) MUST_CHECK;

/* Writes where the options say, else to otherwise. */
int compared_show(const struct comparison *comparison, FILE *otherwise, const struct options *options,
		  struct arena *arena, struct error *err) MUST_CHECK;

/* A comparison is of one core: -1 and err where --sim-core names several. */
int compared_core_check(const struct options *options, struct error *err) MUST_CHECK;

#endif
