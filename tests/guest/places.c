// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * places.c - the program that the guest test samples: three quarters of its CPU time pass in three_quarters(), one quarter in
 * one_quarter(). Then how long it ran, by the clock that timers have, goes to standard output as "wall_ns=N".
 *
 *   places MILLISECONDS          as said
 *   places MILLISECONDS PHASES   first_mix() and second_mix() in alternation, some tens of samples each; which of them
 *                                runs decides what the synthetic PMU counts: PHASES is its parameter of that name
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 20000u

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) void three_quarters(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 3 * CHUNK; i++)
		sum += i;
}

__attribute__((noinline)) void one_quarter(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < CHUNK; i++)
		sum += i;
}

#define TURN (400 * CHUNK)

__attribute__((noinline)) void first_mix(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < TURN; i++)
		sum += i;
}

__attribute__((noinline)) void second_mix(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < TURN; i++)
		sum += i;
}

static int mix(const char *phases, double end)
{
	int file = open(phases, O_WRONLY);

	if (file < 0)
		return 1;
	while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end) {
		if (pwrite(file, "1,0", 3, 0) < 0)
			return 1;
		first_mix();
		if (pwrite(file, "0,1", 3, 0) < 0)
			return 1;
		second_mix();
	}
	return pwrite(file, "1,0", 3, 0) < 0;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? 1e-3 * atof(argv[1]) : 0.1;
	double began = seconds_of(CLOCK_MONOTONIC);

	if (argc > 2)
		return mix(argv[2], end);

	while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end) {
		three_quarters();
		one_quarter();
	}
	printf("wall_ns=%.0f\n", 1e9 * (seconds_of(CLOCK_MONOTONIC) - began));
	return 0;
}
