/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/bytes.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const char *base64_encode(const void *bytes, size_t length, struct arena *arena)
{
	const uint8_t *from = bytes;
	char *text = arena_alloc(arena, (length + 2) / 3 * 4 + 1), *out = text;

	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		uint32_t word = (uint32_t)from[i] << 16;

		word |= left > 1 ? (uint32_t)from[i + 1] << 8 : 0;
		word |= left > 2 ? (uint32_t)from[i + 2] : 0;
		*out++ = letters[word >> 18];
		*out++ = letters[word >> 12 & 63];
		*out++ = left > 1 ? letters[word >> 6 & 63] : '=';
		*out++ = left > 2 ? letters[word & 63] : '=';
	}
	*out = '\0';
	return text;
}

#define OTHER 64 /* no letter */

static void base64_fill(uint8_t *values)
{
	memset(values, OTHER, 256);
	for (uint8_t i = 0; i < OTHER; i++)
		values[(uint8_t)letters[i]] = i;
}

char *base64_decode(const char *text, size_t length, size_t *decoded, struct arena *arena)
{
	char *bytes = arena_alloc(arena, length / 4 * 3 + 3), *out = bytes;
	uint8_t values[256];
	uint32_t word = 0;
	unsigned have = 0, padding = 0;

	base64_fill(values);
	for (size_t i = 0; i < length; i++) {
		uint8_t value = values[(uint8_t)text[i]];

		if (text[i] && strchr(" \t\r\n", text[i]))
			continue;
		padding += text[i] == '=';
		if (text[i] == '=' ? have + padding < 3 : value == OTHER || padding)
			return NULL;
		word = word << 6 | (value & 63);
		if (++have < 4)
			continue;
		*out++ = (char)(word >> 16);
		*out++ = (char)(word >> 8);
		*out++ = (char)word;
		have = 0;
		word = 0;
		if (padding > 2)
			return NULL;
	}
	*decoded = (size_t)(out - bytes) - padding;
	return have || padding > 2 ? NULL : bytes;
}
