/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recent_values.h - the recent values of what is shown interval by interval, and sparklines of them. */
#ifndef TOPDOWN_PRESENT_REPORT_RECENT_VALUES_H
#define TOPDOWN_PRESENT_REPORT_RECENT_VALUES_H

#include "present/document/document.h"

#define PAST_LENGTH 64 /* intervals */

struct where_row;

/* Everything lives in the arena: of each node a name and PAST_LENGTH values. */
struct recent_values *recent_values_new(struct arena *arena);

/* One more interval: what it has of each node, and of each function; what it lacks is unknown in it. */
void recent_values_add(struct recent_values *past, const struct report_set *set);

/*
 * The last values of the document's window, the newest at the right; each is drawn by its share of the largest that is
 * shown, of percents at least 1. Blank: unknown. In the document's arena.
 */
const char *recent_values_spark(const struct document *doc, const struct report *report, const struct result *node);
const char *recent_values_spark_of_function(const struct document *doc, const struct where_row *function);

#endif
