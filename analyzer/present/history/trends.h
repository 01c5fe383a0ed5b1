/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trends.h - what `topdown history` shows: the trends of some metrics, series by series. */
#ifndef TOPDOWN_PRESENT_HISTORY_TRENDS_H
#define TOPDOWN_PRESENT_HISTORY_TRENDS_H

#include "present/document/document.h"
#include "store/history/history.h"
#include "store/history/trend.h"

/* A series with its metrics' trends. */
struct trend_set {
	const struct series *series;
	const struct trend *trends;
	size_t count;
	const char *const
		*causes; /* of the changes at each run of the series, as clauses; NULL each where none is known */
	const char *
		split; /* a sentence: how its surroundings differ from those of the runs before; NULL: there are none */
};

struct trend_page {
	const struct trend_set *sets;
	size_t count;
	bool has_runs; /* text has each run, and not only the last one */
};

int render_trends(FILE *out, const struct trend_page *page, const struct style *style, struct error *err) MUST_CHECK;

extern const struct view trends_view; /* of a struct trend_page */

/* What the forms share. Times as ISO 8601, UTC. */
const char *trend_time(int64_t time_ms, struct arena *arena);
/* "worse", "better", "changed" */
const char *trend_turn(enum turn turn);
/* Its day, "2026-11-23". */
const char *trend_day(int64_t time_ms, struct arena *arena);
/* The first digits of a hash, "1a2b3c4d5e", and CHANGED_FILES where it ends so; of NULL "". */
const char *trend_revision(const char *revision, struct arena *arena);
/* A metric without the "tma_" that all of Intel's begin with. */
const char *trend_title(const char *name, struct arena *arena);
/* With its unit: "12.3 ms", "41.2 %". */
const char *trend_value(const struct series_values *values, double value, struct arena *arena);
/* "+2.1 %", "+1.3 points" of what is a percentage. */
const char *trend_change_size(const struct trend *trend, const struct trend_change *change, struct arena *arena);
enum ink trend_ink(const struct trend_change *change);
/* The last run that has the metric; 0 where none has. */
size_t trend_last(const struct trend *trend);
/* The program, the machine, the runs. */
void trend_add_head(struct document *doc, const struct series *series);
/* A sentence for each run whose changes have a cause. */
void trend_add_causes(struct document *doc, const struct trend_set *set);
/* As a page of HTML. */
void trends_page(struct document *doc, const void *what, const struct page_content *content);
void trends_json(struct json_writer *writer, const void *what, struct arena *arena);
void trends_csv(struct sheet *sheet, const void *what);

#endif
