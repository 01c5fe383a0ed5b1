/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_histogram.h - times in buckets whose width grows with them, as in HdrHistogram (hdrhistogram.org): each power of
 * two has LOG_PARTS of them. So what is read from it is within 1/(2 * LOG_PARTS) of what was added, whatever came.
 */
#ifndef TOPDOWN_COMMON_LATENCY_LOG_HISTOGRAM_H
#define TOPDOWN_COMMON_LATENCY_LOG_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define LOG_BITS    5
#define LOG_PARTS   (1u << LOG_BITS)
#define LOG_BUCKETS ((64 - LOG_BITS + 1) * LOG_PARTS)

/* Zeros are an empty one. */
struct log_histogram {
	uint64_t buckets[LOG_BUCKETS];
	uint64_t count, sum; /* exact */
	uint64_t least, most;
};

void log_histogram_add(struct log_histogram *histogram, uint64_t value);

/* All of the other one's values are added. */
void log_histogram_join(struct log_histogram *histogram, const struct log_histogram *other);

/* The value that this share (0 to 1) of all is at or below; of nothing 0. */
uint64_t log_histogram_at(const struct log_histogram *histogram, double share);

/* The number of values from 2^power up to 2^(power + 1); of power 0 those of 0 too. */
uint64_t log_histogram_power(const struct log_histogram *histogram, unsigned power);

#endif
