// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * places.c - the program that the guest test samples: three quarters of its CPU time pass in three_quarters(), one quarter in
 * one_quarter(). Then how long it ran, by the clock that timers have, goes to standard output as "wall_ns=N".
 *
 *   places MILLISECONDS          as said
 *   places 500r                  500 rounds of it, however long they take
 *   places MILLISECONDS spot SPOT [BRANCHES]
 *                                spotted(); the synthetic PMU's parameters of these names say where its samples are:
 *                                "chosen=ADDRESS behind=ADDRESS" goes to standard output, as in the file
 *   places MILLISECONDS PHASES   first_mix() and second_mix() in alternation, some tens of samples each; which of them
 *                                runs decides what the synthetic PMU counts: PHASES is its parameter of that name
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 2500u
#define MOST  15u /* chunks of a turn */

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) void three_quarters(unsigned chunks)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 3 * chunks * CHUNK; i++)
		sum += i;
}

__attribute__((noinline)) void one_quarter(unsigned chunks)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < chunks * CHUNK; i++)
		sum += i;
}

/* Turns of many lengths, the same in each run: what is sampled regularly must not fall in step with them. */
static void turn(void)
{
	static unsigned state = 1;
	unsigned chunks;

	state = state * 1103515245u + 12345u;
	chunks = 1 + (state >> 16) % MOST;
	three_quarters(chunks);
	one_quarter(chunks);
}

#define TURN (80 * MOST * CHUNK / 2)

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

/* In a section of its own, of which the linker knows begin and end. */
extern const char __start_in_spotted[], __stop_in_spotted[], chosen[], behind[], in_stranger[], in_stranger_too[];
extern const char __ehdr_start[];

__attribute__((noinline, noclone, section("in_spotted"))) void spotted(void)
{
	for (volatile unsigned i = 0; i < CHUNK; i++)
		__asm__ volatile(
			"nop\n\tnop\n\t.globl chosen\nchosen:\n\tnop\n\tnop\n\tnop\n\t.globl behind\nbehind:\n\tnop");
}

/* Nobody calls them: only branch records can say so. */
__attribute__((noinline, noclone, used)) void stranger(void)
{
	__asm__ volatile("nop\n\t.globl in_stranger\nin_stranger:\n\tnop");
}

__attribute__((noinline, noclone, used)) void stranger_too(void)
{
	__asm__ volatile("nop\n\t.globl in_stranger_too\nin_stranger_too:\n\tnop");
}

static void tell(const char *path, const char *words)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, words, strlen(words)) < 0)
		exit(1);
	close(file);
}

static uintptr_t in_file(const char *address)
{
	const uint16_t *type =
		(const uint16_t *)(const void *)(__ehdr_start + 16); /* e_type; 2: it lies where it says */

	return *type == 2 ? (uintptr_t)address : (uintptr_t)address - (uintptr_t)__ehdr_start;
}

static int spot(char **paths, double end)
{
	char words[200];

	snprintf(words, sizeof(words), "%lu,%lu,%lu,%lu", (unsigned long)__start_in_spotted,
		 (unsigned long)__stop_in_spotted, (unsigned long)chosen, (unsigned long)(behind - chosen));
	tell(paths[0], words);
	snprintf(words, sizeof(words), "%lu,%lu,%lu,%lu", (unsigned long)in_stranger, (unsigned long)spotted,
		 (unsigned long)in_stranger_too, (unsigned long)stranger);
	if (paths[1])
		tell(paths[1], words);
	while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end)
		spotted();
	tell(paths[0], "0,0,0,0");
	printf("chosen=%#lx behind=%#lx\n", (unsigned long)in_file(chosen), (unsigned long)in_file(behind));
	return 0;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? 1e-3 * atof(argv[1]) : 0.1;
	int rounds = argc > 1 && strchr(argv[1], 'r') ? atoi(argv[1]) : 0;
	double began = seconds_of(CLOCK_MONOTONIC);

	if (argc > 3)
		return spot(argv + 3, end);
	if (argc > 2)
		return mix(argv[2], end);

	while (rounds ? rounds-- > 0 : seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end)
		turn();
	printf("wall_ns=%.0f\n", 1e9 * (seconds_of(CLOCK_MONOTONIC) - began));
	return 0;
}
