/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - call stacks from a copy of the registers and of the stack's top, by call frame information, at once while
 * samples come: addresses are kept, stacks are not. A file is read once for all processes, an address looked up once.
 */
#ifndef TOPDOWN_PROGRAM_UNWIND_UNWIND_H
#define TOPDOWN_PROGRAM_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/macros.h"

struct unwinder;

/* A mapping of executable memory, as PERF_RECORD_MMAP2 has it. */
struct unwind_mapping {
	uint32_t pid;
	uint64_t begin, length, offset;
	const char *path;
	uint64_t inode; /* of the file: another one at path is not read; 0: unknown */
};

/* One sample: registers in the order of the mask (PERF_SAMPLE_REGS_USER), and memory from the stack pointer on. */
struct unwind_sample {
	uint32_t pid, tid;
	uint64_t mask;
	const uint64_t *registers;
	const unsigned char *stack;
	size_t size;
};

/*
 * Of this machine's processes (sysroot ""), or of those of another machine (EM_... of elf.h) whose files lie below
 * sysroot. NULL: this architecture is not known. Free with unwinder_free. sysroot is borrowed.
 */
struct unwinder *unwinder_new(const char *sysroot);
struct unwinder *unwinder_new_for(const char *sysroot, uint16_t machine);
void unwinder_free(struct unwinder *unwinder);

/* The registers that it needs (PERF_REG_...), as perf_event_attr.sample_regs_user; 0 as unwinder_new's NULL. */
uint64_t unwind_registers(void);
uint64_t unwind_registers_for(uint16_t machine);

/* What changes in a process. A later mapping takes the place of an earlier one where they overlap. */
void unwinder_map(struct unwinder *unwinder, const struct unwind_mapping *mapping);
void unwinder_fork(struct unwinder *unwinder, uint32_t parent, uint32_t child);
void unwinder_exec(struct unwinder *unwinder, uint32_t pid);
void unwinder_exit(struct unwinder *unwinder, uint32_t pid);

/*
 * Fills addresses, innermost first, and returns their number, at most `most`; callers' are those of the call, not of
 * the return. is_truncated: there are callers that could not be reached.
 */
size_t unwinder_walk(struct unwinder *unwinder, const struct unwind_sample *sample, uint64_t *addresses, size_t most,
		     bool *is_truncated) MUST_CHECK;

#endif
