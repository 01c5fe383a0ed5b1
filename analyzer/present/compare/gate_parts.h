/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_parts.h - what the forms of a gate share: its words, and its result on a page and as data. */
#ifndef TOPDOWN_PRESENT_COMPARE_GATE_PARTS_H
#define TOPDOWN_PRESENT_COMPARE_GATE_PARTS_H

#include "analyse/gate/gate_judge.h"
#include "present/document/document.h"

extern const struct view gate_view; /* of a struct gate_result; no CSV */

/* "passed", "FAILED: 1 of 3 limits is exceeded" */
const char *gate_headline(const struct gate_result *result, struct arena *arena);

/* "Instructions rose by 2.10 % (all layouts: 2.05 to 2.15); 0.3 % are allowed" */
const char *gate_sentence(const struct gate_result *result, const struct gate_row *row, struct arena *arena);

/* "sort (quicksort.c:20): 3.86 M cycles more, mostly Branch_Mispredicts" */
const char *gate_cause_text(const struct gate_cause *cause, struct arena *arena);

/* What is limited: "Instructions", "cycles in parse". */
const char *gate_subject(const struct gate_row *row, struct arena *arena);

/* In the metric's unit: "193 M", "44.1 %", "12.3 ms". */
const char *gate_value_text(const struct gate_row *row, double value, struct arena *arena);
/* "+2.10 %"; "" where the limit is absolute. */
const char *gate_change_text(const struct gate_row *row, struct arena *arena);
/* From where to where that is: "+1.90 % to +2.30 %"; "" where it is one number. */
const char *gate_interval_text(const struct gate_row *row, struct arena *arena);
/* "+0.3 %", "at most 20 points" */
const char *gate_allowed_text(const struct gate_limit *limit, struct arena *arena);
/* "ok", "FAILED", "can't tell" */
const char *gate_verdict_word(enum gate_verdict verdict);
/* The verdict, and behind it what was measured. */
#define GATE_FACTS 6
const struct fact *gate_facts(const struct gate_result *result, struct arena *arena);

/* As a page of HTML: of a struct gate_result. */
void gate_page(struct document *doc, const void *what, const struct page_content *content);

/* Other forms: gate_forms.c. */
void gate_write_junit(FILE *out, const struct gate_result *result, struct arena *arena);
void gate_write_annotations(FILE *out, const struct gate_result *result, struct arena *arena);

#endif
