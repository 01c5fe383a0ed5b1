/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deep.c SECONDS DEPTH BYTES - works at the end of DEPTH frames, each of BYTES and a little more. */
#include <alloca.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;
static clock_t end;

__attribute__((noinline, noclone)) unsigned fall(unsigned depth, size_t bytes)
{
	volatile unsigned char *room = alloca(bytes + 1);
	unsigned value = 0;

	room[bytes] = (unsigned char)depth;
	if (depth)
		value = fall(depth - 1, bytes);
	else
		while (clock() < end)
			for (unsigned i = 0; i < 100000; i++)
				sink = sink + i;
	return value + room[bytes];
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	end = clock() + (clock_t)(strtod(argv[1], NULL) * CLOCKS_PER_SEC);
	return fall((unsigned)strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10)) == 1;
}
