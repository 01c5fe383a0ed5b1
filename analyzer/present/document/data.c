/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/data.h"

#include <string.h>

#include "common/base/cells.h"
#include "present/document/human.h"

static void write_parts(struct json_writer *writer, const char *key, const char *parts)
{
	struct arena arena;
	const char *part;
	size_t length;

	arena_init(&arena);
	json_write_array(writer, key);
	while ((length = text_next(&parts, ";", &part)) > 0)
		json_write_string(writer, NULL, arena_strndup(&arena, part, length));
	json_write_end(writer);
	arena_release(&arena);
}

/* Twelve digits: more than any count is good for, and no 26.800000000000001. */
static void write_number(struct json_writer *writer, const char *key, double value)
{
	char text[40];
	double rounded;

	snprintf(text, sizeof(text), "%.12g", value);
	json_write_number(writer, key, isfinite(value) && text_double(text, &rounded) ? rounded : value);
}

static void write_cell(struct json_writer *writer, const char *key, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_ABSENT: break;
	case CELL_NOTHING: json_write_string(writer, key, NULL); break;
	case CELL_TEXT: json_write_string(writer, key, cell->text); break;
	case CELL_NUMBER: write_number(writer, key, cell->number); break;
	case CELL_WHOLE: json_write_integer(writer, key, cell->whole); break;
	case CELL_TRUTH: json_write_bool(writer, key, cell->whole); break;
	case CELL_PARTS: write_parts(writer, key, cell->text); break;
	}
}

void json_numbers(struct json_writer *writer, const char *key, const double *values, size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		write_number(writer, NULL, values[i]);
	json_write_end(writer);
}

void json_cells(struct json_writer *writer, const struct column *columns, const struct cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].key && !(columns[i].flags & COLUMN_PAGE_ONLY))
			write_cell(writer, columns[i].key, &cells[i]);
}

void json_grid(struct json_writer *writer, const char *key, const struct grid *table)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < table->count; i++) {
		json_write_object(writer, NULL);
		json_cells(writer, table->columns, table->rows[i].cells, table->ncolumns);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static const char *field_text(struct arena *arena, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_ABSENT:
	case CELL_NOTHING: break;
	case CELL_TEXT:
	case CELL_PARTS: return cell->text;
	case CELL_NUMBER: return plain_number(arena, cell->number);
	case CELL_WHOLE: return arena_printf(arena, "%lld", (long long)cell->whole);
	case CELL_TRUTH: return cell->whole ? "true" : "false";
	}
	return "";
}

static void put_field(struct sheet *sheet, const char *text)
{
	const char *safe = *text ? cells_safe(sheet->arena, text, true) : "";
	bool is_quoted = strpbrk(safe, ",\"\r\n");

	fputs(sheet->has_field ? "," : "", sheet->out);
	sheet->has_field = true;
	fputs(is_quoted ? "\"" : "", sheet->out);
	for (; *safe; safe++)
		fprintf(sheet->out, "%s%c", *safe == '"' ? "\"" : "", *safe);
	fputs(is_quoted ? "\"" : "", sheet->out);
}

void csv_cells(struct sheet *sheet, const struct column *columns, const struct cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].key && !(columns[i].flags & COLUMN_PAGE_ONLY))
			put_field(sheet, cells		  ? field_text(sheet->arena, &cells[i])
					 : columns[i].csv ? columns[i].csv
							  : columns[i].key);
}

void csv_end(struct sheet *sheet)
{
	fputc('\n', sheet->out);
	sheet->has_field = false;
}

void csv_grid(struct sheet *sheet, const struct grid *table)
{
	csv_cells(sheet, table->columns, NULL, table->ncolumns);
	csv_end(sheet);
	for (size_t i = 0; i < table->count; i++) {
		csv_cells(sheet, table->columns, table->rows[i].cells, table->ncolumns);
		csv_end(sheet);
	}
}
