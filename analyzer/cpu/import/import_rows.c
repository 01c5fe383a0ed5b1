/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/import/import_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/json/json_write.h"
#include "common/system/output_file.h"

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

int rows_write(const char *path, const struct row_file *file, struct error *err)
{
	struct output_file out;

	if (output_file_open(&out, path, 0, err) < 0)
		return -1;
	return output_file_end(&out, dump_rows(out.stream, file, err), err);
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
