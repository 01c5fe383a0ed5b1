/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved_intervals.c INTERVALS EVENTS FILE - what it costs to keep a long series: in ns a count to take it, in s to write the session
 * and to read it, the file's MiB, MiB of memory at most, and the intervals that each one kept is the sum of.
 */
#include "bench.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/measurement/interval_series.h"
#include "store/session/session.h"

#define GROUP 8 /* events of a group */

/* Counts like those of a second of a core at 3 GHz, of groups that share the counters. */
static void fill(struct repeat *repeat, size_t number)
{
	for (size_t i = 0; i < repeat->count; i++) {
		struct count *item = &repeat->items[i];
		uint64_t random = (number * 2654435761u + i * 40503u) % 1000003;

		item->raw = (3000000000u >> (i % 16)) / 37 + random;
		item->enabled_ns = 1000000000 + random % 1000;
		item->running_ns = item->enabled_ns / 37 + i / GROUP;
		item->enabled_ns = repeat->items[i / GROUP * GROUP].enabled_ns;
		item->running_ns = repeat->items[i / GROUP * GROUP].running_ns;
		item->value = (double)item->raw * ((double)item->enabled_ns / (double)item->running_ns);
	}
}

static void make(struct measurement *interval, size_t events, struct arena *arena)
{
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));

	*interval = (struct measurement){ .parts = arena_alloc(arena, sizeof(*interval->parts)), .count = 1 };
	interval->parts[0] = (struct counts){ .repeats = repeat, .nrepeats = 1, .origin = { .cpu = "none" } };
	repeat->runs = arena_alloc(arena, sizeof(*repeat->runs));
	repeat->nruns = 1;
	repeat->planned_runs = 1;
	repeat->items = arena_array(arena, events, sizeof(*repeat->items));
	repeat->count = events;
	repeat->ngroups = (events + GROUP - 1) / GROUP;
	for (size_t i = 0; i < events; i++)
		repeat->items[i] =
			(struct count){ .event = arena_printf(arena, "SOME_EVENT.UMASK_%zu", i), .group = i / GROUP };
}

int main(int argc, char **argv)
{
	size_t intervals = argc == 4 ? strtoul(argv[1], NULL, 10) : 0,
	       events = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	double begin, taken = 0, written, read;
	struct measurement interval, copy;
	struct interval_series *series;
	struct error err = { .text = "" };
	struct rusage usage;
	struct stat file;
	struct arena arena;

	if (!intervals || !events)
		return 2;
	arena_init(&arena);
	make(&interval, events, &arena);
	series = interval_series_new(&arena, SERIES_MOST_BYTES);
	for (size_t i = 0; i < intervals; i++) {
		fill(&interval.parts[0].repeats[0], i);
		interval.from_s = (double)i;
		interval.to_s = (double)(i + 1);
		interval.parts[0].repeats[0].runs[0] = (struct count_run){ .wall_s = 1, .cpu_s = 0.99 };
		begin = bench_now();
		interval_series_add(series, &interval);
		taken += bench_now() - begin;
	}
	interval.series = series;
	interval.from_s = interval.to_s = NAN;
	begin = bench_now();
	if (session_save(argv[3], &interval, &err) < 0)
		return 1;
	written = bench_now() - begin;
	begin = bench_now();
	if (session_read(&copy, argv[3], &arena, &err) < 0 || stat(argv[3], &file) < 0 ||
	    getrusage(RUSAGE_SELF, &usage) < 0)
		return 1;
	read = bench_now() - begin;
	printf("%g %g %g %g %g %zu\n", taken / (double)(intervals * events) * 1e9, written, read,
	       (double)file.st_size / (1 << 20), (double)usage.ru_maxrss / 1024, copy.series->each);
	interval_series_release(series);
	arena_release(&arena);
	return 0;
}
