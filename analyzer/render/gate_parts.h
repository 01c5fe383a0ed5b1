/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_parts.h - what the forms of a gate share: its words, and its result on a page and as data. */
#ifndef TOPDOWN_RENDER_GATE_PARTS_H
#define TOPDOWN_RENDER_GATE_PARTS_H

#include "gate/gate_judge.h"
#include "render/document.h"

extern const struct view gate_view; /* of a struct gate_result; no CSV */

/* "passed", "FAILED: 1 of 3 limits is exceeded" */
const char *gate_headline(const struct gate_result *result, struct arena *arena);

/* "Instructions rose by 2.10 % (all layouts: 2.05 to 2.15); 0.3 % are allowed" */
const char *gate_sentence(const struct gate_result *result, const struct gate_row *row, struct arena *arena);

/* "sort (quicksort.c:20): 3.86 M cycles more, mostly Branch_Mispredicts" */
const char *gate_cause_text(const struct gate_cause *cause, struct arena *arena);

/* What is limited: "Instructions", "cycles in parse". */
const char *gate_subject(const struct gate_row *row, struct arena *arena);

/* Other forms: gate_forms.c. */
void gate_write_junit(FILE *out, const struct gate_result *result, struct arena *arena);
void gate_write_annotations(FILE *out, const struct gate_result *result, struct arena *arena);

#endif
