/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels_sve.c - kernels for arm64's scalable vectors. The whole file is compiled for SVE, so nothing of it may run
 * before has_sve() has said yes, which stands in kernels.c.
 */
#include "analyse/ceilings/kernels.h"

#ifdef TOPDOWN_SVE

#include <arm_sve.h>

#include "common/base/macros.h"

#define KEEP_VECTOR(x) __asm__ volatile("" : "+w"(x))
#include "analyse/ceilings/kernel_loops.h"

/* Vectors without a size can't be operands of C's operators, nor elements of arrays. */
#define SVE_MUL_ADD_BEGIN(i)                                                                                           \
	number m##i = one;                                                                                             \
	number a##i = zero;
#define SVE_MUL_ADD_ROUND(i)                                                                                           \
	m##i = svmul_x(all, m##i, less);                                                                               \
	KEEP_VECTOR(m##i);                                                                                             \
	a##i = svadd_x(all, a##i, less);                                                                               \
	KEEP_VECTOR(a##i);
#define SVE_MUL_ADD_END(i) sum = svadd_x(all, sum, svadd_x(all, m##i, a##i));
#define SVE_FMA_BEGIN(i)   number a##i = zero;
#define SVE_FMA_UP(i)                                                                                                  \
	a##i = svmla_x(all, a##i, one, one);                                                                           \
	KEEP_VECTOR(a##i);
#define SVE_FMA_DOWN(i)                                                                                                \
	a##i = svmls_x(all, a##i, one, half);                                                                          \
	KEEP_VECTOR(a##i);
#define SVE_FMA_END(i) sum = svadd_x(all, sum, a##i);

#define SVE_KERNEL(NAME, V, SPLAT, ALL, EACH, BEGIN, UP, DOWN, END)                                                    \
	static void NAME(uint64_t iterations, double *sink)                                                            \
	{                                                                                                              \
		typedef V number;                                                                                      \
		svbool_t all = ALL();                                                                                  \
		number zero = SPLAT(0), one = SPLAT(1), less = SPLAT(-1), half = SPLAT(0.5f), sum = zero;              \
                                                                                                                       \
		KEEP_VECTOR(one);                                                                                      \
		KEEP_VECTOR(less);                                                                                     \
		KEEP_VECTOR(half);                                                                                     \
		EACH(BEGIN)                                                                                            \
		for (; iterations; iterations--) {                                                                     \
			EACH(UP)                                                                                       \
			EACH(DOWN)                                                                                     \
		}                                                                                                      \
		EACH(END)                                                                                              \
		*sink = (double)svlasta(svpfalse(), sum);                                                              \
	}

#define MUL_ADD_STEPS	   SVE_MUL_ADD_BEGIN, SVE_MUL_ADD_ROUND, SVE_MUL_ADD_ROUND, SVE_MUL_ADD_END
#define FMA_STEPS	   SVE_FMA_BEGIN, SVE_FMA_UP, SVE_FMA_DOWN, SVE_FMA_END
#define SVE_KERNEL_OF(...) SVE_KERNEL(__VA_ARGS__)

SVE_KERNEL_OF(mul_add_f64, svfloat64_t, svdup_f64, svptrue_b64, CHAINS_12, MUL_ADD_STEPS)
SVE_KERNEL_OF(mul_add_f32, svfloat32_t, svdup_f32, svptrue_b32, CHAINS_12, MUL_ADD_STEPS)
SVE_KERNEL_OF(fma_f64, svfloat64_t, svdup_f64, svptrue_b64, CHAINS_16, FMA_STEPS)
SVE_KERNEL_OF(fma_f32, svfloat32_t, svdup_f32, svptrue_b32, CHAINS_16, FMA_STEPS)

/* As INT_ACCUMULATE and INT_ADD have it. */
#define SVE_INT_BEGIN(i) svuint32_t a##i = zero;
#define SVE_INT_ACCUMULATE(i)                                                                                          \
	a##i = svmla_x(all, a##i, factor, addend);                                                                     \
	KEEP_VECTOR(a##i);
#define SVE_INT_ADD(i)                                                                                                 \
	a##i = svadd_x(all, a##i, addend);                                                                             \
	KEEP_VECTOR(a##i);
#define SVE_INT_END(i) sum = svadd_x(all, sum, a##i);

#define SVE_INT_KERNEL(NAME, ROUND, ROUNDS)                                                                            \
	static void NAME(uint64_t iterations, double *sink)                                                            \
	{                                                                                                              \
		svbool_t all = svptrue_b32();                                                                          \
		svuint32_t zero = svdup_u32(0), factor = svdup_u32(MULTIPLIER), addend = svdup_u32(ADDEND),            \
			   sum = zero;                                                                                 \
                                                                                                                       \
		KEEP_VECTOR(factor);                                                                                   \
		KEEP_VECTOR(addend);                                                                                   \
		CHAINS_16(SVE_INT_BEGIN)                                                                               \
		for (; iterations; iterations--) {                                                                     \
			ROUNDS(CHAINS_16, ROUND)                                                                       \
		}                                                                                                      \
		CHAINS_16(SVE_INT_END)                                                                                 \
		*sink = (double)svlasta(svpfalse(), sum);                                                              \
	}

SVE_INT_KERNEL(int_add, SVE_INT_ADD, ROUNDS_8)
SVE_INT_KERNEL(int_fma, SVE_INT_ACCUMULATE, ROUNDS_2)

/* ---- streams ---- */

#define SVE_AT(i)	   ((size_t)(i)*lanes)
#define SVE_LOAD(array, i) svld1_f64(all, (array) + SVE_AT(i))
#define SVE_READ_ONE(i)                                                                                                \
	{                                                                                                              \
		svfloat64_t x = SVE_LOAD(a, i);                                                                        \
		KEEP_VECTOR(x);                                                                                        \
	}
#define SVE_TRIAD(i)	    svmla_x(all, SVE_LOAD(b, i), s, SVE_LOAD(c, i))
#define SVE_WRITE_ONE(i)    svst1_f64(all, a + SVE_AT(i), s);
#define SVE_COPY_ONE(i)	    svst1_f64(all, a + SVE_AT(i), SVE_LOAD(b, i));
#define SVE_TRIAD_ONE(i)    svst1_f64(all, a + SVE_AT(i), SVE_TRIAD(i));
#define SVE_WRITE_NT_ONE(i) svstnt1_f64(all, a + SVE_AT(i), s);
#define SVE_COPY_NT_ONE(i)  svstnt1_f64(all, a + SVE_AT(i), SVE_LOAD(b, i));
#define SVE_TRIAD_NT_ONE(i) svstnt1_f64(all, a + SVE_AT(i), SVE_TRIAD(i));

#define SVE_STREAM(NAME, STEP, BODY)                                                                                   \
	static void NAME(const struct stream *stream)                                                                  \
	{                                                                                                              \
		svbool_t all = svptrue_b64();                                                                          \
		svfloat64_t s = svdup_f64(stream->factor);                                                             \
		size_t lanes = svcntd(), step = lanes * (STEP), count = stream->bytes / sizeof(double);                \
                                                                                                                       \
		KEEP_VECTOR(s);                                                                                        \
		for (uint64_t pass = 0; pass < stream->passes; pass++) {                                               \
			double *a = stream->a;                                                                         \
			const double *b = stream->b, *c = stream->c;                                                   \
                                                                                                                       \
			for (size_t i = 0; i + step <= count; i += step, a += step, b += step, c += step) {            \
				BODY KEEP_MEMORY();                                                                    \
			}                                                                                              \
			(void)b, (void)c;                                                                              \
		}                                                                                                      \
	}

SVE_STREAM(sve_read, STEP_OF_ONE, ONE_ARRAY(SVE_READ_ONE))
SVE_STREAM(sve_write, STEP_OF_ONE, ONE_ARRAY(SVE_WRITE_ONE))
SVE_STREAM(sve_copy, STEP_OF_MORE, MORE_ARRAYS(SVE_COPY_ONE))
SVE_STREAM(sve_triad, STEP_OF_MORE, MORE_ARRAYS(SVE_TRIAD_ONE))
SVE_STREAM(sve_write_nt, STEP_OF_ONE, ONE_ARRAY(SVE_WRITE_NT_ONE))
SVE_STREAM(sve_copy_nt, STEP_OF_MORE, MORE_ARRAYS(SVE_COPY_NT_ONE))
SVE_STREAM(sve_triad_nt, STEP_OF_MORE, MORE_ARRAYS(SVE_TRIAD_NT_ONE))

static unsigned scalable_bits(void)
{
	return (unsigned)svcntb() * 8;
}

static const struct compute_kernel compute[] = {
	{ CEILING_F64, CEILING_MUL_ADD, 0, true, 24, 2, mul_add_f64, has_sve },
	{ CEILING_F64, CEILING_FMA, 0, true, 16, 2, fma_f64, has_sve },
	{ CEILING_F32, CEILING_MUL_ADD, 0, true, 24, 2, mul_add_f32, has_sve },
	{ CEILING_F32, CEILING_FMA, 0, true, 16, 2, fma_f32, has_sve },
	{ CEILING_INT, CEILING_ADD, 0, true, 16, 8, int_add, has_sve },
	{ CEILING_INT, CEILING_FMA, 0, true, 16, 2, int_fma, has_sve },
};

static const struct stream_kernel streams[] = {
	{ CEILING_READ, 0, true, sve_read, has_sve, NULL },
	{ CEILING_WRITE, 0, true, sve_write, has_sve, NULL },
	{ CEILING_COPY, 0, true, sve_copy, has_sve, NULL },
	{ CEILING_TRIAD, 0, true, sve_triad, has_sve, NULL },
	{ CEILING_WRITE_NT, 0, true, sve_write_nt, has_sve, NULL },
	{ CEILING_COPY_NT, 0, true, sve_copy_nt, has_sve, NULL },
	{ CEILING_TRIAD_NT, 0, true, sve_triad_nt, has_sve, NULL },
};

const struct kernel_set sve_kernels = { compute, COUNT_OF(compute), streams, COUNT_OF(streams), scalable_bits };

#endif
