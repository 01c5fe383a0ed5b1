/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.c RUNS PROGRAM ARG... - wall ms, CPU ms and peak KiB of each run, a line each. The program's output is dropped.
 * A small process has to start them: the kernel counts the memory of whoever calls exec as the program's own.
 */
#include "bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double milliseconds(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec * 1e-3;
}

static int run(char **argv, const posix_spawn_file_actions_t *files)
{
	double start = bench_now(), wall;
	struct rusage usage;
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], files, NULL, argv, environ) != 0 || wait4(pid, &status, 0, &usage) != pid)
		return -1;
	wall = bench_now() - start;
	printf("%g %g %ld\n", wall * 1e3, milliseconds(&usage.ru_utime) + milliseconds(&usage.ru_stime),
	       usage.ru_maxrss);
	return status;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t files;
	int status = 0;

	if (argc < 3)
		return 2;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	for (int i = atoi(argv[1]); i > 0 && status == 0; i--)
		status = run(argv + 2, &files);
	posix_spawn_file_actions_destroy(&files);
	return status ? 1 : 0;
}
