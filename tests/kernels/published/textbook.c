/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * textbook.c - small programs of textbooks and of benchmarks whose sources are published: MiBench, Polybench, the
 * Computer Language Benchmarks Game. Each is written anew from its description.
 */
#include "../frame/frame.h"

#include <string.h>

/* ---- branches ---- */

/* The question of the unsorted array: the sum of what is above the middle. */
static uint64_t unsorted_sum(size_t rounds, char *memory)
{
	const uint8_t *data = (const uint8_t *)memory;
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 32768; i++)
			if (data[i] >= 128) {
				sum += data[i];
				ALWAYS(sum);
			}
	return sum;
}

static uint64_t collatz(size_t rounds, char *memory)
{
	uint64_t steps = 0;

	(void)memory;
	for (size_t i = 1; i < rounds; i++)
		for (uint64_t n = i; n != 1; steps++) {
			if (n & 1)
				n = 3 * n + 1;
			else
				n /= 2;
			ALWAYS(n);
		}
	return steps;
}

/* MiBench bitcount, Kernighan's loop: as many rounds as bits. */
static uint64_t count_bits(size_t rounds, char *memory)
{
	const uint64_t *data = (const uint64_t *)memory;
	uint64_t bits = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 4096; i++)
			for (uint64_t n = data[i] & 0xffff; n; n &= n - 1)
				bits++;
	return bits;
}

static uint64_t insertion_sort(size_t rounds, char *memory)
{
	const uint64_t *data = (const uint64_t *)memory;
	uint32_t row[32], kept;

	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < 32; i++)
			row[i] = (uint32_t)data[(round * 32 + i) % 4096];
		for (size_t i = 1; i < 32; i++) {
			size_t k = i;

			for (kept = row[i]; k > 0 && row[k - 1] > kept; k--)
				row[k] = row[k - 1];
			row[k] = kept;
		}
		ALWAYS(row[7]);
	}
	return row[3];
}

static int compare(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

/* MiBench qsort, by the C library. */
static uint64_t sort_by_library(size_t rounds, char *memory)
{
	static uint32_t row[20000];

	for (size_t round = 0; round < rounds; round++) {
		memcpy(row, memory, sizeof(row));
		qsort(row, 20000, sizeof(*row), compare);
	}
	return row[5];
}

static uint64_t place_queens(uint32_t columns, uint32_t left, uint32_t right)
{
	uint32_t all = 255, free = all & ~(columns | left | right), one;
	uint64_t ways = columns == all;

	while (free) {
		one = free & -free;
		free -= one;
		ways += place_queens(columns | one, (left | one) << 1, (right | one) >> 1);
	}
	return ways;
}

static uint64_t queens(size_t rounds, char *memory)
{
	uint64_t ways = 0;

	(void)memory;
	for (size_t i = 0; i < rounds; i++)
		ways += place_queens(0, 0, 0);
	return ways;
}

static uint64_t pick0(uint64_t value)
{
	return value + 1;
}
static uint64_t pick1(uint64_t value)
{
	return value ^ 3;
}
static uint64_t pick2(uint64_t value)
{
	return value - 5;
}
static uint64_t pick3(uint64_t value)
{
	return value | 9;
}

/* Calls through a table in a random order, as of objects of several classes. */
static uint64_t random_calls(size_t rounds, char *memory)
{
	static uint64_t (*const picks[])(uint64_t) = { pick0, pick1, pick2, pick3 };
	const uint8_t *data = (const uint8_t *)memory;
	uint64_t value = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 32768; i++)
			value = picks[data[i] & 3](value);
	return value;
}

/* ---- chains ---- */

static uint64_t fnv_hash(size_t rounds, char *memory)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 4096; i++)
			hash = (hash ^ (uint8_t)memory[i]) * 0x100000001b3u;
	return hash;
}

/* MiBench CRC32: a table's entry by the last one. */
static uint64_t crc_by_table(size_t rounds, char *memory)
{
	static uint32_t table[256];
	uint32_t crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 4096; i++)
			crc = table[(crc ^ (uint8_t)memory[i]) & 255] ^ crc >> 8;
	return crc;
}

static uint64_t xorshift_chain(size_t rounds, char *memory)
{
	uint64_t state = RANDOM_START;

	(void)memory;
	for (size_t i = 0; i < rounds; i++)
		random_next(&state);
	return state;
}

static uint64_t dot_product(size_t rounds, char *memory)
{
	const double *a = (const double *)memory, *b = a + 1024;
	double sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 1024; i++)
			sum += a[i] * b[i];
	return (uint64_t)sum;
}

static uint64_t horner(size_t rounds, char *memory)
{
	const double *factors = (const double *)memory;
	double x = 0.5, value = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 64; i++)
			value = value * x + factors[i];
	return (uint64_t)value;
}

static uint64_t mandelbrot(size_t rounds, char *memory)
{
	uint64_t inside = 0;

	(void)memory;
	for (size_t row = 0; row < rounds; row++)
		for (int column = 0; column < 64; column++) {
			double cr = -0.2 + column / 640.0, ci = -0.3 + (double)(row % 64) / 640.0, zr = 0, zi = 0, next;
			int i = 0;

			for (; i < 50 && zr * zr + zi * zi < 4; i++) {
				next = zr * zr - zi * zi + cr;
				zi = 2 * zr * zi + ci;
				zr = next;
			}
			inside += i == 50;
		}
	return inside;
}

/* Polybench seidel-2d: each point from the new one before it. */
static uint64_t seidel(size_t rounds, char *memory)
{
	double(*a)[64] = (double(*)[64])memory;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 1; i < 63; i++)
			for (int j = 1; j < 63; j++)
				a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] +
					   a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
					  9.0;
	return (uint64_t)a[5][5];
}

/* The product of two matrices by its definition. */
static uint64_t naive_product(size_t rounds, char *memory)
{
	double(*a)[64] = (double(*)[64])memory, (*b)[64] = a + 64, (*c)[64] = b + 64;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 64; i++)
			for (int j = 0; j < 64; j++) {
				double sum = 0;

				for (int k = 0; k < 64; k++)
					sum += a[i][k] * b[k][j];
				c[i][j] = sum;
			}
	return (uint64_t)c[3][4];
}

/* ---- division ---- */

/* The Benchmarks Game's spectral-norm: an element is a division. */
static uint64_t spectral_norm(size_t rounds, char *memory)
{
	const double *v = (const double *)memory;
	double sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (uint32_t i = 0; i < 100; i++)
			for (uint32_t j = 0; j < 100; j++)
				sum += v[j] / (double)((i + j) * (i + j + 1) / 2 + i + 1);
	return (uint64_t)sum;
}

static uint64_t greatest_divisors(size_t rounds, char *memory)
{
	uint64_t sum = 0, a, b, rest;

	(void)memory;
	for (size_t i = 1; i < rounds; i++)
		for (a = 1000000007u * i, b = 998244353u; b; sum++) {
			rest = a % b;
			a = b;
			b = rest;
		}
	return sum;
}

static uint64_t is_prime_by_trial(size_t rounds, char *memory)
{
	uint64_t primes = 0;

	(void)memory;
	for (uint64_t n = 100000007; n < 100000007 + 2 * rounds; n += 2) {
		uint64_t d = 3;

		while (d < 2000 && n % d)
			d += 2;
		primes += d >= 2000;
	}
	return primes;
}

/* ---- what keeps a core busy ---- */

static uint64_t histogram_of_one(size_t rounds, char *memory)
{
	uint32_t *counts = (uint32_t *)(memory + 4096);

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 4096; i++)
			counts[(uint8_t)memory[i]]++;
	return counts[0];
}

static uint64_t gemm(size_t rounds, char *memory)
{
	double(*a)[64] = (double(*)[64])memory, (*b)[64] = a + 64, (*c)[64] = b + 64;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 64; i++)
			for (int k = 0; k < 64; k++)
				for (int j = 0; j < 64; j++)
					c[i][j] += 1.5 * a[i][k] * b[k][j];
	return (uint64_t)c[3][4];
}

#define MATRICES (3 * 64 * 64 * sizeof(double))

const struct kernel textbook_kernels[] = {
	{ "unsorted_sum", unsorted_sum, 10, 32768, fill_randomly },
	{ "collatz", collatz, 8000, 0, NULL },
	{ "count_bits", count_bits, 25, 32768, fill_randomly },
	{ "insertion_sort", insertion_sort, 2000, 32768, fill_randomly },
	{ "sort_by_library", sort_by_library, 1, 80000, fill_randomly },
	{ "queens", queens, 20, 0, NULL },
	{ "random_calls", random_calls, 8, 32768, fill_randomly },
	{ "fnv_hash", fnv_hash, 300, 4096, fill_randomly },
	{ "crc_by_table", crc_by_table, 200, 4096, fill_randomly },
	{ "xorshift_chain", xorshift_chain, 800000, 0, NULL },
	{ "dot_product", dot_product, 1500, 16384, NULL },
	{ "horner", horner, 10000, 0, NULL },
	{ "mandelbrot", mandelbrot, 100, 0, NULL },
	{ "seidel", seidel, 40, 64 * 64 * sizeof(double), NULL },
	{ "naive_product", naive_product, 6, MATRICES, NULL },
	{ "spectral_norm", spectral_norm, 80, 0, NULL },
	{ "greatest_divisors", greatest_divisors, 20000, 0, NULL },
	{ "is_prime_by_trial", is_prime_by_trial, 2000, 0, NULL },
	{ "histogram_of_one", histogram_of_one, 200, 8192, NULL },
	{ "gemm", gemm, 6, MATRICES, NULL },
	{ NULL, NULL, 0, 0, NULL },
};
