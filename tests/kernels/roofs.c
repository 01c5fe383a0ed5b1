/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roofs.c - roofs KERNEL N ROUNDS: kernels whose operations and bytes arithmetic gives. N is the elements of each array,
 * of matrices those of a side; all are of 8 bytes but those of "floats".
 */
#include <math.h>
#include <string.h>

#include "kernel.h"

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noipa))
#endif
#define TILE 16

struct arrays {
	double *a, *b, *c;
	size_t n;
};

/* 2 operations an element; 24 bytes, of which 8 are stored. */
NOINLINE static void triad(const struct arrays *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->a[i] = x->b[i] + 3.0 * x->c[i];
}

/* 2 operations an element, of 16 bytes. */
NOINLINE static void dot(const struct arrays *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->n; i++)
		sum += x->b[i] * x->c[i];
	x->a[0] = sum;
}

/* 3 points: 2 additions and a multiplication an element. */
NOINLINE static void stencil(const struct arrays *x)
{
	for (size_t i = 1; i + 1 < x->n; i++)
		x->a[i] = (x->b[i - 1] + x->b[i] + x->b[i + 1]) * 0.333;
}

/* 2 n^3 operations, of 16 bytes each two; c column by column. */
NOINLINE static void naive(const struct arrays *x)
{
	size_t n = x->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += x->b[i * n + k] * x->c[k * n + j];
			x->a[i * n + j] += sum;
		}
}

/* A row of a tile: its sums, by one factor of b. */
static void tile_row(double *sums, const double *row, double factor)
{
	for (size_t j = 0; j < TILE; j++)
		sums[j] += factor * row[j];
}

static void tile(const struct arrays *x, size_t i0, size_t j0, size_t k0)
{
	const size_t n = x->n;
	const double *b = x->b + i0 * n + k0, *const c = x->c + k0 * n + j0;
	double *a = x->a + i0 * n + j0;

	for (size_t i = 0; i < TILE; i++, a += n, b += n) {
		const double *row = c;

		for (size_t k = 0; k < TILE; k++, row += n)
			tile_row(a, row, b[k]);
	}
}

/* The same number of operations, of 24 bytes each two, and 8 for TILE of these; n is a multiple of TILE. */
NOINLINE static void blocked(const struct arrays *x)
{
	for (size_t i = 0; i < x->n; i += TILE)
		for (size_t j = 0; j < x->n; j += TILE)
			for (size_t k = 0; k < x->n; k += TILE)
				tile(x, i, j, k);
}

/* A division and a root an element of 4 bytes. */
NOINLINE static void floats(const struct arrays *x)
{
	float *a = (float *)(void *)x->a;
	const float *b = (const float *)(const void *)x->b;

	for (size_t i = 0; i < x->n; i++)
		a[i] = sqrtf(b[i]) / 3.0f;
}

/* 16 bytes an element, and nothing else. */
NOINLINE static void copy(const struct arrays *x)
{
	memcpy(x->a, x->b, x->n * sizeof(double));
}

/* Comparisons only. */
NOINLINE static void compare(const struct arrays *x)
{
	size_t less = 0;

	for (size_t i = 0; i < x->n; i++)
		less += x->b[i] < x->c[i];
	x->a[0] = (double)less;
}

#ifdef __x86_64__
#include <immintrin.h>

/* triad, fused: 8 operations an instruction. */
NOINLINE __attribute__((target("avx2,fma"))) static void fused(const struct arrays *x)
{
	double *const a = x->a;
	const double *const b = x->b, *const c = x->c;
	const size_t n = x->n;

	for (size_t i = 0; i < n; i += 4)
		_mm256_store_pd(&a[i],
				_mm256_fmadd_pd(_mm256_set1_pd(3.0), _mm256_load_pd(&c[i]), _mm256_load_pd(&b[i])));
}

/* triad, past the caches. */
NOINLINE static void streams(const struct arrays *x)
{
	double *const a = x->a;
	const double *const b = x->b, *const c = x->c;
	const size_t n = x->n;

	for (size_t i = 0; i < n; i += 2)
		_mm_stream_pd(&a[i], _mm_add_pd(_mm_load_pd(&b[i]), _mm_mul_pd(_mm_set1_pd(3.0), _mm_load_pd(&c[i]))));
}

/* One that adds and subtracts, of 4 operations. */
NOINLINE __attribute__((target("sse3"))) static void alternating(const struct arrays *x)
{
	double *const a = x->a;
	const double *const b = x->b, *const c = x->c;
	const size_t n = x->n;

	for (size_t i = 0; i + 1 < n; i += 2)
		_mm_store_ps((float *)(void *)&a[i], _mm_addsub_ps(_mm_load_ps((const float *)(const void *)&b[i]),
								   _mm_load_ps((const float *)(const void *)&c[i])));
}

/* x87: one operation an element. */
NOINLINE static void extended(const struct arrays *x)
{
	volatile long double sum = 0;

	for (size_t i = 0; i < x->n; i++)
		sum += 1.5L;
	x->a[0] = (double)sum;
}

/* 16 bytes an element, by an instruction that repeats itself. */
NOINLINE static void string(const struct arrays *x)
{
	void *to = x->a;
	const void *from = x->b;
	size_t bytes = x->n * sizeof(double);

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#endif

static const struct kernel {
	const char *name;
	void (*run)(const struct arrays *x);
	size_t is_square; /* 1: arrays have n * n elements */
} kernels[] = {
	{ "triad", triad, 0 },	     { "dot", dot, 0 },		{ "stencil", stencil, 0 },
	{ "naive", naive, 1 },	     { "blocked", blocked, 1 }, { "floats", floats, 0 },
	{ "copy", copy, 0 },	     { "compare", compare, 0 },
#ifdef __x86_64__
	{ "fused", fused, 0 },	     { "streams", streams, 0 }, { "alternating", alternating, 0 },
	{ "extended", extended, 0 }, { "string", string, 0 },
#endif
};

static void fill(double *numbers, size_t count, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	for (size_t i = 0; i < count; i++)
		memcpy(&numbers[i], &bits, sizeof(bits));
}

int main(int argc, char **argv)
{
	size_t n = argument(argc, argv, 2, 4096), rounds = argument(argc, argv, 3, 1);

	for (size_t i = 0; argc > 1 && i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		size_t size = kernels[i].is_square ? n * n : n;
		struct arrays x = { .n = n };

		if (strcmp(kernels[i].name, argv[1]) != 0)
			continue;
		x.a = take_memory(size * sizeof(double));
		x.b = take_memory(size * sizeof(double));
		x.c = take_memory(size * sizeof(double));
		fill(x.a, size, 0.5);
		fill(x.b, size, 1.5);
		fill(x.c, size, 2.5);
		for (size_t round = 0; round < rounds; round++)
			kernels[i].run(&x);
		return x.a[size - 1] < 0;
	}
	return 1;
}
