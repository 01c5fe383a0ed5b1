/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pinned.h - what a pinned program learns of its machine and of the moment: the same answers on every host, so that the
 * same binary takes the same way. Clocks, random numbers, the number of CPUs and the size of memory are the tool's own.
 * What it learns of the CPU is in pinned_cpu.h. The number of a process stays the kernel's: raise() and kill() need it.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_PINNED_H
#define TOPDOWN_SIMULATOR_GUEST_PINNED_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/parameters.h"

/*
 * Before the first instruction is translated. NULL, or what the host lacks for programs to learn of the same
 * instructions as elsewhere.
 */
const HChar *pinned_begin(const struct parameters *parameters);

/* The thread's first instruction: what the kernel left on the program's stack (auxiliary vector, random bytes). */
void pinned_stack(ThreadId id);

/* Around a system call: a moment to wait for is one of the kernel's clock, an answer one of ours. */
void pinned_call(ThreadId id, UInt number, const UWord *arguments);
void pinned_returned(ThreadId id, UInt number, const UWord *arguments, SysRes result);

#endif
