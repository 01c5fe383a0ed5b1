/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_table.c - the intervals of a page as a table, for those who can't see the plots, and to be copied. */
#include <math.h>

#include "present/document/human.h"
#include "present/report/timeline_parts.h"

#define MOST_COLUMNS 24 /* of values; the others are among the small plots, and in CSV */

enum { TABLE_FROM, TABLE_TO, TABLE_INTERVALS, TABLE_VALUES };

struct timeline_value timeline_sum(const struct timeline_row *row, size_t first, size_t count)
{
	struct timeline_value sum = { .least = INFINITY, .greatest = -INFINITY };

	for (size_t i = first; i < first + count && i < row->count; i++) {
		const struct timeline_value *value = &row->values[i];

		if (!value->count)
			continue;
		sum.sum += value->sum;
		sum.count += value->count;
		sum.least = fmin(sum.least, value->least);
		sum.greatest = fmax(sum.greatest, value->greatest);
	}
	return sum;
}

const struct timeline_row *timeline_row_of(const struct timeline_part *part, enum timeline_kind kind)
{
	for (size_t i = 0; i < part->nrows; i++)
		if (part->rows[i].kind == kind)
			return &part->rows[i];
	return NULL;
}

/* Level 1 and what is not of the tree. */
static const struct timeline_row **timeline_table_choose(const struct timeline_part *part, size_t *count,
							 struct arena *arena)
{
	const struct timeline_row **rows = arena_array(arena, MOST_COLUMNS, sizeof(struct timeline_row *));

	for (size_t i = 0; i < part->nrows && *count < MOST_COLUMNS; i++)
		if (part->rows[i].level <= 1 && part->rows[i].kind != TIMELINE_METRIC)
			rows[(*count)++] = &part->rows[i];
	return rows;
}

static struct cell value_cell(const struct timeline *timeline, const struct timeline_row *row, size_t point,
			      struct arena *arena)
{
	double mean = timeline_mean(row, point);

	if (timeline->each == 1 || isnan(mean))
		return number_cell(mean);
	return text_cell(arena_printf(arena, "%.6g (%.6g to %.6g)", mean, timeline_least(row, point),
				      timeline_greatest(row, point)));
}

static size_t intervals_of(const struct timeline *timeline, size_t point)
{
	size_t before = point * timeline->each;

	return point + 1 < timeline->npoints ? timeline->each : timeline->nintervals - before;
}

void timeline_table(struct document *doc, const struct timeline *timeline, const struct timeline_part *part)
{
	struct arena *arena = doc->arena;
	size_t count = 0;
	const struct timeline_row **rows = timeline_table_choose(part, &count, arena);
	struct column *columns = arena_array(arena, TABLE_VALUES + count, sizeof(*columns));
	struct cell *cells = arena_array(arena, TABLE_VALUES + count, sizeof(*cells));
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	columns[TABLE_FROM] = (struct column){ .heading = "From, s", .flags = COLUMN_RIGHT };
	columns[TABLE_TO] = (struct column){ .heading = "To, s", .flags = COLUMN_RIGHT };
	columns[TABLE_INTERVALS] = (struct column){ .heading = "Intervals", .flags = COLUMN_RIGHT };
	for (size_t i = 0; i < count; i++) {
		const char *unit = rows[i]->unit && *rows[i]->unit ? rows[i]->unit : NULL;

		columns[TABLE_VALUES + i] =
			(struct column){ .heading = arena_printf(arena, "%s%s%s", rows[i]->title, unit ? ", " : "",
								 unit ? unit : ""),
					 .flags = COLUMN_RIGHT };
	}
	*grid = (struct grid){ .columns = columns, .ncolumns = TABLE_VALUES + count };
	for (size_t point = 0; point < timeline->npoints; point++) {
		cells[TABLE_FROM] = number_cell(timeline->from_s[point]);
		cells[TABLE_TO] = number_cell(timeline->to_s[point]);
		cells[TABLE_INTERVALS] = whole_cell(intervals_of(timeline, point));
		for (size_t i = 0; i < count; i++)
			cells[TABLE_VALUES + i] = value_cell(timeline, rows[i], point, arena);
		grid_add(grid, cells, arena);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
				     .text = arena_printf(arena, "The intervals as a table%s%s", part->name ? ", " : "",
							  part->name ? part->name : "") });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}
