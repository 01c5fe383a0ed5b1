/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h - what formulas may ask of a machine: the literals (#SMT_on ...) of perf's metric grammar
 * (linux tools/perf/util/expr.c, expr__get_literal). NAN: unknown; arithmetic with it gives
 * NAN, and a comparison is false, as in perf.
 */
#ifndef TOPDOWN_COMMON_FORMULA_FACTS_H
#define TOPDOWN_COMMON_FORMULA_FACTS_H

#include <stdbool.h>

struct facts {
	double smt_on;	  /* 1 when any core runs more than one thread */
	double core_wide; /* 1 when all threads of each core are counted */
	double num_cpus, num_cpus_online, num_cores, num_dies, num_packages;
	double slots;		/* issue width: caps/slots of an arm64 PMU, or the database's Slots */
	double system_tsc_freq; /* Hz */
	double has_pmem;	/* 1 when persistent memory is present */
	double chas_per_socket; /* Intel: units of the last-level cache that a socket has, what perfmon calls so */
	const char *cpuid;	/* for strcmp_cpuid_str(); NULL: unknown */
};

/* The facts of a machine that is not at hand: SMT on, one package, everything else unknown. */
struct facts facts_assumed(void);

/* False when there is no such literal. The value is NAN when it is unknown on this machine. */
bool literal_value(const char *name, const struct facts *facts, double *value);

/* False when there is no such literal. */
bool literal_set(const char *name, struct facts *facts, double value);

/*
 * strcmp_cpuid_str(): on arm64 the same part and at least the given variant and revision
 * (linux tools/perf/arch/arm64/util/header.c, strcmp_cpuid_str), elsewhere the same text.
 * 1 on match; cpuid may be NULL.
 */
double is_cpuid_match(const char *wanted, const char *cpuid);

#endif
