/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - numbers in bytes that may end anywhere: behind the end everything is 0. Those of LEB128, as DWARF has them,
 * take 7 bits a byte, the lowest first, with 0x80 in all bytes but the last. And bytes as letters: base64.
 */
#ifndef TOPDOWN_COMMON_BASE_BYTES_H
#define TOPDOWN_COMMON_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/arena.h"

#define LEB_MOST 10 /* bytes of a number */

/* Writes the number, and returns behind it. */
static inline unsigned char *leb_put(unsigned char *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (unsigned char)(number | 0x80);
	*to++ = (unsigned char)number;
	return to;
}

struct bytes {
	const unsigned char *at, *end;
	bool is_broken; /* more was asked for than there is, or it makes no sense: nothing of it is worth anything */
};

static inline size_t bytes_left(const struct bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers in files are little-endian");

/* size bytes, at most 8. */
static inline uint64_t bytes_unsigned(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if (size > bytes_left(bytes)) {
		bytes->is_broken = true;
		bytes->at = bytes->end;
		return 0;
	}
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	return value;
}

static inline double bytes_double(struct bytes *bytes)
{
	const uint64_t bits = bytes_unsigned(bytes, sizeof(bits));
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static inline int64_t bytes_signed(struct bytes *bytes, size_t size)
{
	const unsigned unused = (unsigned)(64 - 8 * size);

	return (int64_t)(bytes_unsigned(bytes, size) << unused) >> unused;
}

enum { LEB_SHIFTS = 7 * 16 }; /* a longer number is padded by someone who wants to keep us busy */

/* The next byte of a LEB128 number; *shift is that of its bits. */
static inline unsigned char bytes_leb(struct bytes *bytes, uint64_t *value, unsigned *shift)
{
	const unsigned char byte = (unsigned char)bytes_unsigned(bytes, 1);

	if (*shift < 64)
		*value |= (uint64_t)(byte & 0x7f) << *shift;
	*shift += 7;
	bytes->is_broken |= *shift > LEB_SHIFTS;
	return bytes->is_broken ? 0 : byte;
}

static inline uint64_t bytes_uleb(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0;

	if (bytes->at < bytes->end && *bytes->at < 0x80) /* most of them */
		return *bytes->at++;
	while (bytes_leb(bytes, &value, &shift) & 0x80)
		;
	return value;
}

static inline int64_t bytes_sleb(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do
		byte = bytes_leb(bytes, &value, &shift);
	while (byte & 0x80);
	if ((byte & 0x40) && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

/* Leaves length bytes out, and gives where they begin. */
static inline const unsigned char *bytes_skip(struct bytes *bytes, uint64_t length)
{
	const unsigned char *begin = bytes->at;

	if (length > bytes_left(bytes)) {
		bytes->is_broken = true;
		length = bytes_left(bytes);
	}
	bytes->at += length;
	return begin;
}

/* ---- base64: RFC 4648, section 4 ---- */

/* Terminated, in arena. */
const char *base64_encode(const void *bytes, size_t length, struct arena *arena) MUST_CHECK;

/*
 * The bytes, in arena, and their number. White space between letters is skipped. NULL where anything else stands in the
 * text, or where it is cut: letters come in fours.
 */
char *base64_decode(const char *text, size_t length, size_t *decoded, struct arena *arena) MUST_CHECK;

#endif
