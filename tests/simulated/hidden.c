/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hidden.c - a program that works by itself and in a library (hidden_library.c), for so many rounds each. */
#include <stdio.h>
#include <stdlib.h>

unsigned WORK(unsigned rounds);

__attribute__((noinline)) static unsigned own_work(unsigned rounds)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < rounds; i++)
		sum = sum * 22695477 + i;
	return sum;
}

int main(int count, char **words)
{
	printf("%u\n", count > 2 ? own_work((unsigned)atoi(words[1])) + WORK((unsigned)atoi(words[2])) : 0);
	return 0;
}
