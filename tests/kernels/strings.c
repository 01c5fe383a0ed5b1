/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strings.c - strings BYTES COUNT [STORE]: REP MOVSQ of so many bytes, or REP STOSQ: as memcpy and memset, by words. */
#include <string.h>

#include "kernel.h"

static void copy(char *to, const char *from, size_t bytes)
{
#ifdef __x86_64__
	size_t words = bytes / 8;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
#else
	memcpy(to, from, bytes);
#endif
}

static void fill(char *to, size_t bytes)
{
#ifdef __x86_64__
	size_t words = bytes / 8;

	__asm__ volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0) : "memory");
#else
	memset(to, 0, bytes);
#endif
}

int main(int argc, char **argv)
{
	size_t bytes = argument(argc, argv, 1, 16384), count = argument(argc, argv, 2, 1000000);
	char *to = take_memory(bytes), *from = take_memory(bytes);

	memset(from, 1, bytes);
	for (size_t i = 0; i < count; i++) {
		if (argc > 3)
			fill(to, bytes);
		else
			copy(to, from, bytes);
	}
	printf("%d\n", to[bytes / 2]);
	return 0;
}
