/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_write.h - JSON output. The only writer that touches jansson. Values go into the innermost open object or array;
 * key is NULL inside an array. Memory for a document is held until json_writer_finish.
 */
#ifndef TOPDOWN_COMMON_JSON_JSON_WRITE_H
#define TOPDOWN_COMMON_JSON_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"

struct json_writer;

/* Opens the root object. */
struct json_writer *json_writer_new(void) MUST_CHECK;

/* The document becomes one line, for a stream of them, instead of being indented. */
void json_writer_on_one_line(struct json_writer *writer);

/* The document stands within a larger text: on one line, without a newline, and the caller flushes the stream. */
void json_writer_inline(struct json_writer *writer);

void json_write_object(struct json_writer *writer, const char *key);
void json_write_array(struct json_writer *writer, const char *key);
/*
 * Opens an array of numbers only (NULL as key): for columns of millions, which cost a tenth of other arrays. It stands
 * on one line even where the document is indented. Each number has as few digits as it needs.
 */
void json_write_numbers(struct json_writer *writer, const char *key);
/* Closes the innermost object or array. */
void json_write_end(struct json_writer *writer);

/* NULL is written as null. Bytes that are not UTF-8 are replaced, so a strange argument never loses the document. */
void json_write_string(struct json_writer *writer, const char *key, const char *value);
/* NAN and infinities are written as null. */
void json_write_number(struct json_writer *writer, const char *key, double value);
void json_write_integer(struct json_writer *writer, const char *key, int64_t value);
/* Above 2^63 - 1, where JSON's integers end here, it is a string of digits. */
void json_write_u64(struct json_writer *writer, const char *key, uint64_t value);
void json_write_bool(struct json_writer *writer, const char *key, bool value);

/* Writes the document, with a newline at its end, and frees the writer. -1 when the stream refuses it. */
int json_writer_finish(struct json_writer *writer, FILE *out, struct error *err) MUST_CHECK;

/* ---- json_cut.c: a document that fits a number of bytes, for readers with little room ---- */

/*
 * Writes each document of the text, a root object, on a line of its own of at most budget bytes, the newline included.
 * Where one has more, long names are cut, its largest arrays lose items from their ends, bottlenecks last, then the
 * root its largest members. The member "omitted" says what is gone: the number of items by the array's path
 * ("profile.functions"), or true of a member. The same text gives the same bytes. -1 when it is no JSON, or the stream
 * refuses it.
 */
int json_cut(FILE *out, const char *text, size_t length, size_t budget, struct error *err) MUST_CHECK;

#endif
