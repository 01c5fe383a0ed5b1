/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * multiply.c - multiply COUNT [1]: floating-point multiplications, each of the last one's product; with 1 by AVX where there is, whose instructions
 * zero the upper half of a register as well, which starts no new chain.
 */
#include "kernel.h"

static double multiply(size_t count)
{
	double x = 1.5;

	for (size_t i = 0; i < count; i++)
		x *= 0.999999999;
	return x;
}

#if defined(__x86_64__)
static __attribute__((target("avx"), noinline)) double multiply_avx(size_t count)
{
	double x = 1.5;

	for (size_t i = 0; i < count; i++)
		x *= 0.999999999;
	return x;
}

static int has_avx(void)
{
	return __builtin_cpu_supports("avx");
}
#else
#define multiply_avx multiply
static int has_avx(void)
{
	return 0;
}
#endif

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 100000000);

	printf("%g\n", argument(argc, argv, 2, 0) && has_avx() ? multiply_avx(count) : multiply(count));
	return 0;
}
