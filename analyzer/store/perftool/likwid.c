/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * likwid.c - the tables of likwid-perfctr (src/applications/likwid-perfctr.lua), drawn or with -O as CSV: its events
 * are the vendor's, with '_' for each '.', and each hardware thread has a column.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "store/perftool/perf_record.h"

#define CELLS 1026 /* a name, a counter, and the threads */

/* Which table a row is in. */
enum likwid_table { TABLE_OTHER, TABLE_EVENTS, TABLE_TIMES };

struct likwid {
	struct perf_record *record;
	enum likwid_table table;
	char **cells;
	size_t count;
	const char **places; /* [column] of the table of events */
	size_t nplaces;
};

/* "| a | b |" or "a,b,": the cells, without the blanks around. */
static size_t cut_cells(char **cells, char *line)
{
	char separator = *line == '|' ? '|' : ',', *next = line + (*line == '|');
	size_t count = 0;

	while (next && *next && count < CELLS) {
		char *cell = next, *end = strchr(cell, separator);
		size_t length;

		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		cell += strspn(cell, " ");
		length = strlen(cell);
		while (length && strchr(" \r", cell[length - 1]))
			cell[--length] = '\0';
		cells[count++] = cell;
	}
	return count;
}

/* "HWThread 3", of older versions "core 3". */
static bool is_thread(const char *cell)
{
	size_t digits = strcspn(cell, "0123456789");

	return (!strncmp(cell, "HWThread ", digits) || !strncasecmp(cell, "core ", digits)) && digits && cell[digits];
}

/* Of one thread the counts are all that there is. */
static void take_threads(struct likwid *l)
{
	size_t last = l->count;

	while (last > 2 && !*l->cells[last - 1])
		last--;
	l->nplaces = last - 2;
	l->places = arena_array(l->record->arena, l->nplaces + 1, sizeof(*l->places));
	for (size_t i = 0; l->nplaces > 1 && i < l->nplaces; i++)
		l->places[i] = arena_printf(l->record->arena, "CPU%s",
					    l->cells[2 + i] + strcspn(l->cells[2 + i], "0123456789"));
}

/* likwid's own names of what other tools call otherwise. */
static const char *likwid_event(const char *name, const char *counter)
{
	static const struct {
		const char *name, *event;
	} rows[] = {
		{ "INSTR_RETIRED_ANY", "instructions" },  { "CPU_CLK_UNHALTED_CORE", "cycles" },
		{ "CPU_CLK_UNHALTED_REF", "ref-cycles" }, { "RETIRED_INSTRUCTIONS", "instructions" },
		{ "CPU_CLOCKS_UNHALTED", "cycles" },	  { "TOPDOWN_SLOTS", "slots" },
		{ "RETIRING", "topdown-retiring" },	  { "BAD_SPECULATION", "topdown-bad-spec" },
		{ "FRONTEND_BOUND", "topdown-fe-bound" }, { "BACKEND_BOUND", "topdown-be-bound" },
	};
	bool is_fixed = has_name_prefix(counter, "FIXC") || has_name_prefix(counter, "TMA");

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (!strcmp(rows[i].name, name) && (is_fixed || has_name_prefix(counter, "PMC")))
			return rows[i].event;
	return name;
}

static void take_counts(struct likwid *l)
{
	for (size_t i = 0; i < l->nplaces && 2 + i < l->count; i++) {
		struct perf_line line = { .event = likwid_event(l->cells[0], l->cells[1]),
					  .unit = "",
					  .place = l->places[i],
					  .value = NOT_COUNTED,
					  .running_ns = NOT_COUNTED,
					  .percent = 100,
					  .until_s = NOT_COUNTED };
		bool is_counted = text_double(l->cells[2 + i], &line.value) && line.value >= 0;

		line.kind = is_counted ? PERF_COUNTED : PERF_NOT_COUNTED;
		line.value = is_counted ? line.value : NOT_COUNTED;
		perf_record_add(l->record, &line);
	}
}

/* Of several threads that of the first. */
static void take_time(struct likwid *l)
{
	struct perf_output *output = &l->record->outputs[l->record->noutputs - 1];
	double seconds;

	if ((!strcmp(l->cells[0], "Runtime (RDTSC) [s]") || !strcmp(l->cells[0], "RDTSC Runtime [s]")) &&
	    text_double(l->cells[1], &seconds))
		output->wall_s = seconds;
}

/* "Region name, Group 1: TMA", "Group 1: TMA"; with -O "TABLE,Region name,Group 1 Raw,TMA,3": another output. */
static bool begins_group(struct likwid *l, const char *line)
{
	static const char region[] = "Region ";
	const char *start = has_name_prefix(line, "TABLE,") ? line + strlen("TABLE,") : line;
	const char *group = strstr(start, "Group "), *end = group;
	struct perf_output *output;

	if (!group || !isdigit((unsigned char)group[strlen("Group ")]) ||
	    (group != start && !has_name_prefix(start, region)) || (start != line && !strstr(group, " Raw")))
		return false;
	output = perf_record_begin(l->record);
	while (end > start && strchr(", ", end[-1]))
		end--;
	if (has_name_prefix(start, region) && end > start + strlen(region))
		output->subject =
			arena_strndup(l->record->arena, start + strlen(region), (size_t)(end - start) - strlen(region));
	return true;
}

static void likwid_take_line(struct likwid *l, char *line)
{
	bool is_head;

	if (begins_group(l, line))
		l->table = TABLE_OTHER;
	l->count = cut_cells(l->cells, line);
	if (l->count < 2)
		return;
	is_head = l->count > 2 && !strcmp(l->cells[0], "Event") && !strcmp(l->cells[1], "Counter");
	if (is_head && is_thread(l->cells[2])) {
		l->table = TABLE_EVENTS;
		take_threads(l);
	} else if (is_head || !strcmp(l->cells[0], "TABLE")) {
		l->table = TABLE_OTHER;
	} else if (!strcmp(l->cells[0], "Metric") || !strcmp(l->cells[0], "Region Info")) {
		l->table = is_thread(l->cells[1]) ? TABLE_TIMES : TABLE_OTHER;
	} else if (l->table == TABLE_EVENTS && l->count > 2) {
		take_counts(l);
	} else if (l->table == TABLE_TIMES) {
		take_time(l);
	}
}

/* The names of the first two columns, whatever stands between them. */
static bool is_head_of_events(const char *line, size_t length)
{
	static const char *const names[] = { "Event", "Counter" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		while (length && strchr("|, ", *line) && *line)
			line++, length--;
		if (length < strlen(names[i]) || memcmp(line, names[i], strlen(names[i])) != 0)
			return false;
		line += strlen(names[i]);
		length -= strlen(names[i]);
	}
	return true;
}

bool is_likwid(const struct session_text *text)
{
	const char *end = text->text + text->length, *newline;

	for (const char *line = text->text; line < end; line = newline + 1) {
		newline = memchr(line, '\n', (size_t)(end - line));
		newline = newline ? newline : end;
		if (is_head_of_events(line, (size_t)(newline - line)))
			return true;
	}
	return false;
}

void likwid_read(struct perf_record *record, const struct session_text *text)
{
	struct likwid l = { .record = record, .cells = arena_array(record->arena, CELLS, sizeof(*l.cells)) };
	char *copy = arena_strndup(record->arena, text->text, text->length), *rest;

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		likwid_take_line(&l, line);
}
