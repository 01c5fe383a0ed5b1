/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "session/perf_stat.h"
#include "session/replace.h"
#include "session/shapes.h"

#define SESSION_FORMAT "topdown-session"
#define FLAT_FORMAT    "topdown-counts"
#define VERSION	       2 /* 1: one part, whose members are the root's */

static void write_runs(struct json_writer *writer, const struct counts *counts)
{
	json_write_array(writer, "runs");
	for (size_t i = 0; i < counts->nruns; i++) {
		json_write_object(writer, NULL);
		json_write_integer(writer, "run", (int64_t)i + 1);
		fields_write(writer, &run_shape, &counts->runs[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_counts(struct json_writer *writer, const struct counts *counts)
{
	json_write_array(writer, "counts");
	for (size_t i = 0; i < counts->count; i++) {
		json_write_object(writer, NULL);
		fields_write(writer, &count_shape, &counts->items[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_remarks(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->nremarks)
		return;
	json_write_array(writer, "remarks");
	for (size_t i = 0; i < counts->nremarks; i++)
		json_write_string(writer, NULL, counts->remarks[i]);
	json_write_end(writer);
}

static void write_anchor(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->anchor)
		return;
	json_write_object(writer, "anchor");
	fields_write(writer, &anchor_shape, counts->anchor);
	json_write_end(writer);
}

/* What was measured, into the object that is open. */
static void write_measured(struct json_writer *writer, const struct counts *counts)
{
	write_remarks(writer, counts);
	write_runs(writer, counts);
	write_counts(writer, counts);
}

/* The same, measured once more, and again. */
static void write_repeats(struct json_writer *writer, const struct counts *counts)
{
	if (!counts)
		return;
	json_write_array(writer, "repeats");
	for (; counts; counts = counts->again) {
		json_write_object(writer, NULL);
		fields_write(writer, &repeat_shape, counts);
		write_measured(writer, counts);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* The members of a part, into the object that is open. */
static void write_part(struct json_writer *writer, const struct counts *counts)
{
	fields_write(writer, &session_shape, counts);
	json_write_object(writer, "facts");
	fields_write(writer, &facts_shape, &counts->facts);
	json_write_end(writer);
	write_measured(writer, counts);
	write_anchor(writer, counts);
	lines_write(writer, counts);
	write_repeats(writer, counts->again);
}

static void write_parts(struct json_writer *writer, const struct measurement *measured)
{
	json_write_array(writer, "parts");
	for (size_t i = 0; i < measured->count; i++) {
		json_write_object(writer, NULL);
		write_part(writer, &measured->parts[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

int session_save(const char *path, const struct measurement *measured, struct error *err)
{
	struct json_writer *writer;
	struct replacement file;

	if (replace_begin(&file, path, err) < 0)
		return -1;
	writer = json_writer_new();
	json_write_string(writer, "format", SESSION_FORMAT);
	json_write_integer(writer, "version", measured->count == 1 ? 1 : VERSION);
	if (measured->count == 1)
		write_part(writer, &measured->parts[0]);
	else
		write_parts(writer, measured);
	return replace_end(&file, json_writer_finish(writer, file.stream, err), err);
}

static struct measurement measurement_of_one(struct arena *arena)
{
	return (struct measurement){ .parts = arena_alloc(arena, sizeof(struct counts)),
				     .count = 1,
				     .from_s = (double)NAN,
				     .to_s = (double)NAN };
}

/* The array's elements in memory of their own, zeroed; -1 when the member is no array. */
static int allocate(void **elements, size_t *count, const struct json *array, size_t size, const struct place *place)
{
	if (!json_is_array(array))
		return -1;
	*count = json_size(array);
	*elements = arena_array(place->arena, *count, size);
	return 0;
}

static int read_runs(struct counts *counts, const struct json *array, struct place place, struct error *err)
{
	void *runs;

	if (allocate(&runs, &counts->nruns, array, sizeof(*counts->runs), &place) < 0)
		return field_error(err, &place, "runs", "an array", array);
	counts->runs = runs;
	place.list = "runs";
	for (place.index = 0; place.index < counts->nruns; place.index++) {
		const struct json *number = json_get(json_at(array, place.index), "run");

		if (fields_read(&counts->runs[place.index], json_at(array, place.index), &run_shape, &place, err) < 0)
			return -1;
		if (json_whole(number, -1) != (long long)place.index + 1)
			return field_error(err, &place, "run", "the runs' numbers, 1 and up", number);
	}
	return 0;
}

/* What no table says: numbers that refer to other parts of the file, a value exactly where something was counted. */
static int check_count(const struct counts *counts, const struct count *item, const struct json *object,
		       const struct place *place, struct error *err)
{
	if (item->group >= counts->ngroups)
		return field_error(err, place, "group", "at most \"groups\"", json_get(object, "group"));
	if (item->run >= counts->nruns)
		return field_error(err, place, "run", "one of \"runs\"", json_get(object, "run"));
	if (item->state == COUNT_OK && isnan(item->value))
		return field_error(err, place, "value", "a number, as state is \"ok\"", json_get(object, "value"));
	if (item->state != COUNT_OK && !isnan(item->value))
		return field_error(err, place, "value", "null, as state is not \"ok\"", json_get(object, "value"));
	return 0;
}

static int read_counts(struct counts *counts, const struct json *array, struct place place, struct error *err)
{
	void *items;

	if (allocate(&items, &counts->count, array, sizeof(*counts->items), &place) < 0)
		return field_error(err, &place, "counts", "an array", array);
	counts->items = items;
	place.list = "counts";
	for (place.index = 0; place.index < counts->count; place.index++) {
		struct count *item = &counts->items[place.index];
		const struct json *object = json_at(array, place.index);

		if (fields_read(item, object, &count_shape, &place, err) < 0 ||
		    check_count(counts, item, object, &place, err) < 0)
			return -1;
	}
	return 0;
}

static int read_remarks(struct counts *counts, const struct json *array, struct place place, struct error *err)
{
	void *remarks;

	if (!array)
		return 0;
	if (allocate(&remarks, &counts->nremarks, array, sizeof(*counts->remarks), &place) < 0)
		return field_error(err, &place, "remarks", "an array", array);
	counts->remarks = remarks;
	place.list = "remarks";
	for (place.index = 0; place.index < counts->nremarks; place.index++) {
		const struct json *text = json_at(array, place.index);

		if (!json_text(text))
			return field_error(err, &place, NULL, "text", text);
		counts->remarks[place.index] = arena_strdup(place.arena, json_text(text));
	}
	return 0;
}

static int read_anchor(struct counts *counts, const struct json *object, struct place place, struct error *err)
{
	struct anchor *anchor = arena_alloc(place.arena, sizeof(*anchor));

	if (!object)
		return 0;
	place.list = "anchor";
	counts->anchor = anchor;
	return fields_read(anchor, object, &anchor_shape, &place, err);
}

static int read_measured(struct counts *counts, const struct json *object, const struct place *place, struct error *err)
{
	if (read_remarks(counts, json_get(object, "remarks"), *place, err) < 0 ||
	    read_runs(counts, json_get(object, "runs"), *place, err) < 0)
		return -1;
	return read_counts(counts, json_get(object, "counts"), *place, err);
}

/* A repeat knows of the machine and what was asked what the first one knows. */
static int read_repeats(struct counts *first, const struct json *array, const struct place *place, struct error *err)
{
	struct counts *last = first, *repeats;
	void *all;
	size_t count;

	if (!array)
		return 0;
	if (allocate(&all, &count, array, sizeof(*repeats), place) < 0)
		return field_error(err, place, "repeats", "an array", array);
	repeats = all;
	for (size_t i = 0; i < count; i++) {
		struct place repeat = *place;

		repeat.source = arena_printf(place->arena, "%s: repeats[%zu]", place->source, i);
		repeats[i] = *first;
		repeats[i].again = NULL;
		repeats[i].has_lines = false;
		repeats[i].anchor = NULL;
		repeats[i].nremarks = 0;
		if (fields_read(&repeats[i], json_at(array, i), &repeat_shape, &repeat, err) < 0 ||
		    read_measured(&repeats[i], json_at(array, i), &repeat, err) < 0)
			return -1;
		last = last->again = &repeats[i];
	}
	return 0;
}

/* root is the object that has the part's members; in place they are named from there on. */
static int read_part(struct counts *counts, const struct json *root, const struct place *place, struct error *err)
{
	struct place facts = { .source = place->source, .list = "facts", .index = NO_INDEX, .arena = place->arena };

	*counts = (struct counts){ .cpu = NULL };
	if (fields_read(counts, root, &session_shape, place, err) < 0)
		return -1;
	if (fields_read(&counts->facts, json_get(root, "facts"), &facts_shape, &facts, err) < 0)
		return -1;
	counts->facts.cpuid = counts->cpuid;
	if (read_measured(counts, root, place, err) < 0 ||
	    read_anchor(counts, json_get(root, "anchor"), *place, err) < 0 ||
	    lines_read(counts, json_get(root, "lines"), *place, err) < 0)
		return -1;
	return read_repeats(counts, json_get(root, "repeats"), place, err);
}

static int read_parts(struct measurement *measured, const struct json *array, const struct place *place,
		      struct error *err)
{
	void *parts;

	if (allocate(&parts, &measured->count, array, sizeof(*measured->parts), place) < 0 || !measured->count)
		return field_error(err, place, "parts", "an array of parts", array);
	measured->parts = parts;
	for (size_t i = 0; i < measured->count; i++) {
		struct place part = *place;

		part.source = arena_printf(place->arena, "%s: parts[%zu]", place->source, i);
		if (read_part(&measured->parts[i], json_at(array, i), &part, err) < 0)
			return -1;
	}
	return 0;
}

/* newest: what this program knows of the format. */
static int read_version(long long *version, const struct json *value, int newest, const struct place *place,
			struct error *err)
{
	*version = json_whole(value, 0);
	if (*version > newest)
		return error_set(err,
				 "%s: version %lld was written by a newer topdown; this one reads up to version %d",
				 place->source, *version, newest);
	return *version >= 1 ? 0 : field_error(err, place, "version", newest > 1 ? "1 or 2" : "1", value);
}

static int read_root(struct measurement *measured, const struct json *root, const struct place *place,
		     struct error *err)
{
	const struct json *format = json_get(root, "format"), *value = json_get(root, "version");
	const char *name = json_text(format) ? json_text(format) : "";
	bool is_flat = !strcmp(name, FLAT_FORMAT);
	long long version = 1;

	if (!is_flat && strcmp(name, SESSION_FORMAT) != 0)
		return field_error(err, place, "format", "\"" SESSION_FORMAT "\" or \"" FLAT_FORMAT "\"", format);
	if ((value || !is_flat) && read_version(&version, value, is_flat ? 1 : VERSION, place, err) < 0)
		return -1;
	if (version == VERSION)
		return read_parts(measured, json_get(root, "parts"), place, err);
	return is_flat ? flat_read(measured->parts, root, place, err) : read_part(measured->parts, root, place, err);
}

static int read_and_free(struct measurement *measured, struct json *root, const struct place *place, struct error *err)
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

int session_read_text(struct measurement *measured, const struct session_text *text, struct arena *arena,
		      struct error *err)
{
	struct place place = { .source = text->source, .index = NO_INDEX, .arena = arena };

	*measured = measurement_of_one(arena);
	if (is_perf_stat(text))
		return perf_stat_read(measured->parts, text, arena, err);
	return read_and_free(measured, json_read_text(text->text, text->length, text->source, err), &place, err);
}
