/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_limits.h - what a change may cost: limits that people write down in a file of their repository. docs/FORMATS.md
 * ("topdown-limits") has the format.
 */
#ifndef TOPDOWN_ANALYSE_GATE_GATE_LIMITS_H
#define TOPDOWN_ANALYSE_GATE_GATE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/json/json_read.h"

/* The first two are about the baseline, the others are absolute. */
enum gate_bound { BOUND_MAX_INCREASE, BOUND_MAX_DECREASE, BOUND_MAX, BOUND_MIN };

enum gate_unit {
	UNIT_PERCENT, /* of the baseline's value; of an absolute limit the metric's own percent */
	UNIT_POINTS,  /* percentage points, of a metric in percent */
	UNIT_OWN,     /* the metric's */
};

struct gate_limit {
	const char *metric;   /* name or title, as written: "instructions", "Bad_Speculation" */
	const char *function; /* of this function only; NULL: of the whole program */
	enum gate_bound bound;
	double value; /* from 0, but for absolute ones */
	enum gate_unit unit;
	const char *written;	 /* "0.3 %" */
	const char *note;	 /* what to do when it is exceeded; NULL: nothing was written */
	struct json_place place; /* of the bound in its file; line 0: there is no file */
};

struct gate_limits {
	const char *source; /* the file; NULL: the defaults */
	struct gate_limit *items;
	size_t count;
};

/* "max_increase" ... */
const char *gate_bound_name(enum gate_bound bound);

/* Does it need a baseline? */
bool is_relative(const struct gate_limit *limit);

/* -1 and err with file, line and column for whatever is no such file, or says something twice. */
int gate_limits_read(struct gate_limits *limits, const char *path, struct arena *arena, struct error *err) MUST_CHECK;
int gate_limits_read_text(struct gate_limits *limits, const char *text, const char *source, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* Where no file says otherwise. */
struct gate_limits gate_limits_default(bool is_simulated);

/* "topdown-limits.json: line 3, column 5: ": the error's place. Always -1. */
int gate_limit_error(struct error *err, const struct gate_limits *limits, const struct gate_limit *limit,
		     const char *sentence);

#endif
