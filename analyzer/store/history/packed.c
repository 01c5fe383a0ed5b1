/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/sql.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "common/base/macros.h"

#define ROW_BYTES  22
#define HEAD_BYTES 4
#define MOST_N	   0xffff

enum column_flag { HAS_DISTANCES = 1, HAS_SEVERAL_N = 2 };

/* ---- numbers ---- */

static unsigned char *put_16(unsigned char *to, unsigned number)
{
	uint16_t little = htole16((uint16_t)(number < MOST_N ? number : MOST_N));

	return (unsigned char *)memcpy(to, &little, sizeof(little)) + sizeof(little);
}

static unsigned char *put_32(unsigned char *to, uint32_t number)
{
	uint32_t little = htole32(number);

	return (unsigned char *)memcpy(to, &little, sizeof(little)) + sizeof(little);
}

void pack_number(unsigned char *bytes, uint64_t number)
{
	uint64_t little = htole64(number);

	memcpy(bytes, &little, sizeof(little));
}

uint64_t unpack_number(const unsigned char *bytes)
{
	uint64_t little;

	memcpy(&little, bytes, sizeof(little));
	return le64toh(little);
}

static unsigned char *put_double(unsigned char *to, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	pack_number(to, bits);
	return to + sizeof(bits);
}

static unsigned char *put_float(unsigned char *to, double number)
{
	float narrow = (float)number;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	return put_32(to, bits);
}

static unsigned get_16(const unsigned char *from)
{
	uint16_t little;

	memcpy(&little, from, sizeof(little));
	return le16toh(little);
}

static uint32_t get_32(const unsigned char *from)
{
	uint32_t little;

	memcpy(&little, from, sizeof(little));
	return le32toh(little);
}

static double get_double(const unsigned char *from)
{
	uint64_t bits = unpack_number(from);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static double get_float(const unsigned char *from)
{
	uint32_t bits = get_32(from);
	float number;

	memcpy(&number, &bits, sizeof(number));
	return (double)number;
}

/* ---- rows ---- */

struct packed_bytes pack_row(const struct packed_value *values, size_t count, struct arena *arena)
{
	struct packed_bytes row = { .bytes = arena_array(arena, count + 1, ROW_BYTES), .length = count * ROW_BYTES };
	unsigned char *at = row.bytes;

	for (size_t i = 0; i < count; i++) {
		at = put_32(at, values[i].metric);
		at = put_double(at, values[i].value);
		at = put_float(at, values[i].value - values[i].low);
		at = put_float(at, values[i].high - values[i].value);
		at = put_16(at, values[i].n);
	}
	return row;
}

static struct packed_value row_value(const unsigned char *at)
{
	struct packed_value value = { .metric = get_32(at), .value = get_double(at + 4), .n = get_16(at + 20) };

	value.low = value.value - get_float(at + 12);
	value.high = value.value + get_float(at + 16);
	return value;
}

bool unpack_row(struct packed_value **values, size_t *count, struct packed_bytes row, struct arena *arena)
{
	*count = row.length / ROW_BYTES;
	*values = arena_array(arena, *count + 1, sizeof(**values));
	for (size_t i = 0; i < *count; i++)
		(*values)[i] = row_value(row.bytes + i * ROW_BYTES);
	return row.length % ROW_BYTES == 0;
}

/* ---- columns ---- */

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
	return HEAD_BYTES + count * each;
}

struct packed_bytes pack_column(const struct packed_value *values, size_t count, struct arena *arena)
{
	unsigned flags = flags_of(values, count);
	struct packed_bytes column = { .length = column_length(flags, count) };
	unsigned char *at = column.bytes = arena_alloc(arena, column.length);

	*at++ = (unsigned char)flags;
	*at++ = 0;
	at = put_16(at, count ? values[0].n : 0);
	for (size_t i = 0; i < count; i++)
		at = put_double(at, values[i].value);
	for (size_t i = 0; i < count && flags & HAS_DISTANCES; i++)
		at = put_float(at, values[i].value - values[i].low);
	for (size_t i = 0; i < count && flags & HAS_DISTANCES; i++)
		at = put_float(at, values[i].high - values[i].value);
	for (size_t i = 0; i < count && flags & HAS_SEVERAL_N; i++)
		at = put_16(at, values[i].n);
	return column;
}

bool unpack_column(struct packed_value *values, size_t count, struct packed_bytes column)
{
	const unsigned char *at = column.bytes + HEAD_BYTES, *below, *above, *numbers;
	unsigned flags;

	if (column.length < HEAD_BYTES)
		return false;
	flags = column.bytes[0];
	if (flags & ~(unsigned)(HAS_DISTANCES | HAS_SEVERAL_N) || column.length != column_length(flags, count))
		return false;
	below = at + count * sizeof(double);
	above = below + count * sizeof(float);
	numbers = flags & HAS_DISTANCES ? above + count * sizeof(float) : below;
	for (size_t i = 0; i < count; i++) {
		double value = get_double(at + i * sizeof(double));
		double down = flags & HAS_DISTANCES ? get_float(below + i * sizeof(float)) : NOT_COUNTED;
		double up = flags & HAS_DISTANCES ? get_float(above + i * sizeof(float)) : NOT_COUNTED;

		values[i].value = value;
		values[i].low = value - down;
		values[i].high = value + up;
		values[i].n = flags & HAS_SEVERAL_N ? get_16(numbers + i * sizeof(uint16_t)) : get_16(column.bytes + 2);
	}
	return true;
}
