/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/perf_line.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "load/json_read.h"

#define COLUMNS	      16 /* perf prints at most 11 */
#define LEAST_COLUMNS 5	 /* value, unit, event, time on a counter, percentage */

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
static bool read_number(const char *text, double *number)
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

	return read_number(text, &number) || has_name_prefix(text, "<not ");
}

/* "%6lu.%09lu", whatever the locale: seconds since the start (-I). */
static bool is_timestamp(const char *text)
{
	const char *point = strchr(text, '.');
	double number;

	return point && strlen(point + 1) == 9 && read_number(text, &number);
}

static size_t columns_outside(const char *text, char separator)
{
	bool is_inside = false;
	size_t count = 1;

	for (; *text; text++) {
		if (*text == '/')
			is_inside = !is_inside;
		count += *text == separator && !is_inside;
	}
	return count;
}

char perf_separator(const char *text)
{
	static const char separators[] = { '\t', ';', ',' };

	for (size_t i = 0; i < COUNT_OF(separators); i++) {
		char first[64], *columns[COLUMNS];
		size_t count;

		if (columns_outside(text, separators[i]) < LEAST_COLUMNS)
			continue;
		snprintf(first, sizeof(first), "%.60s", text);
		count = split(columns, first, separators[i]);
		if (!*columns[0] || is_value(columns[0]) || (count > 1 && is_value(columns[1])))
			return separators[i];
	}
	return '\0';
}

/* What stands in front of the value when perf stat splits its counts, and what makes it do so. */
static const struct {
	const char *pattern, *option;
} prefixes[] = {
	/* clang-format off */
	{ "CPU[0-9]*",          "-A" },
	{ "S[0-9]*-D*-C[0-9]*", "--per-core" },
	{ "S[0-9]*-D*-CLS*",    "--per-cluster" },
	{ "S[0-9]*-D*-L[0-9]*", "--per-cache" },
	{ "S[0-9]*-D[0-9]*",    "--per-die" },
	{ "S[0-9]*",            "--per-socket" },
	{ "N[0-9]*",            "--per-node" },
	{ "?*-[0-9]*",          "--per-thread" },
	/* clang-format on */
};

static int split_error(const char *option, struct error *err)
{
	return error_set(err, "the counts are split up; run perf stat without %s", option);
}

/* The first column is no value. */
static int prefix_error(char **columns, size_t count, struct error *err)
{
	bool has_value = (count > 1 && is_value(columns[1])) || (count > 2 && is_value(columns[2]));

	for (size_t i = 0; has_value && i < COUNT_OF(prefixes); i++)
		if (fnmatch(prefixes[i].pattern, columns[0], 0) == 0)
			return split_error(prefixes[i].option, err);
	return error_set(err, NOT_PERF);
}

static bool read_value(struct perf_line *line, const char *text)
{
	line->value = NAN;
	line->kind = PERF_COUNTED;
	if (has_name_prefix(text, "<not counted"))
		line->kind = PERF_NOT_COUNTED;
	else if (has_name_prefix(text, "<not supported"))
		line->kind = PERF_NOT_SUPPORTED;
	else
		return read_number(text, &line->value);
	return true;
}

/* Behind the event: its variance (-r), or its cgroup, then the times. */
static int read_times(struct perf_line *line, char **columns, size_t count, struct error *err)
{
	size_t at = 3;

	if (at < count && *columns[at] && columns[at][strlen(columns[at]) - 1] == '%')
		at++;
	if (at + 2 <= count && read_number(columns[at], &line->running_ns) &&
	    read_number(columns[at + 1], &line->percent) && line->percent <= 100.5)
		return 0;
	if (at + 3 <= count && is_value(columns[at + 1]) && is_value(columns[at + 2]))
		return split_error("-G or --for-each-cgroup", err);
	return error_set(err, "no time and percentage behind event '%s'", line->event);
}

int perf_csv_line(struct perf_line *line, char *text, char separator, struct error *err)
{
	char *columns[COLUMNS];
	size_t count = split(columns, text, separator);

	*line = (struct perf_line){ .event = NULL };
	if (count < LEAST_COLUMNS)
		return error_set(err, NOT_PERF);
	if (!*columns[0] && !*columns[1] && !*columns[2])
		return 0;
	if (is_timestamp(columns[0]))
		return split_error("-I", err);
	if (!is_value(columns[0]))
		return prefix_error(columns, count, err);
	if (is_value(columns[1]))
		return error_set(err, "the numbers have decimal commas; run perf stat with LC_ALL=C, or with -x\\;");
	if (!*columns[2] || !read_value(line, columns[0]))
		return error_set(err, NOT_PERF);
	line->unit = columns[1];
	line->event = columns[2];
	return read_times(line, columns, count, err);
}

/* Members that perf stat -j puts in front of the value. */
static const struct {
	const char *key, *option;
} members[] = {
	/* clang-format off */
	{ "interval",  "-I" },
	{ "timestamp", "-I" },
	{ "cpu",       "-A" },
	{ "core",      "--per-core" },
	{ "cluster",   "--per-cluster" },
	{ "cache",     "--per-cache" },
	{ "die",       "--per-die" },
	{ "socket",    "--per-socket" },
	{ "node",      "--per-node" },
	{ "thread",    "--per-thread" },
	{ "cgroup",    "-G or --for-each-cgroup" },
	/* clang-format on */
};

static int read_members(struct perf_line *line, const struct json *object, struct arena *arena, struct error *err)
{
	const struct json *value = json_get(object, "counter-value");
	const char *event = json_text(json_get(object, "event")), *unit = json_text(json_get(object, "unit"));
	const char *text = json_text(value);

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (json_get(object, members[i].key))
			return split_error(members[i].option, err);
	if (!value && json_get(object, "metric-value"))
		return 0;
	if (!text && json_is_number(value))
		text = arena_printf(arena, "%.17g", json_number(value));
	if (!event || !*event || !text || !read_value(line, text))
		return error_set(err, NOT_PERF);
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

	*line = (struct perf_line){ .event = NULL };
	if (!json_is_object(object)) {
		json_free(object);
		return error_set(err, NOT_PERF);
	}
	result = read_members(line, object, arena, err);
	json_free(object);
	return result;
}
