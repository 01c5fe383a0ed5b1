/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bc.c - bc COUNT: a conditional branch at random between two ways, among some thirty additions that do not wait for
 * each other. Written from the description of a published tree (BC1s of pmu-tools, on Skylake).
 */
#include "kernel.h"

#define LENGTH 65536 /* no predictor learns so many outcomes by heart */

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 10000000);
	unsigned char *ways = take_memory(LENGTH);
	uint64_t state = RANDOM_START, a = 1, b = 2, c = 3, d = 4;

	for (size_t i = 0; i < LENGTH; i++)
		ways[i] = random_next(&state) & 1;
	for (size_t i = 0; i < count; i++) {
		for (int k = 0; k < 8; k++) {
			a += i, b += i, c += i, d += i;
			__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
		}
		if (ways[i % LENGTH]) {
			a ^= 5;
			__asm__ volatile("" : "+r"(a));
		} else {
			b ^= 7;
			__asm__ volatile("" : "+r"(b));
		}
	}
	printf("%llu\n", (unsigned long long)(a ^ b ^ c ^ d));
	return 0;
}
