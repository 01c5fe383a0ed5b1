/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * published.c - kernels written from what others have published of them: loops of instruction tables, of memory
 * benchmarks, and of textbooks. tests/bench/published.py has each one's source and what is expected of it.
 */
#include "../frame/frame.h"

extern const struct kernel instruction_kernels[], memory_kernels[], textbook_kernels[], tree_kernels[];

const struct kernel *const kernel_lists[] = { instruction_kernels, memory_kernels, textbook_kernels, tree_kernels,
					      NULL };
