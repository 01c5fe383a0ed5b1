/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/write.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Text that is no UTF-8 is left out: jansson makes no string of it. */
static json_t *row_json(const struct row *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < row->count; i++) {
		const struct field *field = &row->fields[i];
		json_t *value =
			field->is_number ? json_loads(field->text, JSON_DECODE_ANY, NULL) : json_string(field->text);

		if (value)
			json_object_set_new(object, field->key, value);
	}
	return object;
}

static void dump_row(FILE *out, const struct row *row)
{
	json_t *object = row_json(row);

	json_dumpf(object, out, JSON_COMPACT);
	json_decref(object);
}

static void dump_rows(FILE *out, const struct row_file *file)
{
	fputs("{\"Header\":", out);
	dump_row(out, &file->header);
	fprintf(out, ",\n\"%s\":[\n", file->name);
	for (size_t i = 0; i < file->count; i++) {
		fputs(i ? ",\n" : "", out);
		dump_row(out, &file->rows[i]);
	}
	fputs("\n]}\n", out);
}

struct content {
	const struct row_file *rows; /* or else */
	const char *text;
};

/* Into a file beside it that then takes its place, so that nobody ever reads half a file. */
static int replace(const char *path, const struct content *content, struct arena *arena, struct error *err)
{
	const char *beside = arena_printf(arena, "%s.new", path);
	FILE *out = fopen(beside, "w");
	int failed;

	if (!out)
		return error_set(err, "%s: %s", beside, strerror(errno));
	if (content->rows)
		dump_rows(out, content->rows);
	else if (content->text)
		fputs(content->text, out);
	failed = ferror(out);
	if (fclose(out) != 0 || failed || rename(beside, path) != 0) {
		error_set(err, "%s: %s", path, strerror(errno));
		unlink(beside);
		return -1;
	}
	return 0;
}

int rows_write(const char *path, const struct row_file *file, struct arena *arena, struct error *err)
{
	return replace(path, &(struct content){ .rows = file }, arena, err);
}

int text_write(const char *path, const char *text, struct arena *arena, struct error *err)
{
	return replace(path, &(struct content){ .text = text }, arena, err);
}

int directory_make(const char *path, struct arena *arena, struct error *err)
{
	char *part = arena_strdup(arena, path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return error_set(err, "%s: %s", part, strerror(errno));
		*slash = '/';
	}
	if (mkdir(part, 0777) != 0 && errno != EEXIST)
		return error_set(err, "%s: %s", part, strerror(errno));
	return 0;
}
