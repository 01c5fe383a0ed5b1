/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.c - sorting, trees, tables, lists and interpreters. */
#include "../frame/frame.h"

#include <string.h>

static inline uint64_t mix(uint64_t i)
{
	i *= 0xD6E8FEB86659FD93u;
	i ^= i >> 31;
	return i * 0x9E3779B97F4A7C15u >> 32;
}

static void new_row(uint32_t *row, size_t count, uint64_t first)
{
	for (size_t i = 0; i < count; i++)
		row[i] = (uint32_t)mix(first + i);
}

static uint64_t merge_sort(size_t rounds, char *memory)
{
	uint32_t *from = (uint32_t *)memory, *to = from + 4096, *kept;

	for (size_t round = 0; round < rounds; round++) {
		new_row(from, 4096, round * 4096);
		for (size_t run = 1; run < 4096; run *= 2, kept = from, from = to, to = kept)
			for (size_t at = 0; at < 4096; at += 2 * run)
				for (size_t i = at, j = at + run, k = at; k < at + 2 * run; k++)
					if (j == at + 2 * run || (i < at + run && from[i] <= from[j]))
						to[k] = from[i++];
					else
						to[k] = from[j++];
	}
	return from[9];
}

static void sift(uint32_t *heap, size_t at, size_t count)
{
	uint32_t value = heap[at];

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			break;
		heap[at] = heap[child];
	}
	heap[at] = value;
}

static uint64_t heap_sort(size_t rounds, char *memory)
{
	uint32_t *row = (uint32_t *)memory, kept;

	for (size_t round = 0; round < rounds; round++) {
		new_row(row, 4096, round * 4096);
		for (size_t i = 2048; i-- > 0;)
			sift(row, i, 4096);
		for (size_t i = 4096; i-- > 1;) {
			kept = row[0];
			row[0] = row[i];
			row[i] = kept;
			sift(row, 0, i);
		}
	}
	return row[9];
}

/* Of 8192 numbers, by their lowest eight bits. */
static uint64_t radix_pass(size_t rounds, char *memory)
{
	uint32_t *from = (uint32_t *)memory, *to = from + 8192, places[256];

	for (size_t round = 0; round < rounds; round++) {
		uint32_t before = 0, count;

		memset(places, 0, sizeof(places));
		for (int i = 0; i < 8192; i++)
			places[from[i] & 255]++;
		for (int i = 0; i < 256; i++, before += count) {
			count = places[i];
			places[i] = before;
		}
		for (int i = 0; i < 8192; i++)
			to[places[from[i] & 255]++] = from[i] + 1;
	}
	return to[9];
}

/* A table of 65536 places of 8 bytes, L2: a key and a number, or a key of 0. Every second key that is asked for is there. */
static void fill_table(char *memory, size_t size)
{
	for (uint32_t key = 2; key < 65536; key += 2) {
		uint64_t at = mix(key) & 65535;

		while (((uint32_t *)memory)[2 * at])
			at = (at + 1) & 65535;
		((uint32_t *)memory)[2 * at] = key;
	}
}

static uint64_t hash_join(size_t rounds, char *memory)
{
	const uint32_t(*table)[2] = (const uint32_t(*)[2])memory;
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint32_t key = 1 + (mix(i + 1000000) & 65534), at = mix(key) & 65535;

		while (table[at][0] && table[at][0] != key)
			at = (at + 1) & 65535;
		sum += table[at][0] == key;
	}
	return sum;
}

/* Three levels of 16 keys, by a scan of each node: 4096 leaves. */
static uint64_t b_tree(size_t rounds, char *memory)
{
	const uint32_t *keys = (const uint32_t *)memory;
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint32_t key = (uint32_t)mix(i), node = 0;

		for (int level = 0; level < 3; level++) {
			uint32_t wanted = key >> (28 - 4 * level) & 15, k = 0;

			while (k < 15 && keys[node * 16 + k] < wanted)
				k++;
			node = node * 16 + k + 1;
		}
		sum += node;
	}
	return sum;
}

static void number_nodes(char *memory, size_t size)
{
	for (size_t i = 0; i < size / 4; i++)
		((uint32_t *)memory)[i] = i % 16;
}

/* A trie of words of five letters of four; 1365 nodes of 16 bytes in L1. Each word asks for a path by chance. */
static void build_trie(char *memory, size_t size)
{
	for (uint32_t node = 0; node < 1365; node++)
		for (uint32_t letter = 0; letter < 4; letter++)
			((uint32_t *)memory)[node * 4 + letter] = (node * 4 + letter + 1) % 1365;
}

static uint64_t walk_trie(size_t rounds, char *memory)
{
	const uint32_t(*nodes)[4] = (const uint32_t(*)[4])memory;
	uint64_t node = 0;

	for (size_t i = 0; i < rounds; i++) {
		uint64_t word = i * 0x9E3779B97F4A7C15u >> 40;

		for (int k = 0; k < 5; k++, word >>= 2)
			node = nodes[node][word & 3];
	}
	return node;
}

/* 128 entries; the one that is used moves to the front. */
struct entry {
	struct entry *before, *after;
};

static uint64_t least_recent(size_t rounds, char *memory)
{
	struct entry *head = (struct entry *)memory, *entry;

	head->before = head->after = head;
	for (int i = 1; i <= 128; i++) {
		entry = head + i;
		entry->after = head->after;
		entry->before = head;
		head->after->before = entry;
		head->after = entry;
	}
	for (size_t i = 0; i < rounds; i++) {
		entry = head + 1 + (mix(i) & 127);
		entry->before->after = entry->after;
		entry->after->before = entry->before;
		entry->after = head->after;
		entry->before = head;
		head->after->before = entry;
		head->after = entry;
	}
	return (uint64_t)(head->after - head);
}

/* 4096 objects with three pointers each, in 128 KiB: what can be reached is marked, with a stack of those to look at. */
struct object {
	uint32_t mark, to[3];
	uint64_t more[2];
};

static uint64_t mark_objects(size_t rounds, char *memory)
{
	struct object *objects = (struct object *)memory;
	uint32_t *stack = (uint32_t *)(memory + 4096 * sizeof(*objects)), seen = 0;

	for (uint32_t round = 1; round <= rounds; round++) {
		size_t count = 1;

		stack[0] = round & 4095;
		while (count) {
			struct object *object = objects + stack[--count];

			if (object->mark == round + 1)
				continue;
			object->mark = round + 1;
			seen++;
			for (int i = 0; i < 3; i++)
				if (objects[object->to[i]].mark != round + 1)
					stack[count++] = object->to[i];
		}
	}
	return seen;
}

static void link_objects(char *memory, size_t size)
{
	struct object *objects = (struct object *)memory;

	for (uint32_t i = 0; i < 4096; i++)
		for (int k = 0; k < 3; k++)
			objects[i].to[k] = mix(i * 3 + (uint32_t)k) & 4095;
}

/* The 19 exchanges that sort eight numbers. */
static uint64_t sorting_network(size_t rounds, char *memory)
{
	static const uint8_t pairs[19][2] = { { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 }, { 0, 4 }, { 1, 5 }, { 2, 6 },
					      { 3, 7 }, { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 2, 4 }, { 3, 5 },
					      { 1, 4 }, { 3, 6 }, { 1, 2 }, { 3, 4 }, { 5, 6 } };
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		uint32_t *row = (uint32_t *)memory + round % 512 * 8, v[8];

		memcpy(v, row, sizeof(v));
#pragma GCC unroll 19
		for (int i = 0; i < 19; i++) {
			uint32_t a = v[pairs[i][0]], b = v[pairs[i][1]];

			v[pairs[i][0]] = a < b ? a : b;
			v[pairs[i][1]] = a < b ? b : a;
		}
		sum += v[0] + v[4] * 3 + v[7];
	}
	return sum;
}

/* A program of 12 operations for a stack machine, again and again: a jump to the next one's code behind each. */
static uint64_t threaded_machine(size_t rounds, char *memory)
{
	static const uint8_t program[12] = { 0, 1, 3, 0, 2, 0, 1, 2, 4, 3, 1, 5 };
	static const void *const codes[] = { &&push, &&add, &&subtract, &&twice, &&swap, &&end };
	uint64_t stack[16] = { 1, 2, 3, 4 }, *top = stack + 4, kept;
	const uint8_t *at = program;

#define NEXT goto *codes[*at++]
	NEXT;
push:
	top[1] = top[0] + rounds;
	top++;
	NEXT;
add:
	top[-1] += top[0];
	top--;
	NEXT;
subtract:
	top[-1] -= top[0];
	top--;
	NEXT;
twice:
	top[0] *= 2;
	NEXT;
swap:
	kept = top[0];
	top[0] = top[-1];
	top[-1] = kept;
	NEXT;
end:
	at = program;
	top = stack + 4;
	if (--rounds)
		NEXT;
	return top[0];
}

/* An expression as a tree whose nodes have a function that evaluates them: (x + 3) * (x - y) + y * 5. */
struct node {
	int64_t (*value)(const struct node *, const int64_t *);
	const struct node *left, *right;
	int64_t number;
};

static int64_t constant(const struct node *node, const int64_t *values)
{
	return node->number;
}
static int64_t variable(const struct node *node, const int64_t *values)
{
	return values[node->number];
}
static int64_t sum_of(const struct node *node, const int64_t *values)
{
	return node->left->value(node->left, values) + node->right->value(node->right, values);
}
static int64_t difference(const struct node *node, const int64_t *values)
{
	return node->left->value(node->left, values) - node->right->value(node->right, values);
}
static int64_t product_of(const struct node *node, const int64_t *values)
{
	return node->left->value(node->left, values) * node->right->value(node->right, values);
}

static uint64_t expression_tree(size_t rounds, char *memory)
{
	static const struct node x = { variable, NULL, NULL, 0 }, y = { variable, NULL, NULL, 1 },
				 three = { constant, NULL, NULL, 3 }, five = { constant, NULL, NULL, 5 },
				 first = { sum_of, &x, &three, 0 }, second = { difference, &x, &y, 0 },
				 both = { product_of, &first, &second, 0 }, third = { product_of, &y, &five, 0 },
				 all = { sum_of, &both, &third, 0 };
	int64_t values[2] = { 0, 9 }, sum = 0;
	const struct node *tree = &all;

	for (size_t i = 0; i < rounds; i++) {
		ALWAYS(tree);
		values[0] = (int64_t)i;
		sum += tree->value(tree, values);
	}
	return (uint64_t)sum;
}

const struct kernel data_kernels[] = {
	{ "merge_sort", merge_sort, 8, 32768, NULL },
	{ "heap_sort", heap_sort, 5, 16384, NULL },
	{ "radix_pass", radix_pass, 30, 65536, fill_randomly },
	{ "hash_join", hash_join, 80000, 65536 * 8, fill_table },
	{ "b_tree", b_tree, 25000, 4369 * 64, number_nodes },
	{ "walk_trie", walk_trie, 60000, 1365 * 16, build_trie },
	{ "least_recent", least_recent, 200000, 0, NULL },
	{ "mark_objects", mark_objects, 20, 4096 * 32 + 65536, link_objects },
	{ "sorting_network", sorting_network, 60000, 16384, fill_randomly },
	{ "threaded_machine", threaded_machine, 60000, 0, NULL },
	{ "expression_tree", expression_tree, 50000, 0, NULL },
	{ NULL, NULL, 0, 0, NULL },
};
