/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perf_record.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"

#define COLUMNS	      16   /* perf prints at most 11 */
#define LEAST_COLUMNS 5	   /* value, unit, event, time on a counter, percentage */
#define MOST_LINE     4096 /* bytes; perf's longest lines, with all terms of an event, have a few hundred */

#define NOT_PERF "not a line of `perf stat`; with `-o FILE` the program's own output stays out of it"

/* Cuts text at the separators; those between the slashes of cpu/event=0xc2,umask=0x2/ belong to the event. */
static size_t split(char **columns, char *text, char separator)
{
	bool is_inside = false;
	size_t count = 0;

	columns[count++] = text;
	for (char *c = text; *c; c++) {
		if (*c == '/')
			is_inside = !is_inside;
		if (*c != separator || is_inside)
			continue;
		*c = '\0';
		if (count == COLUMNS)
			break;
		columns[count++] = c + 1;
	}
	return count;
}

/* With another separator the decimal point may be the locale's comma. */
static bool perf_line_read_number(const char *text, double *number)
{
	size_t length = strlen(text);
	char copy[64];
	char *comma;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length + 1);
	comma = strchr(copy, ',');
	if (comma)
		*comma = '.';
	return text_double(copy, number) && isfinite(*number) && *number >= 0;
}

static bool is_value(const char *text)
{
	double number;

	return perf_line_read_number(text, &number) || has_name_prefix(text, "<not ");
}

/* "%6lu.%09lu", whatever the locale: seconds since the start (-I). */
static bool is_timestamp(const char *text)
{
	const char *point = strchr(text, '.');
	double number;

	return point && strlen(point + 1) == 9 && perf_line_read_number(text, &number);
}

/*
 * What stands in front of the value when perf stat divides its counts (-A, --per-core and others). Threads ("bash-123")
 * have no pattern: their number ends the word.
 */
static const struct {
	const char *pattern;
	enum perf_place kind;
} places[] = {
	/* clang-format off */
	{ "CPU[0-9]*",          PLACE_ALONE },
	{ "S[0-9]*-D*-C[0-9]*", PLACE_COUNTED },
	{ "S[0-9]*-D*-CLS*",    PLACE_COUNTED },
	{ "S[0-9]*-D*-L[0-9]*", PLACE_COUNTED },
	{ "S[0-9]*-D[0-9]*",    PLACE_COUNTED },
	{ "S[0-9]*",            PLACE_COUNTED },
	{ "N[0-9]*",            PLACE_COUNTED },
	/* clang-format on */
};

enum perf_place perf_place_kind(const char *word, size_t length)
{
	char copy[64];
	size_t digits = length;

	if (!length || length >= sizeof(copy))
		return PLACE_NONE;
	memcpy(copy, word, length);
	copy[length] = '\0';
	for (size_t i = 0; i < COUNT_OF(places); i++)
		if (fnmatch(places[i].pattern, copy, 0) == 0)
			return places[i].kind;
	while (digits && isdigit((unsigned char)copy[digits - 1]))
		digits--;
	return digits < length && digits > 1 && copy[digits - 1] == '-' && isalpha((unsigned char)*copy) ? PLACE_ALONE
													 : PLACE_NONE;
}

/* ---- CSV: [time] [place [CPUs]] value unit event [deviation or cgroup] running percent ... ---- */

/* Where the value stands. With -I --summary the last lines have a word in place of the time. */
static size_t value_column(char **columns, size_t count, enum perf_place *kind)
{
	size_t at = count > 1 && (is_timestamp(columns[0]) || !strcmp(columns[0], "summary")) ? 1 : 0;

	*kind = perf_place_kind(columns[at], strlen(columns[at]));
	if (*kind == PLACE_NONE || at + (*kind == PLACE_COUNTED ? 2 : 1) >= count)
		return at;
	return at + (*kind == PLACE_COUNTED ? 2 : 1);
}

static bool is_empty(char **columns, size_t from, size_t count)
{
	return count >= from + 3 && !*columns[from] && !*columns[from + 1] && !*columns[from + 2];
}

/* Of events the names begin with letters; of numbers for people the parts behind commas are digits. */
static bool is_event(const char *text)
{
	return isalpha((unsigned char)*text) || *text == '_' || *text == ':';
}

static bool is_csv(char **columns, size_t count)
{
	enum perf_place kind;
	size_t at = value_column(columns, count, &kind);

	if (count < LEAST_COLUMNS)
		return false;
	if (is_empty(columns, at, count))
		return true;
	if (at + 2 < count && is_value(columns[at]) && is_event(columns[at + 2]))
		return true;
	return at + 3 < count && is_value(columns[at]) && is_value(columns[at + 1]) && is_event(columns[at + 3]);
}

char perf_separator(const char *text)
{
	static const char separators[] = { '\t', ';', ',' };

	for (size_t i = 0; i < COUNT_OF(separators); i++) {
		char copy[MOST_LINE], *columns[COLUMNS];

		if (strlen(text) >= sizeof(copy) || !strchr(text, separators[i]))
			continue;
		memcpy(copy, text, strlen(text) + 1);
		if (is_csv(columns, split(columns, copy, separators[i])))
			return separators[i];
	}
	return '\0';
}

static bool perf_line_read_value(struct perf_line *line, const char *text)
{
	line->value = NOT_COUNTED;
	line->kind = PERF_COUNTED;
	if (has_name_prefix(text, "<not counted"))
		line->kind = PERF_NOT_COUNTED;
	else if (has_name_prefix(text, "<not supported"))
		line->kind = PERF_NOT_SUPPORTED;
	else
		return perf_line_read_number(text, &line->value);
	return true;
}

/* Behind the event: its deviation (-r), or its cgroup, then the times. */
static int read_times(struct perf_line *line, char **columns, size_t count, struct error *err)
{
	size_t at = 0;

	if (at < count && *columns[at] && columns[at][strlen(columns[at]) - 1] == '%') {
		line->is_mean = true;
		at++;
	} else if (at + 3 <= count && is_value(columns[at + 1]) && is_value(columns[at + 2]) &&
		   !is_value(columns[at])) {
		line->place = *columns[at] ? columns[at] : line->place;
		at++;
	}
	if (at + 2 <= count && perf_line_read_number(columns[at], &line->running_ns) &&
	    perf_line_read_number(columns[at + 1], &line->percent) && line->percent <= 100.5)
		return 0;
	return error_set(err, "no time and percentage after event '%s'", line->event);
}

int perf_csv_line(struct perf_line *line, char *text, char separator, struct error *err)
{
	char *columns[COLUMNS];
	size_t count = split(columns, text, separator), at;
	enum perf_place kind;

	*line = (struct perf_line){ .until_s = NOT_COUNTED };
	if (count < LEAST_COLUMNS)
		return error_set(err, NOT_PERF);
	at = value_column(columns, count, &kind);
	if (is_empty(columns, at, count))
		return 0;
	if (at + 2 >= count || !is_value(columns[at]))
		return error_set(err, NOT_PERF);
	if (is_value(columns[at + 1]))
		return error_set(err, "the numbers have decimal commas; run perf stat with LC_ALL=C, or with -x\\;");
	if (!*columns[at + 2] || !perf_line_read_value(line, columns[at]))
		return error_set(err, NOT_PERF);
	if (is_timestamp(columns[0]) && !perf_line_read_number(columns[0], &line->until_s))
		return error_set(err, NOT_PERF);
	line->place = kind == PLACE_NONE ? NULL : columns[at - (kind == PLACE_COUNTED ? 2 : 1)];
	line->unit = columns[at + 1];
	line->event = columns[at + 2];
	return read_times(line, columns + at + 3, count - at - 3, err);
}

/* ---- JSON ---- */

/* Members that name a place. */
static const struct {
	const char *key, *prefix;
} members[] = {
	{ "cpu", "CPU" }, { "core", "" }, { "cluster", "" }, { "cache", "" },  { "die", "" },
	{ "socket", "" }, { "node", "" }, { "thread", "" },  { "cgroup", "" },
};

static const char *read_place(const struct json *object, struct arena *arena)
{
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const char *text = json_text(json_get(object, members[i].key));

		if (text && *text)
			return arena_printf(arena, "%s%s",
					    has_name_prefix(text, members[i].prefix) ? "" : members[i].prefix, text);
	}
	return NULL;
}

static int read_members(struct perf_line *line, const struct json *object, struct arena *arena, struct error *err)
{
	const struct json *value = json_get(object, "counter-value");
	const char *event = json_text(json_get(object, "event")), *unit = json_text(json_get(object, "unit"));
	const char *text = json_text(value);

	if (!value && json_get(object, "metric-value"))
		return 0;
	if (!text && json_is_number(value))
		text = arena_printf(arena, "%.17g", json_number(value));
	if (!event || !*event || !text || !perf_line_read_value(line, text))
		return error_set(err, NOT_PERF);
	line->until_s = json_number(json_get(object, "interval"));
	line->place = read_place(object, arena);
	line->is_mean = json_get(object, "variance") != NULL;
	line->event = arena_strdup(arena, event);
	line->unit = arena_strdup(arena, unit ? unit : "");
	line->running_ns = json_number(json_get(object, "event-runtime"));
	line->percent = json_number(json_get(object, "pcnt-running"));
	if (line->running_ns >= 0 && line->percent >= 0 && line->percent <= 100.5)
		return 0;
	return error_set(err, "no \"event-runtime\" and \"pcnt-running\" for event '%s'", event);
}

int perf_json_line(struct perf_line *line, const char *text, struct arena *arena, struct error *err)
{
	struct error unused = { .text = "" };
	struct json *object = json_read_text(text, strlen(text), "", &unused);
	int result;

	*line = (struct perf_line){ .until_s = NOT_COUNTED };
	if (!json_is_object(object)) {
		json_free(object);
		return error_set(err, NOT_PERF);
	}
	result = read_members(line, object, arena, err);
	json_free(object);
	return result;
}
