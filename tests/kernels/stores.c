/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stores.c - stores KIB COUNT: bursts of stores to random lines, of which nothing is read. */
#include "kernel.h"

int main(int argc, char **argv)
{
	size_t wanted = argument(argc, argv, 1, 256 * 1024) * 16, lines = 1, count = argument(argc, argv, 2, 5000000);
	volatile uint64_t *memory;
	uint64_t state = 1;

	while (lines * 2 <= wanted)
		lines *= 2;
	memory = take_memory(lines * 64);

	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		memory[(state >> 33 & (lines - 1)) * 8] = i;
	}
	printf("%llu\n", (unsigned long long)state);
	return 0;
}
