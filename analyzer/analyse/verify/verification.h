/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verification.h - all known kernels on a machine: what a user attaches to an issue. It names the machine's kind, and
 * neither its host, its users nor paths.
 */
#ifndef TOPDOWN_ANALYSE_VERIFY_VERIFICATION_H
#define TOPDOWN_ANALYSE_VERIFY_VERIFICATION_H

#include "analyse/verify/known_answers.h"

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
