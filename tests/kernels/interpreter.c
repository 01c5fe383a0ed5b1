/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interpreter.c - interpreter COUNT: calls one of eight functions for each word of a random program, through a table. */
#include "kernel.h"

#define LENGTH 65536 /* of the program: no predictor learns it by heart */

static uint64_t op_add(uint64_t a, uint64_t b)
{
	return a + b;
}

static uint64_t op_sub(uint64_t a, uint64_t b)
{
	return a - b;
}

static uint64_t op_xor(uint64_t a, uint64_t b)
{
	return a ^ b;
}

static uint64_t op_or(uint64_t a, uint64_t b)
{
	return a | b;
}

static uint64_t op_and(uint64_t a, uint64_t b)
{
	return a & b;
}

static uint64_t op_left(uint64_t a, uint64_t b)
{
	return a << 1 ^ b;
}

static uint64_t op_right(uint64_t a, uint64_t b)
{
	return a >> 1 ^ b;
}

static uint64_t op_not(uint64_t a, uint64_t b)
{
	return ~a + b;
}

typedef uint64_t (*operation)(uint64_t a, uint64_t b);

int main(int argc, char **argv)
{
	static const operation volatile table[] = { op_add, op_sub, op_xor, op_or, op_and, op_left, op_right, op_not };
	size_t count = argument(argc, argv, 1, 20000000);
	unsigned char *program = take_memory(LENGTH);
	uint64_t state = RANDOM_START, value = 1;

	for (size_t i = 0; i < LENGTH; i++)
		program[i] = random_next(&state) & 7;
	for (size_t i = 0; i < count; i++)
		value = table[program[i % LENGTH]](value, i);
	printf("%llu\n", (unsigned long long)value);
	return 0;
}
