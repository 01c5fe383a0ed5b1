/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/import/import_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/json/json_write.h"

/* ---- rows ---- */

static void import_rows_add(struct row *row, struct field field, struct arena *arena)
{
	row->fields = arena_grow(arena, row->fields, row->count, &row->capacity, sizeof(field));
	row->fields[row->count++] = field;
}

void row_add(struct row *row, const char *key, const char *text, struct arena *arena)
{
	if (text && *text)
		import_rows_add(row, (struct field){ .key = key, .text = text }, arena);
}

void row_add_number(struct row *row, const char *key, unsigned number, struct arena *arena)
{
	import_rows_add(row, (struct field){ .key = key, .text = arena_printf(arena, "%u", number), .is_number = true },
			arena);
}

const char *row_get(const struct row *row, const char *key)
{
	for (size_t i = 0; i < row->count; i++)
		if (!strcmp(row->fields[i].key, key))
			return row->fields[i].text;
	return NULL;
}

/* ---- files ---- */

static int dump_row(FILE *out, const struct row *row, struct error *err)
{
	struct json_writer *writer = json_writer_new();
	double number;

	json_writer_inline(writer);
	for (size_t i = 0; i < row->count; i++) {
		const struct field *field = &row->fields[i];

		if (!field->is_number)
			json_write_string(writer, field->key, field->text);
		else if (text_double(field->text, &number))
			json_write_number(writer, field->key, number);
	}
	return json_writer_finish(writer, out, err);
}

static int dump_rows(FILE *out, const struct row_file *file, struct error *err)
{
	fputs("{\"Header\":", out);
	if (dump_row(out, &file->header, err) < 0)
		return -1;
	fprintf(out, ",\n\"%s\":[\n", file->name);
	for (size_t i = 0; i < file->count; i++) {
		fputs(i ? ",\n" : "", out);
		if (dump_row(out, &file->rows[i], err) < 0)
			return -1;
	}
	fputs("\n]}\n", out);
	return 0;
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
	int failed = 0;

	if (!out)
		return error_set(err, "%s: %s", beside, strerror(errno));
	if (content->rows)
		failed = dump_rows(out, content->rows, err) < 0;
	else if (content->text)
		fputs(content->text, out);
	failed |= ferror(out);
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
