/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/data.h"

#include <stdlib.h>
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

static void write_row(struct json_writer *writer, const char *key, const struct grid *table, size_t row)
{
	json_write_object(writer, key);
	json_cells(writer, table->columns, table->rows[row].cells, table->ncolumns);
	json_write_end(writer);
}

static void write_cell(struct json_writer *writer, const char *key, const struct cell *cell)
{
	const struct cell *cells = cell->inside;

	switch (cell->kind) {
	case CELL_ABSENT: break;
	case CELL_NOTHING: json_write_string(writer, key, NULL); break;
	case CELL_TEXT: json_write_string(writer, key, cell->text); break;
	case CELL_NUMBER: write_number(writer, key, cell->number); break;
	case CELL_EXACT: json_write_number(writer, key, cell->number); break;
	case CELL_WHOLE: json_write_integer(writer, key, cell->whole); break;
	case CELL_TRUTH: json_write_bool(writer, key, cell->whole); break;
	case CELL_PARTS: write_parts(writer, key, cell->text); break;
	case CELL_LIST:
		json_write_array(writer, key);
		for (int64_t i = 0; i < cell->whole; i++)
			write_cell(writer, NULL, &cells[i]);
		json_write_end(writer);
		break;
	case CELL_ROW: write_row(writer, key, cell->inside, 0); break;
	case CELL_ROWS: json_grid(writer, key, cell->inside); break;
	}
}

struct cell exact_cell(double number)
{
	return (struct cell){ .kind = CELL_EXACT, .number = number };
}

struct cell list_cell(const struct cell *cells, size_t count)
{
	return (struct cell){ .kind = CELL_LIST, .whole = (int64_t)count, .inside = cells };
}

struct cell texts_cell(struct arena *arena, const char *const *texts, size_t count)
{
	struct cell *cells = arena_array(arena, count, sizeof(*cells));

	for (size_t i = 0; i < count; i++)
		cells[i] = text_cell(texts[i]);
	return list_cell(cells, count);
}

struct cell numbers_cell(struct arena *arena, const double *numbers, size_t count)
{
	struct cell *cells = arena_array(arena, count, sizeof(*cells));

	for (size_t i = 0; i < count; i++)
		cells[i] = number_cell(numbers[i]);
	return list_cell(cells, count);
}

struct cell object_cell(struct arena *arena, const struct member *members, size_t count)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	grid_members(grid, arena, members, count);
	return row_cell(grid);
}

struct cell row_cell(const struct grid *grid)
{
	return (struct cell){ .kind = CELL_ROW, .inside = grid };
}

struct cell rows_cell(const struct grid *grid)
{
	return (struct cell){ .kind = CELL_ROWS, .inside = grid };
}

struct cell some_rows_cell(const struct grid *grid)
{
	return grid->count ? rows_cell(grid) : absent_cell();
}

struct grid_row *grid_members(struct grid *grid, struct arena *arena, const struct member *members, size_t count)
{
	struct cell *cells = arena_array(arena, count, sizeof(*cells));
	struct column *columns = grid->columns ? NULL : arena_array(arena, count, sizeof(*columns));

	for (size_t i = 0; i < count; i++) {
		cells[i] = members[i].cell;
		if (columns)
			columns[i] = (struct column){ .key = members[i].key };
	}
	if (columns) {
		grid->columns = columns;
		grid->ncolumns = count;
	}
	return grid_add(grid, cells, arena);
}

void json_members(struct json_writer *writer, const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_cell(writer, members[i].key, &members[i].cell);
}

void json_inside(struct json_writer *writer, const struct cell *object)
{
	const struct grid *grid = object->inside;

	json_cells(writer, grid->columns, grid->rows[0].cells, grid->ncolumns);
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
	for (size_t i = 0; i < table->count; i++)
		write_row(writer, NULL, table, i);
	json_write_end(writer);
}

static void put_field(struct sheet *sheet, const char *text)
{
	const char *safe = text && *text ? cells_safe(sheet->arena, text, true) : "";
	bool is_quoted = strpbrk(safe, ",\"\r\n");

	fputs(sheet->has_field ? "," : "", sheet->out);
	sheet->has_field = true;
	fputs(is_quoted ? "\"" : "", sheet->out);
	for (; *safe; safe++)
		fprintf(sheet->out, "%s%c", *safe == '"' ? "\"" : "", *safe);
	fputs(is_quoted ? "\"" : "", sheet->out);
}

/* A text that a spreadsheet would take for a formula gets the apostrophe with which one says there that it is none. */
static const char *csv_text(struct sheet *sheet, const struct cell *cell)
{
	const char *text = cell_exact(sheet->arena, cell);
	bool is_text = cell->kind == CELL_TEXT || cell->kind == CELL_PARTS;
	char *end;

	if (!is_text || !text || !*text || !strchr("=+-@", *text) || !text[1])
		return text;
	strtod(text, &end);
	return *end ? arena_printf(sheet->arena, "'%s", text) : text;
}

void csv_cells(struct sheet *sheet, const struct column *columns, const struct cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].key && !(columns[i].flags & COLUMN_PAGE_ONLY))
			put_field(sheet, cells		  ? csv_text(sheet, &cells[i])
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
