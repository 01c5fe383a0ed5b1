/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_dump.h - the text of a document that json_write has built. */
#ifndef TOPDOWN_COMMON_JSON_JSON_DUMP_H
#define TOPDOWN_COMMON_JSON_JSON_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define JSON_DEPTH 16 /* containers in each other, with the root */

struct json_t; /* jansson's */

/* An array that stands empty in the document, since its numbers are text already: these bytes of digits. */
struct number_array {
	const struct json_t *array;
	size_t begin, end;
};

struct json_document {
	struct json_t *root;
	const struct number_array *arrays; /* in the document's order */
	size_t narrays;
	const char *digits; /* "1,2,3" of all of them */
	int real_digits;    /* of reals elsewhere */
	bool is_ascii;	    /* anything else is escaped */
	bool is_one_line;   /* instead of being indented */
};

/* Without a newline at the end. -1 where no memory was left, or the stream refuses it. */
int json_dump_document(const struct json_document *document, FILE *out);

#endif
