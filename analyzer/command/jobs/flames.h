/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flames.h - the flame graphs of a page, which the command layer hands to the document. */
#ifndef TOPDOWN_COMMAND_JOBS_FLAMES_H
#define TOPDOWN_COMMAND_JOBS_FLAMES_H

#include "analyse/compare/compare.h"
#include "command/jobs/output.h"
#include "common/measurement/counts.h"

/*
 * Of a measurement, whose report is that of its first part (NULL: nothing was counted). Where the output is no page, or
 * there is no profile, nothing is added to its style. All of it lives in arena.
 */
void flames_add(struct output *output, const struct measurement *measured, const struct report *report,
		struct arena *arena);

/* What differs between the profiles of both sides, where both have one. */
void flames_add_difference(struct output *output, const struct comparison *comparison, struct arena *arena);

#endif
