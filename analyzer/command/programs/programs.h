/* SPDX-License-Identifier: GPL-2.0-or-later */
/* programs.h - for programs that read what topdown writes: output that fits, errors as JSON. */
#ifndef TOPDOWN_COMMAND_PROGRAMS_PROGRAMS_H
#define TOPDOWN_COMMAND_PROGRAMS_PROGRAMS_H

#include <stdio.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "present/document/render.h"

/* ---- budget.c ---- */

#define LEAST_BUDGET 1024 /* bytes; less would hold no answer */
#define BRIEF_BUDGET 4096 /* of --format brief */

/*
 * --budget: writes the text as far as it fits: of JSON as json_cut() does, of other forms whole lines from its
 * beginning, where the answer is, and a last one with the number of those that are left out.
 */
int budget_write(FILE *out, const char *text, size_t budget, enum format format, struct error *err) MUST_CHECK;

/* ---- error_report.c ---- */

/* Were errors asked for as JSON? Of a command line that may be wrong: its options up to "--". */
bool wants_json_errors(int argc, char *const *argv);

struct failure {
	const struct error *err;
	int status;	     /* that topdown ends with */
	bool is_usage;	     /* the command line is wrong */
	const char *command; /* the command's name; NULL: a measurement, or none was recognized */
};

/* To standard error, as a line of JSON (topdown-error in docs/FORMATS.md). */
void error_report(const struct failure *failure, struct arena *arena);

#endif
