/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_loops.h - the loops of kernels.h, for any vector type that the compiler has operators for. Whoever includes it
 * has defined KEEP_VECTOR(x), an empty asm that takes x in a vector register and gives it back. Behind it the compiler
 * knows nothing of x. So it can neither merge rounds, nor leave any out, nor make vectors of scalars.
 *
 * V is the vector's type, LANE gives the first element, EACH repeats for each chain.
 *
 * All values stay small and exact: none is ever slow, and what is left says how often it was changed.
 */
#ifndef TOPDOWN_ANALYSE_CEILINGS_KERNEL_LOOPS_H
#define TOPDOWN_ANALYSE_CEILINGS_KERNEL_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/ceilings/kernels.h"

#define KEEP_INTEGER(x) __asm__ volatile("" : "+r"(x))
#define KEEP_MEMORY()	__asm__ volatile("" ::: "memory")

/* clang-format off */
#define CHAINS_6(DO)  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define CHAINS_7(DO)  CHAINS_6(DO) DO(6)
#define CHAINS_8(DO)  CHAINS_7(DO) DO(7)
#define CHAINS_12(DO) CHAINS_8(DO) DO(8) DO(9) DO(10) DO(11)
#define CHAINS_16(DO) CHAINS_12(DO) DO(12) DO(13) DO(14) DO(15)
/* clang-format on */

#define LANE_OF_VECTOR(x) ((x)[0])
#define LANE_OF_SCALAR(x) (x)

#define MULTIPLIER 1664525u /* of integers */
#define ADDEND	   1013904223u

/* m: by -1, twice in an iteration, stays 1. a: 1 less each time. With one constant more registers are left. */
#define MUL_ADD_BEGIN(i)                                                                                               \
	number m##i = (number){ 0 } - less;                                                                            \
	number a##i = { 0 };
#define MUL_ADD_ROUND(i)                                                                                               \
	m##i *= less;                                                                                                  \
	KEEP_VECTOR(m##i);                                                                                             \
	a##i += less;                                                                                                  \
	KEEP_VECTOR(a##i);
#define MUL_ADD_END(i) sum += m##i + a##i;

#define MUL_ADD_KERNEL(NAME, TARGET, V, LANE, HALF_OF_EACH)                                                            \
	TARGET static void NAME(uint64_t iterations, double *sink)                                                     \
	{                                                                                                              \
		typedef V number;                                                                                      \
		number less = (V){ 0 } - 1, sum = { 0 };                                                               \
                                                                                                                       \
		KEEP_VECTOR(less);                                                                                     \
		HALF_OF_EACH(MUL_ADD_BEGIN)                                                                            \
		for (; iterations; iterations--) {                                                                     \
			HALF_OF_EACH(MUL_ADD_ROUND)                                                                    \
			HALF_OF_EACH(MUL_ADD_ROUND)                                                                    \
		}                                                                                                      \
		HALF_OF_EACH(MUL_ADD_END)                                                                              \
		*sink = (double)LANE(sum);                                                                             \
	}

/*
 * 1 * 1 more, then 1 * 1/2 less. FUSE is for UP and DOWN of a type, which have its instruction: an expression of C
 * would be taken apart, for all chains add the same product.
 */
#define FMA_BEGIN(i) number a##i = { 0 };
#define FUSE(i, function, type, factor)                                                                                \
	a##i = (number)function((type)(factor), (type)one, (type)a##i);                                                \
	KEEP_VECTOR(a##i);
#define FMA_END(i) sum += a##i;

#define FMA_KERNEL(NAME, TARGET, V, LANE, EACH, UP, DOWN)                                                              \
	TARGET static void NAME(uint64_t iterations, double *sink)                                                     \
	{                                                                                                              \
		typedef V number;                                                                                      \
		number one = (V){ 0 } + 1, less = (V){ 0 } - 1 / (one + one), sum = { 0 };                             \
                                                                                                                       \
		KEEP_VECTOR(one);                                                                                      \
		KEEP_VECTOR(less);                                                                                     \
		EACH(FMA_BEGIN)                                                                                        \
		for (; iterations; iterations--) {                                                                     \
			EACH(UP)                                                                                       \
			EACH(DOWN)                                                                                     \
		}                                                                                                      \
		EACH(FMA_END)                                                                                          \
		*sink = (double)LANE(sum);                                                                             \
	}

/* x = x * MULTIPLIER + ADDEND, from 0. */
#define INT_BEGIN(i) number a##i = { 0 };
#define INT_MUL_ADD(i)                                                                                                 \
	a##i = a##i * factor + addend;                                                                                 \
	KEEP_INT(a##i);
#define INT_ADD(i)                                                                                                     \
	a##i += addend;                                                                                                \
	KEEP_INT(a##i);
/* Of architectures with one instruction for it: x = x + MULTIPLIER * ADDEND. */
#define INT_ACCUMULATE(i)                                                                                              \
	KEEP_INT(factor);                                                                                              \
	a##i += factor * addend;                                                                                       \
	KEEP_INT(a##i);
#define INT_END(i) sum += a##i;

#define INT_KERNEL(NAME, TARGET, V, LANE, EACH, ROUND, ROUNDS)                                                         \
	TARGET static void NAME(uint64_t iterations, double *sink)                                                     \
	{                                                                                                              \
		typedef V number;                                                                                      \
		number factor = (V){ 0 } + MULTIPLIER, addend = (V){ 0 } + ADDEND, sum = { 0 };                        \
                                                                                                                       \
		KEEP_INT(factor);                                                                                      \
		KEEP_INT(addend);                                                                                      \
		EACH(INT_BEGIN)                                                                                        \
		for (; iterations; iterations--) {                                                                     \
			ROUNDS(EACH, ROUND)                                                                            \
		}                                                                                                      \
		EACH(INT_END)                                                                                          \
		*sink = (double)LANE(sum);                                                                             \
	}
#define ROUNDS_2(EACH, DO) EACH(DO) EACH(DO)
#define ROUNDS_8(EACH, DO) ROUNDS_2(EACH, DO) ROUNDS_2(EACH, DO) ROUNDS_2(EACH, DO) ROUNDS_2(EACH, DO)

/* ---- streams ---- */

/* For each pass and each vector, STEP at a time: a, b and c point to them. */
#define STREAM_KERNEL(NAME, TARGET, V, STEP, BODY, BEHIND)                                                             \
	TARGET static void NAME(const struct stream *stream)                                                           \
	{                                                                                                              \
		typedef V number;                                                                                      \
		number s = (V){ 0 } + stream->factor;                                                                  \
		size_t steps = stream->bytes / sizeof(V) / (STEP);                                                     \
                                                                                                                       \
		KEEP_VECTOR(s);                                                                                        \
		for (uint64_t pass = 0; pass < stream->passes; pass++) {                                               \
			number *a = (number *)(void *)stream->a;                                                       \
			const number *b = (const number *)(const void *)stream->b;                                     \
			const number *c = (const number *)(const void *)stream->c;                                     \
                                                                                                                       \
			for (size_t i = 0; i < steps; i++, a += (STEP), b += (STEP), c += (STEP)) {                    \
				BODY KEEP_MEMORY();                                                                    \
			}                                                                                              \
			(void)b, (void)c;                                                                              \
		}                                                                                                      \
		(void)s;                                                                                               \
		BEHIND                                                                                                 \
	}

#define READ_ONE(i)                                                                                                    \
	{                                                                                                              \
		number x = a[i];                                                                                       \
		KEEP_VECTOR(x);                                                                                        \
	}
#define WRITE_ONE(i) a[i] = s;
#define COPY_ONE(i)  a[i] = b[i];
#define TRIAD_ONE(i) a[i] = b[i] + s * c[i];

#define STEP_OF_ONE  8 /* one array: read and write */
#define STEP_OF_MORE 4
/* clang-format off */
#define ONE_ARRAY(DO)	CHAINS_8(DO)
#define MORE_ARRAYS(DO) DO(0) DO(1) DO(2) DO(3)
/* clang-format on */

#endif
