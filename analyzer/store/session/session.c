/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/gzip.h"
#include "common/system/output_file.h"
#include "store/perftool/perf_record.h"
#include "store/session/session_internal.h"
#include "store/session/session_page.h"

#define SESSION_FORMAT "topdown-session"
#define FLAT_FORMAT    "topdown-counts"
#define VERSION	       2 /* 1: one part, whose members are the root's */

/* ---- writing ---- */

static void write_parts(struct json_writer *writer, const struct measurement *measured)
{
	json_write_array(writer, "parts");
	for (size_t i = 0; i < measured->count; i++) {
		json_write_object(writer, NULL);
		part_write(writer, &measured->parts[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* What a stranger measured is not sealed by who passes it on. */
static void write_seal(struct json_writer *writer, const struct measurement *measured)
{
	struct arena arena;
	const char *seal;

	arena_init(&arena);
	seal = measured->is_foreign ? NULL : session_seal(measured, true, &arena);
	if (seal && *seal)
		json_write_string(writer, "seal", seal);
	arena_release(&arena);
}

int session_write(FILE *stream, const struct measurement *measured, struct error *err)
{
	struct json_writer *writer = json_writer_new();

	json_write_string(writer, "format", SESSION_FORMAT);
	json_write_integer(writer, "version", measured->count == 1 ? 1 : VERSION);
	if (measured->count == 1)
		part_write(writer, &measured->parts[0]);
	else
		write_parts(writer, measured);
	roofs_write(writer, measured->roofs);
	waits_write(writer, measured->waits);
	interval_series_write(writer, measured->series);
	write_seal(writer, measured);
	if (measured->profile) {
		profile_write(writer, measured->profile);
		json_writer_on_one_line(writer); /* as indented columns it would be twice as large */
	}
	return json_writer_finish(writer, stream, err);
}

int session_make_bytes(struct session_bytes *made, const struct measurement *measured, struct error *err)
{
	FILE *stream = open_memstream(&made->bytes, &made->length);
	int result;

	if (!stream)
		return error_set(err, "%s", strerror(errno));
	result = session_write(stream, measured, err);
	if (fclose(stream) != 0 && result == 0)
		result = error_set(err, "%s", strerror(errno));
	if (result == 0)
		return 0;
	free(made->bytes);
	*made = (struct session_bytes){ .bytes = NULL };
	return -1;
}

int session_write_bytes(FILE *stream, const struct measurement *measured, struct session_bytes *made, struct error *err)
{
	if (!made->bytes && session_make_bytes(made, measured, err) < 0)
		return -1;
	fwrite(made->bytes, 1, made->length, stream);
	return file_flush(stream, err);
}

static int save(const char *path, const struct measurement *measured, struct session_bytes *made, unsigned flags,
		struct error *err)
{
	struct output_file file;

	if (output_file_open(&file, path, OUTPUT_KEPT | flags, err) < 0)
		return -1;
	return output_file_end(&file, session_write_bytes(file.stream, measured, made, err), err);
}

int session_save_bytes(const char *path, const struct measurement *measured, struct session_bytes *made,
		       struct error *err)
{
	/* Kernel addresses and the names of others' functions, as in perf.data; files that were waited for. */
	return save(path, measured, made, measured->profile || measured->waits ? OUTPUT_PRIVATE : 0, err);
}

int session_save(const char *path, const struct measurement *measured, struct error *err)
{
	struct session_bytes made = { .bytes = NULL };
	int result = session_save_bytes(path, measured, &made, err);

	free(made.bytes);
	return result;
}

int session_publish(const char *path, const struct measurement *measured, struct error *err)
{
	struct session_bytes made = { .bytes = NULL };
	int result = save(path, measured, &made, 0, err);

	free(made.bytes);
	return result;
}

/* ---- reading ---- */

#define MARK "\xef\xbb\xbf" /* of UTF-8, which some editors write first */

static struct measurement measurement_of_one(struct arena *arena)
{
	return (struct measurement){ .parts = arena_alloc(arena, sizeof(struct counts)),
				     .count = 1,
				     .from_s = NOT_COUNTED,
				     .to_s = NOT_COUNTED };
}

static int read_parts(struct measurement *measured, const struct json *array, const struct file_position *place,
		      struct error *err)
{
	measured->count = json_is_array(array) ? json_size(array) : 0;
	if (!measured->count)
		return field_error(err, place, "parts", "an array of parts", array);
	measured->parts = arena_array(place->arena, measured->count, sizeof(*measured->parts));
	for (size_t i = 0; i < measured->count; i++) {
		struct file_position part = *place;

		part.source = arena_printf(place->arena, "%s: parts[%zu]", place->source, i);
		if (part_read(&measured->parts[i], json_at(array, i), &part, err) < 0)
			return -1;
	}
	return 0;
}

/* newest: what this program knows of the format. */
static int read_version(long long *version, const struct json *value, int newest, const struct file_position *place,
			struct error *err)
{
	*version = json_whole(value, 0);
	if (*version > newest)
		return error_set(err,
				 "%s: version %lld was written by a newer topdown; this one reads up to version %d",
				 place->source, *version, newest);
	return *version >= 1 ? 0 : field_error(err, place, "version", newest > 1 ? "1 or 2" : "1", value);
}

/* topdown's own report, as JSON or as CSV (docs/FORMATS.md). */
#define REPORT_FORMAT "topdown-report"
#define REPORT_SHEET  "kind,level,name,"

static int refuse_report(const char *source, struct error *err)
{
	return error_set(err,
			 "%s: a report, which lacks the counts; `topdown {save} FILE PROGRAM` keeps them, and "
			 "`topdown report FILE` evaluates them again",
			 source);
}

/* Without a key nobody knows what is the user's own. */
static bool is_foreign(const struct measurement *measured, const struct json *seal, struct arena *arena)
{
	const char *own = session_seal(measured, false, arena);

	return !own || (*own && compare_texts(own, json_text(seal)) != 0);
}

static int read_session(struct measurement *measured, const struct json *root, long long version,
			const struct file_position *place, struct error *err)
{
	int result = version == VERSION ? read_parts(measured, json_get(root, "parts"), place, err)
					: part_read(measured->parts, root, place, err);

	if (result < 0 || roofs_read(&measured->roofs, json_get(root, "roofs"), *place, err) < 0 ||
	    waits_read(&measured->waits, json_get(root, "wall"), *place, err) < 0 ||
	    interval_series_read(measured, json_get(root, "series"), place, err) < 0)
		return -1;
	if (profile_read(&measured->profile, json_get(root, "profile"), measured->parts[0].repeats[0].count, place,
			 err) < 0)
		return -1;
	measured->is_foreign = is_foreign(measured, json_get(root, "seal"), place->arena);
	return 0;
}

static int read_root(struct measurement *measured, const struct json *root, const struct file_position *place,
		     struct error *err)
{
	const struct json *format = json_get(root, "format"), *value = json_get(root, "version");
	const char *name = json_text(format) ? json_text(format) : "";
	bool is_flat = !strcmp(name, FLAT_FORMAT);
	long long version = 1;

	if (!strcmp(name, REPORT_FORMAT))
		return refuse_report(place->source, err);
	if (!is_flat && strcmp(name, SESSION_FORMAT) != 0)
		return field_error(err, place, "format", "\"" SESSION_FORMAT "\" or \"" FLAT_FORMAT "\"", format);
	if ((value || !is_flat) && read_version(&version, value, is_flat ? 1 : VERSION, place, err) < 0)
		return -1;
	return is_flat ? flat_read(measured->parts, root, place, err)
		       : read_session(measured, root, version, place, err);
}

static int read_and_free(struct measurement *measured, struct json *root, const struct file_position *place,
			 struct error *err)
{
	int result;

	if (!root)
		return -1;
	result = read_root(measured, root, place, err);
	json_free(root);
	return result;
}

int session_read(struct measurement *measured, const char *path, struct arena *arena, struct error *err)
{
	struct session_text text = { .source = strcmp(path, "-") != 0 ? path : "standard input" };

	text.text = file_read(path, &text.length, arena, err);
	return text.text ? session_read_text(measured, &text, arena, err) : -1;
}

/* Two bytes for each character, as some terminals and editors of Windows save it. */
static bool is_utf16(const char *text, size_t length)
{
	if (length >= 6 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		text += 2;
	return length >= 4 && !text[0] == !text[2] && !text[1] == !text[3] && !text[0] != !text[1];
}

#define SQLITE_BEGINNING "SQLite format 3" /* with its '\0' (sqlite.org/fileformat.html, section 1.3) */

/* What is no JSON either: the position of a first character says nothing. */
static int check_beginning(const struct session_text *text, struct error *err)
{
	size_t at = 0;

	while (at < text->length && strchr(" \t\r\n", text->text[at]) && text->text[at])
		at++;
	if (at < text->length && (text->text[at] == '{' || text->text[at] == '['))
		return 0;
	if (at == text->length)
		return error_set(err, "%s: empty, where a session, flat counts or perf stat's output is expected",
				 text->source);
	if (text->length > sizeof(SQLITE_BEGINNING) && !memcmp(text->text, SQLITE_BEGINNING, sizeof(SQLITE_BEGINNING)))
		return error_set(err,
				 "%s: a database, and no session; `topdown history FILE` shows it if it is a history",
				 text->source);
	return error_set(err, "%s: neither a session, nor flat counts, nor perf stat's output", text->source);
}

static int unpack(struct session_text *text, struct arena *arena, struct error *err)
{
	if (is_gzip(text->text, text->length))
		text->text = gzip_unpack(text->text, &text->length, text->source, arena, err);
	return text->text ? 0 : -1;
}

int session_read_text(struct measurement *measured, const struct session_text *given, struct arena *arena,
		      struct error *err)
{
	struct file_position place = { .source = given->source, .index = NO_INDEX, .arena = arena };
	struct session_text text = *given;
	bool is_of_page;

	*measured = measurement_of_one(arena);
	if (unpack(&text, arena, err) < 0)
		return -1;
	is_of_page = is_page(&text);
	if (is_of_page && (page_session(&text, arena, err) < 0 || unpack(&text, arena, err) < 0))
		return -1;
	if (is_utf16(text.text, text.length))
		return error_set(err, "%s: UTF-16; `iconv -f UTF-16 -t UTF-8 FILE` prints it as UTF-8", text.source);
	if (text.length >= strlen(MARK) && !memcmp(text.text, MARK, strlen(MARK))) {
		text.text += strlen(MARK);
		text.length -= strlen(MARK);
	}
	if (text.length >= strlen(REPORT_SHEET) && !memcmp(text.text, REPORT_SHEET, strlen(REPORT_SHEET)))
		return refuse_report(text.source, err);
	if (!is_of_page && is_perf_stat(&text))
		return perf_stat_read(measured, &text, arena, err);
	if (check_beginning(&text, err) < 0)
		return -1;
	return read_and_free(measured, json_read_text(text.text, text.length, text.source, err), &place, err);
}

int session_copy(struct measurement *copy, const struct measurement *measured, struct arena *arena, struct error *err)
{
	struct session_bytes made = { .bytes = NULL };
	int result = session_make_bytes(&made, measured, err);
	const struct session_text text = { .text = made.bytes, .length = made.length, .source = "the measurement" };

	if (result == 0)
		result = session_read_text(copy, &text, arena, err);
	copy->cut_by = measured->cut_by;
	copy->interrupted_by = measured->interrupted_by;
	copy->is_foreign = measured->is_foreign;
	free(made.bytes);
	return result;
}
