/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packed.h - values as bytes of the file. A run's values arrive as a row. Of each BLOCK_RUNS runs of a series
 * they are turned into columns, one for each metric, so that a trend reads its metric only. Numbers are little-endian.
 * Of an interval the distances of its ends from the value are kept, with seven digits.
 */
#ifndef TOPDOWN_STORE_HISTORY_PACKED_H
#define TOPDOWN_STORE_HISTORY_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

/* Four columns of so many runs, with intervals, fill a page of SQLite's (4096 bytes). */
#define BLOCK_RUNS 62

struct packed_value {
	uint32_t metric;  /* the file's number of its name */
	double value;	  /* NAN: not measured */
	double low, high; /* NAN: no interval */
	unsigned n;
};

struct packed_bytes {
	unsigned char *bytes; /* borrowed, or in an arena */
	size_t length;
};

/* A row: for each value its metric (4 bytes), value (8), distances below and above (4 each) and n (2). */
struct packed_bytes pack_row(const struct packed_value *values, size_t count, struct arena *arena);
/* False where it is no such row. */
bool unpack_row(struct packed_value **values, size_t *count, struct packed_bytes row, struct arena *arena);

/*
 * A column: a byte of flags (1: it has distances, 2: n differs), a byte 0, n (2 bytes), the values (8 each), the
 * distances below and above (4 each), and where it differs n (2 each). metric is no part of it.
 */
struct packed_bytes pack_column(const struct packed_value *values, size_t count, struct arena *arena);
/* Fills values, but for metric. False where it is no column of so many runs. */
bool unpack_column(struct packed_value *values, size_t count, struct packed_bytes column);

/* A run's number, in 8 bytes, as a block has them of its runs. */
void pack_number(unsigned char *bytes, uint64_t number);
uint64_t unpack_number(const unsigned char *bytes);

#endif
