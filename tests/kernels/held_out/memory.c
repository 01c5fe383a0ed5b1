/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - loads from what a level of the caches or the TLBs holds, one after the other or many at once. */
#include "../frame/frame.h"

#define L2_DATA	 (512u << 10)
#define BIG_DATA (64u << 20)

static inline uint64_t mix(uint64_t i)
{
	i *= 0x9E3779B97F4A7C15u;
	i ^= i >> 32;
	return i * 0xD6E8FEB86659FD93u >> 24;
}

static uint64_t follow(size_t rounds, char *memory)
{
	char *at = memory;

	for (size_t i = 0; i < rounds; i++)
		at = *(char *volatile *)at;
	return (uint64_t)(at - memory);
}

/* Behind a memory that is larger than the caches: where a run ended. Else the next one would find its lines there. */
static inline uint64_t *place_of(char *memory)
{
	return (uint64_t *)(memory + BIG_DATA);
}

static uint64_t follow_on(size_t rounds, char *memory)
{
	uint64_t *place = place_of(memory);

	*place += follow(rounds, memory + *place);
	return *place;
}

static void ring_of_lines(char *memory, size_t size)
{
	make_ring(memory, size, 64);
}

/* All in one set of L1. */
static void ring_of_a_set(char *memory, size_t size)
{
	make_ring(memory, size, 4096);
}

static void ring_over_pages(char *memory, size_t size)
{
	make_ring(memory, size, 4096 + 64);
}

static void list_of_48(char *memory, size_t size)
{
	make_ring(memory, size, 48);
}

static uint64_t sum_of_list(size_t rounds, char *memory)
{
	char *at = memory;
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++) {
		sum += *(uint64_t volatile *)(at + 8);
		at = *(char *volatile *)at;
	}
	return sum;
}

static uint64_t two_lists(size_t rounds, char *memory)
{
	char *one = memory, *other = memory + 128 * 1024;

	for (size_t i = 0; i < rounds; i++) {
		one = *(char *volatile *)one;
		other = *(char *volatile *)other;
	}
	return (uint64_t)(one - other);
}

/* Numbers below 2048, each of them once: a cycle through all. */
static void permute(char *memory, size_t size)
{
	uint32_t *row = (uint32_t *)memory;

	for (uint32_t i = 0; i < 2048; i++)
		row[i] = (i * 5 + 1021) % 2048;
}

static uint64_t indexed_chase(size_t rounds, char *memory)
{
	const uint32_t *row = (const uint32_t *)memory;
	uint32_t at = 0;

	for (size_t i = 0; i < rounds; i++)
		at = row[at];
	return at;
}

/* Sums 32 bytes a load; eight loads of a round of the inner loop. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t stream(const char *memory, size_t size, size_t passes)
{
	for (; passes; passes--)
		for (const char *at = memory; at < memory + size; at += 256)
			__asm__ volatile(
				".irp d,0,32,64,96,128,160,192,224\n\tvpaddd \\d(%0), %%ymm0, %%ymm0\n\t.endr" ::"r"(at)
				: "xmm0", "memory");
	return 0;
}
#else
static uint64_t stream(const char *memory, size_t size, size_t passes)
{
	uint64_t sum = 0;

	for (; passes; passes--)
		for (const char *at = memory; at < memory + size; at += 8)
			sum += *(const uint64_t volatile *)at;
	return sum;
}
#endif

static uint64_t stream_l1(size_t rounds, char *memory)
{
	return stream(memory, 16384, rounds);
}

static uint64_t stream_l2(size_t rounds, char *memory)
{
	return stream(memory, 256 << 10, rounds);
}

static uint64_t stream_memory(size_t rounds, char *memory)
{
	return stream(memory, BIG_DATA, rounds);
}

static uint64_t copy_l2(size_t rounds, char *memory)
{
	for (size_t round = 0; round < rounds; round++) {
		const uint64_t *from = (const uint64_t *)memory;
		uint64_t *to = (uint64_t *)(memory + (128 << 10));

		for (size_t i = 0; i < 16384; i += 4) {
			uint64_t a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];

			ALWAYS(a);
			to[i] = a;
			to[i + 1] = b;
			to[i + 2] = c;
			to[i + 3] = d;
		}
	}
	return 0;
}

/* Random places of as many bytes, none of which waits for another. */
static inline uint64_t gather(uint64_t first, size_t rounds, const char *memory, uint64_t size)
{
	uint64_t sum = 0;

	for (size_t i = first; i < first + rounds; i++)
		sum += *(const uint64_t volatile *)(memory + (mix(i) & (size - 8)));
	return sum;
}

static uint64_t gather_l1(size_t rounds, char *memory)
{
	return gather(0, rounds, memory, 16384);
}

static uint64_t gather_l2(size_t rounds, char *memory)
{
	return gather(0, rounds, memory, L2_DATA);
}

static uint64_t gather_memory(size_t rounds, char *memory)
{
	uint64_t *place = place_of(memory);

	return gather((*place += rounds), rounds, memory, BIG_DATA);
}

static uint64_t gather_prefetched(size_t rounds, char *memory)
{
	uint64_t *place = place_of(memory), sum = 0;

	for (size_t i = *place += rounds, end = i + rounds; i < end; i++) {
		__builtin_prefetch(memory + (mix(i + 16) & (BIG_DATA - 8)));
		sum += *(const uint64_t volatile *)(memory + (mix(i) & (BIG_DATA - 8)));
	}
	return sum;
}

/* Each in a page of its own, in turn, none waits. */
static uint64_t pages_in_turn(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t page = 0; page < 400; page++)
			sum += *(uint64_t volatile *)(memory + page * (4096 + 64));
	return sum;
}

static uint64_t turn_blocks(size_t rounds, char *memory)
{
	double(*a)[40] = (double(*)[40])memory, (*b)[40] = a + 40;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 40; i++)
			for (int j = 0; j < 40; j++)
				b[j][i] = a[i][j] + 1;
	return (uint64_t)b[1][3];
}

/* Loads of 32 bytes over the end of a line, in L1. */
#if defined(__x86_64__)
KERNEL(split_loads, 2, EACH(VECTORS, "vmovdqu 48(%[memory]), %%ymm\\r"))
#else
#define split_loads gather_l1
#endif

static uint64_t stencil(size_t rounds, char *memory)
{
	float(*a)[128] = (float(*)[128])memory, (*b)[128] = a + 512;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 1; i < 511; i++)
			for (int j = 1; j < 127; j++)
				b[i][j] = a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
	return (uint64_t)b[3][4];
}

/* Addresses of objects of 48 bytes in a random order, of which one number each is read. */
static void point_at_objects(char *memory, size_t size)
{
	char **pointers = (char **)memory, *objects = memory + (8 << 20);

	for (uint64_t i = 0; i < 1 << 20; i++)
		pointers[i] = objects + (i * 387421 & 0xfffff) * 48;
}

static uint64_t objects_by_pointer(size_t rounds, char *memory)
{
	char **pointers = (char **)memory;
	uint64_t *place = place_of(memory), sum = 0;

	for (size_t i = *place += rounds, end = i + rounds; i < end; i++)
		sum += *(uint64_t volatile *)pointers[i & 0xfffff];
	return sum;
}

const struct kernel memory_kernels[] = {
	{ "set_conflicts", follow, 100000, 12 * 4096, ring_of_a_set },
	{ "indexed_chase", indexed_chase, 400000, 8192, permute },
	{ "chase_512k", follow, 100000, L2_DATA, ring_of_lines },
	{ "two_lists_l2", two_lists, 200000, 256 << 10, ring_of_lines },
	{ "list_of_48_l2", sum_of_list, 150000, 240 << 10, list_of_48 },
	{ "chase_4m", follow, 60000, 4 << 20, ring_of_lines },
	{ "chase_64m", follow_on, 20000, BIG_DATA, ring_of_lines },
	{ "chase_200_pages", follow, 200000, 200 * 4160, ring_over_pages },
	{ "chase_2500_pages", follow, 80000, 2500 * 4160, ring_over_pages },
	{ "stream_l1", stream_l1, 3000, 16384, NULL },
	{ "stream_l2", stream_l2, 150, 256 << 10, NULL },
	{ "stream_memory", stream_memory, 1, BIG_DATA, NULL },
	{ "copy_l2", copy_l2, 100, 256 << 10, NULL },
	{ "gather_l1", gather_l1, 400000, 16384, NULL },
	{ "gather_l2", gather_l2, 300000, L2_DATA, NULL },
	{ "gather_memory", gather_memory, 100000, BIG_DATA, NULL },
	{ "gather_prefetched", gather_prefetched, 80000, BIG_DATA, NULL },
	{ "pages_in_turn", pages_in_turn, 1500, 400 * 4160, NULL },
	{ "turn_blocks", turn_blocks, 400, 2 * 40 * 40 * 8, NULL },
	{ "split_loads", split_loads, 60000, 0, NULL },
	{ "stencil", stencil, 12, 512 << 10, NULL },
	{ "objects_by_pointer", objects_by_pointer, 100000, BIG_DATA, point_at_objects },
	{ NULL, NULL, 0, 0, NULL },
};
