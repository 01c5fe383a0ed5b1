/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - the blocks of a series: which runs have their values in columns, side by side. For this folder only. */
#ifndef TOPDOWN_STORE_HISTORY_COLUMNS_H
#define TOPDOWN_STORE_HISTORY_COLUMNS_H

#include "store/history/sql.h"

#define MOST_METRICS 65536 /* a column's number is its block's times this, and the metric's */
#define MOST_BLOCKS  (INT64_MAX / MOST_METRICS - 1)
#define ALL_SERIES   (-1)

struct block {
	int64_t id;
	int64_t runs[BLOCK_RUNS];
	size_t count;
};

struct block_list {
	struct block *items;
	size_t count;
};

/* -1 with err. They live in arena. */
int blocks_read(struct block_list *blocks, struct history *history, int64_t series, struct arena *arena,
		struct error *err) MUST_CHECK;

/* Always -1: what no topdown has written. */
int columns_damaged(const struct history *history, struct error *err);

#endif
