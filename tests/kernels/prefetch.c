/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.c - prefetch KIB ROUNDS AHEAD: a list of lines in a random order, KIB a power of two; AHEAD is 1 to prefetch
 * what comes four nodes later, or 0. The prefetches of one node after the other have different operands.
 */
#include "kernel.h"

struct node {
	struct node *next, *later;
	uint64_t number, unused[5];
};

#if defined(__x86_64__)
/* With a base; an index; a scaled index and a displacement; registers from R8 on; a displacement of 32 bits. */
#define FORMS 5
#define FORM(number, text, base, index)                                                                                \
	case number: __asm__ volatile(text : : "r"(base), "r"(index) : "memory"); break;

static inline void fetch(const struct node *node, uint64_t form)
{
	uintptr_t address = (uintptr_t)node;
	register uintptr_t high __asm__("r13") = address - 24, other __asm__("r12") = 3;

	switch (form) {
		FORM(0, "prefetcht0 (%0)", address, address)
		FORM(1, "prefetchnta (%0,%1)", address - 64, (uintptr_t)64)
		FORM(2, "prefetcht2 -8(%0,%1,8)", address - 16, (uintptr_t)3)
		FORM(3, "prefetchw (%0,%1,8)", high, other)
	default: __asm__ volatile("prefetcht1 0x12340(%0)" : : "r"(address - 0x12340) : "memory"); break;
	}
}
#else
#define FORMS 1
static inline void fetch(const struct node *node, uint64_t form)
{
	(void)form;
	__builtin_prefetch(node);
}
#endif

static struct node *link_nodes(size_t count)
{
	struct node *nodes = take_memory(count * sizeof(*nodes)), **order = take_memory(count * sizeof(struct node *));
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i < count; i++)
		order[i] = &nodes[i];
	for (size_t i = count - 1; i > 0; i--) {
		size_t other = (random_next(&state) >> 32) * i >> 32;
		struct node *moved = order[i];

		order[i] = order[other];
		order[other] = moved;
	}
	for (size_t i = 0; i < count; i++)
		*order[i] = (struct node){ .next = order[(i + 1) & (count - 1)],
					   .later = order[(i + 4) & (count - 1)],
					   .number = i % FORMS };
	return order[0];
}

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 2048) * 1024 / sizeof(struct node), rounds = argument(argc, argv, 2, 4);
	size_t ahead = argument(argc, argv, 3, 1);
	const struct node *node = link_nodes(count);
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds * count; i++, node = node->next) {
		if (ahead)
			fetch(node->later, node->number);
		sum = node->number;
		for (unsigned j = 0; j < 16; j++) {
			sum = sum * 5 ^ 3;
			__asm__ volatile("" : "+r"(sum));
		}
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
