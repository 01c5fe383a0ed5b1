/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_work.c - what is interrupted. */
#include "unwind_work.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __has_attribute(noclone)
#define KEPT __attribute__((noinline, noclone))
#else
#define KEPT __attribute__((noinline)) /* clang makes no clones */
#endif

static volatile unsigned sink;

enum { DEPTH = 1000 };

/* 1,000 frames, none of them a tail call. */
static KEPT unsigned recurse(unsigned n)
{
	const unsigned below = n ? recurse(n - 1) : sink;

	sink = sink + below;
	return below + n;
}

static void work_recursion(void)
{
	sink = sink + recurse(DEPTH);
}

/* Frames whose size is known at run time only: the frame pointer leads to the CFA. */
static KEPT unsigned grow(unsigned n)
{
	unsigned *room = alloca((n % 37 + 1) * sizeof(*room));

	memset(room, (int)n, (n % 37 + 1) * sizeof(*room));
	return (n ? grow(n - 1) : 0) + room[n % 37];
}

static void work_alloca(void)
{
	sink = sink + grow(60);
}

/* A frame that is aligned anew, from an unaligned one. */
static KEPT unsigned aligned(unsigned n)
{
	unsigned char room[256] __attribute__((aligned(128)));

	memset(room, (int)n, sizeof(room));
	__asm__ volatile("" ::"r"(room) : "memory");
	return (n ? aligned(n - 1) : 0) + room[n % 256];
}

static void work_aligned(void)
{
	sink = sink + aligned(60);
}

static int compare_numbers(const void *a, const void *b)
{
	const unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return (left > right) - (left < right);
}

/* The C library's functions in between, some of them in assembler; calls through the procedure linkage table. */
static void work_library(void)
{
	unsigned numbers[512];
	char text[512];

	for (unsigned i = 0; i < 512; i++)
		numbers[i] = i * 2654435761u + sink;
	qsort(numbers, 512, sizeof(numbers[0]), compare_numbers);
	for (unsigned i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "%u %.3f %s", numbers[i], (double)numbers[i] / 7, "text");
		sink = sink + (unsigned)strlen(text) + (unsigned)strtoul(text, NULL, 10);
		memmove(text + 1, text, 400);
		free(memset(malloc(numbers[i] % 5000 + 1), 1, numbers[i] % 5000 + 1));
	}
}

/* The kernel's page with code: no file has it. */
static void work_clock(void)
{
	struct timespec now;

	for (unsigned i = 0; i < 200; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink = sink + (unsigned)now.tv_nsec;
	}
}

static KEPT unsigned tail_c(unsigned n)
{
	for (unsigned i = 0; i < 50; i++)
		sink = sink + n;
	return sink;
}

static KEPT unsigned tail_b(unsigned n)
{
	sink = sink + 1;
	return tail_c(n + 1);
}

static KEPT unsigned tail_a(unsigned n)
{
	sink = sink + 2;
	return tail_b(n + 1);
}

static void work_tails(void)
{
	for (unsigned i = 0; i < 50; i++)
		sink = sink + tail_a(i) + 1;
}

/* Functions with many registers to save, reached through pointers, with several returns. */
static KEPT uint64_t mixed(uint64_t a, uint64_t b, uint64_t c, unsigned n)
{
	uint64_t d = a * 3 + c, e = b ^ d, f = c + e, g = d - f;

	if (!n)
		return e;
	if (n % 3 == 1)
		return mixed(b, c, g, n - 1) + f;
	d += mixed(e, f, a, n - 1);
	if (d & 1)
		return d;
	return mixed(d, e, g, n / 2) ^ a ^ b ^ c ^ e ^ f ^ g;
}

static void work_registers(void)
{
	sink = sink + (unsigned)mixed(sink, 2, 3, 24);
}

static void on_signal(int number)
{
	for (unsigned i = 0; i < 3000; i++)
		sink = sink + (unsigned)number;
}

/* Frames above a signal's. */
static KEPT void raise_below(unsigned n)
{
	if (n)
		raise_below(n - 1);
	else
		raise(SIGUSR1);
	sink = sink + n;
}

static void work_signal(void)
{
	signal(SIGUSR1, on_signal);
	raise_below(5);
}

static jmp_buf back;

static KEPT void leap(unsigned n)
{
	if (!n)
		longjmp(back, 1);
	if (sink != UINT32_MAX)
		leap(n - 1);
	sink = sink + 1;
}

static void work_jump(void)
{
	if (!setjmp(back))
		leap(30);
}

const struct unwind_work unwind_works[] = {
	{ "recursion", work_recursion }, { "alloca", work_alloca }, { "aligned", work_aligned },
	{ "library", work_library },	 { "clock", work_clock },   { "tails", work_tails },
	{ "registers", work_registers }, { "signal", work_signal }, { "jump", work_jump },
};
const size_t unwind_nworks = sizeof(unwind_works) / sizeof(unwind_works[0]);
