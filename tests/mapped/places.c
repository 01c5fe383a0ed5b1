/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.c - a program that runs for so long in a place of a chosen kind: its own function, a function of two libraries
 * one after the other, memory that it has written itself, or whatever reads the clock.
 *
 *   places own|replaced|vdso|memory|libraries SECONDS [FILE FILE]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static unsigned long chunk(unsigned long count)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < count; i++)
		sum += i;
	return sum;
}

__attribute__((noinline)) unsigned long in_own_code(unsigned long count)
{
	volatile unsigned long sum = 1;

	for (unsigned long i = 0; i < count; i++)
		sum += 3 * i;
	return sum;
}

static void run_in(unsigned long (*place)(unsigned long), double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		place(200000);
}

/* The file that runs gives its name to another one, and is gone. */
static int replace_own_file(const char *other)
{
	char own[4096] = "";

	return readlink("/proc/self/exe", own, sizeof(own) - 1) > 0 && rename(other, own) == 0 ? 0 : 1;
}

static int run_in_library(const char *path, double seconds)
{
	void *library = dlopen(path, RTLD_NOW);
	unsigned long (*place)(unsigned long) =
		library ? (unsigned long (*)(unsigned long))dlsym(library, "in_library") : NULL;

	if (!place)
		return 1;
	run_in(place, seconds);
	return dlclose(library);
}

/* A copy of chunk, which needs nothing but registers and its stack; it fits into a page. */
static int run_in_memory(double seconds)
{
	void *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, (const void *)chunk, 512);
	if (mprotect(page, 8192, PROT_READ | PROT_EXEC) < 0)
		return 1;
	__builtin___clear_cache((char *)page, (char *)page + 512);
	run_in((unsigned long (*)(unsigned long))page, seconds);
	return 0;
}

static int read_clock(double seconds)
{
	struct timespec time;
	double end = now() + seconds;

	while (now() < end)
		for (unsigned i = 0; i < 20000; i++)
			clock_gettime(CLOCK_MONOTONIC, &time);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "memory"))
		return run_in_memory(seconds);
	if (!strcmp(argv[1], "vdso"))
		return read_clock(seconds);
	if (!strcmp(argv[1], "libraries"))
		return run_in_library(argv[3], seconds / 2) || run_in_library(argv[4], seconds / 2);
	if (!strcmp(argv[1], "replaced") && replace_own_file(argv[3]))
		return 1;
	run_in(in_own_code, seconds);
	return 0;
}
