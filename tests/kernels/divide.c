/* SPDX-License-Identifier: GPL-2.0-or-later */
/* divide.c - divide COUNT: divisions, each of the last one's quotient. */
#include "kernel.h"

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 10000000);
	uint64_t divisor = 3, x = RANDOM_START;

	for (size_t i = 0; i < count; i++) {
		__asm__ volatile("" : "+r"(divisor));
		x = x / divisor + RANDOM_START;
	}
	printf("%llu\n", (unsigned long long)x);
	return 0;
}
