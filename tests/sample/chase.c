/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chase.c - a program with one clear bottleneck: each load needs the result of the one before, and nearly all of them miss
 * every cache. A topdown tree shows it below Backend_Bound, Memory_Bound, DRAM_Bound.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LINES (1u << 22) /* of 64 bytes: 256 MiB, more than caches hold */
#define STEPS 5000000u	 /* about a second with the setup, at 100 ns each */

struct line {
	uint32_t next;
	char rest[60];
};

/* Numbers that do not depend on the C library, so that each run does the same. */
static uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 32) * limit >> 32);
}

/* One cycle through all lines (Sattolo), so that the chase never gets caught in a short one. */
static void link_lines(struct line *lines)
{
	for (uint32_t i = 0; i < LINES; i++)
		lines[i].next = i;
	for (uint32_t i = LINES - 1; i > 0; i--) {
		uint32_t other = random_below(i), next = lines[i].next;

		lines[i].next = lines[other].next;
		lines[other].next = next;
	}
}

int main(void)
{
	struct line *lines = malloc(LINES * sizeof(*lines));
	uint32_t at = 0;

	if (!lines) {
		perror("chase");
		return 1;
	}
	link_lines(lines);
	for (uint32_t i = 0; i < STEPS; i++)
		at = lines[at].next;
	printf("chase: %u steps through %zu MiB end at line %u\n", STEPS, LINES * sizeof(*lines) >> 20, at);
	free(lines);
	return 0;
}
