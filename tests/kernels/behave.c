/* SPDX-License-Identifier: GPL-2.0-or-later */
/* behave.c - behave WHAT [ROUNDS]: does one of the things that are hard on who runs a program for another, after so many rounds of work. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"

#define ROUNDS 200000

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

static __attribute__((noinline)) void *spin(void *sum)
{
	for (uint64_t i = 0; i < ROUNDS; i++) {
		*(uint64_t *)sum += i;
		__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

/* Four threads, each with the same work. */
static int threads(void)
{
	pthread_t ids[4];
	uint64_t sums[4] = { 0 };

	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&ids[i], NULL, spin, &sums[i]) != 0)
			return 1;
	for (size_t i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	return printf("%llu\n", (unsigned long long)(sums[0] + sums[1] + sums[2] + sums[3])) < 0;
}

/* As much work as its number says, under a name of its own. */
static void *work_named(void *number)
{
	uint64_t sum = 0, rounds = *(const uint64_t *)number;
	char name[16];

	snprintf(name, sizeof(name), "worker %llu", (unsigned long long)rounds);
	pthread_setname_np(pthread_self(), name);
	for (uint64_t i = 0; i < rounds; i++)
		spin(&sum);
	return NULL;
}

/* One after another, so that each may get what the system had for the one before. */
static int names(void)
{
	for (uint64_t i = 1; i <= 3; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, work_named, &i) != 0)
			return 1;
		pthread_join(id, NULL);
	}
	return 0;
}

#define CROWD 520 /* more than Valgrind allows for by itself */

static pthread_barrier_t all_there;

static void *stand(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&all_there);
	return NULL;
}

/* Many threads at once. */
static int crowd(void)
{
	static pthread_t ids[CROWD];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all_there, NULL, CROWD + 1);
	for (size_t i = 0; i < CROWD; i++)
		if (pthread_create(&ids[i], &small, stand, NULL) != 0)
			return 1;
	pthread_barrier_wait(&all_there);
	for (size_t i = 0; i < CROWD; i++)
		pthread_join(ids[i], NULL);
	return printf("%d threads\n", CROWD) < 0;
}

#define TURNS 20

struct player {
	int in, out;
	uint64_t spins; /* at each turn */
};

/* Waits for its turn, works, and lets the other one. */
static void *play(void *argument)
{
	const struct player *player = argument;
	uint64_t sum = 0;
	char ball;

	for (int turn = 0; turn < TURNS && read(player->in, &ball, 1) == 1; turn++) {
		for (uint64_t i = 0; i < player->spins; i++)
			spin(&sum);
		if (write(player->out, &ball, 1) != 1)
			break;
	}
	return NULL;
}

/* Two threads that alternate, of which the second does twice as much. */
static int turns(void)
{
	int there[2], back[2];
	pthread_t ids[2];

	if (pipe(there) < 0 || pipe(back) < 0 || write(there[1], "o", 1) != 1)
		return 1;
	struct player players[2] = { { there[0], back[1], 1 }, { back[0], there[1], 2 } };

	for (size_t i = 0; i < 2; i++)
		if (pthread_create(&ids[i], NULL, play, &players[i]) != 0)
			return 1;
	for (size_t i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

/* A child that does the work and ends with 3. */
static int forks(void)
{
	uint64_t sum = 0;
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		spin(&sum);
		_exit(3);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return printf("child %d\n", WEXITSTATUS(status)) < 0;
}

static int signals(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return printf("caught %d\n", (int)caught) < 0;
}

/* Until a signal is caught, and then the end. */
static int waits(void)
{
	signal(SIGTERM, on_signal);
	puts("ready");
	fflush(stdout);
	while (!caught)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return printf("caught %d\n", (int)caught) < 0;
}

static int loads(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double) = library ? (double (*)(double))(uintptr_t)dlsym(library, "cos") : NULL;

	return !cosine || printf("%g\n", cosine(0)) < 0;
}

/* The same library is gone at the end. */
static int unloads(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*root)(double) = library ? (double (*)(double))(uintptr_t)dlsym(library, "cbrt") : NULL;
	double sum = 0;

	for (int i = 0; root && i < 1000; i++)
		sum += root(i);
	if (!root || dlclose(library) != 0)
		return 1;
	return printf("%.0f\n", sum) < 0;
}

/* vpaddd zmm0, zmm0, zmm0 */
static int avx512(void)
{
#if defined(__x86_64__)
	__asm__ volatile(".byte 0x62, 0xf1, 0x7d, 0x48, 0xfe, 0xc0");
#endif
	return 0;
}

static int fails(void)
{
	return 7;
}

static int dies(void)
{
	raise(SIGSEGV);
	return 0;
}

/* From outside; what the child counts is not all. */
static int killed(void)
{
	if (fork() == 0) {
		kill(getppid(), SIGKILL);
		_exit(0);
	}
	for (;;)
		pause();
}

#define FAULTS 100

static sigjmp_buf before_fault;

static void on_fault(int number)
{
	siglongjmp(before_fault, number);
}

static volatile uint64_t somewhere[8], *volatile nowhere;

/* Loads from nowhere, in the middle of what would be one block. */
static __attribute__((noinline)) uint64_t fall(void)
{
	return *nowhere;
}

static __attribute__((noinline)) uint64_t fall_before_loads(void)
{
	uint64_t sum = *nowhere;

	sum += somewhere[0] + somewhere[1] + somewhere[2] + somewhere[3];
	return sum + somewhere[4] + somewhere[5] + somewhere[6] + somewhere[7];
}

/* Out of each fault the program jumps back. */
static int falls(uint64_t (*next)(void))
{
	volatile int faults = 0;

	signal(SIGSEGV, on_fault);
	if (sigsetjmp(before_fault, 1) != 0)
		faults++;
	if (faults < FAULTS)
		next();
	return printf("%d faults\n", faults) < 0;
}

static int jumps(void)
{
	return falls(fall);
}

static int more_jumps(void)
{
	return falls(fall_before_loads);
}

/* What no Valgrind knows, and no kernel has; each knows more than the one before. */
static int calls_unknown(void)
{
	syscall(1000, 0);
	return 0;
}

static int asks_kernel(void)
{
	return socket(AF_NETLINK, SOCK_RAW, 0) < 0;
}

static int asks_nobody(void)
{
	int on = 1, ends = socket(AF_INET, SOCK_STREAM, 0);

	return ends < 0 || setsockopt(ends, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0;
}

/* With what it was given as descriptor 3: first what changes nothing. */
static int seeks(void)
{
	return lseek(3, 0, SEEK_CUR) < 0 || fcntl(3, F_GETFL) < 0 || lseek(3, 2, SEEK_SET) < 0;
}

static int sets_flags(void)
{
	return fcntl(3, F_SETFD, FD_CLOEXEC) < 0 || fcntl(3, F_SETFL, O_NONBLOCK) < 0;
}

static int locks(void)
{
	return flock(3, LOCK_SH) < 0;
}

/* Its stdin, of which only reading is usual. */
static int writes_stdin(void)
{
	return lseek(0, 0, SEEK_SET) < 0 || fcntl(0, F_SETFL, O_NONBLOCK) < 0 || write(0, "x", 1) != 1;
}

static int moves_stdin(void)
{
	return lseek(0, 1, SEEK_SET) < 0 || fcntl(0, F_SETFL, O_NONBLOCK) < 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} rows[] = {
		{ "threads", threads },
		{ "fork", forks },
		{ "signal", signals },
		{ "wait", waits },
		{ "dlopen", loads },
		{ "avx512", avx512 },
		{ "status-7", fails },
		{ "crash", dies },
		{ "kill", killed },
		{ "dlclose", unloads },
		{ "names", names },
		{ "turns", turns },
		{ "long jumps", jumps },
		{ "more jumps", more_jumps },
		{ "crowd", crowd },
		{ "unknown", calls_unknown },
		{ "netlink", asks_kernel },
		{ "socket", asks_nobody },
		{ "seek", seeks },
		{ "flags", sets_flags },
		{ "lock", locks },
		{ "write stdin", writes_stdin },
		{ "move stdin", moves_stdin },
	};

	for (unsigned long left = argc == 3 ? strtoul(argv[2], NULL, 10) : 0; left; left--)
		__asm__ volatile("" ::: "memory");
	for (size_t i = 0; argc >= 2 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, argv[1]))
			return rows[i].run();
	fprintf(stderr, "behave: which of the things in the source?\n");
	return 2;
}
