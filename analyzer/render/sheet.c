/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/sheet.h"

#include <string.h>

static const char *csv_field(const struct page *page, const char *text)
{
	struct string out = STRING_INIT(page->arena);
	const char *safe = text ? cells_safe(page->arena, text, true) : "";

	if (!strpbrk(safe, ",\"\r\n"))
		return safe;
	string_add(&out, "\"");
	for (; *safe; safe++)
		string_addn(&out, *safe == '"' ? "\"\"" : safe, *safe == '"' ? 2 : 1);
	string_add(&out, "\"");
	return out.text;
}

void csv_row(const struct page *page, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(page->out, "%s%s", i ? "," : "", csv_field(page, fields[i]));
	fputc('\n', page->out);
}

const char *markdown_text(const struct page *page, const char *text)
{
	struct string out = STRING_INIT(page->arena);

	for (const char *c = text ? page_safe(page, text) : ""; *c; c++) {
		if (strchr("\\`*<>[]|&", *c))
			string_add(&out, "\\");
		string_addn(&out, c, 1);
	}
	return out.text;
}

const char *markdown_code(const struct page *page, const char *text)
{
	const char *safe = page_safe(page, text), *fence;
	size_t longest = 0, run = 0;

	for (const char *c = safe; *c; c++) {
		run = *c == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	if (!longest)
		return arena_printf(page->arena, "`%s`", safe);
	fence = memset(arena_alloc(page->arena, longest + 2), '`', longest + 1);
	return arena_printf(page->arena, "%s %s %s", fence, safe, fence);
}

void markdown_row(const struct page *page, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(page->out, "| %s ", markdown_text(page, fields[i]));
	fputs("|\n", page->out);
}

void markdown_rule(const struct page *page, const bool *right, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fputs(right[i] ? "| ---: " : "| --- ", page->out);
	fputs("|\n", page->out);
}
