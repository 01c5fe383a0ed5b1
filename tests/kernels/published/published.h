/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * published.h - kernels written from what others have published of them: loops of instruction tables, of memory
 * benchmarks, and of textbooks. tests/bench/published.py has each one's source and what is expected of it.
 */
#ifndef TOPDOWN_TESTS_PUBLISHED_H
#define TOPDOWN_TESTS_PUBLISHED_H

#include "../kernel.h"

/* rounds through a kernel's memory, which prepare has filled; what comes back only keeps the work from being left out. */
typedef uint64_t kernel_run(size_t rounds, char *memory);
typedef void kernel_prepare(char *memory, size_t size);

struct kernel {
	const char *name;
	kernel_run *run;
	size_t rounds;		 /* that take some millions of cycles */
	size_t size;		 /* of its memory, in bytes; 0: a page */
	kernel_prepare *prepare; /* NULL: the memory is zero */
};

/* Each list ends with a kernel without a name. */
extern const struct kernel instruction_kernels[], memory_kernels[], textbook_kernels[], tree_kernels[];

#endif
