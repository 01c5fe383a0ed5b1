/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c [MIB|core] - what caches and memory are to this machine's core right now, in its cycles, for tests/bench/host.py. Lines of
 * "NAME KIB CYCLES", where KIB is what the accessed lines take in caches, and CYCLES are those of one access:
 *
 *   additions   eight independent additions; the only line where "core" is asked for. This figure is a mean, because a neighbour that has the
 *               core's other thread, or its time, is there and away again within milliseconds
 *   scattered   a load that needs the one before, through all lines in random order, 4 MiB at a time
 *   random_stores   independent stores to any line, again and again
 *   near        as scattered, but through every other line, 32 pages at a time: the TLB's first level has them, and of the lines that a
 *               prefetcher takes from beside those that were asked for none is ever used
 *   near_reads, near_stores   independent accesses in that order
 *   distant     as near, but through all of the memory at a time, so that nearly each load needs a page walk too
 *   distant_reads, distant_stores   independent accesses in that order
 *   sequence    a load from each line of four streams side by side: what prefetchers get out of memory
 *
 * Pages are those of 4 KiB. Times are CPU times, and each other figure is the least of some tries, since whatever else runs here makes them longer.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "collect/simulate/anchor.h"

/* Eight independent additions, 16 times, which the compiler leaves as they are. None: not on this architecture. */
#define EIGHT ONE("0") ONE("1") ONE("2") ONE("3") ONE("4") ONE("5") ONE("6") ONE("7")
#if defined(__x86_64__)
#define ONE(number) "\tadd $1, %" number "\n"
#define ADD	    ".rept 16\n" EIGHT ".endr"
#elif defined(__aarch64__)
#define ONE(number) "\tadd %" number ", %" number ", #1\n"
#define ADD	    ".rept 16\n" EIGHT ".endr"
#endif
#define ADD_LOOPS   2000000 /* times 32 cycles: 17 ms */
#define LINE	    64
#define PAGE	    4096
#define PAGE_LINES  (PAGE / LINE)
#define TRIES	    3
#define LEAST_STEPS 100000 /* some 0.1 ms in L1 */
#define MOST_STEPS  200000 /* some 30 ms in memory */
#define LEAST_KIB   16
#define MOST_WARMED                                                                                                    \
	(64 * 1024) /* KiB, more than any L3 that is looked for: there is nothing to be found again in larger sets */
#define MOST_NEAR                                                                                                      \
	(4 * 1024) /* KiB, enough to measure the latency of L3; that of memory takes a set as large as can be */
#define DEFAULT_MIB  256
#define LEAST_MIB    16
#define LEAST_RANDOM 1024
#define STREAMS	     4

/* The lines of each page that are accessed, and the number of pages at a time in random order. */
struct pattern {
	size_t distance, pages; /* of lines */
};

/* 4 MiB at a time are within the second level of all TLBs, and several times what an L2 has. */
static const struct pattern scattered = { 1, 1024 }, near = { 2, 32 }, distant = { 2, SIZE_MAX };

struct probe {
	char *memory;
	size_t kib;
	uint32_t *order; /* lines to access, one after the other */
	size_t count;
	uint64_t random;
	double hz;
};

/* splitmix64 (Steele, Lea and Flood, 2014) */
static uint64_t next_random(struct probe *probe)
{
	uint64_t z = probe->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void shuffle(struct probe *probe, uint32_t *numbers, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = (size_t)((next_random(probe) >> 32) * i >> 32);
		uint32_t number = numbers[i - 1];

		numbers[i - 1] = numbers[other];
		numbers[other] = number;
	}
}

/* Lines of a pattern that take so many KiB of a cache. Which of them in each page differs from page to page, so that all sets are used. */
static void order_lines(struct probe *probe, const struct pattern *pattern, size_t kib)
{
	size_t count = kib * 1024 / LINE, each = PAGE_LINES / pattern->distance;

	probe->count = count;
	for (size_t i = 0; i < count; i++) {
		size_t page = i / each;

		probe->order[i] =
			(uint32_t)(page * PAGE_LINES + i % each * pattern->distance + page % pattern->distance);
	}
	each = pattern->pages < count / each ? pattern->pages * each : count;
	for (size_t i = 0; i < count; i += each)
		shuffle(probe, probe->order + i, each < count - i ? each : count - i);
}

/* Any of the first lines, as many as there are of them. */
static void order_randomly(struct probe *probe, size_t kib)
{
	probe->count = kib * 1024 / LINE;
	for (size_t i = 0; i < probe->count; i++)
		probe->order[i] = (uint32_t)((next_random(probe) >> 32) * probe->count >> 32);
}

static void *line_at(const struct probe *probe, size_t i)
{
	return probe->memory + (size_t)probe->order[i] * LINE;
}

static void link_lines(struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		*(void **)line_at(probe, i) = line_at(probe, i + 1 < probe->count ? i + 1 : 0);
}

/* Seconds of CPU time: others on the same CPU do not count, whatever they leave in its caches. */
static double cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double addition_cycles(double hz)
{
#ifdef ADD
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
	double start = cpu_now();

	for (unsigned i = 0; i < ADD_LOOPS; i++)
		__asm__ volatile(ADD : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h) : : "cc");
	return (cpu_now() - start) / ADD_LOOPS / 16 * hz;
#else
	return hz * (double)NAN;
#endif
}

static void **follow(void **at, size_t steps)
{
	while (steps--)
		at = (void **)*at;
	__asm__ volatile("" : "+r"(at));
	return at;
}

/* Cycles of a dependent load, once all lines have been accessed in this order. */
static double latency(struct probe *probe, const struct pattern *pattern, size_t kib)
{
	double least = HUGE_VAL;
	size_t steps;
	void **at;

	order_lines(probe, pattern, kib);
	link_lines(probe);
	steps = probe->count < LEAST_STEPS ? LEAST_STEPS : probe->count < MOST_STEPS ? probe->count : MOST_STEPS;
	at = follow(line_at(probe, 0), kib <= MOST_WARMED ? probe->count : 0);
	for (unsigned i = 0; i < TRIES; i++) {
		double start = cpu_now();

		at = follow(at, steps);
		least = fmin(least, cpu_now() - start);
	}
	return least / (double)steps * probe->hz;
}

static void read_lines(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		(void)*(volatile uint64_t *)line_at(probe, i);
}

static void write_lines(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		*(volatile uint64_t *)line_at(probe, i) = i;
}

static void read_streams(const struct probe *probe)
{
	size_t length = probe->kib * 1024 / STREAMS;

	for (size_t at = 0; at < length; at += LINE)
		for (size_t stream = 0; stream < STREAMS; stream++)
			(void)*(volatile uint64_t *)(probe->memory + stream * length + at);
}

static double cycles_each(const struct probe *probe, void (*work)(const struct probe *probe), size_t accesses)
{
	double least = HUGE_VAL;

	for (unsigned i = 0; i < TRIES; i++) {
		double start = cpu_now();

		work(probe);
		least = fmin(least, cpu_now() - start);
	}
	return least / (double)accesses * probe->hz;
}

static void print(const char *name, size_t kib, double cycles)
{
	printf("%s %zu %.2f\n", name, kib, cycles);
}

static void print_scattered(struct probe *probe)
{
	for (size_t kib = LEAST_KIB; kib <= probe->kib; kib *= 2) {
		print("scattered", kib, latency(probe, &scattered, kib));
		if (kib * 3 / 2 <= MOST_WARMED && kib * 3 / 2 <= probe->kib)
			print("scattered", kib * 3 / 2, latency(probe, &scattered, kib * 3 / 2));
	}
}

static void print_random_stores(struct probe *probe)
{
	for (size_t kib = LEAST_RANDOM; kib <= MOST_WARMED && kib <= probe->kib; kib *= 2) {
		order_randomly(probe, kib);
		write_lines(probe);
		print("random_stores", kib, cycles_each(probe, write_lines, probe->count));
	}
}

static void print_near(struct probe *probe)
{
	for (size_t kib = LEAST_KIB; kib <= MOST_NEAR && kib < probe->kib / near.distance; kib *= 2)
		print("near", kib, latency(probe, &near, kib));
}

static void print_memory(struct probe *probe)
{
	size_t kib = probe->kib / near.distance;

	print("near", kib, latency(probe, &near, kib));
	print("near_reads", kib, cycles_each(probe, read_lines, probe->count)); /* in the order that is there */
	print("near_stores", kib, cycles_each(probe, write_lines, probe->count));
	print("distant", kib, latency(probe, &distant, kib));
	print("distant_reads", kib, cycles_each(probe, read_lines, probe->count));
	print("distant_stores", kib, cycles_each(probe, write_lines, probe->count));
	print("sequence", probe->kib, cycles_each(probe, read_streams, probe->kib * 1024 / LINE));
}

static int take_memory(struct probe *probe)
{
	size_t bytes = probe->kib * 1024;

	probe->order = calloc(bytes / LINE, sizeof(*probe->order));
	probe->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!probe->order || probe->memory == MAP_FAILED) {
		fprintf(stderr, "memory: no %zu MiB of memory: a smaller set can be given as argument\n",
			probe->kib / 1024);
		return -1;
	}
	(void)madvise(probe->memory, bytes, MADV_NOHUGEPAGE); /* fails where there are none */
	memset(probe->memory, 1, bytes);		      /* a page that nobody wrote is not memory */
	return 0;
}

static void print_all(struct probe *probe)
{
	/* What a neighbour takes of L3 for a moment is there again at another. */
	print_near(probe);
	print_scattered(probe);
	print_random_stores(probe);
	print_near(probe);
	print_memory(probe);
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : DEFAULT_MIB;
	struct probe probe = { .kib = mib * 1024, .hz = clock_rate_measure() };
	int status = 1;

	print("additions", 0, addition_cycles(probe.hz));
	if (argc > 1 && !strcmp(argv[1], "core"))
		return 0;

	if (mib < LEAST_MIB || mib > 4096 || (mib & (mib - 1))) {
		fprintf(stderr, "memory: [MIB|core]: a power of two from %d to 4096, or the core alone\n", LEAST_MIB);
		return 2;
	}
	if (take_memory(&probe) == 0) {
		print_all(&probe);
		munmap(probe.memory, probe.kib * 1024);
		status = 0;
	}
	free(probe.order);
	return status;
}
