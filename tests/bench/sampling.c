/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.c none|fp|auto SECONDS - what it costs to sample a program by its time at 997 Hz: prints the samples, those
 * that were lost, the CPU seconds of the sampling process, bytes of memory for a sample, and the wall seconds from the
 * call to the end of a program that does nothing.
 * sampling.c burn SECONDS - that program: 30 calls deep, it runs for so long.
 */
#include "bench.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/count/count.h"
#include "collect/sample/sample.h"

#define DEPTH	  30
#define STARTS	  7
#define CHUNK	  100000
#define MOST_CPUS 1024

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double own_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static __attribute__((noinline)) unsigned long burn(unsigned depth, double end)
{
	volatile unsigned long sum = depth;

	if (depth)
		return burn(depth - 1, end) + sum;
	while (cpu_seconds() < end)
		for (unsigned long i = 0; i < CHUNK; i++)
			sum += i;
	return sum;
}

/* A measurement that has nothing but samples. */
struct bench {
	struct arena arena;
	struct machine_cpu cpus[MOST_CPUS];
	struct machine machine;
	struct profile profile;
	struct sampler *sampler;
	struct sampler_observer place;
};

static int sample(struct bench *bench, enum sample_stacks stacks, char *const *argv)
{
	static const struct sample_event event = { .name = "cpu-clock", .source = SAMPLE_CPU_CLOCK, .frequency = 997 };
	static const struct plan nothing;
	static const struct counts template;
	const struct count_type type = { .plan = &nothing, .template = &template };
	struct count_request request = { .types = &type, .ntypes = 1, .machine = &bench->machine };
	struct sample_request wanted = { .events = &event, .nevents = 1, .stacks = stacks, .machine = &bench->machine };
	struct measurement measured;
	struct observer *const observers[] = { &bench->place.observer, NULL };
	struct error err = { .status = 0 };
	int status;

	arena_init(&bench->arena);
	profile_init(&bench->profile, &bench->arena);
	bench->machine.online_cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	bench->machine.cpus = bench->cpus;
	for (unsigned i = 0; i < bench->machine.online_cpus && i < MOST_CPUS; i++)
		bench->cpus[i] = (struct machine_cpu){ .number = i };
	bench->sampler = sampler_new(&bench->profile, &wanted);
	request.program = (struct program){ .argv = argv, .path = argv[0] };
	sampler_observer_init(&bench->place);
	bench->place.sampler = bench->sampler;
	bench->place.observer.runs = sampler_runs(bench->sampler);
	request.observers = observers;
	status = count_measure(&measured, &request, &bench->arena, &err);
	if (sampler_finish(bench->sampler, &err) < 0 || status < 0)
		fprintf(stderr, "%s\n", err.text);
	return status;
}

static double start_seconds(enum sample_stacks stacks)
{
	static struct bench bench;
	char program[] = "/bin/true";
	char *argv[] = { program, NULL };
	double times[STARTS];

	for (size_t i = 0; i < STARTS; i++) {
		double began = bench_now();

		if (sample(&bench, stacks, argv) < 0)
			exit(77);
		times[i] = bench_now() - began;
		arena_release(&bench.arena);
	}
	qsort(times, STARTS, sizeof(*times), bench_compare);
	return times[STARTS / 2];
}

static int measure(enum sample_stacks stacks, char *seconds)
{
	static struct bench bench;
	char self[] = "/proc/self/exe", word[] = "burn";
	char *argv[] = { self, word, seconds, NULL };
	double start = start_seconds(stacks), before = own_seconds();
	size_t bytes = mallinfo2().uordblks;

	if (sample(&bench, stacks, argv) < 0)
		return 77;
	bytes = mallinfo2().uordblks - bytes;
	printf("%llu %llu %g %g %g\n", (unsigned long long)bench.profile.events[0].samples,
	       (unsigned long long)bench.profile.events[0].lost, own_seconds() - before,
	       (double)bytes / (double)bench.profile.events[0].samples, start);
	arena_release(&bench.arena);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "burn"))
		return burn(DEPTH, cpu_seconds() + strtod(argv[2], NULL)) == 1;
	if (!strcmp(argv[1], "none"))
		return measure(SAMPLE_STACKS_NONE, argv[2]);
	return measure(!strcmp(argv[1], "fp") ? SAMPLE_STACKS_FP : SAMPLE_STACKS_AUTO, argv[2]);
}
