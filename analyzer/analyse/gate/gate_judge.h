/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_judge.h - does a change stay within its limits, and if not, why? Pure: of a comparison with the baseline.
 */
#ifndef TOPDOWN_ANALYSE_GATE_GATE_JUDGE_H
#define TOPDOWN_ANALYSE_GATE_GATE_JUDGE_H

#include "analyse/compare/compare.h"
#include "analyse/gate/gate_limits.h"
#include "common/base/arena.h"
#include "common/measurement/counts.h"

enum gate_verdict { GATE_WITHIN, GATE_BEYOND, GATE_UNKNOWN };

/* "within", "beyond", "unknown" */
const char *gate_verdict_name(enum gate_verdict verdict);

#define STATUS_BEYOND	 3 /* exit statuses of the gate */
#define STATUS_CANT_TELL 4

#define MOST_CAUSES 3

/* What an excess consists of: a node of the tree, or a function and its line. Texts are NULL where nothing is known. */
struct gate_cause {
	const char *node, *function, *module, *file;
	uint32_t line;	  /* 0: unknown */
	double amount;	  /* of unit, that it takes more */
	const char *unit; /* "cycles", "instructions", "ns" */
};

/* A limit, judged. */
struct gate_row {
	const struct gate_limit *limit;
	const char *title, *unit; /* of the metric: "Instructions", ""; the limit's own words where there is none */
	double before, after;	  /* medians, in unit; NAN: unknown */
	/*
	 * What is compared with the limit, in the limit's unit: by how much it rose, of max_decrease fell; of max and
	 * min the value itself. From all layouts of a simulation, else the 95 % interval; NAN: none.
	 */
	struct estimate amount;
	enum gate_verdict verdict;
	const char *reason; /* of GATE_UNKNOWN: a clause; of the others what is worth knowing, or NULL */
	struct gate_cause causes[MOST_CAUSES]; /* of GATE_BEYOND: the largest first */
	size_t ncauses;
};

struct gate_request {
	const struct gate_limits *limits;
	const struct comparison *comparison; /* without a baseline: of the measurement with itself */
	bool has_baseline;
	const char *doubt;	 /* why nothing can be judged, whatever the numbers are: a clause; NULL: nothing */
	const char *look_closer; /* the command that shows more; NULL: there is none */
};

struct gate_result {
	const struct gate_request *request;
	struct gate_row *rows; /* in the order of the limits */
	size_t count;
	enum gate_verdict verdict;
	size_t nbeyond, nunknown;
	const char **notes; /* whole sentences */
	size_t nnotes;
};

/*
 * Do the limits name what there is, in units that it has? To be asked of a baseline before anything is measured.
 * Defaults that have nothing are left out instead. -1 and err with the limit's place and the nearest names.
 */
int gate_check(struct gate_limits *limits, const struct comparison *comparison, struct arena *arena,
	       struct error *err) MUST_CHECK;

/* Of what becomes the baseline: has it all functions that have limits? Else -1 and err in the same way. */
int gate_check_functions(const struct gate_limits *limits, const struct comparison *comparison, struct arena *arena,
			 struct error *err) MUST_CHECK;

/* The limits are such that gate_check has taken them. */
void gate_judge(struct gate_result *result, const struct gate_request *request, struct arena *arena);

/* 0, 3 or 4. */
int gate_status(const struct gate_result *result);

/* By name, title or another name that the model has for it, also "time" and "cpu_time"; NULL: none. */
const struct compared_metric *gate_metric(const struct comparison *comparison, const char *name);

/* Without regard to what it is called before: by its name now. NULL: none. */
const struct compared_function *gate_function(const struct comparison *comparison, const char *name);

/* gate_causes.c: fills the row's causes. */
void gate_find_causes(struct gate_row *row, const struct comparison *comparison);

/* ---- gate_doubt.c ---- */

/* Are two measurements of a kind, so that a gate can judge one by the other? */

bool is_simulated_measurement(const struct measurement *measured);

/* Did a signal or --timeout end a run, or the series of them? */
bool is_cut_short(const struct measurement *measured);

/* The program of the baseline where it has another name, as two builds often have; NULL: the same, or unknown. */
const char *gate_other_program(const struct measurement *before, const struct measurement *after, struct arena *arena);

/* Why numbers can't be compared, whatever they are: a clause; NULL: they can. */
const char *gate_doubt(const struct measurement *before, const struct measurement *after, struct arena *arena);

#endif
