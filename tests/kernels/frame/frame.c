/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.c - SET NAME [REPEATS]: warms a kernel up, runs it REPEATS times, and prints the cycles that a round
 * took in the fastest of them. A chain of additions, of which each waits for the one before, gives the clock: one of
 * them is a cycle. Without a name: the names and their rounds.
 *
 * The simulator counts within measured() only (--toggle measured).
 */
#include "frame.h"

#include <string.h>
#include <time.h>

#define CHAIN 400000

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of an addition, in seconds: the least of some. */
static double cycle(void)
{
	double least = 1, start, took;

	for (int i = 0; i < 5; i++) {
		size_t count = CHAIN / 16;

		start = seconds();
#if defined(__x86_64__)
		__asm__ volatile("1:\n\t.rept 16\n\tadd %%rdx, %%rax\n\t.endr\n\tdec %0\n\tjnz 1b"
				 : "+r"(count)::"rax", "rdx", "cc");
#else
		__asm__ volatile("1:\n\t.rept 16\n\tadd x9, x9, x10\n\t.endr\n\tsubs %0, %0, #1\n\tb.ne 1b"
				 : "+r"(count)::"x9", "x10", "cc");
#endif
		took = (seconds() - start) / CHAIN;
		least = took < least ? took : least;
	}
	return least;
}

__attribute__((noinline)) uint64_t measured(const struct kernel *kernel, char *memory)
{
	return kernel->run(kernel->rounds, memory);
}

/* Sattolo's algorithm. */
void make_ring(char *memory, size_t size, size_t step)
{
	size_t count = size / step, *order = take_memory(count * sizeof(*order)), other, kept;
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count - 1; i > 0; i--) {
		other = (size_t)(random_next(&state) >> 16) % i;
		kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
	for (size_t i = 0; i < count; i++)
		*(char **)(memory + order[i] * step) = memory + order[(i + 1) % count] * step;
	free(order);
}

void fill_randomly(char *memory, size_t size)
{
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i < size / sizeof(uint64_t); i++)
		((uint64_t *)memory)[i] = random_next(&state);
}

static const struct kernel *find(const char *name)
{
	for (size_t i = 0; kernel_lists[i]; i++)
		for (const struct kernel *kernel = kernel_lists[i]; kernel->name; kernel++)
			if (!name)
				printf("%s %zu\n", kernel->name, kernel->rounds);
			else if (!strcmp(kernel->name, name))
				return kernel;
	return NULL;
}

static char *memory_of(const struct kernel *kernel)
{
	size_t size = kernel->size ? kernel->size : 4096;
	char *memory = take_memory(size + 8192);

	memset(memory, 0, size + 8192);
	if (kernel->prepare)
		kernel->prepare(memory, size);
	return memory;
}

int main(int argc, char **argv)
{
	const struct kernel *kernel = find(argc > 1 ? argv[1] : NULL);
	size_t repeats = argument(argc, argv, 2, 1);
	double least = 1e9, clock = 1, start, took;
	uint64_t value = 0;
	char *memory;

	if (!kernel)
		return argc > 1;
	memory = memory_of(kernel);
	value += kernel->run(kernel->rounds, memory);
	for (size_t i = 0; i < repeats; i++) {
		took = cycle();
		clock = took < clock ? took : clock;
		start = seconds();
		value += measured(kernel, memory);
		took = seconds() - start;
		least = took < least ? took : least;
	}
	printf("%s %.3f cycles a round, %.3f GHz (%llx)\n", kernel->name, least / clock / (double)kernel->rounds,
	       1e-9 / clock, (unsigned long long)value);
	return 0;
}
