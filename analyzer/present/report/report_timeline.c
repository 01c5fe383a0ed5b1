/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_timeline.c - the intervals of a measurement as plots of its page. */
#include "present/report/report_page.h"

#include <string.h>

#include "present/document/hue.h"
#include "present/document/human.h"
#include "present/plot/plot.h"
#include "present/report/timeline_parts.h"

#define MOST_WHOLE   4	 /* parts that are drawn large */
#define MOST_MARKED  6	 /* asked-for metrics of a part that are drawn large */
#define MOST_SMALL   512 /* parts among the small plots */
#define SMALL_POINTS 150 /* of a small plot, which has no room for more */
#define GROUP	     "time"

/* Points of a plot, each of `join` points of the timeline. The arrays have count elements. */
struct curve {
	double *x, *mean, *least, *greatest;
	size_t count;
};

static const char *part_name(const struct timeline_part *part)
{
	return part->name ? part->name : "all";
}

/* Without known times, intervals are counted. */
static bool has_times(const struct timeline *timeline)
{
	return isfinite(timeline->from_s[0]) && isfinite(timeline->to_s[timeline->npoints - 1]);
}

static struct plot_axis time_axis(const struct timeline *timeline)
{
	if (!has_times(timeline))
		return (struct plot_axis){ .title = "interval", .low = 0, .high = (double)timeline->nintervals };
	return (struct plot_axis){ .scale = PLOT_SECONDS,
				   .low = timeline->from_s[0],
				   .high = timeline->to_s[timeline->npoints - 1] };
}

static struct curve curve_of(const struct timeline *timeline, const struct timeline_row *row, size_t join,
			     struct arena *arena)
{
	size_t count = (timeline->npoints + join - 1) / join;
	struct curve curve = { .x = arena_array(arena, count, sizeof(double)),
			       .mean = arena_array(arena, count, sizeof(double)),
			       .least = arena_array(arena, count, sizeof(double)),
			       .greatest = arena_array(arena, count, sizeof(double)),
			       .count = count };

	for (size_t i = 0; i < count; i++) {
		struct timeline_value value = timeline_sum(row, i * join, join);

		curve.x[i] = has_times(timeline) ? timeline->from_s[i * join] : (double)(i * join * timeline->each);
		curve.mean[i] = value.count ? value.sum / value.count : NOT_COUNTED;
		curve.least[i] = value.count ? value.least : NOT_COUNTED;
		curve.greatest[i] = value.count ? value.greatest : NOT_COUNTED;
	}
	return curve;
}

/* ---- level 1 ---- */

/* The same colour for the same cause; those that have none get others. */
static unsigned color_of(const char *name, unsigned other)
{
	enum hue hue = hue_of(name);

	return hue ? PLOT_HUES + hue : 4 + other % 3;
}

/* The roots as areas that lie on each other. */
static struct plot roots_plot(const struct document *doc, const struct timeline *timeline,
			      const struct timeline_part *part, size_t join)
{
	struct plot_series *series = arena_array(doc->arena, part->nrows + 1, sizeof(*series));
	unsigned others = 0;
	size_t count = 0;

	for (size_t i = 0; i < part->nrows; i++) {
		const struct timeline_row *row = &part->rows[i];
		struct curve curve;
		unsigned color;

		if (row->level != 1)
			continue;
		curve = curve_of(timeline, row, join, doc->arena);
		color = color_of(row->name, others);
		others += color < PLOT_HUES;
		series[count++] = (struct plot_series){ .kind = PLOT_AREA,
							.name = row->title,
							.x = curve.x,
							.y = curve.mean,
							.count = curve.count,
							.color = color,
							.is_stepped = true };
	}
	return (struct plot){ .name = part_name(part),
			      .size = PLOT_SMALL,
			      .x = time_axis(timeline),
			      .y = { .unit = "%", .low = 0, .high = 100 },
			      .series = series,
			      .nseries = count };
}

/* ---- one value ---- */

/* As a line of steps; where points stand for several intervals, with a band from the least to the greatest. */
static struct plot row_plot(const struct document *doc, const struct timeline *timeline, const struct timeline_row *row,
			    size_t join)
{
	struct plot_series *series = arena_array(doc->arena, 2, sizeof(*series));
	struct curve curve = curve_of(timeline, row, join, doc->arena);
	const char *unit = row->unit && *row->unit ? row->unit : NULL;

	series[0] = (struct plot_series){
		.kind = PLOT_STEP, .name = row->title, .x = curve.x, .y = curve.mean, .count = curve.count
	};
	series[1] = (struct plot_series){ .kind = PLOT_BAND,
					  .x = curve.x,
					  .low = curve.least,
					  .high = curve.greatest,
					  .count = curve.count,
					  .is_stepped = true };
	return (struct plot){ .name = row->title,
			      .size = PLOT_SMALL,
			      .x = time_axis(timeline),
			      .y = { .unit = unit, .low = 0, .high = NOT_COUNTED },
			      .series = series,
			      .nseries = timeline->each * join > 1 ? 2 : 1 };
}

static const char *number(const struct document *doc, const struct timeline_row *row, double value)
{
	struct metric metric = { .unit = row->unit ? row->unit : "", .level = row->level };

	return human_value(doc->arena, &metric, value);
}

/* "IPC: 1.21 in the mean, from 0.40 to 1.90" */
static const char *range_text(const struct document *doc, const struct timeline *timeline,
			      const struct timeline_row *row)
{
	struct timeline_value all = timeline_sum(row, 0, timeline->npoints);
	const char *unit = row->unit ? row->unit : "";

	if (!all.count)
		return arena_printf(doc->arena, "%s: not measured", row->title);
	return arena_printf(doc->arena, "%s: %s%s%s on average, from %s to %s", row->title,
			    number(doc, row, all.sum / all.count), *unit ? " " : "", unit, number(doc, row, all.least),
			    number(doc, row, all.greatest));
}

/* ---- large plots ---- */

static void add_plot(struct document *doc, struct plot plot, const char *title, const char *spoken)
{
	struct plot *kept = arena_alloc(doc->arena, sizeof(*kept));

	*kept = plot;
	kept->group = GROUP;
	doc_add(doc, plot_block(doc, kept, title, spoken));
}

static void add_roots(struct document *doc, const struct timeline *timeline, const struct timeline_part *part)
{
	struct plot plot = roots_plot(doc, timeline, part, 1);
	struct string spoken = STRING_INIT(doc->arena);

	if (!plot.nseries)
		return;
	for (size_t i = 0; i < part->nrows; i++)
		if (part->rows[i].level == 1)
			string_printf(&spoken, "%s%s", *spoken.text ? "; " : "",
				      range_text(doc, timeline, &part->rows[i]));
	plot.name = "Level 1 over time";
	plot.size = PLOT_WHOLE;
	plot.y.title = "% of slots";
	add_plot(doc, plot, "Level 1", spoken.text);
}

static void report_timeline_add_row(struct document *doc, const struct timeline *timeline,
				    const struct timeline_row *row)
{
	struct plot plot = row_plot(doc, timeline, row, 1);
	bool has_unit = row->unit && *row->unit;

	plot.size = PLOT_HALF;
	plot.name = arena_printf(doc->arena, "%s over time", row->title);
	plot.y.title = has_unit ? row->unit : NULL;
	add_plot(doc, plot, row->title, range_text(doc, timeline, row));
}

static bool is_row_measured(const struct timeline_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (row->values[i].count)
			return true;
	return false;
}

static void report_timeline_add_whole(struct document *doc, const struct timeline *timeline,
				      const struct timeline_part *part)
{
	size_t asked = 0;

	if (part->name)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = part->name, .level = 3 });
	add_roots(doc, timeline, part);
	for (size_t i = 0; i < part->nrows; i++) {
		const struct timeline_row *row = &part->rows[i];

		if (row->kind == TIMELINE_NODE || row->kind == TIMELINE_METRIC || !is_row_measured(row) ||
		    (row->kind == TIMELINE_SOFTWARE && !(timeline_sum(row, 0, timeline->npoints).greatest > 0)))
			continue;
		asked += row->kind == TIMELINE_ASKED;
		if (asked <= MOST_MARKED)
			report_timeline_add_row(doc, timeline, row);
	}
}

/* ---- small plots ---- */

static size_t small_join(const struct timeline *timeline)
{
	return (timeline->npoints + SMALL_POINTS - 1) / SMALL_POINTS;
}

static struct plot_list *new_list(const struct document *doc, size_t most)
{
	struct plot_list *list = arena_alloc(doc->arena, sizeof(*list));

	*list = (struct plot_list){ .items = arena_array(doc->arena, most + 1, sizeof(struct plot)) };
	return list;
}

/* Level 1 of each part, or a value that is not of the tree. */
static void add_small(struct document *doc, const struct timeline *timeline, enum timeline_kind kind, const char *title)
{
	struct plot_list *list = new_list(doc, timeline->nparts);
	struct plot *items = arena_array(doc->arena, timeline->nparts + 1, sizeof(*items));

	for (size_t i = 0; i < timeline->nparts && list->count < MOST_SMALL; i++) {
		const struct timeline_part *part = &timeline->parts[i];
		const struct timeline_row *row = timeline_row_of(part, kind);
		struct plot plot = { .nseries = 0 };

		if (kind == TIMELINE_NODE)
			plot = roots_plot(doc, timeline, part, small_join(timeline));
		else if (row && is_row_measured(row))
			plot = row_plot(doc, timeline, row, small_join(timeline));
		plot.name = part_name(part);
		if (plot.nseries)
			items[list->count++] = plot;
	}
	list->items = items;
	if (list->count)
		doc_add(doc, plot_list_block(doc, list, title,
					     arena_printf(doc->arena, "%s over time, a plot for each of %zu parts",
							  title, list->count)));
}

static void report_timeline_add_parts(struct document *doc, const struct timeline *timeline)
{
	add_small(doc, timeline, TIMELINE_NODE, "Level 1 of each part, in % of its slots");
	add_small(doc, timeline, TIMELINE_IPC, "IPC of each part");
	if (timeline->nparts > MOST_SMALL)
		doc_sentence(doc, arena_worded(doc->arena,
					       "The first %d of %zu parts are drawn; `{format csv}` has all of them.",
					       MOST_SMALL, timeline->nparts));
}

/* ---- folds ---- */

static void add_nodes(struct document *doc, const struct timeline *timeline, const struct timeline_part *part)
{
	struct plot_list *list = new_list(doc, part->nrows);
	struct plot *items = arena_array(doc->arena, part->nrows + 1, sizeof(*items));

	for (size_t i = 0; i < part->nrows; i++) {
		const struct timeline_row *row = &part->rows[i];

		if (row->kind < TIMELINE_NODE || !is_row_measured(row))
			continue;
		items[list->count] = row_plot(doc, timeline, row, small_join(timeline));
		items[list->count++].name = range_text(doc, timeline, row);
	}
	list->items = items;
	if (!list->count)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
				     .text = arena_printf(doc->arena, "Every value over time%s%s",
							  part->name ? ", " : "", part->name ? part->name : "") });
	doc_add(doc, plot_list_block(
			     doc, list, NULL,
			     arena_printf(doc->arena, "%zu small plots, whose names have their numbers", list->count)));
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

/* ---- the section ---- */

static void add_words(struct document *doc, const struct timeline *timeline)
{
	double last = timeline->to_s[timeline->npoints - 1];

	if (has_times(timeline))
		doc_sentence(doc, arena_printf(doc->arena, "%zu interval%s, up to %s.", timeline->nintervals,
					       timeline->nintervals == 1 ? "" : "s", human_seconds(doc->arena, last)));
	if (timeline->each > 1)
		doc_sentence(doc, arena_printf(doc->arena,
					       "Each point represents %zu intervals: lines and areas are their mean, "
					       "bands show minimum and maximum.",
					       timeline->each));
	if (timeline->nparts > TIMELINE_WHOLE)
		doc_sentence(doc, arena_worded(doc->arena,
					       "Of the %zu parts, the first %d have all of their nodes and a table "
					       "here; `{format csv}` has those of all.",
					       timeline->nparts, TIMELINE_WHOLE));
}

void report_timeline(struct document *doc, const struct timeline *timeline)
{
	if (!timeline || !timeline->npoints)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Over time", .id = "time" });
	add_words(doc, timeline);
	if (timeline->nparts > 1)
		report_timeline_add_parts(doc, timeline);
	for (size_t i = 0; i < timeline->nparts && timeline->nparts <= MOST_WHOLE; i++)
		report_timeline_add_whole(doc, timeline, &timeline->parts[i]);
	for (size_t i = 0; i < timeline->nparts && i < TIMELINE_WHOLE; i++)
		add_nodes(doc, timeline, &timeline->parts[i]);
	for (size_t i = 0; i < timeline->nparts && i < TIMELINE_WHOLE; i++)
		timeline_table(doc, timeline, &timeline->parts[i]);
}

/* ---- parts, whatever the intervals ---- */

static size_t roots_of(const struct report *report, size_t root)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].metric->level == 1 && !root--)
			return i;
	return report->nnodes;
}

static double report_timeline_value_of(const struct report *report, const struct metric *metric)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (!strcmp(report->nodes[i].metric->name, metric->name))
			return report->nodes[i].value;
	return NOT_COUNTED;
}

static struct plot_series bars_of(struct document *doc, const struct report *parts, size_t count,
				  const struct metric *metric)
{
	double *x = arena_array(doc->arena, count, sizeof(*x)), *y = arena_array(doc->arena, count, sizeof(*y));

	for (size_t i = 0; i < count; i++) {
		x[i] = report_timeline_value_of(&parts[i], metric);
		y[i] = (double)i;
	}
	return (struct plot_series){ .kind = PLOT_STACK, .name = metric->title, .x = x, .y = y, .count = count };
}

void report_part_bars(struct document *doc, const struct report *parts, size_t count)
{
	struct plot *plot = arena_alloc(doc->arena, sizeof(*plot));
	const char **names = arena_array(doc->arena, count + 1, sizeof(*names));
	struct plot_series *series = arena_array(doc->arena, PLOT_COLORS, sizeof(*series));
	unsigned others = 0;
	size_t i;

	*plot = (struct plot){ .name = "Level 1 of each part", .series = series };
	if (count < 2)
		return;
	for (i = 0; i < count; i++)
		names[i] = parts[i].summary.part ? parts[i].summary.part : "all";
	for (; plot->nseries < PLOT_COLORS; plot->nseries++) {
		i = roots_of(&parts[0], plot->nseries);
		if (i == parts[0].nnodes)
			break;
		series[plot->nseries] = bars_of(doc, parts, count, parts[0].nodes[i].metric);
		series[plot->nseries].color = color_of(parts[0].nodes[i].metric->name, others);
		others += series[plot->nseries].color < PLOT_HUES;
	}
	plot->x = (struct plot_axis){ .title = "% of slots", .unit = "%", .low = 0, .high = 100 };
	plot->y = (struct plot_axis){ .scale = PLOT_NAMES, .names = names, .nnames = count };
	if (plot->nseries)
		doc_add(doc, plot_block(doc, plot, "Level 1 of each part",
					"A bar for each part; the table below has its numbers"));
}
