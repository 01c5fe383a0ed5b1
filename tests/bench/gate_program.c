/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_program.c - the program of tests/bench/gate.py: words are made, hashed, sorted and printed, so that it uses the
 * C library's string functions, malloc and a table larger than L1. With REGRESSION it does extra() EXTRA times: one of
 * ten things that make programs slower.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WORDS
#define WORDS 6000
#endif
#ifndef REGRESSION
#define REGRESSION 0
#define EXTRA	   0
#endif
#define BUCKETS 4096

struct word {
	struct word *next;
	unsigned count;
	char text[];
};

static struct word *buckets[BUCKETS];
static unsigned seed = 1;

#ifdef UNUSED_BEFORE
#include UNUSED_BEFORE
#endif

static unsigned draw(void)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 16;
}

unsigned hash(const char *text);
unsigned long table[8192];

__attribute__((noinline)) static void add(const char *text)
{
	struct word **at = &buckets[hash(text) % BUCKETS], *found;

	for (found = *at; found && strcmp(found->text, text) != 0; found = found->next)
		;
	if (!found) {
		found = malloc(sizeof(*found) + strlen(text) + 1);
		strcpy(found->text, text);
		found->count = 0;
		found->next = *at;
		*at = found;
	}
	found->count++;
}

__attribute__((noinline)) static void make(char *text)
{
	size_t length = 2 + draw() % 12;

	for (size_t i = 0; i < length; i++)
		text[i] = (char)('a' + draw() % 26 % (1 + i * 2));
	text[length] = '\0';
}

static int compare(const void *a, const void *b)
{
	return strcmp((*(struct word *const *)a)->text, (*(struct word *const *)b)->text);
}

__attribute__((noinline)) static void sort_all(void)
{
	static struct word *all[4 * WORDS];
	size_t count = 0;
	unsigned sum = 0;

	for (size_t i = 0; i < BUCKETS; i++)
		for (struct word *word = buckets[i]; word; word = word->next)
			all[count++] = word;
	qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i++)
		sum = sum * 31 + all[i]->count + (unsigned)all[i]->text[0];
	printf("%zu words, %u\n", count, sum);
}

#if REGRESSION
static volatile unsigned sink;

/* About 100 cycles each. */
__attribute__((noinline)) static void extra(unsigned n)
{
	static char from[256], to[256];
	static double x = 1;
	unsigned value = n | 1;

	(void)from, (void)to, (void)x;
#if REGRESSION == 1 /* more work */
	for (unsigned i = 0; i < 60; i++)
		value = value * 31 + i;
#elif REGRESSION == 2 /* a copy */
	memcpy(to, from, sizeof(to) - 1);
	memmove(from, to + 1, sizeof(to) - 8);
	value += (unsigned)to[n & 127];
#elif REGRESSION == 3 /* a length that was known */
	memset(from, 'x', 200);
	value = (unsigned)strlen(from);
#elif REGRESSION == 4 /* divisions */
	for (unsigned i = 1; i < 5; i++)
		value = 0xfffffff0u / (value | i);
#elif REGRESSION == 5 /* a branch that nobody can predict */
	for (unsigned i = 0; i < 8; i++)
		if (draw() & 1)
			sink++;
#elif REGRESSION == 6 /* loads that wait for each other, beyond L1 */
	for (unsigned i = 0; i < 8; i++)
		value = (unsigned)table[(value * 769) & 8191] + value + 1;
#elif REGRESSION == 7 /* memory that is taken and given back */
	void *volatile taken = malloc(24 + n % 64); /* or the compiler leaves both out */

	free(taken);
#elif REGRESSION == 8 /* a load of what two stores have written */
	for (unsigned i = 0; i < 6; i++) {
		((volatile unsigned *)from)[0] = value;
		((volatile unsigned *)from)[1] = value;
		value += (unsigned)*(volatile unsigned long *)from;
	}
#elif REGRESSION == 9 /* a function that is no longer inlined */
	for (unsigned i = 0; i < 6; i++)
		value += hash("ab");
#else		      /* a chain of floating point */
	for (unsigned i = 0; i < 12; i++)
		x = x * 1.0000001 + 1e-9;
	value = (unsigned)x;
#endif
	sink = value;
}
#endif

int main(void)
{
	char text[32];

	for (unsigned i = 0; i < 4 * WORDS; i++) {
		make(text);
		add(text);
	}
	sort_all();
#if REGRESSION
	for (unsigned i = 0; i < EXTRA; i++)
		extra(i);
#endif
	return 0;
}

#ifdef UNUSED_AFTER
#include UNUSED_AFTER
#endif
