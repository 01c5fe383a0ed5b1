/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/chain.h"

#include <stdint.h>

/* A block that the compiler leaves as it is; 0: not on this architecture. */
#if defined(__x86_64__)
#define CHAIN 64
#define ADD   ".rept 64\n\tadd %1, %0\n\t.endr"
#elif defined(__aarch64__)
#define CHAIN 64
#define ADD   ".rept 64\n\tadd %0, %0, %1\n\t.endr"
#else
#define CHAIN 0
#define ADD   ""
#endif

double chain_run(unsigned blocks)
{
	uint64_t sum = 0, one = 1;

	for (unsigned i = 0; i < blocks; i++)
		__asm__ volatile(ADD : "+r"(sum) : "r"(one) : "cc");
	return (double)CHAIN * blocks;
}
