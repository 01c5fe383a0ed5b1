/* SPDX-License-Identifier: GPL-2.0-or-later */
/* human.h - numbers as people read them. What is not a number is "-" in all of them. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_HUMAN_H
#define TOPDOWN_PRESENT_DOCUMENT_HUMAN_H

#include "common/base/arena.h"
#include "cpu/load/model.h"

/* Three significant digits: "1.23 G", "412". */
const char *human_count(struct arena *arena, double value) MUST_CHECK;
/* "12.3 s", "4.56 ms". */
const char *human_seconds(struct arena *arena, double value) MUST_CHECK;
/* With decimals places after the point. */
const char *human_fixed(struct arena *arena, double value, int decimals) MUST_CHECK;
/* With its sign and one decimal: "+1.2", "0.0". */
const char *human_signed(struct arena *arena, double value) MUST_CHECK;
/* A metric's value without its unit: percentages with one decimal, others with as many as their size needs. */
const char *human_value(struct arena *arena, const struct metric *metric, double value) MUST_CHECK;
/* Half of an interval around a value, in no finer digits than the value's: "0.01" beside "1.21". */
const char *human_spread(struct arena *arena, const struct metric *metric, double value, double half) MUST_CHECK;
/* What its percentage is a part of: "% slots", "% clocks", because a child may count in other parts than its parent. */
const char *human_unit(struct arena *arena, const struct metric *metric) MUST_CHECK;
/* Twelve digits, for machines; "" when it is not a number. */
const char *plain_number(struct arena *arena, double value) MUST_CHECK;

#endif
