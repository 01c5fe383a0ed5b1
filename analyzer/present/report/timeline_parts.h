/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_parts.h - what the plots and the table of intervals share. */
#ifndef TOPDOWN_PRESENT_REPORT_TIMELINE_PARTS_H
#define TOPDOWN_PRESENT_REPORT_TIMELINE_PARTS_H

#include "analyse/evaluate/timeline.h"
#include "present/document/document.h"

/* What `count` points from `first` on come to; count 0 in it: not measured. */
struct timeline_value timeline_sum(const struct timeline_row *row, size_t first, size_t count);

/* The first row of the kind; NULL: there is none. */
const struct timeline_row *timeline_row_of(const struct timeline_part *part, enum timeline_kind kind);

/* A fold with a row for each point. One of several intervals has "mean (least to greatest)". */
void timeline_table(struct document *doc, const struct timeline *timeline, const struct timeline_part *part);

#endif
