/* SPDX-License-Identifier: GPL-2.0-or-later */
/* multiply.c - multiply COUNT: floating-point multiplications, each of the last one's product. */
#include "kernel.h"

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, 100000000);
	double x = 1.5;

	for (size_t i = 0; i < count; i++)
		x *= 0.999999999;
	printf("%g\n", x);
	return 0;
}
