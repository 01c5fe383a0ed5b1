/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mixed.c - loops of vectors: KIND ROUNDS. Which of them keep what 256-bit AVX has written is known from the Intel SDM,
 * volume 1, section 14.1.2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOP(NAME, CODE)                                                                                               \
	__attribute__((noinline)) static void NAME(long rounds)                                                        \
	{                                                                                                              \
		float room[8] = { 0 };                                                                                 \
		__asm__ volatile("1:\n" CODE "\n sub $1, %0\n jnz 1b\n vzeroupper"                                     \
				 : "+r"(rounds)                                                                        \
				 : "r"(room)                                                                           \
				 : "xmm0", "xmm1", "xmm2", "rax", "memory", "cc");                                     \
	}

LOOP(mixes, "vaddps %%ymm1, %%ymm1, %%ymm0\n addps %%xmm1, %%xmm2")
LOOP(mixes_once, "vaddps %%ymm1, %%ymm1, %%ymm0\n addps %%xmm1, %%xmm2\n mulps %%xmm1, %%xmm2")
LOOP(mixes_back, "addps %%xmm1, %%xmm2\n vaddps %%ymm1, %%ymm1, %%ymm0")
LOOP(mixes_integers, "vmovdqu (%1), %%ymm0\n pxor %%xmm1, %%xmm2")
LOOP(mixes_twice, "vaddps %%ymm1, %%ymm1, %%ymm0\n addps %%xmm1, %%xmm2\n"
		  "vaddps %%ymm1, %%ymm1, %%ymm0\n addps %%xmm1, %%xmm2")
LOOP(clears, "vaddps %%ymm1, %%ymm1, %%ymm0\n vzeroupper\n addps %%xmm1, %%xmm2")
LOOP(clears_all, "addps %%xmm1, %%xmm2\n vaddps %%ymm1, %%ymm1, %%ymm0\n vzeroall")
LOOP(only_avx, "vaddps %%ymm1, %%ymm1, %%ymm0\n vaddps %%xmm1, %%xmm1, %%xmm2")
LOOP(only_sse, "addps %%xmm1, %%xmm0\n addps %%xmm1, %%xmm2")
LOOP(narrow, "vaddps %%xmm1, %%xmm1, %%xmm0\n addps %%xmm1, %%xmm2")
LOOP(stores, "vaddps %%ymm1, %%ymm1, %%ymm0\n movups %%xmm2, (%1)\n movmskps %%xmm2, %%eax\n ucomiss %%xmm1, %%xmm2")
LOOP(shifts, "vaddps %%ymm1, %%ymm1, %%ymm0\n rorx $3, %%rax, %%rax\n imul %%rax, %%rax\n bswap %%eax")

static const struct {
	const char *name;
	void (*run)(long rounds);
} loops[] = {
	{ "mixes", mixes },
	{ "mixes_once", mixes_once },
	{ "mixes_back", mixes_back },
	{ "mixes_integers", mixes_integers },
	{ "mixes_twice", mixes_twice },
	{ "clears", clears },
	{ "clears_all", clears_all },
	{ "only_avx", only_avx },
	{ "only_sse", only_sse },
	{ "narrow", narrow },
	{ "stores", stores },
	{ "shifts", shifts },
};

int main(int count, char **words)
{
	for (size_t i = 0; count > 2 && i < sizeof(loops) / sizeof(loops[0]); i++)
		if (!strcmp(words[1], loops[i].name)) {
			loops[i].run(atol(words[2]));
			return 0;
		}
	return 2;
}
