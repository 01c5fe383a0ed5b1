/* SPDX-License-Identifier: GPL-2.0-or-later */
/* skipped.c - programs most of which is skipped in a sample: each prints what it worked out. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../include/topdown.h"

#define NOINLINE __attribute__((noinline, noclone))

static volatile uint64_t sink = 1;

NOINLINE static uint64_t divide(uint64_t rounds)
{
	uint64_t x = UINT64_MAX;

	for (uint64_t i = 0; i < rounds; i++)
		x = x / (sink + 2) + (i << 40);
	return x;
}

NOINLINE static uint64_t add(uint64_t rounds)
{
	uint64_t x = sink;

	for (uint64_t i = 0; i < rounds; i++)
		x = x * 3 + i;
	return x;
}

NOINLINE static uint64_t often(void)
{
	uint64_t x = divide(30);

	sink = 1;
	return x + 1;
}

NOINLINE static uint64_t seldom(void)
{
	uint64_t x = divide(10);

	sink = 1;
	return x + 2;
}

NOINLINE static uint64_t work(uint64_t rounds)
{
	uint64_t x = 0;

	for (uint64_t i = 0; i < rounds; i++)
		x += often() ^ seldom() ^ add(20);
	return x;
}

/* ---- repeated string instructions, of any length ---- */

#if defined(__x86_64__)
static uint64_t strings(uint64_t rounds)
{
	static unsigned char from[256], to[256];
	uint64_t x = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		const void *source = from;
		void *target = to;
		size_t count = i * 37 % 97;
		unsigned char differs;

		__asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
		to[i % 97] = 7;
		source = from, target = to, count = 90;
		__asm__ volatile("repe cmpsb; setne %0"
				 : "=q"(differs), "+S"(source), "+D"(target), "+c"(count)
				 :
				 : "memory", "cc");
		x += count * 2 + differs;
		to[i % 97] = 0;
	}
	return x;
}
#else
static uint64_t strings(uint64_t rounds)
{
	return add(rounds);
}
#endif

/* ---- signals ---- */

static volatile uint64_t wrong, caught;
static sigjmp_buf back;

static uint64_t place_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
	return context->uc_mcontext.pc;
#endif
}

/* User addresses have 47 bits, or 48. */
static void look(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	caught = caught + 1;
	wrong = wrong + (place_of(context) >> 48 != 0);
}

static void leave(int number, siginfo_t *info, void *context)
{
	look(number, info, context);
	siglongjmp(back, 1);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(number, &action, NULL);
}

/* The first instruction of a block faults. */
NOINLINE static int load(const int *from)
{
	return *(const volatile int *)from;
}

static uint64_t signals(uint64_t rounds)
{
	const struct itimerval each = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	volatile uint64_t x = 0, i;

	handle(SIGUSR1, look);
	handle(SIGALRM, look);
	handle(SIGSEGV, leave);
	setitimer(ITIMER_REAL, &each, NULL);
	for (i = 0; i < rounds; i++) {
		x += add(200);
		if (i % 64 == 0)
			raise(SIGUSR1);
		if (i % 256 == 0 && !sigsetjmp(back, 1))
			x += (uint64_t)load(NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (wrong || caught < rounds / 64 + rounds / 256)
		printf("%llu of %llu signals are in no code\n", (unsigned long long)wrong, (unsigned long long)caught);
	return x;
}

/* ---- code that is written while it runs ---- */

static uint64_t code(uint64_t rounds)
{
#if defined(__x86_64__)
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned (*made)(void);
	uint64_t x = 0;

	memcpy(&made, &page, sizeof(made));
	for (uint64_t i = 0; i < rounds; i++) {
		unsigned number = (unsigned)(i / 1000);

		if (i % 1000 == 0) {
			page[0] = 0xb8; /* mov $number, %eax; ret */
			memcpy(page + 1, &number, sizeof(number));
			page[5] = 0xc3;
		}
		if (made() != number)
			printf("old code runs\n");
		x += number + add(20);
	}
	return x;
#else
	return add(rounds);
#endif
}

/* ---- several of everything ---- */

static void *thread(void *rounds)
{
	return (void *)(uintptr_t)work(*(const uint64_t *)rounds);
}

static uint64_t threads(uint64_t rounds)
{
	pthread_t others[3];
	uint64_t x = 0;

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&others[i], NULL, thread, &rounds);
	x += work(rounds);
	for (unsigned i = 0; i < 3; i++) {
		void *result;

		pthread_join(others[i], &result);
		x += (uintptr_t)result;
	}
	return x;
}

static uint64_t forks(uint64_t rounds)
{
	uint64_t x = work(rounds);
	pid_t child = fork();

	if (!child) {
		printf("child %llu\n", (unsigned long long)work(rounds));
		fflush(stdout);
		_exit(0);
	}
	x += work(rounds / 2);
	waitpid(child, NULL, 0);
	return x;
}

static const char *own;

static uint64_t execs(uint64_t rounds)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)(rounds + work(rounds) % 2));
	execl("/no/such/program", "none", (char *)NULL);
	work(rounds);
	execl(own, "skipped", "work", number, (char *)NULL);
	return 0;
}

static uint64_t regions(uint64_t rounds)
{
	uint64_t x = work(rounds);

	topdown_begin("part");
	x += work(rounds / 4);
	topdown_end();
	return x + work(rounds / 4);
}

/* As deep as the number, then back by a jump or by returns. */
NOINLINE static uint64_t deep(unsigned depth, uint64_t x)
{
	if (!depth) {
		x += often();
		if (x & 1)
			siglongjmp(back, 1);
		return x;
	}
	return deep(depth - 1, x + depth) + 1;
}

static uint64_t jumps(uint64_t rounds)
{
	volatile uint64_t x = 0;

	for (volatile uint64_t i = 0; i < rounds; i++)
		if (!sigsetjmp(back, 0))
			x = x + deep((unsigned)(i % 700), i);
	return x;
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		uint64_t (*run)(uint64_t rounds);
	} all[] = { { "work", work },	{ "strings", strings }, { "signals", signals },
		    { "code", code },	{ "threads", threads }, { "forks", forks },
		    { "execs", execs }, { "regions", regions }, { "jumps", jumps } };

	own = words[0];
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && count == 3; i++)
		if (!strcmp(words[1], all[i].name)) {
			printf("%llu\n", (unsigned long long)all[i].run(strtoull(words[2], NULL, 10)));
			return 0;
		}
	return 2;
}
