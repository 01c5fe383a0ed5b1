/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trees.c - programs of which somebody has published what a machine's counters say of level 1, written from their
 * descriptions. tests/bench/trees.py has the figures. ../goto.c and ../bc.c belong to them.
 */
#include "../frame/frame.h"

#if defined(__x86_64__)

/* D. Bakhvalov, "Using denormal values is slow" (2018): the loop as its listing shows it, of normal numbers. */
static uint64_t tree_normal(size_t rounds, char *memory)
{
	__asm__ volatile("movl $0x3dcccccd, (%1)\n\tmovl $0x3e4ccccd, 4(%1)\n\t.p2align 5\n1:\n\t"
			 "vmovss 4(%1), %%xmm1\n\tvmovss (%1), %%xmm0\n\tvdivss %%xmm0, %%xmm1, %%xmm2\n\t"
			 "vmovd %%xmm2, %%edx\n\tsub $1, %0\n\tjne 1b"
			 : "+r"(rounds)
			 : "r"(memory)
			 : "xmm0", "xmm1", "xmm2", "rdx", "cc", "memory");
	return rounds;
}

/* The same author, "What is LSD" (2018): a loop that fills four slots a cycle, and one of a single micro-op. */
static uint64_t tree_ideal(size_t rounds, char *memory)
{
	(void)memory;
	__asm__ volatile(".p2align 5\n1:\n\tnop\n\tnop\n\tnop\n\tdec %0\n\tjnz 1b" : "+r"(rounds)::"cc");
	return rounds;
}

static uint64_t tree_dec_jnz(size_t rounds, char *memory)
{
	(void)memory;
	__asm__ volatile(".p2align 5\n1:\n\tdec %0\n\tjnz 1b" : "+r"(rounds)::"cc");
	return rounds;
}

/* Issue 421 of pmu-tools: a chain of multiplications. */
static uint64_t tree_multiply_chain(size_t rounds, char *memory)
{
	(void)memory;
	__asm__ volatile(".p2align 5\n1:\n\t.rept 16\n\tmulsd %%xmm1, %%xmm0\n\t.endr\n\tdec %0\n\tjnz 1b"
			 : "+r"(rounds)::"xmm0", "xmm1", "cc");
	return rounds;
}

#endif

/* Arm, learning path topdown-compare: each division waits for the one before. */
static uint64_t tree_division_chain(size_t rounds, char *memory)
{
	double value = 1e9, divisor = 1.0000001;

	(void)memory;
	for (size_t i = 0; i < rounds; i++) {
		value = value / divisor + 1e-9;
		__asm__ volatile("" : "+x"(divisor));
	}
	return (uint64_t)value;
}

/* PiBench's SerialPi: the integral of 4 / (1 + x * x). */
static uint64_t tree_pi(size_t rounds, char *memory)
{
	double step = 1.0 / (double)rounds, sum = 0, x;

	(void)memory;
	for (int i = 0; i < (int)rounds; i++) {
		x = (i + 0.5) * step;
		sum += 4.0 / (1.0 + x * x);
	}
	return (uint64_t)(sum * step * 1e9);
}

/*
 * D. Bakhvalov, "Top-Down performance analysis methodology" (2019): loads at random places of 200 MB, chosen by the C++
 * library's linear congruence and uniform distribution. What else its foo() does is not described.
 */
#define PLACES 200000000u

static uint64_t tree_random_loads(size_t rounds, char *memory)
{
	uint64_t random = 1, range = 2147483645u / (PLACES + UINT64_C(1));

	__asm__ volatile("" : "+r"(range));
	for (size_t i = 0; i < rounds; i++) {
		uint64_t place;

		do {
			random = random * 16807 % 2147483647;
			place = (random - 1) / range;
		} while (place > PLACES);
		(void)*(char volatile *)(memory + place);
	}
	return random;
}

/* Arm, learning path top-down-n1: a sum of what lies a stride apart, some dozen instructions each. */
static uint64_t tree_stride(size_t rounds, char *memory)
{
	uint64_t sum = 0, at = 0;

	for (size_t i = 0; i < rounds; i++) {
		sum += *(uint64_t volatile *)(memory + at);
		for (int k = 0; k < 4; k++) {
			sum ^= sum >> 1;
			__asm__ volatile("" : "+r"(sum));
		}
		at += 4096 + 64;
		at = at >= (32u << 20) ? at - (32u << 20) : at;
	}
	return sum;
}

const struct kernel tree_kernels[] = {
#if defined(__x86_64__)
	{ "tree_normal", tree_normal, 500000, 0, NULL },
	{ "tree_ideal", tree_ideal, 1000000, 0, NULL },
	{ "tree_dec_jnz", tree_dec_jnz, 1000000, 0, NULL },
	{ "tree_multiply_chain", tree_multiply_chain, 60000, 0, NULL },
#endif
	{ "tree_division_chain", tree_division_chain, 200000, 0, NULL },
	{ "tree_pi", tree_pi, 500000, 0, NULL },
	{ "tree_random_loads", tree_random_loads, 50000, PLACES + 64, NULL },
	{ "tree_stride", tree_stride, 200000, 33 << 20, NULL },
	{ NULL, NULL, 0, 0, NULL },
};
