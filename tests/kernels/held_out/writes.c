/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writes.c - stores: their number in a cycle, their lines, and what loads get of them. */
#include "../frame/frame.h"

#if defined(__x86_64__)

KERNEL(bytes_of_a_line, 1, ".irp k,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovb %%al, \\k(%[memory])\n\t.endr")
KERNEL(lines_by_turns, 4, ".irp k,0,256,512,768\n\tmov %%rax, \\k(%[memory])\n\t.endr")
KERNEL(load_of_two_stores, 2, "mov %%eax, (%[memory])\n\tmov %%ecx, 4(%[memory])\n\tmov (%[memory]), %%rax")
KERNEL(upper_half_forwarded, 4, "mov %%rax, (%[memory])\n\tmov 4(%[memory]), %%eax")
KERNEL(many_pushes, 1, ".rept 16\n\tpush %%rax\n\t.endr\n\tadd $128, %%rsp")
KERNEL(four_counters, 2, ".irp k,0,64,128,192\n\tincq \\k(%[memory])\n\t.endr")

static uint64_t store_lines(size_t rounds, char *memory)
{
	for (size_t round = 0; round < rounds; round++)
		for (size_t at = 0; at < 256 << 10; at += 64)
			*(uint64_t volatile *)(memory + at) = at;
	return 0;
}

static inline void zero_by_vectors(char *memory, size_t size, size_t passes)
{
	for (; passes; passes--)
		for (char *at = memory; at < memory + size; at += 128)
			__asm__ volatile(".irp d,0,32,64,96\n\tvmovdqa %%ymm0, \\d(%0)\n\t.endr" ::"r"(at) : "memory");
}

static uint64_t zero_l1(size_t rounds, char *memory)
{
	zero_by_vectors(memory, 16384, rounds);
	return 0;
}

static uint64_t zero_memory(size_t rounds, char *memory)
{
	zero_by_vectors(memory, 64 << 20, rounds);
	return 0;
}

static uint64_t past_caches(size_t rounds, char *memory)
{
	for (size_t round = 0; round < rounds; round++)
		for (size_t at = 0; at < 256 << 10; at += 8)
			__asm__ volatile("movnti %1, %0" : "=m"(*(uint64_t *)(memory + at)) : "r"(at));
	return 0;
}

const struct kernel write_kernels[] = {
	{ "bytes_of_a_line", bytes_of_a_line, 300000, 0, NULL },
	{ "lines_by_turns", lines_by_turns, 300000, 0, NULL },
	{ "store_lines", store_lines, 200, 256 << 10, NULL },
	{ "load_of_two_stores", load_of_two_stores, 100000, 0, NULL },
	{ "upper_half_forwarded", upper_half_forwarded, 100000, 0, NULL },
	{ "many_pushes", many_pushes, 200000, 0, NULL },
	{ "four_counters", four_counters, 200000, 0, NULL },
	{ "zero_l1", zero_l1, 3000, 16384, NULL },
	{ "zero_memory", zero_memory, 1, 64 << 20, NULL },
	{ "past_caches", past_caches, 20, 256 << 10, NULL },
	{ NULL, NULL, 0, 0, NULL },
};

#else

const struct kernel write_kernels[] = { { NULL, NULL, 0, 0, NULL } };

#endif
