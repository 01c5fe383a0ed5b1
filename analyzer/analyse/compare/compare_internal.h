/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare_internal.h - the steps of a comparison. */
#ifndef TOPDOWN_ANALYSE_COMPARE_COMPARE_INTERNAL_H
#define TOPDOWN_ANALYSE_COMPARE_COMPARE_INTERNAL_H

#include "analyse/compare/sides.h"
#include "common/base/arena.h"
#include "common/base/table.h"

/* ---- code_rows.c ---- */

/* A side's source lines with what belongs to each; functions are ranges of them. For code.c. */

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
	double slots;	/* retired: what rows have instead of instructions; 0: they have these */
	bool *has_node; /* [nnodes] rows have their part of it */
};

/* From a side's profile; its amounts are those of the side's median cycles or CPU time. */
void code_rows_fill(struct code_side *code, const struct side *side, const struct comparing *comparing);

/* Of a simulator's rows: AMOUNT_INSTRUCTIONS from slots, about as many in all as both programs retired together. */
void code_rows_count_instructions(struct code_side *before, struct code_side *after, const struct comparing *comparing);

/* Modules of one side alone, of which one has taken the other's place: they get one name. Then rows are sorted. */
void code_rows_match(struct code_side *before, struct code_side *after, struct arena *arena);

double code_sum(const struct code_function *function, size_t amount);

/* ---- pairing.c ---- */

/* A function of both sides; one of them may be NULL. */
struct pairing {
	const struct code_function *before, *after;
	bool is_renamed;
};

struct pairings {
	struct pairing *items;
	size_t count;
	const struct code_side *before, *after;
	struct comparing *comparing;
};

/* Finds the pairs of before and after; comparing is given. */
void pairings_fill(struct pairings *pairs);

/* The first of the function's lines; UINT32_MAX: it has none. */
uint32_t code_first_line(const struct code_function *function);
/* The amount on the line so many behind the function's first; 0 without a function (NULL). */
double code_amount_at(const struct code_function *function, uint32_t offset, size_t amount);

/* ---- code.c ---- */

/* What a function (NULL: nothing) has of a node, without what its children have. */
double code_leaf(const struct pairings *pairs, const struct code_function *function, size_t node);
/* Have both sides the node's part of each row? */
bool code_is_known(const struct pairings *pairs, size_t node);

/* ---- function_terms.c ---- */

/*
 * Exact simulations: the terms anew, as the sums of those of each function, where all rows have their part of each
 * node. Does nothing otherwise.
 */
void function_terms_fill(const struct pairings *pairs);

/* What a pair has of the term of a node; TABLE_NONE: of that of instructions. */
double function_term(const struct pairings *pairs, const struct pairing *pair, size_t node);

/* ---- rank_tests.c ---- */

/*
 * Do two series of measurements differ? Exact tests of ranks, which assume no distribution, and what they are
 * corrected for where several are judged at once.
 */

/* Two series, or a series of pairs. Values are numbers; those of pairs have the same count. */
struct two_series {
	const double *before, *after;
	size_t nbefore, nafter;
};

/*
 * Two-sided p of Mann and Whitney's test (Annals of Mathematical Statistics 18, 1947): twice the smaller tail of the
 * distribution of the rank sum, given the ties that there are. Exact up to EXACT_RANKS values together; beyond that by
 * the normal distribution, corrected for ties and continuity. NAN where a series is empty.
 */
double mann_whitney_p(const struct two_series *series, struct arena *arena);
#define EXACT_RANKS 120

/*
 * Two-sided p of Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) of pairs, in the same way; pairs that do not
 * differ are left out. NAN without pairs, 1 where none differs.
 */
double signed_rank_p(const struct two_series *pairs, struct arena *arena);

/*
 * Holm's correction (Scandinavian Journal of Statistics 6, 1979): adjusted[i] is p[i] as it counts where all of them
 * are judged. NAN stays, and counts for nothing.
 */
void holm_adjust(double *adjusted, const double *p, size_t count, struct arena *arena);

#endif
