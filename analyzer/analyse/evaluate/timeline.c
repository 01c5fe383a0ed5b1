/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/evaluate/timeline.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"

struct timeline *timeline_new(struct arena *arena)
{
	struct timeline *timeline = arena_alloc(arena, sizeof(*timeline));

	timeline->arena = arena;
	timeline->each = 1;
	return timeline;
}

/* ---- reading ---- */

static const struct timeline_value *value_at(const struct timeline_row *row, size_t point)
{
	return point < row->count && row->values[point].count ? &row->values[point] : NULL;
}

double timeline_mean(const struct timeline_row *row, size_t point)
{
	const struct timeline_value *value = value_at(row, point);

	return value ? value->sum / value->count : NOT_COUNTED;
}

double timeline_least(const struct timeline_row *row, size_t point)
{
	const struct timeline_value *value = value_at(row, point);

	return value ? value->least : NOT_COUNTED;
}

double timeline_greatest(const struct timeline_row *row, size_t point)
{
	const struct timeline_value *value = value_at(row, point);

	return value ? value->greatest : NOT_COUNTED;
}

/* ---- thinning ---- */

static void timeline_join(struct timeline_value *value, const struct timeline_value *next)
{
	if (!next->count)
		return;
	if (!value->count) {
		*value = *next;
		return;
	}
	value->sum += next->sum;
	if (next->least < value->least) /* they are numbers, so that fmin's care for NAN would be lost time */
		value->least = next->least;
	if (next->greatest > value->greatest)
		value->greatest = next->greatest;
	value->count += next->count;
}

static void thin_row(struct timeline_row *row)
{
	size_t points = (row->count + 1) / 2;

	for (size_t i = 0; i < points; i++) {
		row->values[i] = row->values[2 * i];
		if (2 * i + 1 < row->count)
			timeline_join(&row->values[i], &row->values[2 * i + 1]);
	}
	row->count = points;
}

/* Pairs of points become one. TIMELINE_POINTS is even, so that each has two. */
static void thin(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->nparts; i++)
		for (size_t k = 0; k < timeline->parts[i].nrows; k++)
			thin_row(&timeline->parts[i].rows[k]);
	for (size_t i = 0; i < timeline->npoints / 2; i++) {
		timeline->from_s[i] = timeline->from_s[2 * i];
		timeline->to_s[i] = timeline->to_s[2 * i + 1];
		timeline->cycles[i] = timeline->cycles[2 * i] + timeline->cycles[2 * i + 1];
	}
	timeline->npoints /= 2;
	timeline->each *= 2;
}

/* The point that the next interval belongs to. */
static size_t next_point(struct timeline *timeline, const struct report_set *set)
{
	bool is_new = timeline->nintervals % timeline->each == 0;

	if (is_new && timeline->npoints == TIMELINE_POINTS)
		thin(timeline);
	if (is_new) {
		timeline->cycles[timeline->npoints] = 0;
		timeline->from_s[timeline->npoints++] = set->from_s;
	}
	timeline->to_s[timeline->npoints - 1] = set->to_s;
	timeline->nintervals++;
	return timeline->npoints - 1;
}

/* ---- collecting ---- */

static const char *kept(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static struct timeline_part *timeline_part_of(struct timeline *timeline, const struct summary *summary, size_t hint)
{
	struct timeline_part *part;

	if (hint < timeline->nparts && compare_texts(timeline->parts[hint].name, summary->part) == 0)
		return &timeline->parts[hint];
	for (size_t i = 0; i < timeline->nparts; i++)
		if (compare_texts(timeline->parts[i].name, summary->part) == 0)
			return &timeline->parts[i];
	timeline->parts = arena_grow(timeline->arena, timeline->parts, timeline->nparts, &timeline->capacity,
				     sizeof(*timeline->parts));
	part = &timeline->parts[timeline->nparts++];
	*part = (struct timeline_part){ .name = kept(timeline->arena, summary->part),
					.kind = kept(timeline->arena, summary->part_kind) };
	return part;
}

static bool is_row(const struct timeline_row *row, enum timeline_kind kind, const char *name)
{
	return row->kind == kind && !strcmp(row->name, name);
}

/* An interval's part while its values are taken. */
struct cursor {
	struct timeline *timeline;
	struct timeline_part *part;
	size_t point;
	size_t next; /* the row that the next value is likely to belong to: intervals have the same in the same order */
};

static struct timeline_row *timeline_find_row(struct cursor *cursor, enum timeline_kind kind,
					      const struct metric *metric)
{
	struct timeline_part *part = cursor->part;
	struct arena *arena = cursor->timeline->arena;

	if (cursor->next < part->nrows && is_row(&part->rows[cursor->next], kind, metric->name))
		return &part->rows[cursor->next++];
	for (size_t i = 0; i < part->nrows; i++)
		if (is_row(&part->rows[i], kind, metric->name)) {
			cursor->next = i + 1;
			return &part->rows[i];
		}
	part->rows = arena_grow(arena, part->rows, part->nrows, &part->capacity, sizeof(*part->rows));
	part->rows[part->nrows] =
		(struct timeline_row){ .kind = kind,
				       .name = arena_strdup(arena, metric->name),
				       .title = kept(arena, metric->title ? metric->title : metric->name),
				       .path = kept(arena, metric->path),
				       .unit = kept(arena, metric->unit),
				       .domain = kept(arena, metric->domain),
				       .level = metric->level };
	cursor->next = part->nrows + 1;
	return &part->rows[part->nrows++];
}

static void timeline_put(struct cursor *cursor, struct timeline_row *row, double number)
{
	const struct timeline_value value = { number, number, number, 1 };

	if (!isfinite(number))
		return;
	while (row->count <= cursor->point) {
		row->values = arena_grow(cursor->timeline->arena, row->values, row->count, &row->capacity,
					 sizeof(*row->values));
		row->values[row->count++] = (struct timeline_value){ .count = 0 };
	}
	timeline_join(&row->values[cursor->point], &value);
}

static void add_summary(struct cursor *cursor, const struct summary *summary)
{
	static const struct metric names[] = {
		[TIMELINE_IPC] = { .name = "ipc", .title = "IPC", .unit = "" },
		[TIMELINE_CLOCK] = { .name = "ghz", .title = "Clock", .unit = "GHz" },
		[TIMELINE_CPUS] = { .name = "cpus_used", .title = "CPUs used", .unit = "" },
	};
	const double values[] = { summary->ipc, summary->ghz, summary->cpus_used };

	for (unsigned i = 0; i < COUNT_OF(values); i++)
		timeline_put(cursor, timeline_find_row(cursor, (enum timeline_kind)i, &names[i]), values[i]);
}

/* What costs no counter is in each series: how often a second. */
static void add_software(struct cursor *cursor, const struct software_list *list, double seconds)
{
	static const struct {
		enum software_kind kind;
		struct metric metric;
	} rows[] = {
		{ SOFTWARE_SWITCHES, { .name = "context_switches", .title = "Context switches", .unit = "/s" } },
		{ SOFTWARE_MIGRATIONS, { .name = "cpu_migrations", .title = "Migrations", .unit = "/s" } },
		{ SOFTWARE_MINOR, { .name = "minor_faults", .title = "Minor page faults", .unit = "/s" } },
		{ SOFTWARE_MAJOR, { .name = "major_faults", .title = "Major page faults", .unit = "/s" } },
	};

	for (size_t i = 0; i < COUNT_OF(rows) && seconds > 0; i++) {
		double count = software_result_value(list, rows[i].kind);

		if (isfinite(count))
			timeline_put(cursor, timeline_find_row(cursor, TIMELINE_SOFTWARE, &rows[i].metric),
				     count / seconds);
	}
}

static void add_results(struct cursor *cursor, enum timeline_kind kind, const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!cursor->part->is_cut || results[i].metric->level <= 1)
			timeline_put(cursor, timeline_find_row(cursor, kind, results[i].metric), results[i].value);
}

void timeline_add(struct timeline *timeline, const struct report_set *set)
{
	struct cursor cursor = { .timeline = timeline, .point = next_point(timeline, set) };

	if (set->count && set->parts[0].summary.cycles > 0)
		timeline->cycles[cursor.point] += set->parts[0].summary.cycles;
	for (size_t i = 0; i < set->count; i++) {
		const struct report *report = &set->parts[i];

		cursor.next = 0;
		cursor.part = timeline_part_of(timeline, &report->summary, i);
		cursor.part->is_cut = cursor.part >= timeline->parts + TIMELINE_WHOLE;
		add_summary(&cursor, &report->summary);
		add_software(&cursor, &report->software, set->to_s - set->from_s);
		add_results(&cursor, TIMELINE_NODE, report->nodes, report->nnodes);
		add_results(&cursor, report->has_listed_metrics ? TIMELINE_ASKED : TIMELINE_METRIC, report->metrics,
			    report->nmetrics);
		add_results(&cursor, TIMELINE_ASKED, report->events, report->nevents);
	}
}
