/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_inputs.c - the member "inputs" of a part: files that the program was given. */
#include "common/json/json_shape.h"
#include "store/session/session_internal.h"

static const struct field input_fields[] = {
	{ "name", FIELD_TEXT, offsetof(struct input_file, name), NULL },
	{ "bytes", FIELD_U64, offsetof(struct input_file, bytes), NULL },
	{ "digest", FIELD_TEXT_OR_NULL, offsetof(struct input_file, digest), NULL },
};

static const struct shape input_shape = { .fields = input_fields, .count = COUNT_OF(input_fields) };

void inputs_write(struct json_writer *writer, const struct origin *origin)
{
	if (!origin->ninputs)
		return;
	json_write_array(writer, "inputs");
	for (size_t i = 0; i < origin->ninputs; i++) {
		json_write_object(writer, NULL);
		fields_write(writer, &input_shape, &origin->inputs[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

int inputs_read(struct origin *origin, const struct json *array, struct file_position place, struct error *err)
{
	if (!array)
		return 0;
	if (!json_is_array(array))
		return field_error(err, &place, "inputs", "an array", array);
	origin->ninputs = json_size(array);
	origin->inputs = arena_array(place.arena, origin->ninputs + 1, sizeof(*origin->inputs));
	place.list = "inputs";
	for (place.index = 0; place.index < origin->ninputs; place.index++)
		if (fields_read(&origin->inputs[place.index], json_at(array, place.index), &input_shape, &place, err) <
		    0)
			return -1;
	return 0;
}
