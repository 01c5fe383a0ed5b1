/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shapes.h - which members the parts of a session have, and the flat counts' reader; for session.c only. */
#ifndef TOPDOWN_SHAPES_H
#define TOPDOWN_SHAPES_H

#include "evaluate/counts.h"
#include "session/fields.h"

extern const struct shape repeat_shape;
extern const struct shape session_shape; /* struct counts */
extern const struct shape facts_shape;	 /* struct facts */
extern const struct shape run_shape;	 /* struct count_run */
extern const struct shape anchor_shape;	 /* struct anchor */
extern const struct shape count_shape;	 /* struct count */

/* The member "lines", where there is one; counts->items are there already. place is the part's. */
void lines_write(struct json_writer *writer, const struct counts *counts);
int lines_read(struct counts *counts, const struct json *array, struct place place, struct error *err) MUST_CHECK;

/* Reads "topdown-counts". place is the root. */
int flat_read(struct counts *counts, const struct json *root, const struct place *place, struct error *err) MUST_CHECK;

#endif
