/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_roofs.c - the member "roofs": the ceilings of the machine, for a roofline. */
#include "common/json/json_shape.h"
#include "common/measurement/roofs.h"
#include "store/session/session_internal.h"

static const struct field roofs_fields[] = {
	{ "cpu", FIELD_TEXT_IF_ANY, offsetof(struct roofs, cpu), NULL },
	{ "measured", FIELD_TEXT_IF_ANY, offsetof(struct roofs, measured), NULL },
};

static const struct shape roofs_shape = SHAPE(roofs_fields, struct roofs);

static const struct field roof_fields[] = {
	{ "type", FIELD_TEXT_IF_ANY, offsetof(struct roof, type), NULL },
	{ "operation", FIELD_TEXT_IF_ANY, offsetof(struct roof, operation), NULL },
	{ "level", FIELD_TEXT_IF_ANY, offsetof(struct roof, level), NULL },
	{ "pattern", FIELD_TEXT_IF_ANY, offsetof(struct roof, pattern), NULL },
	{ "bits", FIELD_SIZE, offsetof(struct roof, bits), NULL },
	{ "threads", FIELD_SIZE, offsetof(struct roof, threads), NULL },
	{ "value", FIELD_NUMBER_OR_NULL, offsetof(struct roof, value), NULL },
	{ "clock_hz", FIELD_NUMBER_OR_NULL, offsetof(struct roof, clock_hz), NULL },
};

static const struct shape roof_shape = SHAPE(roof_fields, struct roof);

void roofs_write(struct json_writer *writer, const struct roofs *roofs)
{
	if (!roofs)
		return;
	json_write_object(writer, "roofs");
	fields_write(writer, &roofs_shape, roofs);
	objects_write(writer, "ceilings", &roof_shape, roofs->items, roofs->count);
	json_write_end(writer);
}

int roofs_read(const struct roofs **read, const struct json *object, struct file_position place, struct error *err)
{
	struct roofs *roofs;

	if (!object)
		return 0;
	roofs = arena_alloc(place.arena, sizeof(*roofs));
	place.list = "roofs";
	place.index = NO_INDEX;
	if (fields_read(roofs, object, &roofs_shape, &place, err) < 0)
		return -1;
	place.list = "roofs.ceilings";
	roofs->items = objects_read(&roofs->count, json_get(object, "ceilings"), &roof_shape, &place, err);
	*read = roofs;
	return roofs->items ? 0 : -1;
}
