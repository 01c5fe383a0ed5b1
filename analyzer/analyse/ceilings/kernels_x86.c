/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernels_x86.c - kernels for SSE2, AVX, AVX2, FMA and AVX-512. */
#include "analyse/ceilings/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "common/base/macros.h"

#define KEEP_VECTOR(x) __asm__ volatile("" : "+v"(x))
#define KEEP_INT       KEEP_VECTOR
#include "analyse/ceilings/kernel_loops.h"

#define FOR(features) __attribute__((target(features)))

typedef double f64x2 __attribute__((vector_size(16), may_alias));
typedef double f64x4 __attribute__((vector_size(32), may_alias));
typedef double f64x8 __attribute__((vector_size(64), may_alias));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));

/* 16 registers, 32 of AVX-512: multiplying and adding in all units at once takes more chains than fusing. */
MUL_ADD_KERNEL(mul_add_f64, FOR("sse2"), double, LANE_OF_SCALAR, CHAINS_7)
MUL_ADD_KERNEL(mul_add_f32, FOR("sse2"), float, LANE_OF_SCALAR, CHAINS_7)
MUL_ADD_KERNEL(mul_add_f64x2, FOR("sse2"), f64x2, LANE_OF_VECTOR, CHAINS_7)
MUL_ADD_KERNEL(mul_add_f32x4, FOR("sse2"), f32x4, LANE_OF_VECTOR, CHAINS_7)
MUL_ADD_KERNEL(mul_add_f64x4, FOR("avx"), f64x4, LANE_OF_VECTOR, CHAINS_7)
MUL_ADD_KERNEL(mul_add_f32x8, FOR("avx"), f32x8, LANE_OF_VECTOR, CHAINS_7)
MUL_ADD_KERNEL(mul_add_f64x8, FOR("avx512f,avx512vl"), f64x8, LANE_OF_VECTOR, CHAINS_12)
MUL_ADD_KERNEL(mul_add_f32x16, FOR("avx512f,avx512vl"), f32x16, LANE_OF_VECTOR, CHAINS_12)

#define UP_F64(i)     FUSE(i, __builtin_fma, double, one)
#define DOWN_F64(i)   FUSE(i, __builtin_fma, double, less)
#define UP_F32(i)     FUSE(i, __builtin_fmaf, float, one)
#define DOWN_F32(i)   FUSE(i, __builtin_fmaf, float, less)
#define UP_PD(i)      FUSE(i, _mm_fmadd_pd, __m128d, one)
#define DOWN_PD(i)    FUSE(i, _mm_fmadd_pd, __m128d, less)
#define UP_PS(i)      FUSE(i, _mm_fmadd_ps, __m128, one)
#define DOWN_PS(i)    FUSE(i, _mm_fmadd_ps, __m128, less)
#define UP_PD256(i)   FUSE(i, _mm256_fmadd_pd, __m256d, one)
#define DOWN_PD256(i) FUSE(i, _mm256_fmadd_pd, __m256d, less)
#define UP_PS256(i)   FUSE(i, _mm256_fmadd_ps, __m256, one)
#define DOWN_PS256(i) FUSE(i, _mm256_fmadd_ps, __m256, less)
#define UP_PD512(i)   FUSE(i, _mm512_fmadd_pd, __m512d, one)
#define DOWN_PD512(i) FUSE(i, _mm512_fmadd_pd, __m512d, less)
#define UP_PS512(i)   FUSE(i, _mm512_fmadd_ps, __m512, one)
#define DOWN_PS512(i) FUSE(i, _mm512_fmadd_ps, __m512, less)

FMA_KERNEL(fma_f64, FOR("fma"), double, LANE_OF_SCALAR, CHAINS_12, UP_F64, DOWN_F64)
FMA_KERNEL(fma_f32, FOR("fma"), float, LANE_OF_SCALAR, CHAINS_12, UP_F32, DOWN_F32)
FMA_KERNEL(fma_f64x2, FOR("fma"), f64x2, LANE_OF_VECTOR, CHAINS_12, UP_PD, DOWN_PD)
FMA_KERNEL(fma_f32x4, FOR("fma"), f32x4, LANE_OF_VECTOR, CHAINS_12, UP_PS, DOWN_PS)
FMA_KERNEL(fma_f64x4, FOR("fma"), f64x4, LANE_OF_VECTOR, CHAINS_12, UP_PD256, DOWN_PD256)
FMA_KERNEL(fma_f32x8, FOR("fma"), f32x8, LANE_OF_VECTOR, CHAINS_12, UP_PS256, DOWN_PS256)
FMA_KERNEL(fma_f64x8, FOR("avx512f,avx512vl"), f64x8, LANE_OF_VECTOR, CHAINS_12, UP_PD512, DOWN_PD512)
FMA_KERNEL(fma_f32x16, FOR("avx512f,avx512vl"), f32x16, LANE_OF_VECTOR, CHAINS_12, UP_PS512, DOWN_PS512)

INT_KERNEL(int_add_x4, FOR("sse2"), u32x4, LANE_OF_VECTOR, CHAINS_12, INT_ADD, ROUNDS_8)
INT_KERNEL(int_add_x8, FOR("avx2"), u32x8, LANE_OF_VECTOR, CHAINS_12, INT_ADD, ROUNDS_8)
INT_KERNEL(int_add_x16, FOR("avx512f,avx512vl"), u32x16, LANE_OF_VECTOR, CHAINS_12, INT_ADD, ROUNDS_8)
INT_KERNEL(int_mul_add_x4, FOR("sse4.1"), u32x4, LANE_OF_VECTOR, CHAINS_12, INT_MUL_ADD, ROUNDS_2)
INT_KERNEL(int_mul_add_x8, FOR("avx2"), u32x8, LANE_OF_VECTOR, CHAINS_12, INT_MUL_ADD, ROUNDS_2)
INT_KERNEL(int_mul_add_x16, FOR("avx512f,avx512vl"), u32x16, LANE_OF_VECTOR, CHAINS_12, INT_MUL_ADD, ROUNDS_2)

#undef KEEP_INT
#define KEEP_INT KEEP_INTEGER
INT_KERNEL(int_add, , uint32_t, LANE_OF_SCALAR, CHAINS_8, INT_ADD, ROUNDS_8)
INT_KERNEL(int_mul_add, , uint32_t, LANE_OF_SCALAR, CHAINS_8, INT_MUL_ADD, ROUNDS_2)

/* ---- streams ---- */

#define WRITE_NT_PD(i)	  _mm_stream_pd((double *)&a[i], (__m128d)s);
#define COPY_NT_PD(i)	  _mm_stream_pd((double *)&a[i], (__m128d)b[i]);
#define TRIAD_NT_PD(i)	  _mm_stream_pd((double *)&a[i], (__m128d)(b[i] + s * c[i]));
#define WRITE_NT_PD256(i) _mm256_stream_pd((double *)&a[i], (__m256d)s);
#define COPY_NT_PD256(i)  _mm256_stream_pd((double *)&a[i], (__m256d)b[i]);
#define TRIAD_NT_PD256(i) _mm256_stream_pd((double *)&a[i], (__m256d)(b[i] + s * c[i]));
#define WRITE_NT_PD512(i) _mm512_stream_pd((double *)&a[i], (__m512d)s);
#define COPY_NT_PD512(i)  _mm512_stream_pd((double *)&a[i], (__m512d)b[i]);
#define TRIAD_NT_PD512(i) _mm512_stream_pd((double *)&a[i], (__m512d)(b[i] + s * c[i]));

#define STREAMS(V, TARGET, PD)                                                                                         \
	STREAM_KERNEL(read_##V, TARGET, V, STEP_OF_ONE, ONE_ARRAY(READ_ONE), )                                         \
	STREAM_KERNEL(write_##V, TARGET, V, STEP_OF_ONE, ONE_ARRAY(WRITE_ONE), )                                       \
	STREAM_KERNEL(copy_##V, TARGET, V, STEP_OF_MORE, MORE_ARRAYS(COPY_ONE), )                                      \
	STREAM_KERNEL(triad_##V, TARGET, V, STEP_OF_MORE, MORE_ARRAYS(TRIAD_ONE), )                                    \
	STREAM_KERNEL(triad_tight_##V, TARGET, V, 1, TRIAD_ONE(0), )                                                   \
	STREAM_KERNEL(write_nt_##V, TARGET, V, STEP_OF_ONE, ONE_ARRAY(WRITE_NT_##PD), _mm_sfence();)                   \
	STREAM_KERNEL(copy_nt_##V, TARGET, V, STEP_OF_MORE, MORE_ARRAYS(COPY_NT_##PD), _mm_sfence();)                  \
	STREAM_KERNEL(triad_nt_##V, TARGET, V, STEP_OF_MORE, MORE_ARRAYS(TRIAD_NT_##PD), _mm_sfence();)

/* NOLINTBEGIN(readability-function-size): a loop that is unrolled */
STREAMS(f64x2, FOR("sse2"), PD)
STREAMS(f64x4, FOR("avx"), PD256)
STREAMS(f64x8, FOR("avx512f,avx512vl"), PD512)
/* NOLINTEND(readability-function-size) */

/* ---- which of them work here ---- */

#define HAS(name, feature)                                                                                             \
	static bool has_##name(void)                                                                                   \
	{                                                                                                              \
		return __builtin_cpu_supports(feature) != 0;                                                           \
	}
HAS(sse2, "sse2")
HAS(sse4, "sse4.1")
HAS(avx, "avx")
HAS(avx2, "avx2")
HAS(fma, "fma")
/* All CPUs with AVX-512 have VL, but for Xeon Phi; clang takes only 16 registers without it. */
HAS(avx512, "avx512vl")

static const struct compute_kernel compute[] = {
	{ CEILING_F64, CEILING_MUL_ADD, 64, false, 14, 2, mul_add_f64, has_sse2 },
	{ CEILING_F64, CEILING_MUL_ADD, 128, false, 14, 2, mul_add_f64x2, has_sse2 },
	{ CEILING_F64, CEILING_MUL_ADD, 256, false, 14, 2, mul_add_f64x4, has_avx },
	{ CEILING_F64, CEILING_MUL_ADD, 512, false, 24, 2, mul_add_f64x8, has_avx512 },
	{ CEILING_F64, CEILING_FMA, 64, false, 12, 2, fma_f64, has_fma },
	{ CEILING_F64, CEILING_FMA, 128, false, 12, 2, fma_f64x2, has_fma },
	{ CEILING_F64, CEILING_FMA, 256, false, 12, 2, fma_f64x4, has_fma },
	{ CEILING_F64, CEILING_FMA, 512, false, 12, 2, fma_f64x8, has_avx512 },
	{ CEILING_F32, CEILING_MUL_ADD, 32, false, 14, 2, mul_add_f32, has_sse2 },
	{ CEILING_F32, CEILING_MUL_ADD, 128, false, 14, 2, mul_add_f32x4, has_sse2 },
	{ CEILING_F32, CEILING_MUL_ADD, 256, false, 14, 2, mul_add_f32x8, has_avx },
	{ CEILING_F32, CEILING_MUL_ADD, 512, false, 24, 2, mul_add_f32x16, has_avx512 },
	{ CEILING_F32, CEILING_FMA, 32, false, 12, 2, fma_f32, has_fma },
	{ CEILING_F32, CEILING_FMA, 128, false, 12, 2, fma_f32x4, has_fma },
	{ CEILING_F32, CEILING_FMA, 256, false, 12, 2, fma_f32x8, has_fma },
	{ CEILING_F32, CEILING_FMA, 512, false, 12, 2, fma_f32x16, has_avx512 },
	{ CEILING_INT, CEILING_ADD, 32, false, 8, 8, int_add, has_sse2 },
	{ CEILING_INT, CEILING_ADD, 128, false, 12, 8, int_add_x4, has_sse2 },
	{ CEILING_INT, CEILING_ADD, 256, false, 12, 8, int_add_x8, has_avx2 },
	{ CEILING_INT, CEILING_ADD, 512, false, 12, 8, int_add_x16, has_avx512 },
	{ CEILING_INT, CEILING_MUL_ADD, 32, false, 8, 2, int_mul_add, has_sse2 },
	{ CEILING_INT, CEILING_MUL_ADD, 128, false, 12, 2, int_mul_add_x4, has_sse4 },
	{ CEILING_INT, CEILING_MUL_ADD, 256, false, 12, 2, int_mul_add_x8, has_avx2 },
	{ CEILING_INT, CEILING_MUL_ADD, 512, false, 12, 2, int_mul_add_x16, has_avx512 },
};

#define STREAM_ROWS(V, width, has)                                                                                     \
	{ CEILING_READ, width, false, read_##V, has, NULL }, { CEILING_WRITE, width, false, write_##V, has, NULL },    \
		{ CEILING_COPY, width, false, copy_##V, has, NULL },                                                   \
		{ CEILING_TRIAD, width, false, triad_##V, has, triad_tight_##V },                                      \
		{ CEILING_WRITE_NT, width, false, write_nt_##V, has, NULL },                                           \
		{ CEILING_COPY_NT, width, false, copy_nt_##V, has, NULL },                                             \
	{                                                                                                              \
		CEILING_TRIAD_NT, width, false, triad_nt_##V, has, NULL                                                \
	}

static const struct stream_kernel streams[] = {
	STREAM_ROWS(f64x2, 128, has_sse2),
	STREAM_ROWS(f64x4, 256, has_avx),
	STREAM_ROWS(f64x8, 512, has_avx512),
};

const struct kernel_set main_kernels = { compute, COUNT_OF(compute), streams, COUNT_OF(streams), NULL };

#endif
