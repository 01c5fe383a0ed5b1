/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/verify/known_kernels.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define LINE	     64
#define KIB	     1024
#define MIB	     (1024 * 1024)
#define RANDOM_START 88172645463325252u

/* Full-cycle generator modulo any power of 2 (Knuth): its multiplier is 5 modulo 8, its increment odd. */
#define STEP_FACTOR 6364136223846793005u
#define STEP_SUM    1442695040888963407u

#define OPAQUE(x) __asm__ volatile("" : "+r"(x))
#define KEEP(x)	  __asm__ volatile("" : : "r"(x)) /* so that no compiler leaves the work out */

typedef double pair __attribute__((vector_size(16)));

/* Pages that are there, large ones where the system gives them: the kernel is about caches, not about page walks. */
static void *take_memory(size_t bytes, struct error *err)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		error_set(err, "%zu MiB of memory: %s", bytes / MIB, strerror(errno));
		return NULL;
	}
	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static size_t power_of_2(size_t most)
{
	size_t size = 1;

	while (size * 2 <= most)
		size *= 2;
	return size;
}

/* Bytes that no cache holds: twice the last level, from 64 MiB to 256 MiB. */
static size_t memory_bytes(const struct known_sizes *sizes)
{
	size_t wanted = 2 * (size_t)sizes->l3_kib * KIB, size = 64 * (size_t)MIB;

	while (size < wanted && size < 256 * (size_t)MIB)
		size *= 2;
	return size;
}

struct node {
	struct node *next;
	char rest[LINE - sizeof(struct node *)];
};

/* A cycle through all lines, in an order that no prefetcher follows; then so many steps along it. */
static int chase(size_t bytes, uint64_t steps, struct error *err)
{
	size_t count = bytes / sizeof(struct node);
	struct node *nodes = take_memory(bytes, err), *node = nodes;

	if (!nodes)
		return -1;
	for (uint64_t i = 0; i < count; i++)
		nodes[i].next = &nodes[(i * STEP_FACTOR + STEP_SUM) & (count - 1)];
	for (uint64_t i = 0; i < steps; i++)
		node = node->next;
	KEEP((uint64_t)(node - nodes));
	munmap(nodes, bytes);
	return 0;
}

static int run_chase(const struct known_sizes *sizes, struct error *err)
{
	return chase(memory_bytes(sizes), 500000 * (uint64_t)sizes->times, err);
}

/* More than L1 has, and less than the smallest L2. */
static int run_chase_l2(const struct known_sizes *sizes, struct error *err)
{
	return chase(128 * KIB, 4000000 * (uint64_t)sizes->times, err);
}

/* Four times L2, so that hardly a load hits there. */
static int run_chase_l3(const struct known_sizes *sizes, struct error *err)
{
	size_t l2 = sizes->l2_kib ? (size_t)sizes->l2_kib * KIB : MIB;

	return chase(power_of_2(4 * l2), 1200000 * (uint64_t)sizes->times, err);
}

static int run_stream(const struct known_sizes *sizes, struct error *err)
{
	size_t bytes = memory_bytes(sizes), count = bytes / sizeof(pair);
	pair *array = take_memory(bytes, err), a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	uint64_t passes = 8 * (uint64_t)sizes->times, result;

	if (!array)
		return -1;
	for (size_t i = 0; i < count; i += 256)
		array[i][0] = (double)i; /* a page that nobody wrote is not memory */
	for (uint64_t pass = 0; pass < passes; pass++)
		for (size_t i = 0; i < count; i += 4)
			a += array[i], b += array[i + 1], c += array[i + 2], d += array[i + 3];
	a += b + c + d;
	memcpy(&result, &a, sizeof(result));
	KEEP(result);
	munmap(array, bytes);
	return 0;
}

/* To lines in no order, of which nothing is read. */
static int run_stores(const struct known_sizes *sizes, struct error *err)
{
	size_t bytes = memory_bytes(sizes), mask = bytes / LINE - 1;
	char *memory = take_memory(bytes, err);
	uint64_t state = 1, count = 4000000 * (uint64_t)sizes->times;

	if (!memory)
		return -1;
	for (size_t i = 0; i < bytes; i += 4 * KIB)
		memory[i] = 1;
	for (uint64_t i = 0; i < count; i++) {
		state = state * STEP_FACTOR + STEP_SUM;
		*(volatile uint64_t *)(void *)(memory + (state >> 33 & mask) * LINE) = i;
	}
	KEEP(state);
	munmap(memory, bytes);
	return 0;
}

/* xorshift64 (Marsaglia, 2003) */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void sort(uint32_t *first, uint32_t *last, uint64_t *state)
{
	while (first < last) {
		uint32_t pivot = first[(random_next(state) >> 32) * (uint64_t)(last - first + 1) >> 32];
		uint32_t *low = first, *high = last;

		while (low <= high) {
			uint32_t kept;

			while (*low < pivot)
				low++;
			while (*high > pivot)
				high--;
			if (low > high)
				break;
			kept = *low;
			*low++ = *high;
			*high-- = kept;
		}
		sort(first, high, state);
		first = low;
	}
}

/* Comparisons of random numbers with a random pivot: nobody can predict them. */
static int run_branches(const struct known_sizes *sizes, struct error *err)
{
	enum { NUMBERS = 250000 };
	uint32_t *numbers = take_memory(NUMBERS * sizeof(*numbers), err);
	uint64_t state = RANDOM_START;

	if (!numbers)
		return -1;
	for (unsigned time = 0; time < sizes->times; time++) {
		for (size_t i = 0; i < NUMBERS; i++)
			numbers[i] = (uint32_t)random_next(&state);
		sort(numbers, numbers + NUMBERS - 1, &state);
	}
	KEEP(numbers[NUMBERS / 2]);
	munmap(numbers, NUMBERS * sizeof(*numbers));
	return 0;
}

/* Four at a time that wait for nothing but the divider. */
static int run_divide(const struct known_sizes *sizes, struct error *err UNUSED)
{
	uint64_t divisor = 3, sum = 0, count = 2500000 * (uint64_t)sizes->times;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t a = RANDOM_START + i, b = RANDOM_START - i, c = RANDOM_START ^ i, d = ~RANDOM_START + i;

		OPAQUE(divisor);
		sum += a / divisor + b / divisor + c / divisor + d / divisor;
	}
	KEEP(sum);
	return 0;
}

/* Each multiplication needs the product of the one before. */
static int run_multiply(const struct known_sizes *sizes, struct error *err UNUSED)
{
	uint64_t count = 12000000 * (uint64_t)sizes->times, result;
	double x = 1.5;

	for (uint64_t i = 0; i < count; i++)
		x *= 0.999999999;
	memcpy(&result, &x, sizeof(result));
	KEEP(result);
	return 0;
}

#define NOTHING "nop\n nop\n nop\n nop\n"

/*
 * Eight chains of additions, of which four go on each cycle, and between them instructions that need no unit: a core of
 * eight slots with four units for additions fills them all.
 */
static int run_adds(const struct known_sizes *sizes, struct error *err UNUSED)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, step = 9;
	uint64_t count = 2000000 * (uint64_t)sizes->times;

	for (uint64_t i = 0; i < count; i++) {
#pragma GCC unroll 4
		for (int round = 0; round < 4; round++) {
			a += step, b += step, c += step, d += step;
			__asm__ volatile(NOTHING : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(step));
			e += step, f += step, g += step, h += step;
			__asm__ volatile(NOTHING : "+r"(e), "+r"(f), "+r"(g), "+r"(h), "+r"(step));
		}
	}
	KEEP(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h);
	return 0;
}

const struct known_kernel known_kernels[] = {
	{ "chase", "each load's address comes from the one before; the lines are in memory", run_chase, NULL },
	{ "chase-l3", "the same within four times the size of L2", run_chase_l3, NULL },
	{ "chase-l2", "the same within 128 KiB", run_chase_l2, NULL },
	{ "stream", "reads an array in memory from start to end", run_stream, NULL },
	{ "stores", "writes to lines of memory in no order", run_stores, NULL },
	{ "branches", "sorts random numbers, with unpredictable comparisons", run_branches, NULL },
	{ "divide", "divides, four divisions at a time", run_divide, NULL },
	{ "multiply", "multiplies, each time the last product", run_multiply, NULL },
	{ "adds", "adds in chains of their own, between instructions that do nothing", run_adds, NULL },
	{ "jumps", "jumps from line to line through 1 MiB of code", run_jumps, NULL },
	{ "prefixes", "decodes instructions with length-changing prefixes", run_prefixes, has_prefixes },
};
const size_t nknown_kernels = COUNT_OF(known_kernels);

bool known_kernel_is_here(const struct known_kernel *kernel)
{
	return !kernel->is_there || kernel->is_there();
}

const struct known_kernel *known_kernel_find(const char *name)
{
	for (size_t i = 0; i < nknown_kernels; i++)
		if (!strcmp(known_kernels[i].name, name) && known_kernel_is_here(&known_kernels[i]))
			return &known_kernels[i];
	return NULL;
}
