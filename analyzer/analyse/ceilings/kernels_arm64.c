/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernels_arm64.c - kernels for what every arm64 CPU has: NEON, 128 bits. SVE is in kernels_sve.c. */
#include "analyse/ceilings/kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "common/base/macros.h"

#define KEEP_VECTOR(x) __asm__ volatile("" : "+w"(x))
#define KEEP_INT       KEEP_VECTOR
#include "analyse/ceilings/kernel_loops.h"

typedef double f64x2 __attribute__((vector_size(16), may_alias));
typedef float f32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));

/* 32 registers; up to four units with a latency of four cycles take 16 chains. */
MUL_ADD_KERNEL(mul_add_f64, , double, LANE_OF_SCALAR, CHAINS_12)
MUL_ADD_KERNEL(mul_add_f32, , float, LANE_OF_SCALAR, CHAINS_12)
MUL_ADD_KERNEL(mul_add_f64x2, , f64x2, LANE_OF_VECTOR, CHAINS_12)
MUL_ADD_KERNEL(mul_add_f32x4, , f32x4, LANE_OF_VECTOR, CHAINS_12)

#define FMA_F64X2(x, y, z) vfmaq_f64(z, x, y)
#define FMA_F32X4(x, y, z) vfmaq_f32(z, x, y)
#define UP_F64(i)	   FUSE(i, __builtin_fma, double, one)
#define DOWN_F64(i)	   FUSE(i, __builtin_fma, double, less)
#define UP_F32(i)	   FUSE(i, __builtin_fmaf, float, one)
#define DOWN_F32(i)	   FUSE(i, __builtin_fmaf, float, less)
#define UP_F64X2(i)	   FUSE(i, FMA_F64X2, float64x2_t, one)
#define DOWN_F64X2(i)	   FUSE(i, FMA_F64X2, float64x2_t, less)
#define UP_F32X4(i)	   FUSE(i, FMA_F32X4, float32x4_t, one)
#define DOWN_F32X4(i)	   FUSE(i, FMA_F32X4, float32x4_t, less)

FMA_KERNEL(fma_f64, , double, LANE_OF_SCALAR, CHAINS_16, UP_F64, DOWN_F64)
FMA_KERNEL(fma_f32, , float, LANE_OF_SCALAR, CHAINS_16, UP_F32, DOWN_F32)
FMA_KERNEL(fma_f64x2, , f64x2, LANE_OF_VECTOR, CHAINS_16, UP_F64X2, DOWN_F64X2)
FMA_KERNEL(fma_f32x4, , f32x4, LANE_OF_VECTOR, CHAINS_16, UP_F32X4, DOWN_F32X4)

INT_KERNEL(int_add_x4, , u32x4, LANE_OF_VECTOR, CHAINS_16, INT_ADD, ROUNDS_8)
INT_KERNEL(int_fma_x4, , u32x4, LANE_OF_VECTOR, CHAINS_16, INT_ACCUMULATE, ROUNDS_2)

#undef KEEP_INT
#define KEEP_INT KEEP_INTEGER
INT_KERNEL(int_add, , uint32_t, LANE_OF_SCALAR, CHAINS_12, INT_ADD, ROUNDS_8)
INT_KERNEL(int_fma, , uint32_t, LANE_OF_SCALAR, CHAINS_12, INT_ACCUMULATE, ROUNDS_2)

/* ---- streams ---- */

/* Two vectors, past the caches where the CPU likes. */
#define STORE_NT(at, x, y)                                                                                             \
	__asm__ volatile("stnp %q[first], %q[second], [%[to]]"                                                         \
			 :                                                                                             \
			 : [first] "w"(x), [second] "w"(y), [to] "r"(at)                                               \
			 : "memory");
#define WRITE_NT STORE_NT(a, s, s) STORE_NT(a + 2, s, s) STORE_NT(a + 4, s, s) STORE_NT(a + 6, s, s)
#define COPY_NT	 STORE_NT(a, b[0], b[1]) STORE_NT(a + 2, b[2], b[3])
#define TRIAD_NT STORE_NT(a, b[0] + s * c[0], b[1] + s * c[1]) STORE_NT(a + 2, b[2] + s * c[2], b[3] + s * c[3])

STREAM_KERNEL(read_x2, , f64x2, STEP_OF_ONE, ONE_ARRAY(READ_ONE), )
STREAM_KERNEL(write_x2, , f64x2, STEP_OF_ONE, ONE_ARRAY(WRITE_ONE), )
STREAM_KERNEL(copy_x2, , f64x2, STEP_OF_MORE, MORE_ARRAYS(COPY_ONE), )
STREAM_KERNEL(triad_x2, , f64x2, STEP_OF_MORE, MORE_ARRAYS(TRIAD_ONE), )
STREAM_KERNEL(write_nt_x2, , f64x2, STEP_OF_ONE, WRITE_NT, )
STREAM_KERNEL(copy_nt_x2, , f64x2, STEP_OF_MORE, COPY_NT, )
STREAM_KERNEL(triad_nt_x2, , f64x2, STEP_OF_MORE, TRIAD_NT, )

static bool has_neon(void)
{
	return true;
}

static const struct compute_kernel compute[] = {
	{ CEILING_F64, CEILING_MUL_ADD, 64, false, 24, 2, mul_add_f64, has_neon },
	{ CEILING_F64, CEILING_MUL_ADD, 128, false, 24, 2, mul_add_f64x2, has_neon },
	{ CEILING_F64, CEILING_FMA, 64, false, 16, 2, fma_f64, has_neon },
	{ CEILING_F64, CEILING_FMA, 128, false, 16, 2, fma_f64x2, has_neon },
	{ CEILING_F32, CEILING_MUL_ADD, 32, false, 24, 2, mul_add_f32, has_neon },
	{ CEILING_F32, CEILING_MUL_ADD, 128, false, 24, 2, mul_add_f32x4, has_neon },
	{ CEILING_F32, CEILING_FMA, 32, false, 16, 2, fma_f32, has_neon },
	{ CEILING_F32, CEILING_FMA, 128, false, 16, 2, fma_f32x4, has_neon },
	{ CEILING_INT, CEILING_ADD, 32, false, 12, 8, int_add, has_neon },
	{ CEILING_INT, CEILING_ADD, 128, false, 16, 8, int_add_x4, has_neon },
	{ CEILING_INT, CEILING_FMA, 32, false, 12, 2, int_fma, has_neon },
	{ CEILING_INT, CEILING_FMA, 128, false, 16, 2, int_fma_x4, has_neon },
};

static const struct stream_kernel streams[] = {
	{ CEILING_READ, 128, false, read_x2, has_neon, NULL },
	{ CEILING_WRITE, 128, false, write_x2, has_neon, NULL },
	{ CEILING_COPY, 128, false, copy_x2, has_neon, NULL },
	{ CEILING_TRIAD, 128, false, triad_x2, has_neon, NULL },
	{ CEILING_WRITE_NT, 128, false, write_nt_x2, has_neon, NULL },
	{ CEILING_COPY_NT, 128, false, copy_nt_x2, has_neon, NULL },
	{ CEILING_TRIAD_NT, 128, false, triad_nt_x2, has_neon, NULL },
};

const struct kernel_set main_kernels = { compute, COUNT_OF(compute), streams, COUNT_OF(streams), NULL };

#endif
