/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_calls.h - limits of single system calls, "syscalls.write"; one that a program no longer makes is 0 of them. */
#ifndef TOPDOWN_ANALYSE_GATE_GATE_CALLS_H
#define TOPDOWN_ANALYSE_GATE_GATE_CALLS_H

#include <stdbool.h>

#include "analyse/gate/gate_limits.h"
#include "common/measurement/counts.h"

/* The call's name, "write"; NULL: the metric is no system call's. */
const char *gate_call_of(const char *metric);

/* Is it one of the kernel's, as it was when topdown was built? Of a newer one "call_470" is. */
bool is_call_name(const char *call);

/* The calls that limits are about, for --syscalls: "write,read" or "all"; NULL: there are none. */
const char *gate_calls_asked(const struct gate_limits *limits, struct arena *arena);

/* How often each repeat made the call: [nrepeats]. NULL: calls were not counted. */
const double *gate_call_counts(const struct counts *counts, const char *call, struct arena *arena);

#endif
