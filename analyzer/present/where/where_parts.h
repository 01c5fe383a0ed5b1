/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_parts.h - where something happens (hotspots.h): parts of a report's document, and of its data. */
#ifndef TOPDOWN_PRESENT_WHERE_WHERE_PARTS_H
#define TOPDOWN_PRESENT_WHERE_WHERE_PARTS_H

#include "analyse/hotspots/hotspots.h"
#include "present/document/data.h"
#include "present/document/document.h"

/* A function, a line, a thread ... with its shares. */
enum where_column {
	WHERE_SELF,
	WHERE_INTERVAL,
	WHERE_TOTAL,
	WHERE_SAMPLES,
	WHERE_BASE,
	WHERE_PLACE,
	WHERE_FUNCTION,
	WHERE_SHARED,
	WHERE_FILE,
	WHERE_LINE,
	WHERE_INTO,
	WHERE_AT_FILE,
	WHERE_AT_LINE,
	WHERE_MODULE,
	WHERE_LOW,
	WHERE_HIGH,
	WHERE_TOTAL_LOW,
	WHERE_TOTAL_HIGH,
	WHERE_ROUGH,
	WHERE_FROM,
	WHERE_TO,
	WHERE_PARTNERS, /* of JSON alone, as the next one */
	WHERE_FUNCTIONS,
	WHERE_COLUMNS
};

/* Keys are those of functions. */
extern const struct column where_columns[WHERE_COLUMNS];
void where_cells(struct cell *cells, const struct where *where, const struct where_row *row);

/* The node that such lines are counted as: "False_Sharing". */
const char *where_sharing_name(enum sharing_kind kind);

/* Is the row one of those that JSON and CSV have? All, unless a limit was asked for. */
static inline bool where_has_row(const struct where *where, const struct where_row *row)
{
	return !(where->limit > 0) || row->self.percent >= where->limit;
}

/* "12.3"; "57.2 to 62.7", "~ 0.4 to 2.1" of a few samples. */
const char *where_percent_text(struct arena *arena, double percent);
const char *where_interval_text(struct arena *arena, const struct share *share);

/* "1.000 to 2.000 s"; of an interval whose times are not known its number. */
const char *where_time_text(struct arena *arena, const struct where_row *interval);

/* Parts of the document; each adds what there is of it. */
void where_tables(struct document *doc, const struct hotspots *where);
bool where_intervals(struct document *doc, const struct where *where); /* does it have rough shares? */
/* The hottest functions of one interval, of what was sampled first. */
void where_of_interval(struct document *doc, const struct hotspots *all);
void where_trees(struct document *doc, const struct function_trees *trees);

/* Members of the object that is open: "profile", "more_profiles", "function_trees" ... and "lines" of exact counts. */
void where_json(struct json_writer *writer, const struct hotspots *where, struct arena *arena);

/* Cycles modelled, and time measured natively, by function. */
void where_pairs(struct document *doc, const struct hotspots *where);

/* What JSON says of all of a node or event, in one row; a page says more. */
struct grid where_head(const struct where *where, bool is_page, struct arena *arena);

struct annotation;
void where_code(struct document *doc, const struct annotation *a);
/* "annotation" */
void where_code_json(struct json_writer *writer, const struct annotation *a, struct arena *arena);

/* How much a share is of: " (3 samples)", " (12 of 34567 slots)" where that is next to nothing; else "". */
const char *where_size_text(struct arena *arena, const struct weighing *weighing, const struct share *share);

/* "Next to nothing of ... is in it": NULL where that is not so. */
const char *where_little_text(struct arena *arena, const struct weighing *weighing, const struct share *share);

#endif
