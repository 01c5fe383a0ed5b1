/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_out.c - kernels to which no core was tuned: tests/bench/held_out.py judges the simulated cores by them.
 * expected.csv has what is expected of each, which was written before any had been simulated.
 */
#include "../frame/frame.h"

extern const struct kernel fetch_kernels[], branch_kernels[], memory_kernels[], execution_kernels[], write_kernels[],
	thread_kernels[], text_kernels[], code_kernels[], data_kernels[], numeric_kernels[];

const struct kernel *const kernel_lists[] = {
	fetch_kernels, branch_kernels, memory_kernels, execution_kernels, write_kernels, thread_kernels,
	text_kernels,  code_kernels,   data_kernels,   numeric_kernels,	  NULL
};
