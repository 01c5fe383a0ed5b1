/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel.h - what the kernels share: numbers from the command line, and random ones that are the same each time. */
#ifndef TOPDOWN_TESTS_KERNEL_H
#define TOPDOWN_TESTS_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Argument number i, or what stands for it. */
static inline size_t argument(int argc, char **argv, int i, size_t otherwise)
{
	return argc > i ? (size_t)strtoull(argv[i], NULL, 10) : otherwise;
}

/* xorshift64 (Marsaglia, 2003) */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#define RANDOM_START 88172645463325252u

static inline void *take_memory(size_t size)
{
	void *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096);

	if (!memory) {
		perror("kernel: memory");
		exit(1);
	}
	return memory;
}

#endif
