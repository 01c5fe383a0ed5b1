/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernels_generic.c - kernels in plain C, for architectures without a file of their own. */
#include "analyse/ceilings/kernels.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

#include "common/base/macros.h"

#define KEEP_VECTOR(x) __asm__ volatile("" : "+m"(x)) /* no register class is known: through memory */
#define KEEP_INT       KEEP_INTEGER
#include "analyse/ceilings/kernel_loops.h"

MUL_ADD_KERNEL(mul_add_f64, , double, LANE_OF_SCALAR, CHAINS_8)
MUL_ADD_KERNEL(mul_add_f32, , float, LANE_OF_SCALAR, CHAINS_8)
INT_KERNEL(int_add, , uint32_t, LANE_OF_SCALAR, CHAINS_8, INT_ADD, ROUNDS_8)
INT_KERNEL(int_mul_add, , uint32_t, LANE_OF_SCALAR, CHAINS_8, INT_MUL_ADD, ROUNDS_2)
STREAM_KERNEL(read_f64, , double, STEP_OF_ONE, ONE_ARRAY(READ_ONE), )
STREAM_KERNEL(write_f64, , double, STEP_OF_ONE, ONE_ARRAY(WRITE_ONE), )
STREAM_KERNEL(copy_f64, , double, STEP_OF_MORE, MORE_ARRAYS(COPY_ONE), )
STREAM_KERNEL(triad_f64, , double, STEP_OF_MORE, MORE_ARRAYS(TRIAD_ONE), )

static bool has_it(void)
{
	return true;
}

static const struct compute_kernel compute[] = {
	{ CEILING_F64, CEILING_MUL_ADD, 64, false, 16, 2, mul_add_f64, has_it },
	{ CEILING_F32, CEILING_MUL_ADD, 32, false, 16, 2, mul_add_f32, has_it },
	{ CEILING_INT, CEILING_ADD, 32, false, 8, 8, int_add, has_it },
	{ CEILING_INT, CEILING_MUL_ADD, 32, false, 8, 2, int_mul_add, has_it },
};

static const struct stream_kernel streams[] = {
	{ CEILING_READ, 64, false, read_f64, has_it, NULL },
	{ CEILING_WRITE, 64, false, write_f64, has_it, NULL },
	{ CEILING_COPY, 64, false, copy_f64, has_it, NULL },
	{ CEILING_TRIAD, 64, false, triad_f64, has_it, NULL },
};

const struct kernel_set main_kernels = { compute, COUNT_OF(compute), streams, COUNT_OF(streams), NULL };

#endif
