// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prog.c - the program that the guest tests measure: a fixed amount of work in each of its processes, then the CPU time that
 * they all took from main() on to standard output as "cpu_ns=N", and an end of any kind.
 *
 *   prog [--work TIMES] [--fork N] [--exit STATUS] [--kill SIGNAL]
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOPS 12000000u /* 0.03 to 0.1 s in an emulated CPU */

static void work(int times)
{
	volatile unsigned sum = 0;

	while (times-- > 0)
		for (unsigned i = 0; i < LOOPS; i++)
			sum += i;
}

static long long cpu_ns(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "work", required_argument, NULL, 'w' },
		{ "fork", required_argument, NULL, 'f' },
		{ "exit", required_argument, NULL, 'e' },
		{ "kill", required_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 },
	};
	const long long start = cpu_ns(RUSAGE_SELF); /* what exec took is not all counted */
	int times = 1, children = 0, status = 0, end_signal = 0, option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'w')
			times = atoi(optarg);
		else if (option == 'f')
			children = atoi(optarg);
		else if (option == 'e')
			status = atoi(optarg);
		else if (option == 'k')
			end_signal = atoi(optarg);
		else
			return 2;
	}
	for (int i = 0; i < children; i++)
		if (fork() == 0) {
			work(times);
			_exit(0);
		}
	work(times);
	while (wait(NULL) > 0)
		;
	printf("cpu_ns=%lld\n", cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN) - start);
	fflush(stdout);
	if (end_signal)
		raise(end_signal);
	return status;
}
