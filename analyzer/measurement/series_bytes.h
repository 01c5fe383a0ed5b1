/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series_bytes.h - numbers in a series' bytes: whole ones 7 bits a byte, the lowest first, with 0x80 in all bytes but
 * the last; signed ones as 2n, or -2n - 1; others as the eight bytes of a double, the lowest first.
 */
#ifndef TOPDOWN_MEASUREMENT_SERIES_BYTES_H
#define TOPDOWN_MEASUREMENT_SERIES_BYTES_H

#include <string.h>

#include "measurement/series.h"

/* Room for more. Aborts where there is no memory, as an arena does. */
void series_grow(struct series *series);

/* Adds up two intervals that follow each other; sum borrows from both. */
void series_sum(struct measurement *sum, const struct measurement *more, struct arena *arena);

static inline void series_put_byte(struct series *series, unsigned byte)
{
	if (series->length == series->capacity)
		series_grow(series);
	series->bytes[series->length++] = (unsigned char)byte;
}

static inline void series_put(struct series *series, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		series_put_byte(series, (unsigned)(number & 0x7f) | 0x80);
	series_put_byte(series, (unsigned)number);
}

static inline uint64_t series_zigzag(int64_t number)
{
	return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static inline int64_t series_unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static inline void series_put_number(struct series *series, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	for (unsigned i = 0; i < 8; i++)
		series_put_byte(series, (unsigned)(bits >> (8 * i)) & 0xff);
}

struct series_reader {
	const unsigned char *bytes;
	size_t at, length;
	bool has_failed; /* then all numbers are 0 */
};

static inline unsigned series_get_byte(struct series_reader *reader)
{
	if (reader->at < reader->length && !reader->has_failed)
		return reader->bytes[reader->at++];
	reader->has_failed = true;
	return 0;
}

static inline uint64_t series_get(struct series_reader *reader)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned byte = series_get_byte(reader);

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	reader->has_failed = true;
	return 0;
}

static inline double series_get_number(struct series_reader *reader)
{
	uint64_t bits = 0;
	double number;

	for (unsigned i = 0; i < 8; i++)
		bits |= (uint64_t)series_get_byte(reader) << (8 * i);
	memcpy(&number, &bits, sizeof(number));
	return number;
}

#endif
