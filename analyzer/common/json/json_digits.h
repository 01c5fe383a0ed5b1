/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_digits.h - numbers as the text that JSON has of them: for arrays of millions, which are no tree of values. */
#ifndef TOPDOWN_COMMON_JSON_JSON_DIGITS_H
#define TOPDOWN_COMMON_JSON_JSON_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of the longest integer, "-9223372036854775808". */
#define DIGITS_OF_INTEGER 20

/* Decimal digits of a double: what every number that people write needs, and what every double needs. */
#define SHORT_DIGITS 15
#define ALL_DIGITS   17

/* Texts of numbers with commas between them; all 0 at first. */
struct json_digits {
	char *text; /* not terminated; free() it */
	size_t length, capacity;
	bool is_first;	 /* of its list: no comma stands before the next one */
	bool has_failed; /* no memory was left */
};

/* Another list begins, at the length that is returned. */
size_t json_digits_begin(struct json_digits *digits);

void json_digits_integer(struct json_digits *digits, int64_t value);
/* A finite one, with as few digits as read the same double back. */
void json_digits_real(struct json_digits *digits, double value);
/* Anything else that stands among numbers. */
void json_digits_add(struct json_digits *digits, const char *text, size_t length);

/* Writes the integer so that it ends before end, which has DIGITS_OF_INTEGER before it; returns where it begins. */
char *json_integer_before(char *end, int64_t value);

/* Do 15 digits not do? */
bool json_needs_all_digits(double value);

#endif
