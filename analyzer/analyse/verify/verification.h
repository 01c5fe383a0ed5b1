/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verification.h - all known kernels on a machine: what a user attaches to an issue. It names the machine's kind, and
 * neither its host, its users nor paths.
 */
#ifndef TOPDOWN_ANALYSE_VERIFY_VERIFICATION_H
#define TOPDOWN_ANALYSE_VERIFY_VERIFICATION_H

#include "analyse/evaluate/report.h"
#include "analyse/verify/known_kernels.h"
#include "common/base/arena.h"

/* ---- known_answers.c ---- */

/*
 * Which node each known kernel must have as its worst one, in the trees of Intel, AMD and Arm; and whether a
 * report says so. Pure: reports come from evaluate.
 */

enum known_verdict {
	KNOWN_YES,
	KNOWN_NO,      /* another node is the worst, or none is over its threshold */
	KNOWN_UNKNOWN, /* it was not measured, or not all of it; reason says why */
	KNOWN_ABSENT,  /* this CPU's tree has no node for it */
};

/* "yes", "no", "unknown", "absent" */
const char *known_verdict_name(enum known_verdict verdict);

/* A node as it was measured. title NULL: there is none. */
struct known_node {
	const char *title, *path;
	const struct metric *metric;
	double value;	  /* in the printed unit; NAN: unknown */
	double low, high; /* its 95 % interval; NAN: none is known */
	double running;	  /* share of the time that its events were on counters; NAN: unknown */
	const char *quality;
};

/* One kernel: what was expected, and what was found. */
struct known_result {
	const struct known_kernel *kernel;
	enum known_verdict verdict;
	const char *reason;	  /* of KNOWN_NO and KNOWN_UNKNOWN a clause; else NULL */
	const char **expected;	  /* titles of the nodes, of which one or something below it must be the worst */
	size_t nexpected;	  /* 0: KNOWN_ABSENT, or nothing was measured */
	const char *because;	  /* a word or two; NULL: none expected */
	struct known_node wanted; /* the one expected node that is largest */
	struct known_node found;  /* the leaf of the worst path */
	size_t runs, groups;	  /* 0: unknown */
	double wall_s, instructions, cycles, ipc; /* of a run; NAN: unknown */
	double modelled, measured;		  /* simulated: cycles, and those of a native run; NAN: unknown */
	double ratio, ratio_low, ratio_high;	  /* modelled by measured; NAN: they can't be compared */
	const char *no_ratio;			  /* why not; NULL: there is a ratio, or nothing was simulated */
};

/* The result borrows from the report's model; its texts live in arena. */
void known_judge(struct known_result *result, const struct known_kernel *kernel, const struct report *report,
		 struct arena *arena);

/* Nothing was measured, for this reason. */
void known_give_up(struct known_result *result, const struct known_kernel *kernel, const char *reason);

/* ---- verification.c ---- */

struct verification {
	const char *tool_version;
	const char *cpu, *cpuid, *machine, *microcode, *kernel; /* as in struct machine; cpu: database; NULL: unknown */
	const char *hypervisor;					/* NULL: none seen */
	bool smt_on;
	const char *model;     /* title and version of the formulas; NULL: nothing was measured */
	const char *scope;     /* "user+kernel"; NULL as well */
	const char *simulated; /* "simulated Zen 5 (zen5) ..."; NULL: counted, or nothing was measured */
	unsigned level;	       /* of the tree */
	unsigned times;	       /* that each kernel's work was done */
	double seconds;	       /* that it took */
	struct known_result *results;
	size_t count;
	int interrupted_by; /* the signal after which no kernel was measured any more; 0: none */
};

/* Exit statuses of topdown's own (docs/man/topdown.1.md). */
enum { VERIFIED_ALL = 0, VERIFIED_OTHERWISE = 3, VERIFIED_UNKNOWN = 4 };

/* Results of this verdict. */
size_t verification_count(const struct verification *verification, enum known_verdict verdict);

/* One otherwise: VERIFIED_OTHERWISE. Not measured, or none as expected: VERIFIED_UNKNOWN. */
int verification_status(const struct verification *verification);

/* What they come to, as a sentence. */
const char *verification_conclusion(const struct verification *verification, struct arena *arena);

/* How far modelled and measured cycles are apart, as a sentence; NULL: nothing was compared. */
const char *verification_anchor(const struct verification *verification, struct arena *arena);

#endif
