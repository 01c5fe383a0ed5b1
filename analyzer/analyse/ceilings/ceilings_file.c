/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_file.c - ceilings in the file that keeps them. docs/FORMATS.md describes it. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analyse/ceilings/ceilings.h"
#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/json/json_shape.h"
#include "common/json/json_write.h"
#include "common/system/state_file.h"

#define FORMAT	  "topdown-ceilings"
#define VERSION	  1
#define MOST_ROWS 100000

static const char *const source_names[] = { "sysfs", "library", "assumed", NULL };

#define CONDITION(member) offsetof(struct ceiling_conditions, member)

static const struct field condition_fields[] = {
	{ "cpu", FIELD_TEXT, CONDITION(cpu), NULL },
	{ "microcode", FIELD_TEXT_OR_NULL, CONDITION(microcode), NULL },
	{ "kernel", FIELD_TEXT_OR_NULL, CONDITION(kernel), NULL },
	{ "governor", FIELD_TEXT_OR_NULL, CONDITION(governor), NULL },
	{ "cpus", FIELD_TEXT_OR_NULL, CONDITION(cpus), NULL },
	{ "measured", FIELD_TEXT_OR_NULL, CONDITION(measured), NULL },
	{ "version", FIELD_TEXT_OR_NULL, CONDITION(version), NULL },
	{ "took_s", FIELD_NUMBER_OR_NULL, CONDITION(took_s), NULL },
	{ "nominal_hz", FIELD_NUMBER_OR_NULL, CONDITION(nominal_hz), NULL },
	{ "nominal_of", FIELD_TEXT_OR_NULL, CONDITION(nominal_of), NULL },
	{ "quota_cpus", FIELD_NUMBER_OR_NULL, CONDITION(quota_cpus), NULL },
	{ "load", FIELD_NUMBER_OR_NULL, CONDITION(load), NULL },
	{ "steal", FIELD_NUMBER_OR_NULL, CONDITION(steal), NULL },
	{ "waited", FIELD_NUMBER_OR_NULL, CONDITION(waited), NULL },
	{ "smt_on", FIELD_TRUE_IF_ANY, CONDITION(smt_on), NULL },
	{ "l1_bytes", FIELD_U64, CONDITION(l1), NULL },
	{ "l2_bytes", FIELD_U64, CONDITION(l2), NULL },
	{ "l3_bytes", FIELD_U64, CONDITION(l3), NULL },
	{ "l3_cpus", FIELD_U32, CONDITION(l3_cpus), NULL },
	{ "sizes", FIELD_CHOICE, CONDITION(sizes), source_names },
};
static const struct shape condition_shape = SHAPE(condition_fields, struct ceiling_conditions);

#define ROW(member) offsetof(struct ceiling, member)

static const struct field row_fields[] = {
	{ "kind", FIELD_CHOICE, ROW(kind), ceiling_kind_names },
	{ "type", FIELD_CHOICE, ROW(type), ceiling_type_names },
	{ "operation", FIELD_CHOICE, ROW(operation), ceiling_operation_names },
	{ "level", FIELD_CHOICE, ROW(level), ceiling_level_names },
	{ "pattern", FIELD_CHOICE, ROW(pattern), ceiling_pattern_names },
	{ "scope", FIELD_CHOICE, ROW(scope), ceiling_scope_names },
	{ "place", FIELD_U32, ROW(place), NULL },
	{ "threads", FIELD_U32, ROW(threads), NULL },
	{ "bits", FIELD_U32, ROW(bits), NULL },
	{ "scalable", FIELD_TRUE_IF_ANY, ROW(is_scalable), NULL },
	{ "value", FIELD_NUMBER_OR_NULL, ROW(value), NULL },
	{ "spread", FIELD_NUMBER_OR_NULL, ROW(spread), NULL },
	{ "attempts", FIELD_U32, ROW(attempts), NULL },
	{ "bytes", FIELD_U64, ROW(bytes), NULL },
	{ "clock_hz", FIELD_NUMBER_OR_NULL, ROW(clock_hz), NULL },
};
static const struct shape row_shape = SHAPE(row_fields, struct ceiling);

/* ---- writing ---- */

static void write_row(struct json_writer *writer, const struct ceiling *row)
{
	const char *limits[CEILING_LIMITS];
	size_t count = 0;

	for (unsigned bit = 0; bit < CEILING_LIMITS; bit++)
		if (row->limits & 1u << bit)
			limits[count++] = ceiling_limit_names[bit];
	json_write_object(writer, NULL);
	fields_write(writer, &row_shape, row);
	texts_write(writer, "limits", limits, count);
	json_write_end(writer);
}

static int write_ceilings(FILE *stream, const void *what, struct error *err)
{
	const struct ceilings *ceilings = what;
	struct json_writer *writer = json_writer_new();

	json_write_string(writer, "format", FORMAT);
	json_write_integer(writer, "version", VERSION);
	object_write(writer, "conditions", &condition_shape, &ceilings->conditions);
	json_write_array(writer, "ceilings");
	for (size_t i = 0; i < ceilings->count; i++)
		write_row(writer, &ceilings->rows[i]);
	json_write_end(writer);
	return json_writer_finish(writer, stream, err);
}

static const char *ceilings_file_name(const char *machine, struct arena *arena)
{
	return state_name("ceilings", machine, arena);
}

const char *ceilings_path(const char *machine, struct arena *arena)
{
	return state_path(ceilings_file_name(machine, arena), arena);
}

int ceilings_keep(const struct ceilings *ceilings, const char *machine, struct error *err)
{
	struct arena arena;
	int result;

	arena_init(&arena);
	result = state_replace(ceilings_file_name(machine, &arena), write_ceilings, ceilings, err);
	arena_release(&arena);
	return result;
}

/* ---- reading ---- */

static int read_limits(struct ceiling *row, const struct json *list, const struct file_position *place,
		       struct error *err)
{
	for (size_t i = 0; i < json_size(list); i++) {
		unsigned bit = 0;

		while (bit < CEILING_LIMITS &&
		       compare_texts(json_text(json_at(list, i)), ceiling_limit_names[bit]) != 0)
			bit++;
		if (bit == CEILING_LIMITS)
			return field_error(err, place, "limits", "names of limits", json_at(list, i));
		row->limits |= 1u << bit;
	}
	return json_is_array(list) ? 0 : field_error(err, place, "limits", "an array", list);
}

/* Compute has an operation and a type, bandwidth a level and a pattern: what uses them needs not ask. */
static bool is_whole(const struct ceiling *row)
{
	if (row->kind == CEILING_COMPUTE)
		return row->operation && !row->level && !row->pattern;
	return !row->operation && row->level && row->pattern;
}

static int read_rows(struct ceilings *ceilings, const struct json *list, const struct file_position *root,
		     struct error *err)
{
	struct file_position place = { root->source, "ceilings", 0, root->arena };

	if (json_size(list) > MOST_ROWS)
		return field_error(err, root, "ceilings", "an array of at most " AS_TEXT(MOST_ROWS), list);
	ceilings->rows = objects_read(&ceilings->count, list, &row_shape, &place, err);
	for (size_t i = 0; ceilings->rows && i < ceilings->count; i++) {
		struct ceiling *row = &ceilings->rows[i];
		const struct json *object = json_at(list, i);

		place.index = i;
		if (read_limits(row, json_get(object, "limits"), &place, err) < 0)
			return -1;
		if (!is_whole(row))
			return field_error(err, &place, "kind", "an operation, or a level and a pattern, as it has",
					   json_get(object, "kind"));
	}
	return ceilings->rows ? 0 : -1;
}

static int read_root(struct ceilings *ceilings, const struct json *root, const struct file_position *place,
		     struct error *err)
{
	struct file_position conditions = { place->source, "conditions", NO_INDEX, place->arena };

	if (compare_texts(json_text(json_get(root, "format")), FORMAT) != 0)
		return field_error(err, place, "format", "\"" FORMAT "\"", json_get(root, "format"));
	if (json_whole(json_get(root, "version"), 0) != VERSION)
		return field_error(err, place, "version", AS_TEXT(VERSION), json_get(root, "version"));
	if (fields_read(&ceilings->conditions, json_get(root, "conditions"), &condition_shape, &conditions, err) < 0)
		return -1;
	return read_rows(ceilings, json_get(root, "ceilings"), place, err);
}

int ceilings_read(struct ceilings *ceilings, const char *path, struct arena *arena, struct error *err)
{
	const struct file_position place = { path, NULL, NO_INDEX, arena };
	struct json *root = json_read_file(path, err);
	int result;

	*ceilings = (struct ceilings){ .count = 0 };
	if (!root)
		return -1;
	result = read_root(ceilings, root, &place, err);
	json_free(root);
	return result;
}
