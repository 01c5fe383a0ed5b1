/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perf_record.h"

#include <ctype.h>
#include <string.h>

#include "common/base/text.h"

#define MOST_PARTS 16 /* of digits: 16 times 3 are more than any count has */

/* Digits between separators, as they stand in the text. */
struct digits {
	const char *at;
	size_t length;
	char separator; /* in front of them */
};

static size_t count_digits(const char *text)
{
	size_t length = 0;

	while (isdigit((unsigned char)text[length]))
		length++;
	return length;
}

/* One blank parts thousands only: "437 075 361", but "2  437". */
static bool has_more(const char *text)
{
	size_t length;

	if (!*text || !strchr(",.' ", *text))
		return false;
	length = count_digits(text + 1);
	return *text == ' ' ? length == 3 : length > 0;
}

static size_t take_apart(struct digits *parts, const char *text)
{
	size_t count = 0;

	parts[count++] = (struct digits){ .at = text, .length = count_digits(text) };
	for (text += parts[0].length; count < MOST_PARTS && has_more(text); count++) {
		parts[count] = (struct digits){ .at = text + 1, .length = count_digits(text + 1), .separator = *text };
		text += 1 + parts[count].length;
	}
	return count;
}

/* Is the last part behind a decimal point or comma? One separator with three digits behind it parts thousands. */
static bool has_decimals(const struct digits *parts, size_t count)
{
	const struct digits *last = &parts[count - 1];

	if (count == 1 || (last->separator != ',' && last->separator != '.'))
		return false;
	if (count > 2)
		return last->separator != parts[1].separator;
	return last->length != 3 || parts[0].length > 3 || *parts[0].at == '0';
}

/* Threes, or as in India twos with three at the end. */
static bool is_grouped(const struct digits *parts, size_t count)
{
	if (count > 1 && parts[0].length > 3)
		return false;
	for (size_t i = 1; i < count; i++) {
		bool is_short = parts[i].separator == ',' && parts[i].length == 2 && i + 1 < count;

		if (parts[i].separator != parts[1].separator || (parts[i].length != 3 && !is_short))
			return false;
	}
	return true;
}

size_t perf_number(const char *text, double *value, bool *is_whole)
{
	struct digits parts[MOST_PARTS];
	size_t count = take_apart(parts, text), length = 0;
	bool is_fraction = has_decimals(parts, count);
	const struct digits *last = &parts[count - 1];
	char plain[128];

	*is_whole = !is_fraction;
	if (!parts[0].length || !is_grouped(parts, is_fraction ? count - 1 : count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (length + parts[i].length + 2 > sizeof(plain))
			return 0;
		if (is_fraction && i + 1 == count)
			plain[length++] = '.';
		memcpy(plain + length, parts[i].at, parts[i].length);
		length += parts[i].length;
	}
	plain[length] = '\0';
	return text_double(plain, value) ? (size_t)(last->at + last->length - text) : 0;
}
