/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mended.c - mended KIND COUNT [1]: a loop that loses its slots to one cause; with 1 the same work without it. What a simulation without the cause
 * promises has to be what the mended loop takes.
 */
#include <string.h>

#include "kernel.h"

#define DATA (1u << 18)

#if defined(__aarch64__)
#define VECTOR "+w"
#else
#define VECTOR "+x"
#endif

/* Whether a byte is large nobody can predict; mended, the bytes are in order. */
static uint64_t branches(size_t count, int is_mended)
{
	uint8_t *bytes = take_memory(DATA);
	uint64_t state = RANDOM_START, sum = 0;

	for (size_t i = 0; i < DATA; i++) {
		uint8_t byte = (uint8_t)(random_next(&state) >> 40);

		bytes[i] = is_mended ? (uint8_t)(i / (DATA / 256)) : byte;
	}
	for (size_t i = 0; i < count; i++) {
		if (bytes[i % DATA] < 128)
			__asm__ volatile("" : "+r"(sum)); /* so that it stays a branch */
		else
			sum += i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

/* Each product waits for the one before; mended, for the eighth before. */
static uint64_t dependencies(size_t count, int is_mended)
{
	double a = 1.1, b = 1.2, c = 1.3, d = 1.4, e = 1.5, f = 1.6, g = 1.7, h = 1.8, r = 0.999999;

	if (is_mended)
		for (size_t i = 0; i < count; i++) {
			a *= r, b *= r, c *= r, d *= r, e *= r, f *= r, g *= r, h *= r;
		}
	else
		for (size_t i = 0; i < count; i++)
			a *= r, a *= r, a *= r, a *= r, a *= r, a *= r, a *= r, a *= r;
	return (uint64_t)((a + b + c + d + e + f + g + h) * 1e9);
}

/* Divisions, each of the last one's quotient; mended, products. */
static uint64_t divider(size_t count, int is_mended)
{
	double x = 1e9, y = 1e8, by = 1.0000001;

	for (size_t i = 0; i < count; i++) {
		__asm__ volatile("" : VECTOR(by));
		x = is_mended ? x * by : x / by;
		y = is_mended ? y * by : y / by;
	}
	return (uint64_t)(x + y);
}

/* Products for which there is one unit; mended, sums, for which there are as many as slots. */
static uint64_t ports(size_t count, int is_mended)
{
	uint64_t a = 3, b = 5, c = 7, d = 9, e = 11, f = 13, g = 15, h = 17, j = 19, k = 21, by = 23;

	for (size_t i = 0; i < count; i++) {
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(by));
		__asm__ volatile("" : "+r"(f), "+r"(g), "+r"(h), "+r"(j), "+r"(k));
		if (is_mended)
			a += by, b += by, c += by, d += by, e += by, f += by, g += by, h += by, j += by, k += by;
		else
			a *= by, b *= by, c *= by, d *= by, e *= by, f *= by, g *= by, h *= by, j *= by, k *= by;
	}
	return a + b + c + d + e + f + g + h + j + k;
}

/* Atomic additions to what nobody else has; mended, plain ones. */
static uint64_t fences(size_t count, int is_mended)
{
	uint64_t counters[8] = { 0 };

	for (size_t i = 0; i < count; i++) {
		volatile uint64_t *counter = &counters[i % 8];

		if (is_mended)
			*counter += i;
		else
			__atomic_fetch_add(counter, i, __ATOMIC_SEQ_CST);
	}
	return counters[3];
}

/* A chain of loads through 256 pages, a line in each, so that L1 has the lines and the first TLB lacks the pages; mended, in four pages. */
static uint64_t pages(size_t count, int is_mended)
{
	size_t lines = 256, step = is_mended ? 64 : 4096 + 64;
	char *memory = take_memory(lines * (4096 + 64)), *at = memory;

	for (size_t i = 0; i < lines; i++)
		*(char **)(void *)(memory + i * step) = memory + (i * 5 + 3) % lines * step;
	for (size_t i = 0; i < count; i++)
		at = *(char **)(void *)at;
	return (uint64_t)(at - memory) / step;
}

/*
 * Two loops that lose about as much: a chain of products, and divisions beside a chain that takes nearly as long, so that
 * removing the divisions brings little. Mended, the first one has eight chains.
 */
static uint64_t close_causes(size_t count, int is_mended)
{
	double x = 1e9, y = 1.1, by = 1.0000001;
	uint64_t sum = dependencies(count * 2 / 5, is_mended);

	for (size_t i = 0; i < count; i++) {
		__asm__ volatile("" : VECTOR(by));
		x /= by;
		y *= by, y *= by, y *= by;
	}
	return sum + (uint64_t)(x + y);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint64_t (*run)(size_t count, int is_mended);
	} kinds[] = { { "branches", branches }, { "pages", pages }, { "dependencies", dependencies },
		      { "divider", divider },	{ "ports", ports }, { "fences", fences },
		      { "close", close_causes } };
	size_t count = argument(argc, argv, 2, 1000000);

	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			return printf("%llu\n",
				      (unsigned long long)kinds[i].run(count, argument(argc, argv, 3, 0) != 0)) < 0;
	return 2;
}
