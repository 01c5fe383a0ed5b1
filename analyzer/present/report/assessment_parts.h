/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assessment_parts.h - a report's judged figures (struct assessed): parts of its document, and of its data. */
#ifndef TOPDOWN_PRESENT_REPORT_ASSESSMENT_PARTS_H
#define TOPDOWN_PRESENT_REPORT_ASSESSMENT_PARTS_H

#include "analyse/evaluate/report.h"
#include "present/document/data.h"
#include "present/document/document.h"

/* "ok", "look closer", "high", "low"; "" without bounds, "-" without a value. */
const char *assessed_word(const struct assessed *assessed);
/* "12.3", of percentages with one decimal; "-": no value. */
const char *assessed_value(struct arena *arena, const struct assessed *assessed);
/* "ok: up to 5", "look closer: above 5", "high: above 10"; "" without bounds; without a value the reason. */
const char *assessed_text(struct arena *arena, const struct assessed *assessed);
/* Who publishes the bound that decided, in short: "intel/perfmon", "topdown"; "" where none did. */
const char *assessed_source(struct arena *arena, const struct assessed *assessed);

/* Of accesses and misses: the events that count them, "L1D_CACHE", with what stands between two; "": none. */
const char *assessed_events(struct arena *arena, const struct report *report, const struct assessed *assessed,
			    const char *between);

/* For machines: "ok", "look", "high", "low"; NULL without bounds or a value. */
const char *assessed_key(const struct assessed *assessed);
/* What the value says, as a sentence; NULL without bounds or a value. */
const char *assessed_means(const struct assessed *assessed);

/* Of a whole report, in text alone: what is beyond its bounds as a sentence, all of them with -v. */
void report_assessment(struct document *doc, const struct report *report);
/* A row for each figure of a topic that this kind of CPU has, with -v of the others too; of ASSESS_TOPICS for all. */
void assessment_table(struct document *doc, const struct report *report, enum assessment_topic topic);

/* "assessment": one object for each figure. */
void assessment_json(struct json_writer *writer, const struct report *report, struct arena *arena);

#endif
