/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/csv.h"

#include <stdbool.h>
#include <string.h>

char *csv_split(struct csv_line *line, char *at)
{
	line->count = 0;
	for (;;) {
		char *to = at, end;
		bool is_quoted = *at == '"';

		if (line->count == CSV_MOST_FIELDS)
			return NULL;
		line->fields[line->count++] = at;
		at += is_quoted;
		while (*at && (is_quoted || !strchr(",\r\n", *at))) {
			if (is_quoted && *at == '"' && *++at != '"')
				is_quoted = false;
			else
				*to++ = *at++;
		}
		end = *at;
		at += end != '\0';
		*to = '\0';
		if (end == '\r' && *at == '\n')
			at++;
		if (end != ',')
			return at;
	}
}
