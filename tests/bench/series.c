/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.c INTERVALS NODES PARTS PAGE - what a page of a long series costs beyond the evaluation of its intervals: taking their
 * values, in s, drawing the section, in s, and its bytes.
 */
#include "bench.h"

#include "analyse/evaluate/timeline.h"
#include "present/document/draw.h"
#include "present/report/report_page.h"

struct series {
	struct report *reports;
	size_t nreports;
	struct timeline *timeline;
};

static void make(struct series *series, size_t nodes, size_t parts, struct arena *arena)
{
	struct metric *metrics = arena_array(arena, nodes, sizeof(*metrics));

	for (size_t i = 0; i < nodes; i++)
		metrics[i] = (struct metric){ .name = arena_printf(arena, "tma_some_bound_node_%zu", i),
					      .title = arena_printf(arena, "Some_Bound_Node_%zu", i),
					      .unit = "%",
					      .level = i < 4 ? 1 : 3 };
	series->reports = arena_array(arena, parts, sizeof(*series->reports));
	series->nreports = parts;
	for (size_t i = 0; i < parts; i++) {
		struct result *results = arena_array(arena, nodes, sizeof(*results));

		for (size_t k = 0; k < nodes; k++)
			results[k].metric = &metrics[k];
		series->reports[i].nodes = results;
		series->reports[i].nnodes = nodes;
		series->reports[i].summary.part = parts > 1 ? arena_printf(arena, "thread %zu", i) : NULL;
	}
}

/* Numbers that no two intervals share; of level 1 they add up to 100. */
static void fill(struct report *report, size_t interval)
{
	double wave = (double)(interval * 2654435761u % 1000) / 100;

	report->summary.ipc = 1 + wave / 20;
	report->summary.ghz = 3 - wave / 30;
	report->summary.cpus_used = 1;
	for (size_t i = 0; i < report->nnodes; i++)
		report->nodes[i].value = i < 4 ? 25 + (i % 2 ? wave : -wave) : wave * (double)(i % 7);
}

static long draw(const struct series *series, FILE *out, struct arena *arena)
{
	struct style style = { .format = FORMAT_HTML, .has_utf8 = true };
	struct page page = page_init(out, &style, arena);
	struct document doc = { .arena = arena, .style = &style, .width = SIZE_MAX, .is_whole = true };

	report_timeline(&doc, series->timeline);
	draw_html(&page, &doc);
	fflush(out);
	return ftell(out);
}

int main(int argc, char **argv)
{
	size_t count = argc == 5 ? strtoul(argv[1], NULL, 10) : 0;
	struct series series = { .nreports = 0 };
	double begin, taken, drawn, filled = 0;
	struct arena arena;
	FILE *out;
	long size;

	if (!count || !(out = fopen(argv[4], "w")))
		return 2;
	arena_init(&arena);
	make(&series, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), &arena);
	series.timeline = timeline_new(&arena);
	begin = bench_now();
	for (size_t i = 0; i < count; i++) {
		double start = bench_now();

		for (size_t k = 0; k < series.nreports; k++)
			fill(&series.reports[k], i + k);
		filled += bench_now() - start;
		timeline_add(series.timeline, &(struct report_set){ .parts = series.reports,
								    .count = series.nreports,
								    .from_s = (double)i / 100,
								    .to_s = (double)(i + 1) / 100 });
	}
	taken = bench_now() - begin - filled;
	begin = bench_now();
	size = draw(&series, out, &arena);
	drawn = bench_now() - begin;
	fclose(out);
	arena_release(&arena);
	printf("%g %g %ld\n", taken, drawn, size);
	return 0;
}
