/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.c - stream KIB ROUNDS: the sum of an array, from its begin to its end. */
#include "kernel.h"

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 512 * 1024) * 1024 / sizeof(uint64_t);
	size_t rounds = argument(argc, argv, 2, 1);
	uint64_t *numbers = take_memory(count * sizeof(*numbers)), sum = 0;

	for (size_t i = 0; i < count; i += 512)
		numbers[i] = i; /* a page that nobody wrote is not memory */
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i += 4)
			sum += numbers[i] + numbers[i + 1] + numbers[i + 2] + numbers[i + 3];
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
