/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define MINUTE 60.0
#define HOUR   (60 * MINUTE)
#define MANY   99.5 /* of a unit, where the next one tells it shorter */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void print_time(double seconds)
{
	if (seconds < MANY)
		fprintf(stderr, "%.0f s", seconds);
	else if (seconds < MANY * MINUTE)
		fprintf(stderr, "%.0f min", seconds / MINUTE);
	else
		fprintf(stderr, "%.0f h", seconds / HOUR);
}

/* Runs take as long as those before did on average. */
void progress_show(struct progress *progress, size_t run, size_t runs)
{
	double now = now_s();

	if (run == 1)
		progress->began_s = now;
	if (run == 1 || progress->is_quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[Ktopdown: run %zu of %zu, ", run, runs);
	print_time((now - progress->began_s) / (double)(run - 1) * (double)(runs - run + 1));
	fputs(" left", stderr);
}

void progress_wipe(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}
