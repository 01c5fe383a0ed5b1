/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * footprints.c - loops in the manner of memory benchmarks: STREAM (McCalpin), lmbench's lat_mem_rd (McVoy and
 * Staelin), HPCC's RandomAccess, and strides through what a level of the caches holds.
 */
#include "../frame/frame.h"

#define LINE 64

static void ring_of_lines(char *memory, size_t size)
{
	make_ring(memory, size, LINE);
}

/* A line of each page, and in each page another one. */
static void ring_of_pages(char *memory, size_t size)
{
	make_ring(memory, size, 4096 + LINE);
}

static void list_in_order(char *memory, size_t size, size_t step)
{
	for (size_t at = 0; at + step <= size; at += step)
		*(char **)(memory + at) = at + 2 * step <= size ? memory + at + step : memory;
}

static void list_of_64(char *memory, size_t size)
{
	list_in_order(memory, size, 64);
}

static void list_of_128(char *memory, size_t size)
{
	list_in_order(memory, size, 128);
}

static void list_of_1024(char *memory, size_t size)
{
	list_in_order(memory, size, 1024);
}

static uint64_t chase(size_t rounds, char *memory)
{
	char *at = memory;

	for (size_t i = 0; i < rounds; i++)
		at = *(char *volatile *)at;
	return (uint64_t)(at - memory);
}

#define CHASE_MEMORY (192 << 20)

/* Each time from where the last one ended, which is kept behind the ring: otherwise the caches would have those lines. */
static uint64_t chase_memory(size_t rounds, char *memory)
{
	char **place = (char **)(memory + CHASE_MEMORY), *at = *place ? *place : memory;

	for (size_t i = 0; i < rounds; i++)
		at = *(char *volatile *)at;
	*place = at;
	return (uint64_t)(at - memory);
}

#define TRIAD_MEMORY (192 << 20)

static uint64_t triad(size_t count, char *memory, size_t passes)
{
	double *a = (double *)memory, *b = a + count, *c = b + count;

	for (size_t pass = 0; pass < passes; pass++) {
		for (size_t i = 0; i < count; i++)
			a[i] = b[i] + 3.0 * c[i];
		__asm__ volatile("" ::: "memory");
	}
	return (uint64_t)a[count / 2];
}

static uint64_t triad_memory(size_t rounds, char *memory)
{
	return triad(TRIAD_MEMORY / 24, memory, rounds);
}

static uint64_t triad_l1(size_t rounds, char *memory)
{
	return triad(1000, memory, rounds);
}

/* Sums with four counters of what a pass of some bytes touches, a stride apart. */
static uint64_t sum(char *memory, size_t size, size_t stride, size_t passes)
{
	uint64_t sums[4] = { 0 };

	for (size_t pass = 0; pass < passes; pass++)
		for (size_t at = 0; at + 4 * stride <= size; at += 4 * stride) {
			sums[0] += *(uint64_t volatile *)(memory + at);
			sums[1] += *(uint64_t volatile *)(memory + at + stride);
			sums[2] += *(uint64_t volatile *)(memory + at + 2 * stride);
			sums[3] += *(uint64_t volatile *)(memory + at + 3 * stride);
		}
	return sums[0] + sums[1] + sums[2] + sums[3];
}

#define SUM_L2	   (256 << 10)
#define SUM_MEMORY (128 << 20)

static uint64_t sum_lines_l2(size_t rounds, char *memory)
{
	return sum(memory, SUM_L2, 64, rounds);
}

static uint64_t sum_512_memory(size_t rounds, char *memory)
{
	return sum(memory, SUM_MEMORY, 512, rounds);
}

/* HPCC's updates by a shift register, whose state is kept behind the table. */
static uint64_t random_access(size_t rounds, char *memory)
{
	uint64_t *table = (uint64_t *)memory, mask = SUM_MEMORY / sizeof(*table) - 1;
	uint64_t random = table[mask + 1] ? table[mask + 1] : 1;

	for (size_t i = 0; i < rounds; i++) {
		random = random << 1 ^ ((int64_t)random < 0 ? 7 : 0);
		table[random & mask] ^= random;
	}
	table[mask + 1] = random;
	return table[7];
}

/* Branchless: which half is arithmetic. */
static uint64_t halving_search(size_t rounds, char *memory)
{
	const uint64_t *table = (const uint64_t *)memory, *base;
	uint64_t state = RANDOM_START, found = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint64_t key = (random_next(&state) + found) % (1 << 20);

		base = table;
		for (size_t half = (8 << 20) / sizeof(*table) / 2; half; half /= 2)
			base += (base[half - 1] < key) * half;
		found = *base & 1;
	}
	return found;
}

static void ascending(char *memory, size_t size)
{
	for (size_t i = 0; i < size / sizeof(uint64_t); i++)
		((uint64_t *)memory)[i] = i;
}

#define SIDE 1024

static uint64_t transpose(size_t rounds, char *memory)
{
	double *from = (double *)memory, *to = from + SIDE * SIDE;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < SIDE; i++)
			for (size_t j = 0; j < SIDE; j++)
				to[j * SIDE + i] = from[i * SIDE + j];
	return (uint64_t)to[77];
}

#if defined(__x86_64__)
static uint64_t stores_past_caches(size_t rounds, char *memory)
{
	for (size_t round = 0; round < rounds; round++)
		for (size_t at = 0; at < SUM_MEMORY / 4; at += 16)
			__asm__ volatile("movntdq %%xmm0, (%0)" ::"r"(memory + at) : "memory");
	return rounds;
}

#define STORE_AND_LOAD(first, second)                                                                                  \
	for (size_t i = 0; i < rounds; i++)                                                                            \
		__asm__ volatile("mov %%rax, 64(%0)\n\tmov " first "(%0), %%rcx\n\t"                                   \
				 "mov %%rcx, 128(%0)\n\tmov " second "(%0), %%rax" ::"r"(memory)                       \
				 : "rax", "rcx", "memory");                                                            \
	return rounds

/* A load 4 KiB behind the store before it, whose address hangs on it (Intel's optimization manual). */
static uint64_t alias_4k(size_t rounds, char *memory)
{
	STORE_AND_LOAD("4160", "4224");
}

/* The same with loads whose addresses have nothing in common with the stores'. */
static uint64_t alias_none(size_t rounds, char *memory)
{
	STORE_AND_LOAD("5184", "5248");
}

/* The load wants what two stores wrote. */
static uint64_t failed_forward(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++)
		__asm__ volatile("mov %%eax, 64(%0)\n\tmov %%eax, 68(%0)\n\tmov 64(%0), %%rax" ::"r"(memory)
				 : "rax", "memory");
	return rounds;
}
#endif

const struct kernel memory_kernels[] = {
	{ "chase_l1", chase, 1000000, 16 << 10, ring_of_lines },
	{ "chase_l2", chase, 400000, 512 << 10, ring_of_lines },
	{ "chase_l3", chase, 200000, 6 << 20, ring_of_lines },
	{ "chase_memory", chase_memory, 40000, CHASE_MEMORY, ring_of_lines },
	{ "chase_pages", chase, 500000, 256 * (4096 + LINE), ring_of_pages },
	{ "list_64_l2", chase, 500000, 512 << 10, list_of_64 },
	{ "list_128_l2", chase, 500000, 512 << 10, list_of_128 },
	{ "list_1024_l2", chase, 500000, 512 << 10, list_of_1024 },
	{ "triad_l1", triad_l1, 3000, 24000, NULL },
	{ "triad_memory", triad_memory, 1, TRIAD_MEMORY, NULL },
	{ "sum_lines_l2", sum_lines_l2, 500, SUM_L2, NULL },
	{ "sum_512_memory", sum_512_memory, 1, SUM_MEMORY, NULL },
	{ "random_access", random_access, 100000, SUM_MEMORY, NULL },
	{ "halving_search", halving_search, 20000, 8 << 20, ascending },
	{ "transpose", transpose, 1, 2 * SIDE *SIDE * sizeof(double), NULL },
#if defined(__x86_64__)
	{ "stores_past_caches", stores_past_caches, 1, SUM_MEMORY, NULL },
	{ "alias_4k", alias_4k, 500000, 8192, NULL },
	{ "alias_none", alias_none, 500000, 8192, NULL },
	{ "failed_forward", failed_forward, 300000, 4096, NULL },
#endif
	{ NULL, NULL, 0, 0, NULL },
};
