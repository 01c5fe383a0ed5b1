/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acts.c - does what the kernel counts, as often as its words say: "acts touch 5000 sleep 20" and so on. At its end it
 * prints its own getrusage(2) and CPU clock, for a test to compare with.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each page once, each by itself: huge pages would be one fault for 512. */
static void touch(long pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), length = size * (size_t)pages;
	char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(2);
	madvise(memory, length, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < length; at += size)
		memory[at] = 1;
	munmap(memory, length);
}

static void sleep_often(long times)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (long i = 0; i < times; i++)
		nanosleep(&pause, NULL);
}

static void rest(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* To and fro between the first two CPUs that it may use. */
static void migrate(long times)
{
	cpu_set_t allowed, one;
	int cpus[2], found = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[found++] = cpu;
	if (found < 2)
		exit(77);
	for (long i = 0; i < times; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpus[i % 2], &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

static double cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void spin(long ms)
{
	double end = cpu_now() + (double)ms / 1000;

	while (cpu_now() < end)
		;
}

/* As many thousand steps, all in user space, whatever the clock says: 20,000 take some 30 ms. */
static void work(long thousands)
{
	static volatile uint64_t sink;
	uint64_t value = (uint64_t)thousands;

	for (long i = 0; i < 1000 * thousands; i++)
		value = value * 6364136223846793005u + 1;
	sink = value;
}

/* Past the page cache's delay: the bytes go to storage when they are put into the cache. */
static void write_file(long bytes)
{
	char name[] = "acts-XXXXXX", *data = calloc(1, (size_t)bytes);
	int fd = mkstemp(name);

	if (fd < 0 || !data || write(fd, data, (size_t)bytes) != bytes || fsync(fd) < 0)
		exit(2);
	close(fd);
	unlink(name);
	free(data);
}

/* A file whose pages are in storage only. */
static int make_cold(long bytes, char *name)
{
	char *data = calloc(1, (size_t)bytes);
	int fd = mkstemp(name);

	if (fd < 0 || !data || write(fd, data, (size_t)bytes) != bytes || fsync(fd) < 0 ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		exit(2);
	free(data);
	unlink(name);
	return fd;
}

static void read_file(long bytes)
{
	char name[] = "acts-XXXXXX", *data = malloc((size_t)bytes);
	int fd = make_cold(bytes, name);

	if (!data || pread(fd, data, (size_t)bytes, 0) != bytes)
		exit(2);
	free(data);
	close(fd);
}

/* Each page of a file waits for storage by itself: nothing is read ahead. */
static void fault_file(long pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), length = size * (size_t)pages;
	char name[] = "acts-XXXXXX";
	int fd = make_cold((long)length, name);
	const volatile char *memory = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED || madvise((void *)(uintptr_t)memory, length, MADV_RANDOM) < 0)
		exit(2);
	for (size_t at = 0; at < length; at += size)
		(void)memory[at];
	munmap((void *)(uintptr_t)memory, length);
	close(fd);
}

/* In a thread that has ended before the others are counted. */
static void *touch_in_thread(void *pages)
{
	touch(*(const long *)pages);
	return NULL;
}

static void run_thread(long pages)
{
	pthread_t thread;

	pthread_create(&thread, NULL, touch_in_thread, &pages);
	pthread_join(thread, NULL);
}

static void run_child(long pages)
{
	pid_t child = fork();

	if (child == 0) {
		touch(pages);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static const struct act {
	const char *name;
	void (*act)(long often);
} acts[] = {
	{ "touch", touch },    { "sleep", sleep_often }, { "migrate", migrate },   { "rest", rest },
	{ "spin", spin },      { "write", write_file },	 { "thread", run_thread }, { "child", run_child },
	{ "read", read_file }, { "major", fault_file },	 { "work", work },
};

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void report(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("{\"user_s\":%.6f,\"system_s\":%.6f,\"minor_faults\":%ld,\"major_faults\":%ld,\"voluntary\":%ld,"
	       "\"involuntary\":%ld,\"task_clock_s\":%.9f}\n",
	       seconds(own.ru_utime) + seconds(children.ru_utime), seconds(own.ru_stime) + seconds(children.ru_stime),
	       own.ru_minflt + children.ru_minflt, own.ru_majflt + children.ru_majflt, own.ru_nvcsw + children.ru_nvcsw,
	       own.ru_nivcsw + children.ru_nivcsw, cpu_now());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		for (size_t k = 0; k < sizeof(acts) / sizeof(acts[0]); k++)
			if (!strcmp(argv[i], acts[k].name))
				acts[k].act(strtol(argv[i + 1], NULL, 10));
	report();
	return 0;
}
