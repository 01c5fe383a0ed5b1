/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.c FILE.db RUNS - RUNS runs of a program, with 300 values each with intervals, into a new history. Prints: the
 * middle and the longest time of the last 500 that are added, each with opening and closing as a measurement does it;
 * the middle time of reading a metric's trend with its changes, with opening; bytes a run; and the time in which the
 * changes of 1,000 points are found. Seconds.
 */
#include "bench.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/history/trend.h"

#define VALUES 300
#define ALONE  500
#define ROUNDS 11
#define POINTS 1000

static uint64_t state = 88172645463325252u;

/* xorshift64 */
static double draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static double noise(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += draw();
	return sum - 6;
}

static void check(int result, const struct error *err)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

static char names[VALUES][32], revision[41];
static struct history_value values[VALUES];

/* A step of 3 % each 10,000 runs. */
static struct history_run next_run(int64_t n)
{
	struct history_run run = { .time_ms = 1600000000000 + n * 60000,
				   .program = "prog 6",
				   .command = "./build/prog 6",
				   .machine = "0123456789abcdef",
				   .cpu = "sapphirerapids",
				   .model = "Intel(R) Xeon(R) Platinum 8488C",
				   .microcode = "0x2b000603",
				   .kernel = "6.1.0-28-amd64",
				   .host = "runner",
				   .revision = revision,
				   .branch = "main",
				   .tool = "0.2.0",
				   .values = values,
				   .nvalues = VALUES };

	snprintf(revision, sizeof(revision), "%040llx", (unsigned long long)(n * 2654435761));
	for (size_t i = 0; i < VALUES; i++) {
		double value = 100 * (1 + 0.03 * (double)(n / 10000 % 2)) + noise();

		snprintf(names[i], sizeof(names[i]), "tma_metric_number_%zu", i);
		values[i] = (struct history_value){ names[i], "", value, value - draw(), value + draw(), 5 };
	}
	return run;
}

static void fill(const char *path, int64_t from, int64_t to)
{
	struct error err = { .text = "" };
	struct history *history = history_open(path, &err);

	check(history ? 0 : -1, &err);
	for (int64_t i = from; i < to; i++) {
		struct history_run run = next_run(i);

		check(history_add(history, &run, NULL, 0, &err), &err);
	}
	history_close(history);
}

static void print_adding(const char *path, int64_t from)
{
	static double times[ALONE];

	for (size_t i = 0; i < ALONE; i++) {
		double start = bench_now();

		fill(path, from + (int64_t)i, from + (int64_t)i + 1);
		times[i] = bench_now() - start;
	}
	qsort(times, ALONE, sizeof(*times), bench_compare);
	printf("%g %g ", times[ALONE / 2], times[ALONE - 1]);
}

static size_t read_trend(const char *path)
{
	const struct history_filter filter = { .since_ms = INT64_MIN };
	const struct trend_rule rule = { .least = LEAST_CHANGE };
	struct error err = { .text = "" };
	struct history *history = history_open_to_read(path, &err);
	struct series_list list;
	struct trend trend;
	struct arena arena;

	check(history ? 0 : -1, &err);
	arena_init(&arena);
	check(series_read(&list, history, &filter, &arena, &err), &err);
	trend = (struct trend){ .series = &list.items[0], .values = { .name = "tma_metric_number_150" } };
	check(trend_read(&trend, &rule, history, &arena, &err), &err);
	history_close(history);
	arena_release(&arena);
	return trend.nchanges;
}

static void print_trend(const char *path)
{
	double times[ROUNDS];
	size_t changes = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		double start = bench_now();

		changes = read_trend(path);
		times[i] = bench_now() - start;
	}
	qsort(times, ROUNDS, sizeof(*times), bench_compare);
	printf("%g ", times[ROUNDS / 2]);
	fprintf(stderr, "%zu changes\n", changes);
}

static void find_changes(void *context)
{
	const struct change_rule rule = { .window = CHANGE_WINDOW, .most_p = CHANGE_P, .segment = CHANGE_SEGMENT };
	struct change_point *points;
	struct arena arena;

	arena_init(&arena);
	if (change_points(&points, context, POINTS, &rule, &arena) > POINTS)
		exit(1);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	double points[POINTS];
	int64_t runs = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	struct stat status;

	if (runs < 2 * ALONE)
		return 2;
	fill(argv[1], 0, runs - ALONE);
	print_adding(argv[1], runs - ALONE);
	print_trend(argv[1]);
	if (stat(argv[1], &status) < 0)
		return 1;
	for (size_t i = 0; i < POINTS; i++)
		points[i] = 100 + noise() + (i / 100 % 2 ? 3 : 0);
	printf("%g %g\n", (double)status.st_size / (double)runs, bench_measure(find_changes, points).median);
	return 0;
}
