/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/import/importer.h"

#include <string.h>

#include "common/base/text.h"

static const char *cut(const char *text, size_t length, struct arena *arena)
{
	while (length && text[0] == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	return arena_strndup(arena, text, length);
}

/* The place of the only operator outside parentheses, where that is a '/'; NULL: there is none, or there are others. */
static const char *only_division(const char *text)
{
	const char *found = NULL;
	int depth = 0;

	for (const char *at = text; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (depth || !strchr("+-*/", *at))
			continue;
		if (found || *at != '/')
			return NULL;
		found = at;
	}
	return found;
}

/* Without the parentheses around all of it. */
static const char *inner(const char *text, struct arena *arena)
{
	int depth = 0;
	size_t n = 0;

	if (text[0] != '(')
		return text;
	for (; text[n]; n++) {
		depth += (text[n] == '(') - (text[n] == ')');
		if (!depth)
			break;
	}
	return text[n] && !text[n + 1] ? inner(cut(text + 1, n - 1, arena), arena) : text;
}

/* Without the factor that makes a share a percentage. */
static const char *share_of(const char *text, struct arena *arena)
{
	static const char before[] = "100 * ", behind[] = " * 100";
	size_t length = strlen(text);

	if (has_name_prefix(text, before))
		return inner(cut(text + strlen(before), length - strlen(before), arena), arena);
	if (length > strlen(behind) && !strcmp(text + length - strlen(behind), behind))
		return inner(cut(text, length - strlen(behind), arena), arena);
	return inner(text, arena);
}

void formula_ratio(const char **numerator, const char **denominator, const char *expr, struct arena *arena)
{
	const char *text = share_of(inner(expr, arena), arena), *division = only_division(text);

	if (!division)
		return;
	*numerator = inner(cut(text, (size_t)(division - text), arena), arena);
	*denominator = inner(cut(division + 1, strlen(division + 1), arena), arena);
}

size_t formula_next_name(const char **text, const char **name)
{
	static const char marks[] = " ()+-*/,<>";

	*text += strspn(*text, marks);
	*name = *text;
	*text += strcspn(*text, marks);
	return (size_t)(*text - *name);
}

bool formula_has_name(const char *expr, const char *wanted)
{
	const char *name;
	size_t length;

	while ((length = formula_next_name(&expr, &name)) > 0)
		if (length == strlen(wanted) && !strncmp(name, wanted, length))
			return true;
	return false;
}
