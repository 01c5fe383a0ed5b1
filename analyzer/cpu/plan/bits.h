/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bits.h - sets of small numbers as arrays of words. */
#ifndef TOPDOWN_CPU_PLAN_BITS_H
#define TOPDOWN_CPU_PLAN_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t bits_words(size_t count)
{
	return (count + 63) / 64;
}

static inline bool bits_has(const uint64_t *bits, size_t number)
{
	return bits[number / 64] >> (number % 64) & 1;
}

static inline void bits_add(uint64_t *bits, size_t number)
{
	bits[number / 64] |= 1ull << (number % 64);
}

/* Is all of part in whole? */
static inline bool bits_within(const uint64_t *part, const uint64_t *whole, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (part[i] & ~whole[i])
			return false;
	return true;
}

/* The number of bits that are set: few, so that they are counted one by one. */
static inline size_t bits_count(uint64_t word)
{
	size_t count = 0;

	for (; word; word &= word - 1)
		count++;
	return count;
}

/* The number of numbers in both. */
static inline size_t bits_common(const uint64_t *a, const uint64_t *b, size_t words)
{
	size_t count = 0;

	for (size_t i = 0; i < words; i++)
		count += bits_count(a[i] & b[i]);
	return count;
}

/* The first number from start on that is in the set, or limit. */
static inline size_t bits_next(const uint64_t *bits, size_t start, size_t limit)
{
	for (size_t i = start; i < limit; i = (i / 64 + 1) * 64) {
		uint64_t word = bits[i / 64] >> (i % 64);

		if (word) {
			i += (size_t)__builtin_ctzll(word);
			return i < limit ? i : limit;
		}
	}
	return limit;
}

#endif
