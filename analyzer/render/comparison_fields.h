/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_fields.h - the tables of a comparison, which its text and its data share. */
#ifndef TOPDOWN_RENDER_COMPARISON_FIELDS_H
#define TOPDOWN_RENDER_COMPARISON_FIELDS_H

#include "compare/compare.h"
#include "render/data.h"

/* All rows; people get those of the document. */
struct grid comparison_metrics(const struct comparison *comparison, struct arena *arena);
struct grid comparison_nodes(const struct comparison *comparison, struct arena *arena);
struct grid comparison_terms(const struct comparison *comparison, struct arena *arena);
struct grid comparison_functions(const struct comparison *comparison, struct arena *arena);
struct grid comparison_surroundings(const struct comparison *comparison, struct arena *arena);

/* A metric's row, for people and machines. */
enum {
	METRIC_NAME,
	METRIC_TITLE,
	METRIC_BEFORE,
	METRIC_AFTER,
	METRIC_RATIO,
	METRIC_INTERVAL,
	METRIC_LOW,
	METRIC_HIGH,
	METRIC_P,
	METRIC_PAIRED,
	METRIC_ADJUSTED,
	METRIC_CHANGE,
	METRIC_COLUMNS
};
extern const struct column compared_metric_columns[METRIC_COLUMNS];
void compared_metric_cells(struct cell *cells, const struct compared_metric *metric, struct arena *arena);

/* "+12.3 M" */
const char *human_difference(struct arena *arena, double value);

#endif
