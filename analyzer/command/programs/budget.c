/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/programs/programs.h"

#include <string.h>

#include "common/json/json_write.h"

#define REMARK 64 /* bytes that the last line takes at most, beside CSV's commas */

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text += strcspn(text, "\n") + (strchr(text, '\n') != NULL))
		lines++;
	return lines;
}

/* Commas of the heads: every row has as many. */
static size_t count_commas(const char *text)
{
	size_t count = 0;

	for (; *text && *text != '\n'; text++)
		count += *text == ',';
	return count;
}

/* Bytes of the whole lines that fit. Quoted fields of CSV may have newlines: a row ends where no quote is open. */
static size_t fitting_lines(const char *text, size_t room, bool is_csv)
{
	size_t fits = 0;
	bool is_quoted = false;

	for (size_t i = 0; text[i] && i < room; i++) {
		is_quoted ^= is_csv && text[i] == '"';
		if (text[i] == '\n' && !is_quoted)
			fits = i + 1;
	}
	return fits;
}

static void write_remark(FILE *out, const char *rest, enum format format, size_t commas)
{
	size_t lines = count_lines(rest);

	if (format == FORMAT_CSV) {
		fprintf(out, "omitted: %zu lines", lines);
		while (commas--)
			fputc(',', out);
		fputc('\n', out);
	} else if (format == FORMAT_MARKDOWN) {
		fprintf(out, "\n*omitted: %zu lines (--budget)*\n", lines);
	} else {
		fprintf(out, "omitted: %zu lines (--budget)\n", lines);
	}
}

int budget_write(FILE *out, const char *text, size_t budget, enum format format, struct error *err)
{
	size_t commas = format == FORMAT_CSV ? count_commas(text) : 0, room, fits;

	if (format == FORMAT_JSON || format == FORMAT_BRIEF)
		return json_cut(out, text, strlen(text), budget, err);
	if (strlen(text) <= budget) {
		fputs(text, out);
		return 0;
	}
	room = budget > REMARK + commas ? budget - REMARK - commas : 0;
	fits = fitting_lines(text, room, format == FORMAT_CSV);
	fwrite(text, 1, fits, out);
	write_remark(out, text + fits, format, commas);
	return 0;
}
