/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_fields.h - the tables of a comparison, which its text and its data share. */
#ifndef TOPDOWN_PRESENT_COMPARE_COMPARISON_FIELDS_H
#define TOPDOWN_PRESENT_COMPARE_COMPARISON_FIELDS_H

#include "analyse/compare/compare.h"
#include "present/document/data.h"

/*
 * The columns of tables, for machines and for pages. Those without a heading are JSON's alone, those without a key are
 * for people.
 */
enum {
	NODE_NAME,
	NODE_TITLE,
	NODE_PATH,
	NODE_LEVEL,
	NODE_BEFORE,
	NODE_AFTER,
	NODE_POINTS,
	NODE_P, /* of the points */
	NODE_CYCLES,
	NODE_INTERVAL,
	NODE_LOW,
	NODE_HIGH,
	NODE_LEAF,
	NODE_COLUMNS
};
extern const struct column compared_node_columns[NODE_COLUMNS];
enum {
	TERM_KIND,
	TERM_TITLE,
	TERM_NODE_NAME,
	TERM_CYCLES,
	TERM_INTERVAL,
	TERM_LOW,
	TERM_HIGH,
	TERM_PERCENT,
	TERM_WHERE,
	TERM_FUNCTION,
	TERM_MODULE,
	TERM_FILE,
	TERM_LINE,
	TERM_THERE,
	TERM_COLUMNS
};
extern const struct column compared_term_columns[TERM_COLUMNS];
enum {
	FUNCTION_NAME,
	FUNCTION_NAME_BEFORE,
	FUNCTION_MODULE,
	FUNCTION_CHANGE,
	FUNCTION_BEFORE,
	FUNCTION_AFTER,
	FUNCTION_DIFFERENCE,
	FUNCTION_INTERVAL,
	FUNCTION_LOW,
	FUNCTION_HIGH,
	FUNCTION_WAS_INSTRUCTIONS,
	FUNCTION_INSTRUCTIONS,
	FUNCTION_NODE,
	FUNCTION_REMARK,
	FUNCTION_PLACE,
	FUNCTION_FILE,
	FUNCTION_LINE,
	FUNCTION_WAS_INLINED,
	FUNCTION_INLINED,
	FUNCTION_COLUMNS
};
extern const struct column compared_function_columns[FUNCTION_COLUMNS];

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

/* In words, "" where there is nothing to be said. */
/* "kernel: 6.1, now 6.6; ...": those that matter, or the others. */
const char *comparison_differs(const struct comparison *comparison, bool are_important, struct arena *arena);
/* "10 pairs, interleaved" */
const char *comparison_repeats(const struct comparison *comparison, struct arena *arena);
/* "a.c:12" */
const char *comparison_line(const char *file, uint32_t line, struct arena *arena);
/* "main, a.c:12" */
const char *comparison_place(const struct compared_place *place, struct arena *arena);
/* Of cycles: "+1.2 M to +1.4 M" */
const char *comparison_spread(const struct estimate *cycles, struct arena *arena);
/* In the unit of functions: "12.3 ms", "+12.3 ms", "+12.3 ms to +12.9 ms". */
const char *comparison_amount(const struct comparison *comparison, double value, struct arena *arena);
const char *comparison_change(const struct comparison *comparison, double value, struct arena *arena);
const char *comparison_range(const struct comparison *comparison, const struct estimate *difference,
			     struct arena *arena);
/* Of a metric, as its unit is written. */
const char *comparison_value(const struct compared_metric *metric, double value, struct arena *arena);
/* "new", "was old_name", "DRAM_Bound" */
const char *comparison_remark(const struct compared_function *function, struct arena *arena);

/* The id of a node's row in the page's table of nodes. */
const char *comparison_row_id(const struct comparison *comparison, const struct compared_node *node,
			      struct arena *arena);
/* ---- comparison_screen.c ---- */

/* Without -v: reasons as steps from all cycles before to all cycles after; false: there are none. */
bool comparison_has_screen(const struct comparison *comparison);
/* add_notes: what stands behind the reasons. */
void comparison_screen(struct document *doc, const struct comparison *comparison,
		       void (*add_notes)(struct document *doc, const struct comparison *comparison));

/* ---- comparison_wall.c ---- */

/*
 * With --wall on both sides: "The main thread's clock: +98 ms = Waiting: timer +181 ms, Waiting: lock -89 ms, others
 * +6 ms", of the means, which add up; NULL: it is not known, or nothing changed.
 */
const char *comparison_wall(const struct comparison *comparison, struct arena *arena);

/* ---- comparison_trees.c ---- */

/* Both trees as pictures side by side; nothing where no node has a share. */
void comparison_trees(struct document *doc, const struct comparison *comparison);

/* As a page of HTML: of a struct comparison. */
void comparison_page(struct document *doc, const void *what, const struct page_content *content);

/* "+12.3 M"; "0" of what is shown as nothing */
const char *human_difference(struct arena *arena, double value);
/* "+1.2 %" */
const char *comparison_percent(double percent, struct arena *arena);

#endif
