/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_side.h - a measurement as one side of a comparison, wherever it comes from. */
#ifndef TOPDOWN_COMMAND_JOBS_COMPARISON_SIDE_H
#define TOPDOWN_COMMAND_JOBS_COMPARISON_SIDE_H

#include <stdio.h>

#include "analyse/compare/compare.h"
#include "command/jobs/output.h"
#include "common/request/request.h"

/* Writes where the choice says, else to otherwise. */
int compared_show(const struct comparison *comparison, FILE *otherwise, const struct output_choice *choice,
		  struct arena *arena, struct error *err) MUST_CHECK;

/* A comparison is of one core: -1 and err where --sim-core names several. */
int compared_core_check(const struct setup *setup, struct error *err) MUST_CHECK;

#endif
