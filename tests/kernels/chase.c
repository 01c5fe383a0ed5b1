/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chase.c - chase KIB STEPS: each load's address comes from the one before, along a random cycle of as many lines as fit. The cycle is
 * made by a generator, not a shuffle, so that making it costs little: x -> 5x + c (mod 2^n) visits each number once (Hull and
 * Dobell, 1962), and multiplying by an odd number scatters neighbours.
 */
#include "kernel.h"

struct node {
	struct node *next;
	char rest[56];
};

static size_t scatter(size_t i, size_t mask)
{
	i = i * 0x9e3779b97f4a7c15u & mask;
	i ^= i >> 7;
	return i * 0xd6e8feb86659fd93u & mask;
}

int main(int argc, char **argv)
{
	size_t wanted = argument(argc, argv, 1, 256 * 1024) * 1024 / sizeof(struct node), count = 1;
	size_t steps = argument(argc, argv, 2, 2000000), at = 0;
	struct node *nodes, *node;

	while (count * 2 <= wanted)
		count *= 2;
	nodes = take_memory(count * sizeof(*nodes));
	for (size_t i = 0; i < count; i++) {
		size_t next = (at * 5 + 3) & (count - 1);

		nodes[scatter(at, count - 1)].next = &nodes[scatter(next, count - 1)];
		at = next;
	}
	node = nodes;
	for (size_t i = 0; i < steps; i++)
		node = node->next;
	printf("%zu\n", (size_t)(node - nodes));
	return 0;
}
