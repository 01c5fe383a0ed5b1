/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_fields.h - the field tables of a report, and the parts of its document. */
#ifndef TOPDOWN_PRESENT_REPORT_REPORT_FIELDS_H
#define TOPDOWN_PRESENT_REPORT_REPORT_FIELDS_H

#include "present/document/data.h"
#include "present/document/document.h"

/* Of a node, another metric or an event. */
enum result_column {
	RESULT_LEVEL,
	RESULT_NAME,
	RESULT_TITLE,
	RESULT_PATH,
	RESULT_VALUE,
	RESULT_WHY,
	RESULT_SPREAD,
	RESULT_UNIT,
	RESULT_VERDICT,
	RESULT_FLAG,
	RESULT_FIXED,
	RESULT_DOMAIN,
	RESULT_MARK,
	RESULT_QUALITY,
	RESULT_SPARK,
	RESULT_BAR,
	RESULT_WORST,
	RESULT_REMARK,
	RESULT_OVER,
	RESULT_BOTTLENECK,
	RESULT_REASON,
	RESULT_RAW,
	RESULT_N,
	RESULT_STDDEV,
	RESULT_CI95,
	RESULT_RUNNING,
	RESULT_MISSING,
	RESULT_PARENT,
	RESULT_HAS_THRESHOLD,
	RESULT_WORST_PATH,
	RESULT_SAMPLE,
	RESULT_TOPIC,
	RESULT_GROUPS,
	RESULT_VALUES,
	RESULT_WITHOUT,
	RESULT_COLUMNS
};

/* As a tree. */
extern const struct column result_columns[RESULT_COLUMNS];
/* As a list, with titles of that width. */
const struct column *list_columns(const char *heading, size_t width, struct arena *arena);

void result_cells(struct cell *cells, const struct report *report, const struct result *result, struct arena *arena);
/* The same, and what people read. */
void result_shown(struct cell *cells, const struct report *report, const struct result *result,
		  const struct document *doc);

/* What each repeat measured; none where there is only one. */
struct cell values_cell(const struct statistics *spread, struct arena *arena);

/* What was run, how long, how fast. */
enum summary_column {
	SUMMARY_COMMAND,
	SUMMARY_TARGET,
	SUMMARY_STARTED,
	SUMMARY_HOST,
	SUMMARY_KERNEL,
	SUMMARY_TOOL_VERSION,
	SUMMARY_WALL,
	SUMMARY_CPUS,
	SUMMARY_INSTRUCTIONS,
	SUMMARY_CYCLES,
	SUMMARY_IPC,
	SUMMARY_GHZ,
	SUMMARY_RUNS,
	SUMMARY_GROUPS,
	SUMMARY_REPEATS,
	SUMMARY_SCOPE,
	SUMMARY_STATUS,
	SUMMARY_MACHINE,
	SUMMARY_TITLE,
	SUMMARY_COLUMNS
};

extern const struct column summary_columns[SUMMARY_COLUMNS];
void summary_cells(struct cell *cells, const struct summary *summary);
/* The keys of what repeats measure again. */
extern const char *const figure_keys[FIGURES];

#define HEAD_COLUMNS 7

/* What a report begins with. */
extern const struct column head_columns[HEAD_COLUMNS];
void head_cells(struct cell *cells, const struct report *report, struct arena *arena);

/* What JSON has beside nodes and metrics: each run, the commands to sample, and one row of the others. */
struct grid report_runs(const struct report *report, struct arena *arena);
struct grid report_hints(const struct report *report, struct arena *arena);
struct grid report_anchor(const struct anchoring *anchor, struct arena *arena);
struct grid report_sampling(const struct summary *summary, struct arena *arena);

bool is_measured(const struct result *result);
/* How good a value is: "exact", "runs", "scaled 66%". */
const char *result_quality(struct arena *arena, const struct result *result);

/* Is it an interval, which has numbers only? */
static inline bool is_interval(const struct report_set *set)
{
	return !isnan(set->from_s);
}

/* What the report comes to, as an object. report: NULL where nothing was counted. An interval has none. */
struct cell report_verdict_cell(const struct report_set *set, const struct report *report, struct arena *arena);

/* "9.8 % of the instructions modelled in detail, in 120 windows" */
const char *sampling_text(struct arena *arena, const struct summary *summary);

/* "1.85x"; "-": unknown */
const char *speedup_text(struct arena *arena, double speedup);

/* All of it, as text and pages have it. */
void report_document(struct document *doc, const void *what);

/* Parts of the document; each adds what there is of it. */
/* What stands before the tree where the model is far from a native run. */
void report_anchor_remark(struct document *doc, const struct report *report);
void report_tree(struct document *doc, const struct report_set *set, const struct report *report);
void report_causes(struct document *doc, const struct report *report);
/* Only the bottleneck view was asked for: the report's other rows are those that it needs. */
bool is_causes_only(const struct report *report);
void report_metrics(struct document *doc, const struct report_set *set, const struct report *report);
/* What --what-if tried; nothing where nothing was. */
void report_fixes(struct document *doc, const struct report *report);
void fixes_json(struct json_writer *writer, const struct report *report, struct arena *arena);

/* The number of parts from the first on that share a table, as they are many of one kind; 0: each has its tree. */
size_t report_many(const struct document *doc, const struct report_set *set, size_t first);
/* Are they one program on several cores? Then the table stands before their trees too. */
bool are_core_models(const struct report_set *set);
/* Their table, and what is to be said of them, each sentence once. */
void report_parts(struct document *doc, const struct report *parts, size_t count);
void report_part_notes(struct document *doc, const struct report *parts, size_t count);

/* Which parts are not shown, as a sentence; NULL: all are. */
const char *idle_text(struct arena *arena, const struct report_set *set);

/* Above the tree: what was run; is_for_all: what is common to all parts, else what this one has by itself. */
void report_head(struct document *doc, const struct report_set *set, const struct report *report, bool is_for_all);
/* Below it: remarks, what the worst node means, what to do next. */
void report_interval_head(struct document *doc, const struct report *report);
void report_notes(struct document *doc, const struct report *report);
void report_advice(struct document *doc, const struct report *report);
void report_next(struct document *doc, const struct report *report);
/* Why there is no tree, or none of this very CPU; how far a model is from a native run. */
void report_caveats(struct document *doc, const struct report *report);
/* "2.000 s, cpu_atom": what stands above a part; "" for all of a measurement that is not divided. */
const char *report_part_heading(const struct document *doc, const struct report_set *set, const struct report *part);

/* As struct view has them. */
void report_page(struct document *doc, const void *what, const struct page_content *content);
void report_json(struct json_writer *writer, const void *what, struct arena *arena);
void report_csv(struct sheet *sheet, const void *what);

#endif
