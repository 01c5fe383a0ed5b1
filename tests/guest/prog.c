// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prog.c - the program that the guest tests measure: a fixed amount of work in each of its processes and threads, then the CPU
 * time that they all took to standard output as "cpu_ns=N", and an end of any kind. CPU time counts from main() on, or from
 * the line on standard input for which --wait waits, with the first round of threads started.
 *
 *   prog [--work TIMES] [--fork N] [--threads N [--rounds N] [--each]] [--wait] [--close-stderr] [--spin] [--for MS [--mark]] [--swap]
 *        [--exit STATUS] [--kill SIGNAL]
 *
 * --for computes for that time, and --mark prints what the synthetic PMU says of its phases, before it and after it;
 * --swap first changes its phase.
 *
 * A virtual CPU that computes leaves the others no instructions (run.sh), so this one gives way now and then.
 *
 * The threads of a round end before the next round starts; the nth of them works n times as much. With --each they print
 * "thread=NUMBER N" before, with the CPU time of each.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOPS	     500000u /* some 30 ms of the guest's time, where an instruction takes 8 ns */
#define TURN	     1000u   /* of them, until it gives way */
#define LEAST	     20000u  /* even with --work 0 */
#define STACK	     65536   /* of a thread: thousands of them shall fit */
#define MOST_THREADS 10000

static struct {
	int times, children, threads, rounds, status, end_signal;
	int waits, spins, closes, for_ms, marks, swaps, each;
} wish = { .times = 1, .rounds = 1 };

static pthread_barrier_t go; /* for the threads that wait */

static void turn(void)
{
	for (volatile unsigned i = 0; i < TURN; i++)
		;
#ifdef __x86_64__
	__asm__ volatile("pause");
#else
	__asm__ volatile("yield");
#endif
}

static void work(int times)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < LEAST; i++)
		sum += i;
	while (times-- > 0)
		for (unsigned i = 0; i < LOOPS / TURN; i++)
			turn();
}

static long long cpu_ns(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

static void wait_for_line(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static void *thread_main(void *number)
{
	if (wish.waits)
		pthread_barrier_wait(&go);
	work(wish.times * (int)(long)number);
	if (wish.each) {
		struct timespec own;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
		printf("thread=%ld %lld\n", syscall(SYS_gettid), own.tv_sec * 1000000000LL + own.tv_nsec);
	}
	return NULL;
}

/* On stacks that are never given back: each thread would interrupt all CPUs for that, which takes long in an emulator. */
static void start_threads(pthread_t *threads)
{
	static char *stacks;
	pthread_attr_t attributes;

	if (!stacks)
		stacks = mmap(NULL, (size_t)wish.threads * STACK, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_init(&attributes);
	for (long i = 0; i < wish.threads; i++) {
		pthread_attr_setstack(&attributes, stacks + i * STACK, STACK);
		if (pthread_create(&threads[i], &attributes, thread_main, (void *)(i + 1)))
			exit(2);
	}
}

/* With --wait they are there when it waits, and its end lets them go. */
static long long run_round(void)
{
	static pthread_t threads[MOST_THREADS];
	long long start;

	start_threads(threads);
	if (wish.waits)
		wait_for_line();
	start = cpu_ns(RUSAGE_SELF);
	if (wish.waits && wish.threads)
		pthread_barrier_wait(&go);
	wish.waits = 0;
	for (int i = 0; i < wish.threads; i++)
		pthread_join(threads[i], NULL);
	return start;
}

static void run_children(void)
{
	for (int i = 0; i < wish.children; i++)
		if (fork() == 0) {
			work(wish.times);
			_exit(0);
		}
	work(wish.times);
	while (wait(NULL) > 0)
		;
}

#define PARAMETERS "/sys/module/synthetic_pmu/parameters/"

static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "r");

	*line = '\0';
	if (!file)
		return;
	if (!fgets(line, size, file))
		*line = '\0';
	fclose(file);
}

static void mark(void)
{
	char line[80];

	if (!wish.marks)
		return;
	read_line(PARAMETERS "phases_ns", line, sizeof(line));
	printf("mark=%s", line);
}

/* The first phase for ever becomes the second one for ever, or the other way round. */
static void swap_phases(void)
{
	char line[80];
	FILE *file;

	read_line(PARAMETERS "phases", line, sizeof(line));
	file = fopen(PARAMETERS "phases", "w");
	if (!file)
		return;
	fputs(*line == '1' ? "0,1" : "1,0", file);
	fclose(file);
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void run_for(int ms)
{
	long long end = now_ns() + ms * 1000000LL;

	mark();
	while (now_ns() < end)
		turn();
	mark();
}

static int parse(int argc, char **argv)
{
	static const struct {
		struct option option;
		int *value;
	} rows[] = {
		{ { "work", required_argument, NULL, 0 }, &wish.times },
		{ { "fork", required_argument, NULL, 0 }, &wish.children },
		{ { "threads", required_argument, NULL, 0 }, &wish.threads },
		{ { "rounds", required_argument, NULL, 0 }, &wish.rounds },
		{ { "exit", required_argument, NULL, 0 }, &wish.status },
		{ { "kill", required_argument, NULL, 0 }, &wish.end_signal },
		{ { "wait", no_argument, NULL, 0 }, &wish.waits },
		{ { "spin", no_argument, NULL, 0 }, &wish.spins },
		{ { "for", required_argument, NULL, 0 }, &wish.for_ms },
		{ { "swap", no_argument, NULL, 0 }, &wish.swaps },
		{ { "mark", no_argument, NULL, 0 }, &wish.marks },
		{ { "each", no_argument, NULL, 0 }, &wish.each },
		{ { "close-stderr", no_argument, NULL, 0 }, &wish.closes },
		{ { NULL, 0, NULL, 0 }, NULL },
	};
	struct option options[sizeof(rows) / sizeof(*rows)];
	int found, row;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		options[i] = rows[i].option;
	while ((found = getopt_long(argc, argv, "", options, &row)) == 0)
		*rows[row].value = optarg ? atoi(optarg) : 1;
	return found == -1 && wish.threads <= MOST_THREADS;
}

int main(int argc, char **argv)
{
	/* What exec took is not all counted, and a shell that became this program may have had children. */
	long long start = cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN);

	if (!parse(argc, argv))
		return 2;
	if (wish.closes)
		close(STDERR_FILENO);
	pthread_barrier_init(&go, NULL, (unsigned)wish.threads + 1);
	if (wish.waits)
		start = run_round();
	else if (wish.threads)
		run_round();
	while (--wish.rounds > 0)
		run_round();
	if (wish.swaps)
		swap_phases();
	if (wish.for_ms)
		run_for(wish.for_ms);
	else if (!wish.threads)
		run_children();
	while (wish.spins)
		work(1);
	printf("cpu_ns=%lld\n", cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN) - start);
	fflush(stdout);
	if (wish.end_signal)
		raise(wish.end_signal);
	return wish.status;
}
