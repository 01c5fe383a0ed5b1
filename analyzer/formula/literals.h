/* SPDX-License-Identifier: GPL-2.0-or-later */
/* literals.h - the #names of the grammar (linux tools/perf/util/expr.c) and the comparison of CPU ids. */
#ifndef TOPDOWN_LITERALS_H
#define TOPDOWN_LITERALS_H

#include <stdbool.h>

#include "formula/facts.h"

/* False when there is no such literal. The value is NAN when it is unknown on this machine. */
bool literal_value(const char *name, const struct facts *facts, double *value);

/* False when there is no such literal. */
bool literal_set(const char *name, struct facts *facts, double value);

/*
 * strcmp_cpuid_str(): on arm64 the same part and at least the given variant and revision
 * (linux tools/perf/arch/arm64/util/header.c, strcmp_cpuid_str), elsewhere the same text. 1 on match; cpuid may be NULL.
 */
double is_cpuid_match(const char *wanted, const char *cpuid);

#endif
