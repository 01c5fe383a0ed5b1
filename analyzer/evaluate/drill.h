/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drill.h - measuring a tree step by step: what comes next. */
#ifndef TOPDOWN_DRILL_H
#define TOPDOWN_DRILL_H

#include "evaluate/report.h"

/*
 * What is directly below the report's bottlenecks: their children down to level deepest, and from level 2 on the metrics of
 * their next groups. What is in taken ([model->count]) is left out; what is returned is added to it. items has room for
 * model->count numbers. Returns how many there are; 0 at a leaf, or where nothing is over its threshold.
 */
size_t drill_next(size_t *items, bool *taken, const struct report *report, unsigned deepest);

#endif
