/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rank_spreads.c - what differs between the ranks of a job. */
#include "analyse/ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluate.h"

static int compare_numbers(const void *first, const void *second)
{
	const double *a = first, *b = second;

	return (*a > *b) - (*a < *b);
}

static double median_of(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_numbers);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct rank_spread rank_spread_of(const double *values, size_t count, struct arena *arena)
{
	struct rank_spread spread = {
		.least = NAN, .median = NAN, .largest = NAN, .mean = NAN, .deviation = NAN, .imbalance = NAN
	};
	double *known = arena_array(arena, count + 1, sizeof(*known)), sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (isnan(values[i]))
			continue;
		if (!spread.n || values[i] < values[spread.least_at])
			spread.least_at = i;
		if (!spread.n || values[i] > values[spread.largest_at])
			spread.largest_at = i;
		known[spread.n++] = values[i];
		sum += values[i];
	}
	if (!spread.n)
		return spread;
	spread.least = values[spread.least_at];
	spread.largest = values[spread.largest_at];
	spread.mean = sum / (double)spread.n;
	spread.median = median_of(known, spread.n);
	for (size_t i = 0; i < spread.n; i++)
		known[i] = fabs(known[i] - spread.median);
	spread.deviation = median_of(known, spread.n);
	if (spread.mean > 0)
		spread.imbalance = spread.largest / spread.mean - 1;
	return spread;
}

bool is_rank_apart(double value, const struct rank_spread *spread, double least)
{
	double distance = fabs(value - spread->median);

	return !isnan(value) && spread->n > 2 && distance > 3 * spread->deviation && distance > least;
}

/* ---- the figures of a part's ranks ---- */

enum { OF_WALL, OF_CPU, OF_WAITED, OF_READY, OF_INSTRUCTIONS, OF_CYCLES, OF_IPC, OF_TOTALS };

#define APART_TOTALS 0.05 /* of the median: times and totals that differ by less are alike, */
#define APART_IPC    0.2  /* and IPC */
#define APART_NODES  5.0  /* percent of slots, or of time */

static void take_item(struct count *item, double value, size_t run)
{
	item->run -= run;
	item->value = value;
	if (isnan(value) && item->state == COUNT_OK) {
		item->state = COUNT_REFUSED;
		item->reason = COUNTED_ELSEWHERE;
	}
}

/* What the rank has counted, as its session has it. */
static struct counts counts_of(const struct counts *part, const struct rank *rank, struct arena *arena)
{
	struct counts own = *part;

	own.repeats = arena_array(arena, part->nrepeats + 1, sizeof(*own.repeats));
	for (size_t i = 0; i < part->nrepeats; i++) {
		struct repeat *repeat = &own.repeats[i];
		const struct count *items = part->repeats[i].items + rank->first;
		const size_t run = part->origin.job.is_spread ? items->run : 0;

		*repeat = part->repeats[i];
		repeat->count = rank->count;
		repeat->items = arena_array(arena, rank->count + 1, sizeof(*repeat->items));
		repeat->runs += run;
		repeat->nruns -= run;
		for (size_t k = 0; k < repeat->count; k++) {
			repeat->items[k] = items[k];
			take_item(&repeat->items[k], rank->values[i][k], run);
		}
	}
	return own;
}

static void take_rank(struct rank_table *table, size_t rank, const struct report *report)
{
	const struct rank *own = &table->ranks[rank];
	const double totals[OF_TOTALS] = {
		[OF_WALL] = own->wall_s,
		[OF_CPU] = own->cpu_s,
		[OF_WAITED] = own->waited,
		[OF_READY] = own->ready,
		[OF_INSTRUCTIONS] = report->summary.instructions,
		[OF_CYCLES] = report->summary.cycles,
		[OF_IPC] = report->summary.ipc,
	};

	for (size_t i = 0; i < table->nfigures; i++)
		table->figures[i].values[rank] = i < OF_TOTALS ? totals[i] : NAN;
	for (size_t i = 0; i < report->nnodes && OF_TOTALS + i < table->nfigures; i++)
		if (report->nodes[i].quality != QUALITY_NONE)
			table->figures[OF_TOTALS + i].values[rank] = report->nodes[i].value;
}

static void begin_figures(struct rank_table *table, const struct report *sum, struct arena *arena)
{
	static const struct {
		const char *name, *unit;
	} totals[OF_TOTALS] = {
		[OF_WALL] = { "Seconds", "s" },
		[OF_CPU] = { "CPU seconds", "s" },
		[OF_WAITED] = { "Waiting", "%" },
		[OF_READY] = { "Ready, no CPU", "%" },
		[OF_INSTRUCTIONS] = { "Instructions", NULL },
		[OF_CYCLES] = { "Cycles", NULL },
		[OF_IPC] = { "IPC", NULL },
	};

	table->nfigures = OF_TOTALS + sum->nnodes;
	table->figures = arena_array(arena, table->nfigures, sizeof(*table->figures));
	for (size_t i = 0; i < table->nfigures; i++) {
		const struct result *node = i < OF_TOTALS ? NULL : &sum->nodes[i - OF_TOTALS];

		table->figures[i] = (struct rank_figure){
			.name = node ? node->metric->title : totals[i].name,
			.unit = node ? "%" : totals[i].unit,
			.node = node ? node->metric : NULL,
			.is_on_path = node && (node->metric->level == 1 || node->is_on_worst_path),
			.values = arena_array(arena, table->count + 1, sizeof(double)),
		};
	}
}

static bool is_share(const struct rank_figure *figure)
{
	return figure->unit && !strcmp(figure->unit, "%");
}

/* What differs by less is alike. */
static double least_distance(const struct rank_table *table, const struct rank_figure *figure)
{
	if (is_share(figure))
		return APART_NODES;
	return fabs(figure->spread.median) * (figure == &table->figures[OF_IPC] ? APART_IPC : APART_TOTALS);
}

/* How far it is apart, in deviations or where there are none in the least distance; 0: it is not. */
static double distance_of(const struct rank_table *table, const struct rank_figure *figure, size_t rank)
{
	const struct rank_spread *spread = &figure->spread;
	const double least = least_distance(table, figure);

	if ((figure->node && !figure->is_on_path) || !is_rank_apart(figure->values[rank], spread, least))
		return 0;
	return fabs(figure->values[rank] - spread->median) / fmax(spread->deviation, least / 3);
}

static void find_outliers(struct rank_table *table, struct arena *arena)
{
	table->outliers = arena_array(arena, table->count + 1, sizeof(*table->outliers));
	for (size_t rank = 0; rank < table->count; rank++) {
		struct rank_outlier *outlier = &table->outliers[table->noutliers];
		double farthest = 0;

		for (size_t i = 0; i < table->nfigures; i++) {
			double distance = distance_of(table, &table->figures[i], rank);

			if (!(distance > farthest))
				continue;
			farthest = distance;
			*outlier = (struct rank_outlier){ rank, i };
		}
		table->noutliers += farthest > 0;
	}
}

static void fill_table(struct rank_table *table, const struct counts *part, const struct report *sum,
		       struct arena *arena)
{
	struct arena scratch;

	arena_init(&scratch);
	begin_figures(table, sum, arena);
	for (size_t i = 0; i < table->count; i++) {
		const struct counts own = counts_of(part, &table->ranks[i], &scratch);
		struct error unsaid = { .text = "" };
		struct report report;

		if (evaluate(&report, sum->model, &own, &scratch, &unsaid) < 0)
			report = (struct report){ .summary = { .instructions = NAN, .cycles = NAN, .ipc = NAN } };
		take_rank(table, i, &report);
		arena_reset(&scratch);
	}
	for (size_t i = 0; i < table->nfigures; i++) {
		struct rank_figure *figure = &table->figures[i];

		figure->spread = rank_spread_of(figure->values, table->count, arena);
		if (is_share(figure) || i == OF_IPC)
			figure->spread.imbalance = NAN;
	}
	find_outliers(table, arena);
	arena_release(&scratch);
}

/* Parts may have been left out since. */
static void find_ranks(struct rank_table *table, const struct rank_set *set, const struct counts *part)
{
	size_t first = 0;

	while (first < set->count && set->items[first].of != part->repeats)
		first++;
	table->ranks = &set->items[first];
	while (first + table->count < set->count && table->ranks[table->count].of == part->repeats)
		table->count++;
}

const struct rank_report *ranks_evaluate(const struct report_set *reports, const struct measurement *sum,
					 struct arena *arena)
{
	struct rank_report *report = arena_alloc(arena, sizeof(*report));

	report->set = sum->ranks;
	report->count = reports->count;
	report->tables = arena_array(arena, reports->count + 1, sizeof(*report->tables));
	for (size_t i = 0; i < reports->count; i++) {
		report->tables[i].part = reports->count > 1 ? sum->parts[i].origin.part : NULL;
		find_ranks(&report->tables[i], sum->ranks, &sum->parts[i]);
		fill_table(&report->tables[i], &sum->parts[i], &reports->parts[i], arena);
	}
	return report;
}
