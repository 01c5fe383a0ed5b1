/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_test.c - the points of a series beside the values that they stand for, which the test keeps. */
#include "rows.h"

#include "analyse/evaluate/timeline.h"

enum { NODES = 3, MOST = 5000 };

static const struct metric metrics[NODES] = {
	{ .name = "tma_retiring", .title = "Retiring", .unit = "%", .level = 1 },
	{ .name = "tma_backend_bound", .title = "Backend_Bound", .unit = "%", .level = 1 },
	{ .name = "tma_memory_bound", .title = "Memory_Bound", .unit = "%", .level = 2 },
};
static const struct metric event = { .name = "cpu-migrations", .unit = "" };

/* Numbers of a fixed sequence; every seventh is unknown. */
static double value_of(size_t interval, size_t node)
{
	size_t mixed = (interval * 2654435761u + node * 40503u) % 1009;

	return mixed % 7 == 3 ? NOT_COUNTED : (double)mixed / 10;
}

/* Its nodes' names live no longer than the interval. */
static void add(struct timeline *timeline, size_t interval, const char *const *parts, size_t count)
{
	struct report reports[16] = { { .nnodes = 0 } };
	struct result nodes[NODES], events[1];
	struct metric passing[NODES], passing_event = event;
	char names[NODES][32];

	for (size_t i = 0; i < NODES; i++) {
		passing[i] = metrics[i];
		snprintf(names[i], sizeof(names[i]), "%s", metrics[i].name);
		passing[i].name = names[i];
		nodes[i] = (struct result){ .metric = &passing[i], .value = value_of(interval, i) };
	}
	events[0] = (struct result){ .metric = &passing_event, .value = (double)interval };
	for (size_t i = 0; i < count; i++)
		reports[i] = (struct report){ .summary = { .part = parts[i],
							   .ipc = value_of(interval, 50),
							   .ghz = NOT_COUNTED,
							   .cpus_used = 1 },
					      .nodes = nodes,
					      .nnodes = NODES,
					      .events = events,
					      .nevents = 1 };
	timeline_add(timeline, &(struct report_set){ .parts = reports,
						     .count = count,
						     .from_s = (double)interval / 8,
						     .to_s = (double)(interval + 1) / 8 });
	memset(names, 'x', sizeof(names));
}

static const struct timeline_row *find(const struct timeline_part *part, const char *name)
{
	for (size_t i = 0; i < part->nrows; i++)
		if (!strcmp(part->rows[i].name, name))
			return &part->rows[i];
	return NULL;
}

/* What the intervals of a point come to. */
static struct timeline_value wanted(const struct timeline *timeline, size_t point, size_t node)
{
	struct timeline_value all = { .least = INFINITY, .greatest = -INFINITY };

	for (size_t i = point * timeline->each; i < (point + 1) * timeline->each && i < timeline->nintervals; i++) {
		double value = value_of(i, node);

		if (isnan(value))
			continue;
		all.sum += value;
		all.count++;
		all.least = fmin(all.least, value);
		all.greatest = fmax(all.greatest, value);
	}
	return all;
}

static void check_row(struct rows *rows, const struct timeline *timeline, const struct timeline_row *row, size_t node)
{
	for (size_t i = 0; i < timeline->npoints; i++) {
		struct timeline_value value = wanted(timeline, i, node);
		double none = NOT_COUNTED;

		row_expect_number(rows, row->name, timeline_mean(row, i), value.count ? value.sum / value.count : none);
		row_expect_number(rows, row->name, timeline_least(row, i), value.count ? value.least : none);
		row_expect_number(rows, row->name, timeline_greatest(row, i), value.count ? value.greatest : none);
	}
}

static void test_points(void **state UNUSED)
{
	static const size_t counts[] = { 1, 2, 599, 600, 601, 1199, 1200, 1201, 2399, MOST };
	static const char *const parts[] = { NULL };
	struct rows rows = { 0 };

	for (size_t c = 0; c < COUNT_OF(counts); c++) {
		struct timeline *timeline;
		struct arena arena;
		size_t each = 1;

		arena_init(&arena);
		timeline = timeline_new(&arena);
		for (size_t i = 0; i < counts[c]; i++)
			add(timeline, i, parts, 1);
		while (each * TIMELINE_POINTS < counts[c])
			each *= 2;
		row_expect_number(&rows, "each", (double)timeline->each, (double)each);
		row_expect_number(&rows, "points", (double)timeline->npoints, (double)((counts[c] + each - 1) / each));
		for (size_t i = 0; i < timeline->npoints; i++)
			row_expect_number(&rows, "from", timeline->from_s[i], (double)(i * each) / 8);
		row_expect_number(&rows, "to", timeline->to_s[timeline->npoints - 1], (double)counts[c] / 8);
		for (size_t i = 0; i < NODES; i++)
			check_row(&rows, timeline, find(&timeline->parts[0], metrics[i].name), i);
		check_row(&rows, timeline, find(&timeline->parts[0], "ipc"), 50);
		row_expect(&rows, "ghz", isnan(timeline_mean(find(&timeline->parts[0], "ghz"), 0)), "a made-up clock");
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* A thread that comes late, goes and comes back has nothing where it was not there. */
static void test_parts(void **state UNUSED)
{
	static const char *const both[] = { "1 first", "2 second" }, *const first[] = { "1 first" };
	struct rows rows = { 0 };
	struct timeline *timeline;
	struct arena arena;

	arena_init(&arena);
	timeline = timeline_new(&arena);
	for (size_t i = 0; i < 1000; i++)
		add(timeline, i, i >= 500 && i < 800 ? both : first, i >= 500 && i < 800 ? 2 : 1);
	row_expect_number(&rows, "parts", (double)timeline->nparts, 2);
	row_expect_text(&rows, "name", timeline->parts[1].name, "2 second");
	for (size_t i = 0; i < timeline->npoints; i++) {
		bool is_there = i >= 250 && i < 400;
		double ipc = timeline_mean(find(&timeline->parts[1], "cpus_used"), i);

		row_expect(&rows, "second", is_there ? ipc > 0 : isnan(ipc), "there, or not there, at the wrong time");
	}
	check_row(&rows, timeline, find(&timeline->parts[0], "tma_memory_bound"), 2);
	row_expect(&rows, "event", timeline_greatest(find(&timeline->parts[0], "cpu-migrations"), 499) > 998,
		   "the last interval's events");
	row_expect_text(&rows, "title", find(&timeline->parts[0], "cpu-migrations")->title, "cpu-migrations");
	arena_release(&arena);
	rows_end(&rows);
}

/* Of many parts, the later ones keep level 1. */
static void test_many(void **state UNUSED)
{
	const char *names[12] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11" };
	struct rows rows = { 0 };
	struct timeline *timeline;
	struct arena arena;

	arena_init(&arena);
	timeline = timeline_new(&arena);
	add(timeline, 0, names, 12);
	for (size_t i = 0; i < 12; i++) {
		bool is_cut = i >= TIMELINE_WHOLE;

		row_expect(&rows, names[i], timeline->parts[i].is_cut == is_cut, "cut");
		row_expect(&rows, names[i], !find(&timeline->parts[i], "tma_memory_bound") == is_cut, "level 2");
		row_expect(&rows, names[i], find(&timeline->parts[i], "tma_retiring") != NULL, "level 1");
		row_expect(&rows, names[i], find(&timeline->parts[i], "cpu-migrations") != NULL, "an event");
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
