/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin.c LOOPS - works for as long as they take, and prints the CPU time in ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;
	unsigned long loops = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	while (loops-- > 0)
		sum += loops;
	printf("%.4f\n", (double)clock() * 1e3 / CLOCKS_PER_SEC);
	return 0;
}
