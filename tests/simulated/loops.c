/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops.c - loops N SIDE [gone]: loops of one function, whose operations and bytes arithmetic gives. The comments at
 * their ends name them for loops.py. gone: the program removes itself, as an update does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noipa))
#endif

struct arrays {
	double *a, *b, *c;
};

/* Stands in its caller. */
__attribute__((always_inline)) static inline double distance(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]); /* inlined */
	return sum;
}

NOINLINE static double work(const struct arrays *x, size_t n, size_t side)
{
	double *restrict a = x->a, *restrict b = x->b, *restrict c = x->c, sum = 0;

	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + 3.0 * c[i]; /* triad */

	for (size_t i = 0; i < n; i++)
		sum += b[i] * c[i]; /* dot */

	for (size_t i = 0; i < side; i++)
		for (size_t j = 0; j < side; j++) {
			double cell = 0;

			for (size_t k = 0; k < side; k++)
				cell += b[i * side + k] * c[k * side + j];
			a[i * side + j] += cell;
		} /* product */
	return sum + distance(b, c, n);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, side = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	struct arrays x = { calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double)) };

	if (!x.a || !x.b || !x.c || side * side > n)
		return 1;
	if (argc > 3 && unlink(argv[0]) != 0)
		return 1;
	printf("%g\n", work(&x, n, side) + x.a[0]);
	return 0;
}
