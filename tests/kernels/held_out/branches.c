/* SPDX-License-Identifier: GPL-2.0-or-later */
/* branches.c - branches that go by chance, by a pattern or always one way. */
#include "../frame/frame.h"

/* A random number of 32 bits for each i: nothing waits for the number before, and none comes twice. */
static inline uint64_t mix(uint64_t i)
{
	i *= 0x9E3779B97F4A7C15u;
	i ^= i >> 29;
	return i * 0xBF58476D1CE4E5B9u >> 32;
}

static uint64_t random_half(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		if (mix(i) & 1) {
			sum += i;
			ALWAYS(sum);
		}
	return sum;
}

static uint64_t random_tenth(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		if ((mix(i) & 1023) < 102) {
			sum += i;
			ALWAYS(sum);
		}
	return sum;
}

static uint64_t period_7(size_t rounds, char *memory)
{
	uint64_t sum = 0, count = 0;

	for (size_t i = 0; i < rounds; i++)
		if (++count == 7) {
			count = 0;
			sum ^= i;
			ALWAYS(sum);
		}
	return sum;
}

/* The second branch goes where the first did not. */
static uint64_t correlated(size_t rounds, char *memory)
{
	uint64_t sum = 0, other = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint64_t bit = mix(i) & 1;

		if (bit) {
			sum += i;
			ALWAYS(sum);
		}
		ALWAYS(bit);
		if (!bit) {
			other ^= i;
			ALWAYS(other);
		}
	}
	return sum + other;
}

static uint64_t random_trips(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		for (uint64_t left = 1 + (mix(i) & 7); left; left--) {
			sum += left;
			ALWAYS(sum);
		}
	return sum;
}

static uint64_t trips_of_40(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		for (uint64_t left = 40; left; left--) {
			sum += left;
			ALWAYS(sum);
		}
	return sum;
}

static void count_up(char *memory, size_t size)
{
	for (uint32_t i = 0; i < size / 4; i++)
		((uint32_t *)memory)[i] = i << 20;
}

static uint64_t halving_with_branches(size_t rounds, char *memory)
{
	const uint32_t *row = (const uint32_t *)memory;
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint32_t low = 0, high = 4096, key = (uint32_t)mix(i);

		while (low < high) {
			uint32_t middle = (low + high) / 2;

			if (row[middle] < key)
				low = middle + 1;
			else
				high = middle;
			ALWAYS(low);
		}
		sum += low;
	}
	return sum;
}

/* An operation of eight, each in code of its own. */
static inline uint64_t operate(uint64_t operation, uint64_t value)
{
	switch (operation) {
	case 0: ALWAYS(value); return value + 3;
	case 1: ALWAYS(value); return value ^ 0x55;
	case 2: ALWAYS(value); return value - 9;
	case 3: ALWAYS(value); return value | 0x100;
	case 4: ALWAYS(value); return value >> 1;
	case 5: ALWAYS(value); return value << 1;
	case 6: ALWAYS(value); return ~value;
	default: ALWAYS(value); return value & 0xffffff;
	}
}

static uint64_t random_switch(size_t rounds, char *memory)
{
	uint64_t value = 0;

	for (size_t i = 0; i < rounds; i++)
		value = operate(mix(i) & 7, value);
	return value;
}

static uint64_t pattern_switch(size_t rounds, char *memory)
{
	static const uint8_t program[16] = { 0, 3, 1, 0, 5, 2, 7, 4, 6, 1, 0, 2, 3, 5, 7, 4 };
	uint64_t value = 0;

	for (size_t i = 0; i < rounds; i++)
		value = operate(program[i % 16], value);
	return value;
}

static uint64_t be_square(uint64_t side)
{
	return side * side;
}
static uint64_t be_cube(uint64_t side)
{
	return side * side * side;
}
static uint64_t be_line(uint64_t side)
{
	return side;
}
static uint64_t be_point(uint64_t side)
{
	return 0;
}
static uint64_t (*const shapes[4])(uint64_t) = { be_square, be_cube, be_line, be_point };

static uint64_t two_classes(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		sum += shapes[mix(i) & 1](i);
	return sum;
}

static uint64_t sorted_classes(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		sum += shapes[i >> 10 & 3](i);
	return sum;
}

/* Texts of 32 letters that differ from a random one on. */
static uint64_t compare_texts(size_t rounds, char *memory)
{
	char *one = memory, *other = memory + 64;
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint64_t place = mix(i) & 31, k = 0;

		other[place] = 1;
		while (k < 32 && one[k] == other[k])
			k++;
		other[place] = 0;
		sum += k;
	}
	return sum;
}

static uint64_t partition_by_branch(size_t rounds, char *memory)
{
	uint32_t *row = (uint32_t *)memory, kept;
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		size_t end = 0;

		for (size_t i = 0; i < 4096; i++)
			row[i] = (uint32_t)mix(round * 4096 + i);
		for (size_t i = 0; i < 4096; i++)
			if (row[i] < 1u << 31) {
				kept = row[i];
				row[i] = row[end];
				row[end++] = kept;
			}
		sum += end;
	}
	return sum;
}

static uint64_t partition_without(size_t rounds, char *memory)
{
	uint32_t *row = (uint32_t *)memory, *low = row + 4096, *high = row + 8192;
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		size_t end = 0;

		for (size_t i = 0; i < 4096; i++) {
			uint32_t value = row[i] + (uint32_t)round;

			low[end] = value;
			high[i - end] = value;
			end += value >> 31;
		}
		sum += end;
	}
	return sum;
}

static uint64_t running_maximum(size_t rounds, char *memory)
{
	const uint32_t *row = (const uint32_t *)memory;
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		uint32_t most = 0;

		for (size_t i = 0; i < 4096; i++)
			if (row[i] > most) {
				most = row[i];
				ALWAYS(most);
			}
		sum += most;
	}
	return sum;
}

/* A table of 2048 places, 7 of 10 in use; most keys are not in it. */
static void fill_places(char *memory, size_t size)
{
	for (uint64_t i = 0; i < 1434; i++) {
		uint64_t at = mix(i) & 2047;

		while (((uint32_t *)memory)[at])
			at = (at + 1) & 2047;
		((uint32_t *)memory)[at] = (uint32_t)i + 1;
	}
}

static uint64_t hash_probes(size_t rounds, char *memory)
{
	const uint32_t *table = (const uint32_t *)memory;
	uint64_t sum = 0;

	for (uint64_t i = 5000; i < 5000 + rounds; i++)
		for (uint64_t at = mix(i) & 2047; table[at] && table[at] != i; at = (at + 1) & 2047)
			sum++;
	return sum;
}

const struct kernel branch_kernels[] = {
	{ "random_half", random_half, 300000, 0, NULL },
	{ "random_tenth", random_tenth, 400000, 0, NULL },
	{ "period_7", period_7, 1000000, 0, NULL },
	{ "correlated", correlated, 250000, 0, NULL },
	{ "random_trips", random_trips, 150000, 0, NULL },
	{ "trips_of_40", trips_of_40, 40000, 0, NULL },
	{ "halving_with_branches", halving_with_branches, 30000, 16384, count_up },
	{ "random_switch", random_switch, 200000, 0, NULL },
	{ "pattern_switch", pattern_switch, 400000, 0, NULL },
	{ "two_classes", two_classes, 200000, 0, NULL },
	{ "sorted_classes", sorted_classes, 300000, 0, NULL },
	{ "compare_texts", compare_texts, 50000, 0, NULL },
	{ "partition_by_branch", partition_by_branch, 50, 16384, NULL },
	{ "partition_without", partition_without, 120, 49152, fill_randomly },
	{ "running_maximum", running_maximum, 250, 16384, fill_randomly },
	{ "hash_probes", hash_probes, 100000, 8192, fill_places },
	{ NULL, NULL, 0, 0, NULL },
};
