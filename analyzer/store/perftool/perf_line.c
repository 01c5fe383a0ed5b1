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

/* "cycles:u" with ':' for a separator. */
static bool is_modifier(const char *column, const char *end)
{
	size_t length = strspn(end + 1, "ukhpPGHSDW");

	return isalpha((unsigned char)*column) && *end == ':' && length && end[1 + length] == ':';
}

/* Of -x ' ;' the blanks belong to the separator. */
static void trim(char **columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length;

		columns[i] += strspn(columns[i], " ");
		length = strlen(columns[i]);
		while (length && columns[i][length - 1] == ' ')
			columns[i][--length] = '\0';
	}
}

/* Cuts text at the separators; those between the slashes of cpu/event=0xc2,umask=0x2/ belong to the event. */
static size_t split(char **columns, char *text, char separator)
{
	bool is_inside = false;
	size_t count = 0;

	columns[count++] = text;
	for (char *c = text; *c; c++) {
		if (*c == '/' && separator != '/')
			is_inside = !is_inside;
		if (*c != separator || is_inside || is_modifier(columns[count - 1], c))
			continue;
		*c = '\0';
		if (count == COLUMNS)
			break;
		columns[count++] = c + 1;
	}
	trim(columns, count);
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
	if (is_empty(columns, at, count) || is_perf_metric_group(columns[count - 1]))
		return true;
	if (at + 2 < count && is_value(columns[at]) && is_event(columns[at + 2]))
		return true;
	return at + 3 < count && is_value(columns[at]) && is_value(columns[at + 1]) && is_event(columns[at + 3]);
}

/* Do a time and a percentage follow an event, or what stands between? */
static bool has_times(char **columns, size_t count)
{
	enum perf_place kind;
	size_t at = value_column(columns, count, &kind) + 3;

	return (at + 1 < count && is_value(columns[at]) && is_value(columns[at + 1])) ||
	       (at + 2 < count && is_value(columns[at + 1]) && is_value(columns[at + 2]));
}

char perf_separator(const char *text)
{
	static const char separators[] = {
		'\t', ';', ',', '|', ':', '/', '^', '~'
	}; /* the last five stand in texts, too */

	for (size_t i = 0; i < COUNT_OF(separators); i++) {
		char copy[MOST_LINE], *columns[COLUMNS];
		size_t count;

		if (strlen(text) >= sizeof(copy) || !strchr(text, separators[i]))
			continue;
		memcpy(copy, text, strlen(text) + 1);
		count = split(columns, copy, separators[i]);
		if (is_csv(columns, count) && (strchr("\t;,", separators[i]) || has_times(columns, count)))
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

/* "69.95,%  tma_backend_bound" behind the times, or alone: the percentage of a node. */
static void read_metric(struct perf_line *line, const char *number, const char *unit, struct arena *arena)
{
	const char *text = arena_printf(arena, "%s %s", number, unit);

	line->metric = perf_metric_next(&line->metric_percent, &text, arena);
}

/* The last column that is not empty is the metric's unit, or the name of the metrics that follow. */
static void read_metric_columns(struct perf_line *line, char **columns, size_t count, struct arena *arena)
{
	while (count && !*columns[count - 1])
		count--;
	if (count > 1 && strchr(columns[count - 1], '%'))
		read_metric(line, columns[count - 2], columns[count - 1], arena);
	else if (count && is_perf_metric_group(columns[count - 1]))
		line->metric_group = columns[count - 1];
}

int perf_csv_line(struct perf_line *line, char *text, char separator, struct arena *arena, struct error *err)
{
	char *columns[COLUMNS];
	size_t count = split(columns, text, separator), at;
	enum perf_place kind;

	*line = (struct perf_line){ .until_s = NOT_COUNTED };
	if (count < LEAST_COLUMNS)
		return error_set(err, NOT_PERF);
	at = value_column(columns, count, &kind);
	read_metric_columns(line, columns, count, arena);
	if (is_timestamp(columns[0]) && !perf_line_read_number(columns[0], &line->until_s))
		return error_set(err, NOT_PERF);
	line->place = kind == PLACE_NONE ? NULL : columns[at - (kind == PLACE_COUNTED ? 2 : 1)];
	if (is_empty(columns, at, count) || line->metric_group)
		return 0;
	if (at + 2 >= count || !is_value(columns[at]))
		return error_set(err, NOT_PERF);
	if (is_value(columns[at + 1]))
		return error_set(err, "the numbers have decimal commas; run perf stat with LC_ALL=C, or with -x\\;");
	if (!*columns[at + 2] || !perf_line_read_value(line, columns[at]))
		return error_set(err, NOT_PERF);
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

static void read_json_metric(struct perf_line *line, const struct json *object, struct arena *arena)
{
	const struct json *value = json_get(object, "metric-value");
	const char *number = json_text(value), *unit = json_text(json_get(object, "metric-unit"));
	const char *group = json_text(json_get(object, "metricgroup"));

	if (json_is_number(value))
		number = arena_printf(arena, "%.17g", json_number(value));
	if (number && unit)
		read_metric(line, number, unit, arena);
	line->metric_group = group ? arena_strdup(arena, group) : NULL;
}

static int read_members(struct perf_line *line, const struct json *object, struct arena *arena, struct error *err)
{
	const struct json *value = json_get(object, "counter-value");
	const char *event = json_text(json_get(object, "event")), *unit = json_text(json_get(object, "unit"));
	const char *text = json_text(value);

	line->until_s = json_number(json_get(object, "interval"));
	line->place = read_place(object, arena);
	read_json_metric(line, object, arena);
	if (!value && (json_get(object, "metric-value") || line->metric_group))
		return 0;
	if (!text && json_is_number(value))
		text = arena_printf(arena, "%.17g", json_number(value));
	if (!event || !*event || !text || !perf_line_read_value(line, text))
		return error_set(err, NOT_PERF);
	line->is_mean = json_get(object, "variance") != NULL;
	line->event = arena_strdup(arena, event);
	line->unit = arena_strdup(arena, unit ? unit : "");
	line->running_ns = json_number(json_get(object, "event-runtime"));
	line->percent = json_number(json_get(object, "pcnt-running"));
	if (line->running_ns >= 0 && line->percent >= 0 && line->percent <= 100.5)
		return 0;
	return error_set(err, "no \"event-runtime\" and \"pcnt-running\" for event '%s'", event);
}

/* perf 6.13 on arm64 writes "100.00, }". */
static void drop_last_comma(char *text)
{
	for (char *c = text; (c = strchr(c, ',')) != NULL; c++)
		if (c[1 + strspn(c + 1, " \r\n\t")] == '}')
			*c = ' ';
}

/* "pcnt-running" : 100,00 of a locale with decimal commas, which is no JSON. */
static bool has_decimal_commas(const char *text)
{
	for (const char *c = text; (c = strstr(c, " : ")) != NULL; c++) {
		size_t digits = strspn(c + 3, "0123456789");

		if (digits && c[3 + digits] == ',' && isdigit((unsigned char)c[4 + digits]))
			return true;
	}
	return false;
}

int perf_json_line(struct perf_line *line, char *text, struct arena *arena, struct error *err)
{
	struct error unused = { .text = "" };
	struct json *object;
	int result;

	drop_last_comma(text);
	object = json_read_text(text, strlen(text), "", &unused);

	*line = (struct perf_line){ .until_s = NOT_COUNTED };
	if (!json_is_object(object)) {
		json_free(object);
		return error_set(
			err, has_decimal_commas(text)
				     ? "the numbers have decimal commas, which are no JSON; run perf stat with LC_ALL=C"
				     : NOT_PERF);
	}
	result = read_members(line, object, arena, err);
	json_free(object);
	return result;
}
