/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/latency/log_histogram.h"

/* The first 2 * LOG_PARTS values have a bucket each. */
static size_t bucket_of(uint64_t value)
{
	unsigned shift;

	if (value < LOG_PARTS)
		return (size_t)value;
	shift = 63 - LOG_BITS - (unsigned)__builtin_clzll(value);
	return (size_t)shift * LOG_PARTS + (size_t)(value >> shift);
}

/* The bucket's middle. */
static uint64_t value_of(size_t bucket)
{
	size_t shift = bucket < 2 * LOG_PARTS ? 0 : bucket / LOG_PARTS - 1;
	uint64_t low = (uint64_t)(bucket - shift * LOG_PARTS) << shift;

	return low + (((uint64_t)1 << shift) - 1) / 2;
}

void log_histogram_add(struct log_histogram *histogram, uint64_t value)
{
	histogram->buckets[bucket_of(value)]++;
	histogram->sum += value;
	if (!histogram->count++ || value < histogram->least)
		histogram->least = value;
	if (value > histogram->most)
		histogram->most = value;
}

void log_histogram_join(struct log_histogram *histogram, const struct log_histogram *other)
{
	if (!other->count)
		return;
	for (size_t i = 0; i < LOG_BUCKETS; i++)
		histogram->buckets[i] += other->buckets[i];
	if (!histogram->count || other->least < histogram->least)
		histogram->least = other->least;
	if (other->most > histogram->most)
		histogram->most = other->most;
	histogram->count += other->count;
	histogram->sum += other->sum;
}

uint64_t log_histogram_at(const struct log_histogram *histogram, double share)
{
	double wanted = share * (double)histogram->count;
	uint64_t seen = 0, value;

	for (size_t i = 0; i < LOG_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (!seen || (double)seen < wanted)
			continue;
		value = value_of(i);
		value = value > histogram->most ? histogram->most : value;
		return value < histogram->least ? histogram->least : value;
	}
	return histogram->most;
}

uint64_t log_histogram_power(const struct log_histogram *histogram, unsigned power)
{
	size_t first = power ? bucket_of((uint64_t)1 << power) : 0;
	size_t end = power < 63 ? bucket_of((uint64_t)2 << power) : LOG_BUCKETS;
	uint64_t count = 0;

	for (size_t i = first; i < end; i++)
		count += histogram->buckets[i];
	return count;
}
