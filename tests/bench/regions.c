/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regions.c - what a region costs that nobody measures: ns of a pair of begin and end, the median of five. */
#include "bench.h"

#include <stdbool.h>

#include "topdown.h"

enum { PAIRS = 100000000, ROUNDS = 5 };

static volatile unsigned work;

static double round_ns(bool has_regions)
{
	double begin = bench_now();

	for (unsigned i = 0; i < PAIRS; i++) {
		if (has_regions)
			topdown_begin("region");
		work = i;
		if (has_regions)
			topdown_end();
	}
	return (bench_now() - begin) * 1e9 / PAIRS;
}

int main(void)
{
	double rounds[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++)
		rounds[i] = round_ns(true) - round_ns(false);
	qsort(rounds, ROUNDS, sizeof(*rounds), bench_compare);
	printf("%.3f\n", rounds[ROUNDS / 2]);
	return 0;
}
