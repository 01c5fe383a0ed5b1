/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_software.c - the member "software" of a run and of an anchor: what the kernel counted by itself. */
#include <math.h>

#include "common/measurement/software.h"
#include "store/session/session_internal.h"

/* A kind as the file has it. */
struct saved_value {
	const char *name, *source, *reason;
	double value;
};

static const struct field value_fields[] = {
	{ "name", FIELD_TEXT, offsetof(struct saved_value, name), NULL },
	{ "value", FIELD_NUMBER_OR_NULL, offsetof(struct saved_value, value), NULL },
	{ "source", FIELD_TEXT_IF_ANY, offsetof(struct saved_value, source), NULL },
	{ "reason", FIELD_TEXT_IF_ANY, offsetof(struct saved_value, reason), NULL },
};

static const struct shape value_shape = SHAPE(value_fields, struct saved_value);

static void write_cpus(struct json_writer *writer, const struct saved_software *from, size_t kind)
{
	if (!from->by_cpu)
		return;
	json_write_array(writer, "by_cpu");
	for (size_t i = 0; i < from->ncpus; i++)
		json_write_number(writer, NULL, from->by_cpu[i].values[kind].value);
	json_write_end(writer);
}

void software_save(struct json_writer *writer, const struct saved_software *from)
{
	if (!from->whole)
		return;
	json_write_array(writer, "software");
	for (size_t i = 0; i < SOFTWARE_KINDS; i++) {
		const struct software_value *value = &from->whole->values[i];
		const struct saved_value saved = { .name = software_rows[i].key,
						   .source = value->source,
						   .reason = value->reason,
						   .value = value->value };

		if (!is_software_asked(value))
			continue;
		json_write_object(writer, NULL);
		fields_write(writer, &value_shape, &saved);
		write_cpus(writer, from, i);
		json_write_end(writer);
	}
	for (size_t i = 0; i < from->whole->ntraced; i++) {
		const struct software_traced *traced = &from->whole->traced[i];

		json_write_object(writer, NULL);
		fields_write(writer, &value_shape,
			     &(struct saved_value){ traced->name, traced->value.source, traced->value.reason,
						    traced->value.value });
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* What is being read. */
struct value_reader {
	struct software *whole, *by_cpu;
	size_t ncpus, room; /* room: of tracepoints */
	const struct file_position *place;
};

/* Of the CPUs nobody wrote the reason of each. */
static int session_software_read_cpus(struct value_reader *reader, size_t kind, const struct json *array,
				      struct error *err)
{
	const struct software_value *whole = &reader->whole->values[kind];

	for (size_t i = 0; i < json_size(array); i++) {
		const struct json *number = json_at(array, i);
		double value = json_is_null(number) ? NOT_COUNTED : json_amount(number);

		if (!json_is_null(number) && !(value >= 0))
			return field_error(err, reader->place, "by_cpu", "numbers from 0, or null", number);
		reader->by_cpu[i].values[kind] =
			isnan(value) ? software_withheld(whole->reason) : software_known(value, whole->source);
	}
	return 0;
}

/* Or a kind of a later version, which no event asks for. */
static void keep_traced(struct value_reader *reader, const struct saved_value *saved)
{
	struct software *whole = reader->whole;

	whole->traced =
		arena_grow(reader->place->arena, whole->traced, whole->ntraced, &reader->room, sizeof(*whole->traced));
	whole->traced[whole->ntraced++] =
		(struct software_traced){ saved->name,
					  { .value = saved->value, .source = saved->source, .reason = saved->reason } };
}

static int session_software_read_value(struct value_reader *reader, const struct json *object, struct error *err)
{
	struct saved_value saved = { .name = NULL };
	const struct json *cpus = json_get(object, "by_cpu");
	enum software_kind kind;

	if (fields_read(&saved, object, &value_shape, reader->place, err) < 0)
		return -1;
	kind = software_find(saved.name);
	if (kind == SOFTWARE_KINDS) {
		keep_traced(reader, &saved);
		return 0;
	}
	reader->whole->values[kind] =
		(struct software_value){ .value = saved.value, .source = saved.source, .reason = saved.reason };
	if (!cpus)
		return 0;
	if (!json_is_array(cpus) || json_size(cpus) != reader->ncpus)
		return field_error(err, reader->place, "by_cpu", "an array with one number for each of \"cpus\"", cpus);
	return session_software_read_cpus(reader, kind, cpus, err);
}

static struct software *make(size_t count, struct arena *arena)
{
	struct software *all = arena_array(arena, count, sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = software_unknown();
	return all;
}

int software_load(struct saved_software *to, const struct json *object, struct file_position place, struct error *err)
{
	const struct json *array = json_get(object, "software");
	struct value_reader reader = { .ncpus = to->ncpus, .place = &place };

	if (!array)
		return 0;
	if (!json_is_array(array))
		return field_error(err, &place, "software", "an array", array);
	reader.whole = make(1, place.arena);
	reader.by_cpu = make(to->ncpus, place.arena);
	place.list = "software";
	for (place.index = 0; place.index < json_size(array); place.index++)
		if (session_software_read_value(&reader, json_at(array, place.index), err) < 0)
			return -1;
	to->whole = reader.whole;
	to->by_cpu = to->ncpus ? reader.by_cpu : NULL;
	return 0;
}
