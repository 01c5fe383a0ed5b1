/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quicksort.c - quicksort COUNT: sorts random numbers by comparing each with a random pivot. */
#include "kernel.h"

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static void sort(uint32_t *first, uint32_t *last, uint64_t *state)
{
	while (first < last) {
		uint32_t pivot = first[(random_next(state) >> 32) * (uint64_t)(last - first + 1) >> 32];
		uint32_t *low = first, *high = last;

		while (low <= high) {
			while (*low < pivot)
				low++;
			while (*high > pivot)
				high--;
			if (low <= high)
				swap(low++, high--);
		}
		sort(first, high, state);
		first = low;
	}
}

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 1000000);
	uint32_t *numbers = take_memory(count * sizeof(*numbers));
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)random_next(&state);
	sort(numbers, numbers + count - 1, &state);
	printf("%u\n", numbers[count / 2]);
	return 0;
}
