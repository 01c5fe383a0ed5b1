/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c [SECONDS] - one slow function at the end of two chains of calls: from few() through 11 to 15 frames of deep(), and
 * from many() through the C library's qsort() and 1 to 7 of them. Prints the seconds of each, as it measured them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEPT __attribute__((noinline, noclone))

static volatile unsigned sink;

KEPT unsigned heavy(unsigned n)
{
	unsigned value = n;

	for (unsigned i = 0; i < n; i++)
		value = value * 1664525u + 1013904223u;
	return value;
}

KEPT unsigned deep(unsigned depth, unsigned n)
{
	const unsigned value = depth ? deep(depth - 1, n) : heavy(n);

	sink = sink + value;
	return value + depth;
}

KEPT int compare(const void *a, const void *b)
{
	const unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	sink = sink + deep(left % 7, 2000);
	return left < right;
}

KEPT unsigned few(unsigned i)
{
	const unsigned value = deep(10 + i % 5, 20000);

	sink = sink + value;
	return value + 1;
}

KEPT unsigned many(unsigned i)
{
	unsigned numbers[8];

	for (unsigned k = 0; k < 8; k++)
		numbers[k] = i * k * 2654435761u;
	qsort(numbers, 8, sizeof(numbers[0]), compare);
	sink = sink + numbers[0];
	return numbers[3];
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/*
 * What samples each 1/997 s can see of it: where the host stops the machine, however long, the clock that was due
 * meanwhile is late and gives one sample.
 */
static double seen(double seconds)
{
	return seconds < 1. / 997 ? seconds : 1. / 997;
}

int main(int argc, char **argv)
{
	const double begin = now(), seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	double in_few = 0, in_many = 0, before = begin;

	for (unsigned i = 0; before - begin < seconds; i++) {
		double between, after;

		sink = sink + few(i);
		between = now();
		sink = sink + many(i);
		after = now();
		in_few += seen(between - before);
		in_many += seen(after - between);
		before = after;
	}
	printf("%.6f %.6f\n", in_few, in_many);
	return 0;
}
