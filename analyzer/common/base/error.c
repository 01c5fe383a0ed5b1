/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

#define CUT	   "..."
#define MOST_WHERE 510 /* bytes of a prefix: the text behind it has as many at least */

/* text has room for size bytes, and would have been longer: it ends with CUT, behind a whole character of UTF-8. */
static void mark_cut(char *text, size_t size)
{
	size_t end = size - sizeof(CUT);

	while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	memcpy(text + end, CUT, sizeof(CUT));
}

static PRINTF(3, 0) void print_cut(char *text, size_t size, const char *format, va_list args)
{
	char words[MOST_WORDED];
	int length = vsnprintf(text, size, text_worded(words, sizeof(words), format), args);

	if (length >= 0 && (size_t)length >= size)
		mark_cut(text, size);
}

int error_set(struct error *err, const char *format, ...)
{
	va_list args;

	if (is_error(err))
		return -1;
	va_start(args, format);
	print_cut(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -1;
}

int error_in(struct error *err, const char *format, ...)
{
	char where[MOST_WHERE + sizeof(": ")];
	size_t length, kept = strlen(err->text);
	va_list args;

	va_start(args, format);
	print_cut(where, MOST_WHERE + 1, format, args);
	va_end(args);
	length = strlen(where);
	memcpy(where + length, ": ", sizeof(": "));
	length += strlen(": ");
	if (length + kept >= sizeof(err->text)) {
		kept = sizeof(err->text) - 1 - length;
		mark_cut(err->text, kept + 1);
		kept = strlen(err->text);
	}
	memmove(err->text + length, err->text, kept + 1);
	memcpy(err->text, where, length);
	return -1;
}

bool is_error(const struct error *err)
{
	return err->text[0] != '\0';
}

void error_clear(struct error *err)
{
	*err = (struct error){ .text = "" };
}
