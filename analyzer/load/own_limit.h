/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_limit.h - a metric's own number in its threshold, which people are shown: "tma_dram_bound > 0.1 &
 * tma_memory_bound > 0.2" compares the metric itself with 10 %.
 */
#ifndef TOPDOWN_LOAD_OWN_LIMIT_H
#define TOPDOWN_LOAD_OWN_LIMIT_H

#include "load/model.h"

struct own_limit {
	double value;  /* in the printed unit */
	bool is_below; /* the threshold holds below it, else above it */
};

/* False: it has no threshold, or one that begins otherwise. */
bool own_limit(struct own_limit *limit, const struct model *model, const struct metric *metric);

#endif
