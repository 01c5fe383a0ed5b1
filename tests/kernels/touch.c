/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch.c - touch KIB ROUNDS: a load from each line of an array, of which nobody uses the value. */
#include "kernel.h"

#define LINE 64

int main(int argc, char **argv)
{
	size_t size = argument(argc, argv, 1, 512) * 1024, rounds = argument(argc, argv, 2, 100);
	const volatile char *bytes = take_memory(size), *end = bytes + size;

	for (size_t round = 0; round < rounds; round++)
		for (const volatile char *at = bytes; at < end; at += 4 * LINE) {
			(void)at[0];
			(void)at[LINE];
			(void)at[2 * LINE];
			(void)at[3 * LINE];
		}
	return 0;
}
