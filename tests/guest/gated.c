// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gated.c - the program that the guest tests compare and judge: half of its CPU time passes in steady(), half in changed().
 *
 *   gated MILLISECONDS PHASES    PHASES is the synthetic PMU's parameter of that name: it counts at its second rates in changed(),
 *                                which takes twice the time that it takes with /dev/null
 *
 * What one run writes there the next one does not find: it ends as it began.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 2000u

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) void steady(double end)
{
	while (cpu_seconds() < end)
		for (volatile unsigned i = 0; i < CHUNK; i++)
			;
}

__attribute__((noinline)) void changed(double end)
{
	while (cpu_seconds() < end)
		for (volatile unsigned i = 0; i < 2 * CHUNK; i++)
			;
}

/* What was counted before is taken by the old rates only when the events leave the CPU: so it sleeps, long enough to do so. */
static int set_phase(int file, const char *phase)
{
	nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
	return pwrite(file, phase, strlen(phase), 0) < 0;
}

static int is_parameter(int file)
{
	struct stat status;

	return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

int main(int argc, char **argv)
{
	double half = argc > 2 ? 0.5e-3 * atof(argv[1]) : 0, begin = cpu_seconds();
	int file = argc > 2 ? open(argv[2], O_WRONLY) : -1;

	if (file < 0 || set_phase(file, "1,0"))
		return 2;
	steady(begin + half);
	if (set_phase(file, "0,1"))
		return 2;
	changed(begin + (is_parameter(file) ? 3 : 2) * half);
	return set_phase(file, "1,0");
}
