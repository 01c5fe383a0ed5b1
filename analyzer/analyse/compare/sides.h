/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sides.h - what the files of compare share: both sides as series of numbers. */
#ifndef TOPDOWN_ANALYSE_COMPARE_SIDES_H
#define TOPDOWN_ANALYSE_COMPARE_SIDES_H

#include "analyse/compare/compare.h"

/* One side. NAN: not measured. */
struct side {
	const struct compare_side *given;
	size_t count; /* repeats */
	bool is_simulated;
	double *wall_s, *cpu_s, *cycles, *instructions; /* of each repeat */
};

/* What the steps of a comparison are given. */
struct comparing {
	const struct compare_request *request;
	struct comparison *result;
	struct side before, after;
	struct resampling repeats;
	struct arena *arena;
};

struct side side_init(const struct compare_side *given, struct arena *arena);

/* A result's value of a repeat. */
double side_value(const struct side *side, const struct result *result, size_t repeat);

/* The side's result of a metric that has this name or title; NULL: it has none. */
const struct result *side_result(const struct side *side, const struct metric *like);

void compare_note(struct comparing *comparing, const char *sentence);

/* ---- metrics.c: ratios with their intervals, tests, changes ---- */

/* Of times, cycles, instructions, metrics and nodes. */
void metrics_fill(struct comparing *comparing);

/* ---- verdict.c ---- */

void verdict_find(struct comparing *comparing);

/* ---- terms.c: what the difference in cycles consists of ---- */

void terms_fill(struct comparing *comparing);
/* Anew: leaves[i] is what is left of node i when its children have theirs, and instructions have the rest. */
void terms_of_functions(struct comparing *comparing, const double *leaves);
/* After the terms are final: a note where the one of instructions is odd. */
void terms_explain(struct comparing *comparing);

/* ---- code.c: functions and lines ---- */

void code_fill(struct comparing *comparing);

/* ---- next.c: what to type next, and whether only the layout differs ---- */

void next_find(struct comparing *comparing);

/* ---- environment.c: what differs besides the program ---- */

void environment_fill(struct comparing *comparing);

#endif
