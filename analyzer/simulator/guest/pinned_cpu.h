/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pinned_cpu.h - what a pinned program learns of its CPU, and of counters that run. */
#ifndef TOPDOWN_SIMULATOR_GUEST_PINNED_CPU_H
#define TOPDOWN_SIMULATOR_GUEST_PINNED_CPU_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/parameters.h"

/* What the answers need; NULL, or what the host lacks of them. */
const HChar *pinned_cpu_begin(const struct parameters *parameters, ULong (*time)(void));

/* In place of a statement that asks the CPU; any other is returned as it is. */
IRStmt *pinned_cpu_statement(IRStmt *statement);

/* Of AT_HWCAP, AT_HWCAP2 and AT_MINSIGSTKSZ in the auxiliary vector; False: the kernel's value is everybody's. */
Bool pinned_cpu_auxiliary(UWord kind, UWord *value);

#endif
