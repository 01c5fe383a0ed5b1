/* SPDX-License-Identifier: GPL-2.0-or-later */
/* last.c FILE - a session that is kept as the last measurement, below XDG_STATE_HOME: seconds, the middle and the least. */
#include "bench.h"

#include "store/session/last.h"
#include "store/session/session.h"

static void keep(void *context)
{
	struct error err = { .text = "" };

	if (last_keep(context, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct error err = { .text = "" };
	struct measurement measured;
	struct bench_times times;
	struct arena arena;

	if (argc != 2)
		return 2;
	arena_init(&arena);
	if (session_read(&measured, argv[1], &arena, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	times = bench_measure(keep, &measured);
	printf("%g %g\n", times.median, times.least);
	arena_release(&arena);
	return 0;
}
