/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluate.h - from counts to the numbers of the tree, each with its quality, and to what should be looked at next. */
#ifndef TOPDOWN_EVALUATE_H
#define TOPDOWN_EVALUATE_H

#include "evaluate/report.h"

/*
 * Evaluates the model's nodes down to level (0: as deep as was counted) on counts. Everything in report lives in arena or is
 * borrowed from model and counts. pmu names the events in the perf record command. -1 when the counts are of another CPU
 * than the model.
 */
int evaluate(struct report *report, const struct model *model, const struct counts *counts, unsigned level, struct arena *arena,
	     struct error *err) MUST_CHECK;

#endif
