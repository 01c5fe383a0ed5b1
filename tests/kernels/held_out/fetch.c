/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fetch.c - what the front end has to bring: code of many sizes, jumps, calls, and instructions that are microcode. */
#include "../frame/frame.h"

#if defined(__x86_64__)

#include <string.h>
#include <sys/mman.h>

#define NOP4 "\x0f\x1f\x40\x00"
#define RET  '\xc3'

KERNEL(long_immediates, 2, EACH(WORDS, "movabs $0x1122334455667788, %%\\r"))
KERNEL(long_nops, 64, ".byte 0x66, 0x66, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")
KERNEL(indirect_same, 8, "lea 3f(%%rip), %%rax\n\tjmp *%%rax\n\t.p2align 4\n3:")
KERNEL(rcl_by_5, 4, "rcl $5, %%rax")
KERNEL(enter_leave, 2, "enter $16, $0\n\tleave")
KERNEL(pushf_popf, 2, "pushf\n\tpopf")
KERNEL(bts_memory, 4, "bts %%rax, 64(%[memory])")

static uint64_t repne_scasb(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++) {
		char *at = memory;
		size_t left = 256;

		__asm__ volatile("repne scasb" : "+D"(at), "+c"(left) : "a"(1) : "memory", "cc");
	}
	return 0;
}

static uint64_t rep_stos_256(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++) {
		char *at = memory;
		size_t left = 256;

		__asm__ volatile("rep stosb" : "+D"(at), "+c"(left) : "a"(1) : "memory");
	}
	return 0;
}

static uint64_t rep_movs_4k(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++) {
		char *from = memory, *to = memory + 8192;
		size_t left = 4096;

		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(left)::"memory");
	}
	return 0;
}

static uint64_t fsin_x87(size_t rounds, char *memory)
{
	long double value = 1;

	for (size_t i = 0; i < rounds; i++)
		__asm__ volatile("fsin" : "+t"(value));
	return (uint64_t)(value * 1000);
}

__attribute__((noinline)) static uint64_t go_down(uint64_t depth)
{
	uint64_t below = depth ? go_down(depth - 1) : 1;

	ALWAYS(below);
	return below + depth;
}

static uint64_t recursion_20(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		sum += go_down(20);
	return sum;
}

static uint64_t recursion_60(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		sum += go_down(60);
	return sum;
}

/* ---- code that prepare has written ---- */

static uint64_t call_code(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++)
		__asm__ volatile("call *%0" ::"r"(memory) : "rax", "rcx", "r8", "r9", "memory", "cc");
	return rounds;
}

static void may_run(char *memory, size_t size)
{
	if (mprotect(memory, (size + 4095) / 4096 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		perror("mprotect");
}

static char *branch_to(char *at, char operation, const char *to)
{
	int32_t distance = (int32_t)(to - at - 5);

	*at = operation;
	memcpy(at + 1, &distance, 4);
	return at + 5;
}

/* The same bytes again and again, to the end. */
static void straight(char *memory, size_t size, const char *bytes, size_t length)
{
	may_run(memory, size);
	for (size_t i = 0; i + length < size; i++)
		memory[i] = bytes[i % length];
	memory[(size - 1) / length * length] = RET;
}

static void nops_of_12k(char *memory, size_t size)
{
	straight(memory, size, NOP4, 4);
}

static void moves(char *memory, size_t size)
{
	straight(memory, size, "\x89\xc1\x89\xc8", 4);
}

static void sums(char *memory, size_t size)
{
	straight(memory, size, "\x44\x8d\x40\x08", 4);
}

/* A chain of jumps. */
static void jumps(char *memory, size_t count, size_t apart)
{
	may_run(memory, count * apart + 8);
	for (size_t i = 0; i < count; i++)
		branch_to(memory + i * apart, '\xe9', memory + (i + 1) * apart);
	memory[count * apart] = RET;
}

static void jumps_64(char *memory, size_t size)
{
	jumps(memory, 64, 16);
}

static void jumps_2000(char *memory, size_t size)
{
	jumps(memory, 2000, 12);
}

static void jumps_9000(char *memory, size_t size)
{
	jumps(memory, 9000, 24);
}

static void jumps_over_pages(char *memory, size_t size)
{
	jumps(memory, 300, 4096 + 64);
}

/* Calls of as many functions, of which the next is far from the last. */
static void calls(char *memory, size_t count, size_t apart, size_t nops)
{
	char *at = memory, *functions = memory + (count * 5 + 64) / 64 * 64;

	may_run(memory, (size_t)(functions - memory) + count * apart);
	for (size_t i = 0; i < count; i++) {
		char *function = functions + i * 7919 % count * apart;

		at = branch_to(at, '\xe8', function);
		for (size_t k = 0; k < nops; k++, function += 4)
			memcpy(function, NOP4, 4);
		*function = RET;
	}
	*at = RET;
}

static void calls_300(char *memory, size_t size)
{
	calls(memory, 300, 64, 2);
}

static void functions_of_l2(char *memory, size_t size)
{
	calls(memory, 1500, 192, 40);
}

const struct kernel fetch_kernels[] = {
	{ "long_immediates", long_immediates, 300000, 0, NULL },
	{ "long_nops", long_nops, 80000, 0, NULL },
	{ "nops_12k", call_code, 2000, 12000, nops_of_12k },
	{ "moves_of_l1i", call_code, 400, 30000, moves },
	{ "code_200k", call_code, 100, 200000, sums },
	{ "calls_300", call_code, 3000, 32768, calls_300 },
	{ "functions_of_l2", call_code, 60, 320000, functions_of_l2 },
	{ "jumps_over_pages", call_code, 4000, 300 * 4160 + 64, jumps_over_pages },
	{ "jumps_64", call_code, 20000, 0, jumps_64 },
	{ "jumps_2000", call_code, 800, 24064, jumps_2000 },
	{ "jumps_9000", call_code, 150, 216064, jumps_9000 },
	{ "indirect_same", indirect_same, 100000, 0, NULL },
	{ "recursion_20", recursion_20, 20000, 0, NULL },
	{ "recursion_60", recursion_60, 7000, 0, NULL },
	{ "rcl_by_5", rcl_by_5, 200000, 0, NULL },
	{ "repne_scasb", repne_scasb, 4000, 0, NULL },
	{ "rep_stos_256", rep_stos_256, 50000, 0, NULL },
	{ "rep_movs_4k", rep_movs_4k, 10000, 16384, NULL },
	{ "enter_leave", enter_leave, 100000, 0, NULL },
	{ "pushf_popf", pushf_popf, 40000, 0, NULL },
	{ "fsin_x87", fsin_x87, 20000, 0, NULL },
	{ "bts_memory", bts_memory, 200000, 0, NULL },
	{ NULL, NULL, 0, 0, NULL },
};

#else

const struct kernel fetch_kernels[] = { { NULL, NULL, 0, 0, NULL } };

#endif
