/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_l3_chase.c - the time of loads by the number of lines in use. Lines that are read again at once are still in
 * L3; what other guests read meanwhile evicts them. So all lines of a size are read, then as much time passes as a
 * program takes that needs a line of L3 every 20 ns, and then a sample of them is read again.
 *
 * The sample is a chain of loads: 16 random lines of a random page, then of another one. So a page is translated once
 * for 16 loads, whether the guest's pages or the host's are large or not, and no prefetcher knows the next line. Each
 * second line is left out, since adjacent ones come in pairs.
 */
#include "cpu/identify/guest_l3.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/system/loop.h"

#define PAGE	     4096u
#define LINE	     64u
#define MOST_KIB     (UINT64_C(32) << 10) /* beyond it takes too long */
#define LIMIT_S	     0.17
#define LINE_S	     20e-9 /* from line to line, of a program for which L3 matters */
#define TIMES	     3	   /* of each size; the median counts */
#define VISITS	     64	   /* pages each time */
#define LINES	     16	   /* of a page, of 32 */
#define FLUSHED_KIB  1024u /* lines that are in no cache */
#define LEAST_FACTOR 4	   /* of memory's time to L2's */

double guest_l3_limit(const struct l3_latencies *l)
{
	if (!l->count || !(l->memory_ns >= LEAST_FACTOR * l->l2_ns))
		return NAN;
	return sqrt(fmin(l->ns[0], sqrt(l->l2_ns * l->memory_ns)) * l->memory_ns);
}

static bool is_like_memory(const struct l3_latencies *l, size_t index)
{
	return l->ns[index] >= guest_l3_limit(l);
}

uint64_t guest_l3_decide(const struct l3_latencies *l, uint64_t l2_kib, uint64_t l3_kib)
{
	if (!isfinite(guest_l3_limit(l)))
		return 0;
	for (size_t i = 0; i < l->count; i++)
		if (is_like_memory(l, i) && (i + 1 == l->count || is_like_memory(l, i + 1)))
			return i ? l->kib[i - 1] : l2_kib;
	return l3_kib;
}

#if defined(__x86_64__)

struct chase {
	char *bytes;
	size_t touched; /* bytes that have pages of their own */
	uint64_t random;
	uint64_t zero; /* what the last load found */
	double until;  /* clock_now() */
};

static uint64_t next_random(struct chase *chase)
{
	chase->random = chase->random * 6364136223846793005u + 1442695040888963407u;
	return chase->random >> 32;
}

static void visit(struct chase *chase, const char *page, uint64_t key)
{
	static const uint8_t order[LINES] = { 3, 29, 10, 20, 0, 24, 13, 6, 31, 17, 8, 27, 1, 22, 12, 5 };

	for (size_t i = 0; i < LINES; i++)
		chase->zero = *(const volatile uint64_t *)(page + (((order[i] ^ key) % 32) << 7) + chase->zero);
}

static double time_loads(struct chase *chase, uint64_t kib)
{
	uint64_t pages = kib * 1024 / PAGE;
	double begun = clock_now();

	for (size_t i = 0; i < VISITS; i++) {
		const char *page = chase->bytes + next_random(chase) * pages / (UINT64_C(1) << 32) * PAGE;

		visit(chase, page, next_random(chase));
	}
	return (clock_now() - begun) * 1e9 / (VISITS * LINES);
}

static void read_through(struct chase *chase, uint64_t kib)
{
	for (size_t at = 0; at < kib * 1024; at += LINE)
		chase->zero += *(const volatile uint64_t *)(chase->bytes + at);
}

static void read_and_wait(struct chase *chase, uint64_t kib)
{
	uint64_t lines = kib * 1024 / LINE;
	double until = clock_now() + (double)lines * LINE_S;

	read_through(chase, kib);
	while (clock_now() < until)
		;
}

static void flush_lines(struct chase *chase, uint64_t kib)
{
	for (size_t at = 0; at < kib * 1024; at += LINE)
		__asm__ volatile("clflush %0" : "+m"(chase->bytes[at]));
	__asm__ volatile("mfence" ::: "memory");
}

/* Pages that were only read would all be the same one. */
static void make_pages(struct chase *chase, uint64_t kib)
{
	for (; chase->touched < kib * 1024; chase->touched += PAGE)
		*(volatile char *)(chase->bytes + chase->touched) = 0;
}

static int compare_times(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

typedef void preparation(struct chase *chase, uint64_t kib);

/* Each time on lines that are where the preparation left them. NAN: there is no time left. */
static double measure_loads(struct chase *chase, preparation *prepare, uint64_t kib)
{
	double times[TIMES];

	make_pages(chase, kib);
	for (size_t i = 0; i < TIMES; i++) {
		if (clock_now() > chase->until)
			return NAN;
		prepare(chase, kib);
		times[i] = time_loads(chase, kib);
	}
	qsort(times, TIMES, sizeof(*times), compare_times);
	return times[TIMES / 2];
}

/* 2, 3, 4, 6, 8, 12 ... times L2, and the L3's own size as the last one. 0: that was it. */
static uint64_t next_size(uint64_t kib, uint64_t l2_kib, uint64_t l3_kib)
{
	uint64_t next = (kib / l2_kib & (kib / l2_kib - 1)) ? kib / 3 * 4 : kib / 2 * 3;

	if (kib >= l3_kib || kib >= MOST_KIB)
		return 0;
	return next < l3_kib ? next : l3_kib;
}

static bool measure_sizes(struct l3_latencies *l, struct chase *chase, uint64_t l2_kib, uint64_t l3_kib)
{
	l->memory_ns = measure_loads(chase, flush_lines, FLUSHED_KIB);
	l->l2_ns = measure_loads(chase, read_through, l2_kib / 2);
	for (uint64_t kib = 2 * l2_kib; kib && kib <= MOST_KIB; kib = next_size(kib, l2_kib, l3_kib)) {
		double ns = measure_loads(chase, read_and_wait, kib);

		if (l->count == GUEST_L3_SIZES || isnan(ns))
			return false;
		l->kib[l->count] = kib;
		l->ns[l->count++] = ns;
		if (isnan(guest_l3_limit(l)))
			return false;
		if (l->count > 1 && is_like_memory(l, l->count - 1) && is_like_memory(l, l->count - 2))
			break;
	}
	return l->count > 0;
}

bool guest_l3_chase(struct l3_latencies *latencies, uint64_t l2_kib, uint64_t l3_kib)
{
	struct chase chase = { .random = 1, .until = clock_now() + LIMIT_S };
	size_t size = MOST_KIB * 1024;
	bool is_measured;

	*latencies = (struct l3_latencies){ .count = 0 };
	if (l2_kib < 8 || 2 * l2_kib > MOST_KIB)
		return false;
	chase.bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (chase.bytes == MAP_FAILED)
		return false;
	is_measured = measure_sizes(latencies, &chase, l2_kib, l3_kib);
	munmap(chase.bytes, size);
	return is_measured;
}

#else

bool guest_l3_chase(struct l3_latencies *latencies, uint64_t l2_kib UNUSED, uint64_t l3_kib UNUSED)
{
	*latencies = (struct l3_latencies){ .count = 0 };
	return false;
}

#endif
