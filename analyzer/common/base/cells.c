/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/cells.h"

#include <langinfo.h>
#include <string.h>

#include "common/base/text.h"

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* Smallest code that needs so many bytes; a longer encoding of a smaller code is not UTF-8. */
static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

static size_t sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

size_t utf8_next(const char *text, uint32_t *code)
{
	unsigned char first = (unsigned char)*text;
	size_t length = sequence_length(first);
	uint32_t value = length == 1 ? first : first & (0xffu >> (length + 1));

	*code = UTF8_INVALID;
	if (!length)
		return 1;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 1;
	*code = value;
	return length;
}

static bool is_steering(uint32_t code)
{
	static const struct range ranges[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xe0000, 0xe0fff },
	};

	return is_in(ranges, COUNT_OF(ranges), code);
}

static void add_escape(struct string *out, uint32_t code)
{
	static const char letters[] = "\aa\bb\tt\nn\vv\ff\rr";
	const char *letter = code ? strchr(letters, (int)code) : NULL;

	if (code < 0x20 && letter)
		string_printf(out, "\\%c", letter[1]);
	else
		string_printf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
}

/* What our own sentences use beyond ASCII. */
static const char *ascii_for(uint32_t code)
{
	static const struct {
		uint32_t code;
		const char *ascii;
	} rows[] = {
		{ 0xa0, " " },	   { 0xb5, "u" },    { 0xd7, "x" },    { 0x2013, "-" },	 { 0x2014, "-" },
		{ 0x2018, "'" },   { 0x2019, "'" },  { 0x201c, "\"" }, { 0x201d, "\"" }, { 0x2022, "*" },
		{ 0x2026, "..." }, { 0x2192, "->" }, { 0x2264, "<=" }, { 0x2265, ">=" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].code == code)
			return rows[i].ascii;
	return "?";
}

/* Commands in what a job prints: "::" of GitHub's where a line begins, "##vso[" of Azure Pipelines' anywhere. */
static bool is_command(const struct string *before, const char *text)
{
	if (!strncmp(text, "##vso[", strlen("##vso[")))
		return true;
	return !strncmp(text, "::", 2) && (!before->length || before->text[before->length - 1] == ' ');
}

const char *cells_safe(struct arena *arena, const char *text, bool has_utf8)
{
	struct string out = STRING_INIT(arena);
	uint32_t code;
	size_t length;

	for (; text && *text; text += length) {
		length = utf8_next(text, &code);
		if (code == UTF8_INVALID)
			add_escape(&out, (unsigned char)*text);
		else if (is_steering(code) || is_command(&out, text))
			add_escape(&out, code);
		else if (code < 0x80 || has_utf8)
			string_addn(&out, text, length);
		else
			string_add(&out, ascii_for(code));
	}
	return text ? out.text : "-";
}

bool is_utf8_locale(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* East Asian wide characters and emoji take two columns, combining marks none; coarse, as no result depends on it. */
static size_t code_width(uint32_t code)
{
	static const struct range none[] = { { 0x300, 0x36f }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f } };
	static const struct range wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf },	  { 0xac00, 0xd7a3 },	{ 0xf900, 0xfaff },
		{ 0xff00, 0xff60 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
	};

	if (is_in(none, COUNT_OF(none), code))
		return 0;
	return is_in(wide, COUNT_OF(wide), code) ? 2 : 1;
}

/* Bytes of text that fit into width columns; *used is the number of columns they take. */
static size_t fitting(const char *text, size_t width, size_t *used)
{
	size_t bytes = 0, length;
	uint32_t code;

	for (*used = 0; text[bytes]; bytes += length) {
		length = utf8_next(text + bytes, &code);
		if (*used + code_width(code) > width)
			break;
		*used += code_width(code);
	}
	return bytes;
}

size_t cells_width(const char *text)
{
	size_t used;

	fitting(text, (size_t)-1, &used);
	return used;
}

const char *cells_cut(struct arena *arena, const char *text, size_t width, bool has_utf8)
{
	const char *ellipsis = has_utf8 ? "…" : "..";
	size_t room = cells_width(ellipsis), used;

	if (!text[fitting(text, width, &used)])
		return text;
	if (width <= room)
		return arena_strndup(arena, text, fitting(text, width, &used));
	return arena_printf(arena, "%.*s%s", (int)fitting(text, width - room, &used), text, ellipsis);
}

const char *cells_cut_middle(struct arena *arena, const char *text, size_t width, bool has_utf8)
{
	const char *ellipsis = has_utf8 ? "…" : "..", *end = text;
	size_t room = cells_width(ellipsis), before, used;
	uint32_t code;

	if (!text[fitting(text, width, &used)] || width <= room + 2)
		return cells_cut(arena, text, width, has_utf8);
	before = fitting(text, (width - room + 1) / 2, &used);
	while (cells_width(end) > width - room - used)
		end += utf8_next(end, &code);
	return arena_printf(arena, "%.*s%s%s", (int)before, text, ellipsis, end);
}

size_t cells_break(const char *text, size_t width)
{
	size_t used, bytes = fitting(text, width, &used), end = bytes;
	uint32_t code;

	if (!*text || !text[bytes])
		return bytes;
	if (!bytes)
		return utf8_next(text, &code);
	while (end && text[end] != ' ')
		end--;
	return end ? end : bytes;
}
