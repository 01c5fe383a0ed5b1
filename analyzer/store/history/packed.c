/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/sql.h"

#include <math.h>
#include <string.h>

#include "common/base/bytes.h"
#include "common/base/macros.h"

#define MOST_N 0xffff

enum column_flag { HAS_DISTANCES = 1, HAS_SEVERAL_N = 2 };

static uint16_t narrow(unsigned n)
{
	return (uint16_t)(n < MOST_N ? n : MOST_N);
}

/* ---- rows ---- */

struct row_value {
	uint32_t metric;
	double value;
	float below, above;
	uint16_t n;
} __attribute__((packed));

struct packed_bytes pack_row(const struct packed_value *values, size_t count, struct arena *arena)
{
	struct row_value *row = arena_array(arena, count + 1, sizeof(*row));

	for (size_t i = 0; i < count; i++)
		row[i] = (struct row_value){ .metric = values[i].metric,
					     .value = values[i].value,
					     .below = (float)(values[i].value - values[i].low),
					     .above = (float)(values[i].high - values[i].value),
					     .n = narrow(values[i].n) };
	return (struct packed_bytes){ (unsigned char *)row, count * sizeof(*row) };
}

bool unpack_row(struct packed_value **values, size_t *count, struct packed_bytes packed, struct arena *arena)
{
	const struct row_value *row = (const void *)packed.bytes;

	*count = packed.length / sizeof(*row);
	*values = arena_array(arena, *count + 1, sizeof(**values));
	for (size_t i = 0; i < *count; i++)
		(*values)[i] = (struct packed_value){ .metric = row[i].metric,
						      .value = row[i].value,
						      .low = row[i].value - (double)row[i].below,
						      .high = row[i].value + (double)row[i].above,
						      .n = row[i].n };
	return packed.length % sizeof(*row) == 0;
}

/* ---- columns ---- */

struct column_head {
	uint8_t flags, unused;
	uint16_t n;
};

static unsigned flags_of(const struct packed_value *values, size_t count)
{
	unsigned flags = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i].low) || !isnan(values[i].high))
			flags |= HAS_DISTANCES;
		if (values[i].n != values[0].n)
			flags |= HAS_SEVERAL_N;
	}
	return flags;
}

static size_t column_length(unsigned flags, size_t count)
{
	size_t each = sizeof(double);

	each += flags & HAS_DISTANCES ? 2 * sizeof(float) : 0;
	each += flags & HAS_SEVERAL_N ? sizeof(uint16_t) : 0;
	return sizeof(struct column_head) + count * each;
}

static unsigned char *put(unsigned char *to, const void *number, size_t size)
{
	return (unsigned char *)memcpy(to, number, size) + size;
}

struct packed_bytes pack_column(const struct packed_value *values, size_t count, struct arena *arena)
{
	unsigned flags = flags_of(values, count);
	struct column_head head = { .flags = (uint8_t)flags, .n = count ? narrow(values[0].n) : 0 };
	struct packed_bytes column = { .length = column_length(flags, count) };
	unsigned char *at = column.bytes = arena_alloc(arena, column.length);

	at = put(at, &head, sizeof(head));
	for (size_t i = 0; i < count; i++)
		at = put(at, &values[i].value, sizeof(values[i].value));
	for (size_t i = 0; i < count && flags & HAS_DISTANCES; i++)
		at = put(at, &(float){ (float)(values[i].value - values[i].low) }, sizeof(float));
	for (size_t i = 0; i < count && flags & HAS_DISTANCES; i++)
		at = put(at, &(float){ (float)(values[i].high - values[i].value) }, sizeof(float));
	for (size_t i = 0; i < count && flags & HAS_SEVERAL_N; i++)
		at = put(at, &(uint16_t){ narrow(values[i].n) }, sizeof(uint16_t));
	return column;
}

static double take_float(struct bytes *bytes)
{
	const uint32_t bits = (uint32_t)bytes_unsigned(bytes, sizeof(bits));
	float number;

	memcpy(&number, &bits, sizeof(number));
	return (double)number;
}

bool unpack_column(struct packed_value *values, size_t count, struct packed_bytes column)
{
	struct bytes bytes = { .at = column.bytes, .end = column.bytes + column.length };
	uint64_t head = bytes_unsigned(&bytes, sizeof(struct column_head));
	unsigned flags = head & 0xff, n = (unsigned)(head >> 16);

	if (flags & ~(unsigned)(HAS_DISTANCES | HAS_SEVERAL_N) || column.length != column_length(flags, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		values[i].value = bytes_double(&bytes);
		values[i].low = values[i].high = NOT_COUNTED;
		values[i].n = n;
	}
	for (size_t i = 0; i < count && flags & HAS_DISTANCES; i++)
		values[i].low = values[i].value - take_float(&bytes);
	for (size_t i = 0; i < count && flags & HAS_DISTANCES; i++)
		values[i].high = values[i].value + take_float(&bytes);
	for (size_t i = 0; i < count && flags & HAS_SEVERAL_N; i++)
		values[i].n = (unsigned)bytes_unsigned(&bytes, 2);
	return true;
}
