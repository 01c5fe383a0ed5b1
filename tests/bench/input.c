/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c MIB ROUNDS - how long a program reads what another one writes into its stdin: directly, in the first of several
 * runs, and in the next one; seconds, a line for each round. Nothing is counted.
 */
#include "bench.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/count/input.h"

#define BLOCK (64 << 10)

static char block[BLOCK];

/* Writes from a process of its own to a pipe that becomes stdin. */
static pid_t start_producer(long mib)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		exit(2);
	pid = fork();
	if (pid == 0) {
		for (long left = mib << 20; left > 0; left -= BLOCK)
			if (write(ends[1], block, BLOCK) != BLOCK)
				_exit(1);
		_exit(0);
	}
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* Seconds until another process has read all; 0: it read something else. */
static double drain(int fd, long mib)
{
	double start = bench_now();
	long left = mib << 20;
	pid_t pid = fork();
	ssize_t got;
	int status;

	if (pid == 0) {
		if (fd != INPUT_INHERITED)
			dup2(fd, STDIN_FILENO);
		while (left > 0 && (got = read(STDIN_FILENO, block, BLOCK)) > 0)
			left -= got;
		_exit(left != 0);
	}
	if (fd >= 0)
		close(fd);
	waitpid(pid, &status, 0);
	return status == 0 ? bench_now() - start : 0;
}

static double run(struct input *input, size_t number, long mib)
{
	struct error err = { .text = "" };
	int fd = input_open(input, number, &err);
	double seconds = fd == -1 ? 0 : drain(fd, mib);

	input_end_run(input);
	return seconds;
}

int main(int argc, char **argv)
{
	long mib = argc > 1 ? atol(argv[1]) : 500;
	int rounds = argc > 2 ? atoi(argv[2]) : 5;

	for (int i = 0; i < rounds; i++) {
		struct input input;
		double direct, first, next;
		pid_t producer = start_producer(mib);

		direct = drain(INPUT_INHERITED, mib);
		waitpid(producer, NULL, 0);
		producer = start_producer(mib);
		input_init(&input, 2);
		first = run(&input, 0, mib);
		waitpid(producer, NULL, 0);
		next = run(&input, 1, mib);
		input_release(&input);
		printf("%.3f %.3f %.3f\n", direct, first, next);
	}
	return 0;
}
