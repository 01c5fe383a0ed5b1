/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sales.h - what the steps of docs/TUTORIAL.md share: made-up sales, the same in each run, and the answer. */
#ifndef TUTORIAL_SALES_H
#define TUTORIAL_SALES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SALES  65536 /* a power of 2 */
#define PASSES 160
#define LEAST  5000 /* cents: cheaper sales have no discount */

struct sale {
	struct sale *next;
	uint32_t cents, discount; /* the discount is in parts of the scale that main() is given */
	char note[48];
};

/* From 0 to 9999 cents, in no order that could be predicted (the mixing steps of splitmix64). */
static inline uint32_t price_of(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15u;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)((i ^ i >> 31) % 10000);
}

static inline uint32_t discount_of(uint64_t i)
{
	return (uint32_t)(i * 40503u >> 3 & 511);
}

/* Where the sale after the one at i is: each once, in no order. */
static inline size_t after(uint64_t i)
{
	return (i * 25214903917u + 11) & (SALES - 1);
}

static inline struct sale *make_sales(void)
{
	struct sale *sales = aligned_alloc(64, SALES * sizeof(*sales));

	if (!sales)
		exit(1);
	for (size_t i = 0; i < SALES; i++) {
		sales[i].next = &sales[after(i)];
		sales[i].cents = price_of(i);
		sales[i].discount = discount_of(i);
	}
	return sales;
}

/* Moves the sales that have a discount to the front, and returns their number. The list is lost. */
static inline size_t take_dear(struct sale *sales)
{
	size_t count = 0;

	for (size_t i = 0; i < SALES; i++)
		if (sales[i].cents >= LEAST)
			sales[count++] = sales[i];
	return count;
}

/* Of each sale only what is asked for. */
struct columns {
	uint32_t cents[SALES], discount[SALES];
};

static inline const struct columns *make_columns(const struct sale *sales, size_t count)
{
	struct columns *columns = aligned_alloc(64, sizeof(*columns));

	if (!columns)
		exit(1);
	for (size_t i = 0; i < count; i++) {
		columns->cents[i] = sales[i].cents;
		columns->discount[i] = sales[i].discount;
	}
	return columns;
}

/*
 * x / scale for x below 2^23, without a division (Granlund and Montgomery): the reciprocal is rounded up, and its error
 * is too small to matter.
 */
#define BITS 41

static inline uint32_t reciprocal_of(uint64_t scale)
{
	return (uint32_t)(((uint64_t)1 << BITS) / scale + 1);
}

static inline uint64_t divided(uint32_t x, uint32_t reciprocal)
{
	return (uint64_t)x * reciprocal >> BITS;
}

/* 1000, as an argument: no compiler knows it. */
static inline uint64_t scale_of(int argc, char **argv)
{
	return argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
}

#endif
