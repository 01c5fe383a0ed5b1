/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adds.c - adds COUNT: eight additions at a time, none of which waits for another. */
#include "kernel.h"

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 100000000);
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, step = 9;

	for (size_t i = 0; i < count; i++) {
		a += step, b += step, c += step, d += step, e += step, f += step, g += step, h += step;
		__asm__ volatile(""
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h), "+r"(step));
	}
	printf("%llu\n", (unsigned long long)(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h));
	return 0;
}
