/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * goto.c - goto COUNT: jumps to one of eight labels at random, which nobody can predict, and does hardly
 * anything there. Written from the description of a published tree (goto_test of branches-study, a Xeon of 4 slots).
 */
#include "kernel.h"

#define LENGTH 16384 /* of the program: no predictor learns it by heart */

int main(int argc, char **argv)
{
	static const void *const labels[] = { &&l0, &&l1, &&l2, &&l3, &&l4, &&l5, &&l6, &&l7 };
	size_t count = argument(argc, argv, 1, 20000000), i = 0;
	const void **program = take_memory(LENGTH * sizeof(*program));
	uint64_t state = RANDOM_START, value = 1;

	for (size_t k = 0; k < LENGTH; k++)
		program[k] = labels[random_next(&state) >> 32 & 7];
#define NEXT                                                                                                           \
	if (++i >= count)                                                                                              \
		goto done;                                                                                             \
	goto *program[i % LENGTH];
	NEXT
		/* clang-format off */
l0:	value += 1; NEXT
l1:	value ^= 2; NEXT
l2:	value -= 3; NEXT
l3:	value |= 4; NEXT
l4:	value += 5; NEXT
l5:	value ^= 6; NEXT
l6:	value -= 7; NEXT
l7:	value |= 8; NEXT
		/* clang-format on */
		done : printf("%llu\n", (unsigned long long)value);
	return 0;
}
