/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "common/base/csv.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/import/importer.h"

const char *sheet_trim(const char *text, size_t length, struct arena *arena)
{
	static const char blanks[] = " \t\r\n";

	while (length && strchr(blanks, *text))
		text++, length--;
	while (length && strchr(blanks, text[length - 1]))
		length--;
	return arena_strndup(arena, text, length);
}

/* ---- the table ---- */

static struct sheet_line trimmed(const struct csv_line *fields, struct arena *arena)
{
	struct sheet_line line = { arena_array(arena, fields->count, sizeof(*line.cells)), fields->count };

	for (size_t i = 0; i < fields->count; i++)
		line.cells[i] = sheet_trim(fields->fields[i], strlen(fields->fields[i]), arena);
	return line;
}

static const char *cell(const struct sheet_cells *cells, size_t row, size_t column)
{
	return column < cells->rows[row].count ? cells->rows[row].cells[column] : "";
}

static size_t column_named(const struct sheet_cells *cells, const char *name)
{
	const struct sheet_line *header = &cells->rows[cells->header];
	size_t i = 0;

	while (i < header->count && strcmp(header->cells[i], name) != 0)
		i++;
	return i;
}

static int find_columns(struct sheet_cells *cells, const char *path, struct error *err)
{
	const struct sheet_line *header;

	while (cells->header < cells->nrows && strcmp(cell(cells, cells->header, 0), "Key") != 0)
		cells->header++;
	if (cells->header == cells->nrows)
		return error_set(err, "%s: no row whose first cell is 'Key'", path);
	header = &cells->rows[cells->header];
	cells->end = column_named(cells, "Locate-with");
	while (cells->first < cells->end && !has_word(header->cells[cells->first], "/", cells->column))
		cells->first++;
	if (cells->first == cells->end || cells->end == header->count)
		return error_set(err, "%s: no column '%s' in front of 'Locate-with'", path, cells->column);
	return 0;
}

int sheet_cells_read(struct sheet_cells *cells, const char *path, const char *column, struct arena *arena,
		     struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
	struct csv_line *fields = arena_alloc(arena, sizeof(*fields));
	size_t length;
	char *text = file_read(path, &length, arena, err);

	*cells = (struct sheet_cells){ .column = column, .arena = arena };
	if (!text)
		return -1;
	if (strlen(text) != length)
		return error_set(err, "%s: not text", path);
	text += strncmp(text, mark, strlen(mark)) ? 0 : strlen(mark);
	while (*text) {
		text = csv_split(fields, text);
		if (!text)
			return error_set(err, "%s: more than %d columns", path, CSV_MOST_FIELDS);
		cells->rows = arena_grow(arena, cells->rows, cells->nrows, &cells->capacity, sizeof(*cells->rows));
		cells->rows[cells->nrows++] = trimmed(fields, arena);
	}
	return find_columns(cells, path, err);
}

/* ---- cells ---- */

const char *sheet_version(const struct sheet_cells *cells)
{
	for (size_t i = 1; cells->header && i < cells->rows[0].count; i++)
		if (!strcmp(cell(cells, 0, i - 1), "Version"))
			return arena_strndup(cells->arena, cell(cells, 0, i), strcspn(cell(cells, 0, i), "-"));
	return NULL;
}

size_t sheet_first_row(const struct sheet_cells *cells)
{
	return cells->header + 1;
}

const char *sheet_cell(const struct sheet_cells *cells, size_t row, const char *column)
{
	return cell(cells, row, column_named(cells, column));
}

const char *sheet_name(const struct sheet_cells *cells, size_t row, unsigned *level)
{
	for (size_t i = 1; i < cells->first; i++) {
		const char *title = cell(cells, cells->header, i);

		if (!has_name_prefix(title, "Level") || !cell(cells, row, i)[0])
			continue;
		*level = (unsigned)i;
		return cell(cells, row, i);
	}
	return "";
}

/* In the row above the names. */
static bool is_server(const struct sheet_cells *cells, size_t column)
{
	return cells->header && !strcmp(cell(cells, cells->header - 1, column), "Server");
}

const char *sheet_formula(const struct sheet_cells *cells, size_t row)
{
	for (size_t i = cells->first; i < cells->end; i++) {
		const char *text = cell(cells, row, i);

		if (text[0] && (!is_server(cells, i) || is_server(cells, cells->first)))
			return strcmp(text, "#NA") ? text : NULL;
	}
	return NULL;
}

const char *sheet_choice(const struct sheet_cells *cells, const char *text)
{
	static const char otherwise[] = " : ";
	const char *mark, *end;

	while ((mark = strchr(text, '?')) != NULL) {
		const char *cpus = sheet_trim(text, (size_t)(mark - text), cells->arena);

		end = strstr(mark, otherwise);
		if (has_word(cpus, "/", cells->column))
			return sheet_trim(mark + 1, end ? (size_t)(end - mark) - 1 : strlen(mark + 1), cells->arena);
		if (!end)
			return "";
		text = end + strlen(otherwise);
	}
	return text;
}

const char *sheet_condition(const char *threshold, struct arena *arena)
{
	const char *text = sheet_trim(threshold, strcspn(threshold, ";"), arena);
	size_t length = strlen(text);

	if (text[0] == '(' && text[length - 1] == ')')
		return sheet_trim(text + 1, length - 2, arena);
	return strchr("$~", text[0]) ? "" : text;
}

/* ---- formulas ---- */

/* Where the parenthesis around this place begins: behind '(' or ',', or where the text does. */
static const char *begin_of(const char *text, const char *place)
{
	int depth = 0;

	for (; place > text; place--) {
		depth += (place[-1] == ')') - (place[-1] == '(');
		if (depth < 0 || (!depth && place[-1] == ','))
			break;
	}
	return place;
}

/* Where it ends: at ')' or ',', or where the text does. */
static const char *end_of(const char *place)
{
	int depth = 0;

	for (; *place; place++) {
		depth += (*place == '(') - (*place == ')');
		if (depth < 0 || (!depth && *place == ','))
			break;
	}
	return place;
}

/* "X if #DS else Y", the first one, as X or as Y; NULL: there is none. */
static const char *without_question(const char *text, bool (*is_set)(void *context, const char *name), void *context,
				    struct arena *arena)
{
	static const char question[] = " if #", otherwise[] = " else ";

	for (const char *found = strstr(text, question); found; found = strstr(found + 1, question)) {
		const char *name = found + strlen(question) - 1, *begin = begin_of(text, found), *other, *end;
		size_t length = strcspn(name, " ");

		if (strncmp(name + length, otherwise, strlen(otherwise)) != 0)
			continue;
		other = name + length + strlen(otherwise);
		end = end_of(other);
		if (is_set(context, arena_strndup(arena, name, length)))
			return arena_printf(arena, "%.*s%s", (int)(found - text), text, end);
		return arena_printf(arena, "%.*s%.*s%s", (int)(begin - text), text, (int)(end - other), other, end);
	}
	return NULL;
}

static bool is_of_name(char c)
{
	return strchr("._:=", c) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "E*min($PEBS, 9)", the first one, as "( E * min( E:retire_latency , 9) )"; NULL: there is none. */
static const char *without_latency(const char *text, struct arena *arena)
{
	static const char sampled[] = "$PEBS", times[] = "*", least[] = "*min(";
	const char *found = strstr(text, sampled), *event, *end, *behind;
	bool is_least = found && found - text > (long)strlen(least) && found[strlen(sampled)] == ',' &&
			!strncmp(found - strlen(least), least, strlen(least));
	size_t length;

	if (!found || found == text || (!is_least && found[-1] != '*'))
		return NULL;
	end = found - strlen(is_least ? least : times);
	for (event = end; event > text && is_of_name(event[-1]);)
		event--;
	length = (size_t)(end - event);
	found += strlen(sampled);
	behind = is_least ? end_of(found + 1) : found; /* a comma follows, and then the limit */
	return arena_printf(arena, "%.*s( %.*s * %s%.*s:retire_latency %.*s%s )%s", (int)(event - text), text,
			    (int)length, event, is_least ? "min( " : "", (int)length, event, (int)(behind - found),
			    found, is_least && *behind ? ")" : "", is_least && *behind ? behind + 1 : behind);
}

static const char *with_sums(const char *text, struct arena *arena)
{
	struct string plain = STRING_INIT(arena);
	const char *found;

	while ((found = strstr(text, "##")) != NULL) {
		string_printf(&plain, "%.*s#sum:", (int)(found - text), text);
		text = found + 2;
	}
	string_add(&plain, text);
	return plain.text;
}

const char *sheet_plain_formula(const char *text, bool (*is_set)(void *context, const char *name), void *context,
				struct arena *arena)
{
	const char *plain = text;

	while ((plain = without_question(text, is_set, context, arena)) != NULL)
		text = plain;
	while ((plain = without_latency(text, arena)) != NULL)
		text = plain;
	return with_sums(text, arena);
}
