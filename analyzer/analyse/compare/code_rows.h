/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_rows.h - a side's source lines with what belongs to each; functions are ranges of them. For code.c. */
#ifndef TOPDOWN_ANALYSE_COMPARE_CODE_ROWS_H
#define TOPDOWN_ANALYSE_COMPARE_CODE_ROWS_H

#include "analyse/compare/sides.h"

/* What a row has an amount of: cycles or ns, instructions, and from there on the cycles of each compared node. */
enum { AMOUNT_BASE, AMOUNT_INSTRUCTIONS, AMOUNT_NODES };

struct code_row {
	const char *module;	     /* what both sides call it: the program itself is "" */
	const char *path;	     /* of the module, as this side has it */
	const char *function, *file; /* NULL: unknown */
	uint32_t line;
	double *amounts; /* [namounts] */
	double samples;	 /* 0: exact */
	bool is_inlined; /* wherever it is */
};

struct code_function {
	const struct code_row *rows;
	size_t count;
};

struct code_side {
	struct code_row *rows; /* by module, function and line, each once */
	size_t nrows;
	struct code_function *functions;
	size_t nfunctions;
	size_t namounts;
	const char *unit; /* of AMOUNT_BASE: "cycles", "ns"; NULL: nothing is known */
	bool is_exact;
	bool *has_node; /* [nnodes] rows have their part of it */
};

/* From a side's profile; its amounts are those of the side's median cycles or CPU time. */
void code_rows_fill(struct code_side *code, const struct side *side, const struct comparing *comparing);

/* Modules of one side alone, of which one has taken the other's place: they get one name. Then rows are sorted. */
void code_rows_match(struct code_side *before, struct code_side *after, struct arena *arena);

double code_sum(const struct code_function *function, size_t amount);

#endif
