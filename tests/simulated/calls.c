/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.c - every way into a function and out of it, one for each word that it is given; simulated/calls.py knows how often each calls slow(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define STEP  4160 /* bytes from one page's line to another's in the next, which no prefetcher follows */

static volatile long sum;
static char *memory;
static jmp_buf back;
static sigjmp_buf back_from_handler;
static ucontext_t here, there;

/* As many instructions in each call. */
APART void slow(void)
{
	for (long i = 0; i < 100; i++)
		sum += i;
}

/* Each load is from a line that nobody has asked for, and needs the one before. */
APART void chase(long steps)
{
	long next = 0;

	for (; steps > 0; steps--) {
		next = (long)(memory += STEP) + *memory;
		memory = (char *)next;
	}
}

APART void thrice(void)
{
	for (int i = 0; i < 30; i++)
		slow();
	chase(3000);
	sum++;
}

APART void once(void)
{
	for (int i = 0; i < 10; i++)
		slow();
	chase(1000);
	sum++;
}

APART void callers(void)
{
	memory = malloc(5000L * STEP);
	thrice();
	once();
}

APART void deep(int left)
{
	if (left)
		deep(left - 1);
	else
		slow();
	sum++;
}

APART int tree(int left)
{
	slow();
	return left ? tree(left - 1) + tree(left - 1) : 1;
}

APART void behind(void)
{
	slow();
	sum++;
}

/* A jump takes the frame's place. */
APART void tail(void)
{
	sum++;
	behind();
}

APART void thrower(void)
{
	slow();
	longjmp(back, 1);
}

APART void catcher(void)
{
	if (!setjmp(back))
		thrower();
	slow();
	sum++;
}

APART void handler(int number)
{
	(void)number;
	slow();
	sum++;
}

APART void leaver(int number)
{
	(void)number;
	slow();
	siglongjmp(back_from_handler, 1);
}

APART void interrupted(void (*then)(int), int flags)
{
	struct sigaction action = { .sa_handler = then, .sa_flags = flags };
	stack_t other = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (!sigsetjmp(back_from_handler, 1))
		raise(SIGUSR1);
	slow();
	sum++;
}

APART void *thread(void *nothing)
{
	slow();
	return nothing;
}

APART void threads(void)
{
	for (int i = 0; i < 300; i++) {
		pthread_t one;

		pthread_create(&one, NULL, thread, NULL);
		pthread_join(one, NULL);
	}
}

static inline __attribute__((always_inline)) void inlined(void)
{
	slow(); /* the line of the inlined call */
	sum++;
}

APART void around(void)
{
	inlined();
	sum++;
}

APART void library(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY);
	void (*calls)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(handle, "from_library");

	calls(slow);
	dlclose(handle);
	slow();
}

APART void child(void)
{
	slow();
	sum++;
}

APART void forks(void)
{
	pid_t pid = fork();

	if (!pid) {
		child();
		exit(0);
	}
	waitpid(pid, NULL, 0);
	slow();
}

APART void other(void)
{
	for (int i = 0; i < 5; i++) {
		slow();
		swapcontext(&there, &here);
	}
}

APART void coroutines(void)
{
	getcontext(&there);
	there.uc_stack = (stack_t){ .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	there.uc_link = &here;
	makecontext(&there, other, 0);
	for (int i = 0; i < 5; i++)
		swapcontext(&here, &there);
	slow();
	sum++;
}

int main(int count, char **words)
{
	const char *word = count > 1 ? words[1] : "";

	if (!strcmp(word, "callers"))
		callers();
	else if (!strcmp(word, "deep"))
		deep(atoi(words[2]));
	else if (!strcmp(word, "tree"))
		tree(atoi(words[2]));
	else if (!strcmp(word, "tail"))
		tail();
	else if (!strcmp(word, "longjmp"))
		catcher();
	else if (!strcmp(word, "signal"))
		interrupted(handler, 0);
	else if (!strcmp(word, "siglongjmp"))
		interrupted(leaver, SA_ONSTACK);
	else if (!strcmp(word, "threads"))
		threads();
	else if (!strcmp(word, "inline"))
		around();
	else if (!strcmp(word, "library"))
		library(words[2]);
	else if (!strcmp(word, "fork"))
		forks();
	else if (!strcmp(word, "coroutines"))
		coroutines();
	slow();
	return printf("%d\n", sum > 0) < 0;
}
