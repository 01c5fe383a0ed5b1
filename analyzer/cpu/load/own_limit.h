/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_limit.h - a metric's own number in its threshold, which people are shown: "tma_dram_bound > 0.1 &
 * tma_memory_bound > 0.2" compares the metric itself with 10 %.
 */
#ifndef TOPDOWN_CPU_LOAD_OWN_LIMIT_H
#define TOPDOWN_CPU_LOAD_OWN_LIMIT_H

#include "cpu/load/model.h"

struct own_limit {
	double value;  /* in the printed unit */
	bool is_below; /* the threshold holds below it, else above it */
};

/*
 * How long it took is no share of anything that a program loses: the vendors' threshold of such a metric says that the
 * measurement was short.
 */
bool is_duration(const struct metric *metric);

/* False: it has no threshold, or one that begins otherwise, or is a duration. */
bool own_limit(struct own_limit *limit, const struct model *model, const struct metric *metric);

#endif
