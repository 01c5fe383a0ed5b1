/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval_series_bytes.h - what interval_series.c writes and interval_series_read.c reads. Whole numbers
 * are LEB128; signed ones are 2n, or -2n - 1; others are the bytes of a double.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_INTERVAL_SERIES_BYTES_H
#define TOPDOWN_COMMON_MEASUREMENT_INTERVAL_SERIES_BYTES_H

#include <string.h>

#include "common/base/bytes.h"
#include "common/measurement/interval_series.h"

/* Of an item, in this order behind the flags: column, raw, times, value, reason, CPUs. */
#define STATE	     0x03 /* enum count_state */
#define SAME_TIMES   0x04 /* those of the item before it in the part */
#define OWN_VALUE    0x08 /* else it is raw, extrapolated */
#define OWN_COLUMN   0x10 /* else it is the next one */
#define HAS_REASON   0x20
#define HAS_CPUS     0x40
#define HAS_NO_TIMES 0x80 /* both are 0 */

/* Of a CPU's part of an item. */
#define CPU_SAME_TIMES 0x01
#define CPU_OWN_VALUE  0x02
#define CPU_REFUSED    0x04
#define CPU_NOTHING    0x08

/* Of a part. */
#define PART_RUN      0x01
#define PART_CPU_TIME 0x02
#define PART_BY_CPU   0x04 /* CPU times of each */
#define PART_SOFTWARE 0x08 /* what the kernel counts by itself */

/* Of a value of these, beside four times its source's number, or its reason's. */
enum software_coding { SOFTWARE_NOTHING, SOFTWARE_WHOLE, SOFTWARE_NUMBER, SOFTWARE_WITHHELD };

struct times {
	uint64_t enabled_ns, running_ns;
};

static inline double extrapolated(uint64_t raw, const struct times *times)
{
	bool is_part = times->running_ns && times->enabled_ns > times->running_ns;

	return (double)raw * (is_part ? (double)times->enabled_ns / (double)times->running_ns : 1);
}

/* What the items before have left behind. */
struct coding {
	size_t part, column; /* column: expected */
	struct times times;
	struct times *by_cpu; /* [ncpus] */
	struct arena *arena;  /* for what is not kept */
};

/* Room for more. Aborts where there is no memory, as an arena does. */
void interval_series_grow(struct interval_series *series);

/* Adds up two intervals that follow each other; sum borrows from both. */
void interval_series_sum(struct measurement *sum, const struct measurement *more, struct arena *arena);

static inline unsigned char *series_room(struct interval_series *series)
{
	if (series->capacity - series->length < LEB_MOST)
		interval_series_grow(series);
	return series->bytes + series->length;
}

static inline void series_put(struct interval_series *series, uint64_t number)
{
	series->length += (size_t)(leb_put(series_room(series), number) - (series->bytes + series->length));
}

static inline void series_put_byte(struct interval_series *series, unsigned byte)
{
	*series_room(series) = (unsigned char)byte;
	series->length++;
}

static inline uint64_t series_zigzag(int64_t number)
{
	return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static inline int64_t series_unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static inline void series_put_number(struct interval_series *series, double number)
{
	memcpy(series_room(series), &number, sizeof(number));
	series->length += sizeof(number);
}

#endif
