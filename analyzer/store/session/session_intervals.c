/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_intervals.c - the intervals of a session: their events by name, and what they counted as bytes in base64. */
#include "store/session/session_internal.h"

#include <string.h>

#include "common/base/bytes.h"
#include "common/measurement/interval_series.h"
#include "common/measurement/software.h"

/* ---- writing ---- */

static void write_part(struct json_writer *writer, const struct series_part *part)
{
	json_write_object(writer, NULL);
	json_write_array(writer, "events");
	for (size_t i = 0; i < part->count; i++)
		json_write_string(writer, NULL, part->items[i].event);
	json_write_end(writer);
	json_write_numbers(writer, "groups");
	for (size_t i = 0; i < part->count; i++)
		json_write_number(writer, NULL, (double)part->items[i].group + 1);
	json_write_end(writer);
	json_write_end(writer);
}

void interval_series_write(struct json_writer *writer, const struct interval_series *series)
{
	struct arena arena;

	if (!series || !series->count)
		return;
	arena_init(&arena);
	json_write_object(writer, "series");
	json_write_integer(writer, "intervals", (int64_t)series->total);
	json_write_integer(writer, "each", (int64_t)series->each);
	json_write_integer(writer, "kept", (int64_t)series->count);
	json_write_array(writer, "parts");
	for (size_t i = 0; i < series->nparts; i++)
		write_part(writer, &series->parts[i]);
	json_write_end(writer);
	json_write_array(writer, "software");
	for (size_t i = 0; i < series->nkinds; i++)
		json_write_string(writer, NULL,
				  series->kinds[i] < SOFTWARE_KINDS ? software_rows[series->kinds[i]].key : "");
	json_write_end(writer);
	texts_write(writer, "reasons", series->reasons, series->nreasons);
	json_write_string(writer, "data", base64_encode(series->bytes, series->length, &arena));
	json_write_end(writer);
	arena_release(&arena);
}

/* ---- reading ---- */

static int read_items(struct series_part *part, const struct json *object, const struct file_position *place,
		      struct error *err)
{
	const struct json *events = json_get(object, "events"), *groups = json_get(object, "groups");

	if (!json_is_array(events))
		return field_error(err, place, "events", "an array", events);
	if (!json_is_array(groups) || json_size(groups) != json_size(events))
		return field_error(err, place, "groups", "an array with one number for each of \"events\"", groups);
	part->count = json_size(events);
	part->items = arena_array(place->arena, part->count + 1, sizeof(*part->items));
	for (size_t i = 0; i < part->count; i++) {
		const char *event = json_text(json_at(events, i));
		long long group = json_whole(json_at(groups, i), 0);

		if (!event)
			return field_error(err, place, "events", "names of events", json_at(events, i));
		if (group < 1)
			return field_error(err, place, "groups", "numbers from 1", json_at(groups, i));
		part->items[i] = (struct series_item){ arena_strdup(place->arena, event), (size_t)group - 1 };
	}
	return 0;
}

static int read_parts(struct interval_series *series, const struct json *array, const struct measurement *measured,
		      struct file_position place, struct error *err)
{
	if (json_size(array) != measured->count)
		return field_error(err, &place, "parts", "as many parts as were counted", array);
	series->nparts = measured->count;
	series->parts = arena_array(place.arena, series->nparts + 1, sizeof(*series->parts));
	place.list = "series.parts";
	for (place.index = 0; place.index < series->nparts; place.index++) {
		struct series_part *part = &series->parts[place.index];

		part->ncpus = measured->parts[place.index].ncpus;
		if (read_items(part, json_at(array, place.index), &place, err) < 0)
			return -1;
	}
	return 0;
}

/* A kind that this program does not know is left out. */
static int read_kinds(struct interval_series *series, const struct json *array, struct file_position place,
		      struct error *err)
{
	const char **names;

	place.list = "series.software";
	names = texts_read(&series->nkinds, array, &place, err);
	if (!names)
		return -1;
	series->kinds = arena_array(place.arena, series->nkinds + 1, sizeof(*series->kinds));
	for (size_t i = 0; i < series->nkinds; i++)
		series->kinds[i] = software_find(names[i]);
	return 0;
}

static int read_numbers(struct interval_series *series, const struct json *object, const struct file_position *place,
			struct error *err)
{
	const struct {
		const char *key;
		size_t *number;
	} rows[] = { { "intervals", &series->total }, { "each", &series->each }, { "kept", &series->count } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		long long number = json_whole(json_get(object, rows[i].key), 0);

		if (number < 1)
			return field_error(err, place, rows[i].key, "a whole number from 1",
					   json_get(object, rows[i].key));
		*rows[i].number = (size_t)number;
	}
	return 0;
}

int interval_series_read(struct measurement *measured, const struct json *object, const struct file_position *root,
			 struct error *err)
{
	struct file_position place = *root;
	const struct json *data = json_get(object, "data");
	const char *text = json_text(data);
	struct interval_series *series;

	if (!object)
		return 0;
	series = interval_series_new(place.arena, SERIES_MOST_BYTES);
	place.list = "series";
	if (read_numbers(series, object, &place, err) < 0 ||
	    read_parts(series, json_get(object, "parts"), measured, place, err) < 0 ||
	    read_kinds(series, json_get(object, "software"), place, err) < 0)
		return -1;
	place.list = "series.reasons";
	series->reasons = texts_read(&series->nreasons, json_get(object, "reasons"), &place, err);
	if (!series->reasons)
		return -1;
	place = (struct file_position){ root->source, "series", NO_INDEX, root->arena };
	if (text)
		series->bytes = (unsigned char *)base64_decode(text, strlen(text), &series->length, place.arena);
	if (!series->bytes || !interval_series_is_sound(series, measured))
		return field_error(err, &place, "data", "the bytes of \"kept\" intervals, in base64", NULL);
	measured->series = series;
	return 0;
}
