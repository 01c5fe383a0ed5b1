/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asks.c - asks its machine and the moment all that a pinned program gets from topdown. One answer a line. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Until a moment of the clock. */
static void wait_for_nothing(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	double begun;

	begun = now();
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 300000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	printf("waited %.1f\n", now() - begun);
}

static void *sleep_often(void *none)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	for (int i = 0; i < 10; i++)
		nanosleep(&moment, NULL);
	return none;
}

/* Another thread makes system calls meanwhile. */
static void wait_beside(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, sleep_often, NULL) != 0)
		return;
	wait_for_nothing();
	pthread_join(other, NULL);
}

static void ask_time(void)
{
	time_t moment = time(NULL);
	struct timespec sleep = { .tv_nsec = 200000000 };
	double begun = now();

	printf("year %d\n", 1900 + gmtime(&moment)->tm_year);
	nanosleep(&sleep, NULL);
	printf("slept %.1f\n", now() - begun);
	wait_for_nothing();
}

static void ask_machine(void)
{
	unsigned a, b, c, d, features;
	struct sysinfo info;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	sysinfo(&info);
	printf("cpus %d\nmemory %lu\n", CPU_COUNT(&cpus), info.totalram * info.mem_unit >> 30);
	__cpuid_count(7, 0, a, features, c, d);
	__cpuid(1, a, b, c, d);
	printf("avx2 %u\navx512f %u\nrdrand %u\n", features >> 5 & 1, features >> 16 & 1, c >> 30 & 1);
}

static void ask_chance(void)
{
	const unsigned *start = (const unsigned *)getauxval(AT_RANDOM);
	unsigned asked = 0, read_from = 0;
	int device = open("/dev/urandom", O_RDONLY);

	if (getrandom(&asked, sizeof(asked), 0) < 0 || read(device, &read_from, sizeof(read_from)) < 0)
		return;
	close(device);
	printf("random %08x %08x %08x\n", asked, read_from, *start);
}

int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == 'b') {
		wait_beside();
		return 0;
	}
	ask_time();
	ask_machine();
	ask_chance();
	return 0;
}
