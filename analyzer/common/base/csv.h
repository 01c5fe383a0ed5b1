/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h - tables of commas, as RFC 4180 has them: fields may be in quotes, with quotes in them doubled. */
#ifndef TOPDOWN_COMMON_BASE_CSV_H
#define TOPDOWN_COMMON_BASE_CSV_H

#include <stddef.h>

#define CSV_MOST_FIELDS 4096

struct csv_line {
	char *fields[CSV_MOST_FIELDS]; /* in the text that was split */
	size_t count;
};

/* The first line of at, whose text is changed. What stands behind the line; NULL: it has too many fields. */
char *csv_split(struct csv_line *line, char *at);

#endif
