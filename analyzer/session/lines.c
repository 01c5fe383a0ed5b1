/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.c - the member "lines": what was counted, by source line. */
#include <math.h>

#include "base/table.h"
#include "session/shapes.h"

static const struct field line_fields[] = {
	{ "function", FIELD_TEXT_OR_NULL, offsetof(struct source_line, function) },
	{ "file", FIELD_TEXT_OR_NULL, offsetof(struct source_line, file) },
	{ "line", FIELD_SIZE_IF_ANY, offsetof(struct source_line, line) },
	{ "object", FIELD_TEXT_OR_NULL, offsetof(struct source_line, object) },
};

static const struct shape line_shape = { .fields = line_fields, .count = COUNT_OF(line_fields) };

void lines_write(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->has_lines)
		return;
	json_write_array(writer, "lines");
	for (size_t i = 0; i < counts->nlines; i++) {
		const struct source_line *line = &counts->lines[i];

		json_write_object(writer, NULL);
		fields_write(writer, &line_shape, line);
		json_write_object(writer, "counts");
		for (size_t j = 0; j < line->count; j++)
			json_write_number(writer, counts->items[line->counts[j].item].event, line->counts[j].value);
		json_write_end(writer);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* A line whose counts are being read. */
struct reader {
	struct source_line *line;
	const struct table *items; /* by event */
	struct place *place;
	size_t capacity;
	struct error *err;
};

static int read_count(void *context, const char *event, const struct json *value)
{
	struct reader *reader = context;
	struct source_line *line = reader->line;
	size_t item = table_get(reader->items, event);
	double number = json_number(value);

	if (item == TABLE_NONE)
		return field_error(reader->err, reader->place, "counts", "events of the session's \"counts\"", value);
	if (!(number >= 0))
		return field_error(reader->err, reader->place, event, "a number from 0", value);
	line->counts =
		arena_grow(reader->place->arena, line->counts, line->count, &reader->capacity, sizeof(*line->counts));
	line->counts[line->count++] = (struct source_count){ .item = item, .value = number };
	return 0;
}

static int read_line(struct source_line *line, const struct json *object, const struct table *items,
		     struct place *place, struct error *err)
{
	const struct json *counts = json_get(object, "counts");
	struct reader reader = { .line = line, .items = items, .place = place, .err = err };

	if (fields_read(line, object, &line_shape, place, err) < 0)
		return -1;
	if (!json_is_object(counts))
		return field_error(err, place, "counts", "an object", counts);
	return json_each(counts, read_count, &reader);
}

int lines_read(struct counts *counts, const struct json *array, struct place place, struct error *err)
{
	struct table items = TABLE_INIT(place.arena);

	if (!array)
		return 0;
	if (!json_is_array(array))
		return field_error(err, &place, "lines", "an array", array);
	for (size_t i = 0; i < counts->count; i++)
		table_set(&items, counts->items[i].event, i);
	counts->has_lines = true;
	counts->nlines = json_size(array);
	counts->lines = arena_array(place.arena, counts->nlines, sizeof(*counts->lines));
	place.list = "lines";
	for (place.index = 0; place.index < counts->nlines; place.index++)
		if (read_line(&counts->lines[place.index], json_at(array, place.index), &items, &place, err) < 0)
			return -1;
	return 0;
}
