/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, const char *format, ...)
{
	va_list args;

	if (is_error(err))
		return -1;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -1;
}

int error_in(struct error *err, const char *format, ...)
{
	char where[512];
	size_t shift, keep = strlen(err->text);
	va_list args;

	va_start(args, format);
	vsnprintf(where, sizeof(where) - 2, format, args);
	va_end(args);
	shift = strlen(where);
	where[shift++] = ':';
	where[shift++] = ' ';
	if (keep > sizeof(err->text) - 1 - shift)
		keep = sizeof(err->text) - 1 - shift;
	memmove(err->text + shift, err->text, keep);
	memcpy(err->text, where, shift);
	err->text[shift + keep] = '\0';
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
