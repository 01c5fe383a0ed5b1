/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sorted.h - a place in an array that is sorted by a 64-bit number of its items. */
#ifndef TOPDOWN_COMMON_BASE_SORTED_H
#define TOPDOWN_COMMON_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What such an array is. No items: items may be NULL. */
struct sorted {
	const void *items;
	size_t count, size, offset; /* of an item; of the number in it */
};

#define SORTED_BY(type, field, first, number)                                                                          \
	((struct sorted){ .items = (first), .count = (number), .size = sizeof(type), .offset = offsetof(type, field) })

/* Of numbers by themselves. */
#define SORTED_NUMBERS(first, number)                                                                                  \
	((struct sorted){ .items = (first), .count = (number), .size = sizeof(uint64_t), .offset = 0 })

/* The number of items whose number is at most `most`, which is where the first one stands that has a larger one. */
static inline size_t sorted_up_to(struct sorted sorted, uint64_t most)
{
	const unsigned char *items = sorted.items;
	size_t low = 0, high = sorted.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		uint64_t number;

		memcpy(&number, items + middle * sorted.size + sorted.offset, sizeof(number));
		if (number <= most)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The number of items whose number is below `least`, which is where the first one stands that is not below. */
static inline size_t sorted_below(struct sorted sorted, uint64_t least)
{
	return least ? sorted_up_to(sorted, least - 1) : 0;
}

#endif
