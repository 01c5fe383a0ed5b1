/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_matrix.h - a plan as a table: a line for each group, a column for each counter. */
#ifndef TOPDOWN_PLAN_MATRIX_H
#define TOPDOWN_PLAN_MATRIX_H

#include "render/planned.h"

/*
 * Prints run and group, the number of the event on each counter, the numbers of those that take none, and the nodes that are
 * complete in the group: beside the counters where the page is wide enough, else in a list of their own below.
 */
void plan_matrix(const struct page *page, const struct planned *planned, const struct planned_numbers *numbers);

#endif
