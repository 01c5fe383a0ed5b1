/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_inputs.c - the member "inputs" of a part: files that the program was given. */
#include "common/json/json_shape.h"
#include "store/session/session_internal.h"

static const struct field input_fields[] = {
	{ "name", FIELD_TEXT, offsetof(struct input_file, name), NULL },
	{ "bytes", FIELD_U64, offsetof(struct input_file, bytes), NULL },
	{ "digest", FIELD_TEXT_OR_NULL, offsetof(struct input_file, digest), NULL },
};

static const struct shape input_shape = SHAPE(input_fields, struct input_file);

void inputs_write(struct json_writer *writer, const struct origin *origin)
{
	if (origin->ninputs)
		objects_write(writer, "inputs", &input_shape, origin->inputs, origin->ninputs);
}

int inputs_read(struct origin *origin, const struct json *array, struct file_position place, struct error *err)
{
	if (!array)
		return 0;
	place.list = "inputs";
	origin->inputs = objects_read(&origin->ninputs, array, &input_shape, &place, err);
	return origin->inputs ? 0 : -1;
}
