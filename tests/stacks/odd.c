/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odd.c WHAT SECONDS - works for so long at the end of an odd chain of calls: recursion, tails, handler, apart (a handler with
 * a stack of its own), inlined, fork, exec, threads, or deaf (whoever samples it is stopped meanwhile).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT	__attribute__((noinline, noclone))
#define DEPTH	1000
#define THREADS 300

static volatile unsigned sink;
static double seconds;

KEPT double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

KEPT void work(double for_seconds)
{
	const double end = now() + for_seconds;

	while (now() < end)
		for (unsigned i = 0; i < 100000; i++)
			sink = sink + i;
}

/* ---- calls ---- */

KEPT unsigned fall(unsigned depth)
{
	unsigned below;

	if (depth > 1) {
		below = fall(depth - 1);
	} else {
		work(seconds);
		below = sink;
	}
	sink = sink + 1;
	return below + depth;
}

static void recursion(void)
{
	sink = sink + fall(DEPTH);
}

KEPT void tail_last(void)
{
	work(seconds);
	sink = sink + 1;
}

KEPT void tail_middle(void)
{
	sink = sink + 2;
	tail_last();
}

KEPT void tail_first(void)
{
	sink = sink + 3;
	tail_middle();
}

static void tails(void)
{
	tail_first();
	sink = sink + 4;
}

/* ---- inlined calls ---- */

static inline __attribute__((always_inline)) void innermost(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink + i; /* hot */
}

static inline __attribute__((always_inline)) void in_between(unsigned n)
{
	innermost(n); /* called */
}

KEPT void around(unsigned n)
{
	in_between(n); /* called from outside */
}

static void inlined(void)
{
	const double end = now() + seconds;

	while (now() < end)
		around(100000);
}

/* ---- signals ---- */

static void on_signal(int number)
{
	work(seconds);
	sink = sink + (unsigned)number;
}

KEPT void interrupted(void)
{
	raise(SIGUSR1);
	sink = sink + 1;
}

static void handle(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
	interrupted();
}

static void handler(void)
{
	handle(0);
}

static void apart(void)
{
	static char room[65536];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&stack, NULL);
	handle(SA_ONSTACK);
}

/* ---- processes and threads ---- */

KEPT void in_child(void)
{
	work(seconds / 2);
	sink = sink + 1;
}

KEPT void in_parent(void)
{
	work(seconds / 2);
	sink = sink + 1;
}

static void with_child(const char *file)
{
	const pid_t child = fork();

	if (child == 0) {
		char half[32];

		snprintf(half, sizeof(half), "%f", seconds / 2);
		if (file)
			execl("/proc/self/exe", file, "tails", half, (char *)NULL);
		in_child();
		_exit(0);
	}
	in_parent();
	waitpid(child, NULL, 0);
}

static void forks(void)
{
	with_child(NULL);
}

static void execs(void)
{
	with_child("other");
}

static void *run_thread(void *unused)
{
	work(seconds / THREADS);
	return unused;
}

static void threads(void)
{
	pthread_t all[THREADS];
	int count = 0;

	while (count < THREADS && pthread_create(&all[count], NULL, run_thread, NULL) == 0)
		count++;
	while (count--)
		pthread_join(all[count], NULL);
}

/* Its parent is the one who samples. */
static void deaf(void)
{
	kill(getppid(), SIGSTOP);
	work(seconds);
	kill(getppid(), SIGCONT);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} words[] = {
		{ "recursion", recursion }, { "tails", tails },	    { "inlined", inlined },
		{ "handler", handler },	    { "apart", apart },	    { "fork", forks },
		{ "exec", execs },	    { "threads", threads }, { "deaf", deaf },
	};

	if (argc < 3)
		return 2;
	seconds = strtod(argv[2], NULL);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, argv[1])) {
			words[i].run();
			return 0;
		}
	return 2;
}
