/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repaired.c - a handler of SIGSEGV makes each page accessible when it is touched, and returns to the access, as garbage
 * collectors and databases do. What the registers had before the access shows in the sum.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGES = 64, PAGE = 4096, WORDS = PAGE / sizeof(uint64_t) };

static volatile int repairs;

static void repair(int number, siginfo_t *info, void *unused)
{
	(void)number;
	(void)unused;
	repairs++;
	if (mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE) < 0)
		abort();
}

/* Values in registers, written more than once between two accesses, and read behind them. */
__attribute__((noinline)) static uint64_t walk(uint64_t *words, size_t count)
{
	uint64_t a = 1, b = 2, sum = 0;

#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++) {
		a = a * 3 + b;
		sum += words[i * WORDS] ^ a;
		b += a >> 7;
		words[i * WORDS + 1] = sum;
		a ^= b << 3;
	}
	return sum + a + b;
}

int main(void)
{
	const struct sigaction action = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO };
	uint64_t *words = mmap(NULL, (size_t)PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum;

	if (words == MAP_FAILED || sigaction(SIGSEGV, &action, NULL) < 0)
		return 2;
	sum = walk(words, PAGES);
	printf("%d pages, sum %llu, the same again %llu\n", repairs, (unsigned long long)sum,
	       (unsigned long long)walk(words, PAGES));
	return 0;
}
