/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

#define FIRST_CAPACITY 4096

bool json_needs_all_digits(double value)
{
	char text[40];
	double again;

	snprintf(text, sizeof(text), "%.*g", SHORT_DIGITS, value);
	return !text_double(text, &again) || again < value || again > value;
}

char *json_integer_before(char *end, int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		*--end = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		*--end = '-';
	return end;
}

static bool has_room(struct json_digits *digits, size_t length)
{
	size_t capacity = digits->capacity ? digits->capacity : FIRST_CAPACITY;
	char *larger;

	if (length <= digits->capacity - digits->length)
		return true;
	while (length > capacity - digits->length)
		capacity *= 2;
	larger = digits->has_failed ? NULL : realloc(digits->text, capacity);
	if (larger) {
		digits->text = larger;
		digits->capacity = capacity;
	}
	digits->has_failed = !larger;
	return larger;
}

size_t json_digits_begin(struct json_digits *digits)
{
	digits->is_first = true;
	return digits->length;
}

void json_digits_add(struct json_digits *digits, const char *text, size_t length)
{
	if (!has_room(digits, length + 1))
		return;
	if (!digits->is_first)
		digits->text[digits->length++] = ',';
	digits->is_first = false;
	memcpy(digits->text + digits->length, text, length);
	digits->length += length;
}

void json_digits_integer(struct json_digits *digits, int64_t value)
{
	char text[DIGITS_OF_INTEGER], *end = text + sizeof(text), *begin = json_integer_before(end, value);

	json_digits_add(digits, begin, (size_t)(end - begin));
}

void json_digits_real(struct json_digits *digits, double value)
{
	char text[40];
	int precision = json_needs_all_digits(value) ? ALL_DIGITS : SHORT_DIGITS;

	json_digits_add(digits, text, (size_t)snprintf(text, sizeof(text), "%.*g", precision, value));
}
