/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/abilities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collect/perf/perf.h"
#include "common/base/chain.h"
#include "common/system/loop.h"
#include "cpu/identify/usage.h"

#define SECONDS	   2.0
#define MOST	   4096		 /* timings of each piece */
#define BLOCKS	   16384	 /* of additions: 0.3 ms at 3.5 GHz, shorter than a time slice */
#define LINE	   64		 /* bytes */
#define CHASED	   (4UL << 20)	 /* bytes: more than most L2, less than most L3 */
#define STEPS	   20000	 /* of the chase: 0.2 to 0.6 ms */
#define STREAMED   (128UL << 20) /* bytes: more than what most L3 keep of it */
#define STREAM_ONE (4UL << 20)	 /* of them at a time: 0.2 to 1 ms */

double spread_share(const struct spread_of *spread)
{
	return (spread->high - spread->low) / spread->median;
}

static int steadiness_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct spread_of spread_of(double *values, size_t count)
{
	if (!count)
		return (struct spread_of){ NOT_COUNTED, NOT_COUNTED, NOT_COUNTED, 0 };
	qsort(values, count, sizeof(*values), steadiness_compare);
	return (struct spread_of){ values[count / 2], values[count / 10], values[count - 1 - count / 10], count };
}

/* ---- the pieces of work ---- */

struct workplace {
	double *kernel, *cycles, *clock, *cache, *memory; /* [MOST] */
	size_t count, ncycles;
	size_t *chain;	 /* of the chase: each element the number of the next, a line apart */
	uint64_t *array; /* of the stream */
	size_t at;	 /* in both */
	uint64_t sum;	 /* so that nothing is left out */
	int counter;	 /* of cycles, or -1 */
};

/* One cycle through all lines, in an order that no prefetcher knows (Sattolo's algorithm). */
static void make_chain(struct workplace *w)
{
	size_t lines = CHASED / LINE, step = LINE / sizeof(*w->chain);
	uint64_t chance = 88172645463325252ULL;

	for (size_t i = 0; i < lines; i++)
		w->chain[i * step] = i * step;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t other, kept = w->chain[i * step];

		chance ^= chance << 13;
		chance ^= chance >> 7;
		chance ^= chance << 17;
		other = chance % i;
		w->chain[i * step] = w->chain[other * step];
		w->chain[other * step] = kept;
	}
}

static double chase(struct workplace *w)
{
	double start = clock_now();
	size_t at = w->chain[0];

	for (size_t i = 0; i < STEPS; i++)
		at = w->chain[at];
	w->sum += at;
	return (clock_now() - start) / STEPS;
}

static double stream(struct workplace *w)
{
	size_t words = STREAM_ONE / sizeof(*w->array), all = STREAMED / sizeof(*w->array);
	double start = clock_now();

	for (size_t i = 0; i < words; i++)
		w->sum += w->array[w->at + i];
	w->at = (w->at + words) % all;
	return clock_now() - start;
}

static void run_kernel(struct workplace *w)
{
	uint64_t before = 0, after = 0;
	bool has_cycles = w->counter >= 0 && read(w->counter, &before, sizeof(before)) == (ssize_t)sizeof(before);
	double start = clock_now(), additions = chain_run(BLOCKS), seconds = clock_now() - start;

	w->kernel[w->count] = seconds;
	w->clock[w->count] = additions / seconds;
	if (has_cycles && read(w->counter, &after, sizeof(after)) == (ssize_t)sizeof(after) && after > before)
		w->cycles[w->ncycles++] = (double)(after - before);
}

static int open_cycles(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int fd = perf_open(&attr, 0, -1);

	return fd < 0 ? -1 : fd;
}

/* ---- what happens meanwhile ---- */

struct moment {
	double at, cpu_s, preemptions, throttled, quota;
	struct machine_load load;
};

static void look(struct moment *now)
{
	struct arena arena;
	struct sysfiles files;
	struct rusage usage;
	struct timespec cpu = { 0 };

	arena_init(&arena);
	files = sysfiles_below("", &arena);
	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	now->at = clock_now();
	now->cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9;
	now->preemptions = (double)usage.ru_nivcsw;
	now->quota = cgroup_quota(&now->throttled, &files);
	machine_load_read(&now->load, &files);
	arena_release(&arena);
}

static void compare_moments(struct steadiness *s, const struct moment *before, const struct moment *after)
{
	double seconds = after->at - before->at;

	s->seconds = seconds;
	s->on_cpu = (after->cpu_s - before->cpu_s) / seconds;
	s->preemptions = (after->preemptions - before->preemptions) / seconds;
	s->stolen = (after->load.stolen_s - before->load.stolen_s) / (after->load.all_s - before->load.all_s);
	s->interrupts = (after->load.interrupts - before->load.interrupts) / seconds;
	s->quota = after->quota;
	s->throttled = after->throttled - before->throttled;
}

#define LOOKS 20 /* at the run queue */

/* Fills the workplace's timings; returns the mean number of others that ran or could. */
static double work(struct workplace *w)
{
	double end = clock_now() + SECONDS, next = clock_now(), others = 0;
	unsigned looks = 0;
	struct moment now;

	for (; clock_now() < end && w->count < MOST; w->count++) {
		run_kernel(w);
		w->cache[w->count] = chase(w);
		w->memory[w->count] = stream(w);
		if (clock_now() < next)
			continue;
		look(&now);
		others += now.load.running - 1;
		looks++;
		next += SECONDS / LOOKS;
	}
	return looks ? others / looks : NOT_COUNTED;
}

static double *timings(struct arena *arena)
{
	return arena_array(arena, MOST, sizeof(double));
}

void steadiness_measure(struct steadiness *s, struct arena *arena)
{
	struct workplace w = { .kernel = timings(arena),
			       .cycles = timings(arena),
			       .clock = timings(arena),
			       .cache = timings(arena),
			       .memory = timings(arena),
			       .chain = malloc(CHASED),
			       .array = malloc(STREAMED),
			       .counter = open_cycles() };
	struct moment before, after;

	*s = (struct steadiness){ .running = NOT_COUNTED };
	if (w.chain && w.array) {
		make_chain(&w);
		memset(w.array, 1, STREAMED); /* else all pages are the same one */
		look(&before);
		s->running = work(&w);
		look(&after);
		compare_moments(s, &before, &after);
	}
	s->kernel_s = spread_of(w.kernel, chain_run(1) > 0 ? w.count : 0);
	s->kernel_cycles = spread_of(w.cycles, w.ncycles);
	s->clock_hz = spread_of(w.clock, chain_run(1) > 0 ? w.count : 0);
	s->cache_s = spread_of(w.cache, w.count);
	s->memory_s = spread_of(w.memory, w.sum ? w.count : 0);
	free(w.chain);
	free(w.array);
	if (w.counter >= 0)
		close(w.counter);
}
