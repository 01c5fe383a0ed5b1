/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_stat.c - which of its forms a text of perf stat has, and its lines as a record. */
#include "store/perftool/perf_record.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "store/perftool/perftool_internal.h"

#define MOST_LINE 4096 /* perf's longest lines, with all terms of an event, have a few hundred bytes */

#define HEADER	"erformance counter stats for "
#define STARTED "# started on "

enum form { FORM_NONE, FORM_PEOPLE, FORM_CSV, FORM_JSON, FORM_PERCENTAGES, FORM_SCRIPT, FORM_LIKWID };

/* ---- lines ---- */

/* The lines of a file, without those that are empty; an object of JSON that takes several is one. */
struct lines {
	const char *next, *end;
	size_t number;	/* of the line at hand, from 1 */
	const char *at; /* it begins here, behind its blanks */
	size_t length;
};

static struct lines perf_stat_lines_of(const struct session_text *text)
{
	return (struct lines){ .next = text->text, .end = text->text + text->length };
}

static bool has_text(const struct lines *lines, const char *text)
{
	return memmem(lines->at, lines->length, text, strlen(text)) != NULL;
}

static bool has_json_keys(const struct lines *lines)
{
	return (has_text(lines, "\"counter-value\"") || has_text(lines, "\"metric-value\"") ||
		has_text(lines, "\"metricgroup\"")) &&
	       !has_text(lines, "\"format\"");
}

/* An object of perf's has none in it. */
static void join_object(struct lines *lines)
{
	struct lines all = *lines;
	size_t left = (size_t)(lines->end - lines->at), limit = left < MOST_LINE ? left : MOST_LINE;
	const char *end = memchr(lines->at, '}', limit), *newline;

	if (*lines->at != '{' || !end || memchr(lines->at, '}', lines->length) ||
	    memchr(lines->at + 1, '{', (size_t)(end - lines->at - 1)))
		return;
	all.length = (size_t)(end - lines->at) + 1;
	if (!has_json_keys(&all))
		return;
	newline = memchr(end, '\n', (size_t)(lines->end - end));
	for (const char *c = lines->at; c < end; c++)
		all.number += *c == '\n';
	all.next = newline ? newline + 1 : lines->end;
	*lines = all;
}

static bool next_line(struct lines *lines)
{
	while (lines->next < lines->end) {
		const char *end = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
		const char *start = lines->next;

		end = end ? end : lines->end;
		lines->next = end + 1;
		lines->number++;
		while (start < end && (*start == ' ' || *start == '\r'))
			start++;
		lines->at = start;
		lines->length = (size_t)(end - start);
		while (lines->length && strchr(" \r", start[lines->length - 1]))
			lines->length--;
		if (!lines->length)
			continue;
		join_object(lines);
		return true;
	}
	return false;
}

static bool is_json(const struct lines *lines)
{
	return *lines->at == '{' && has_json_keys(lines);
}

static bool is_csv(const struct lines *lines)
{
	char copy[MOST_LINE];

	if (lines->length >= sizeof(copy) || *lines->at == '#')
		return false;
	memcpy(copy, lines->at, lines->length);
	copy[lines->length] = '\0';
	return perf_separator(copy) != '\0';
}

/* ---- forms ---- */

static bool has_counts(const struct session_text *text)
{
	struct perf_record record;
	struct arena arena;
	bool has;

	arena_init(&arena);
	record = perf_record_init(&arena);
	perf_text_read(&record, text);
	has = perf_record_counts(&record) > 0;
	arena_release(&arena);
	return has;
}

static bool has_words(const struct lines *lines, const char *word)
{
	for (size_t at = 0; at + strlen(word) <= lines->length; at++)
		if (strncasecmp(lines->at + at, word, strlen(word)) == 0)
			return true;
	return false;
}

/* The number of the tree's names in the line. */
static size_t names_nodes(const struct lines *lines)
{
	static const char *const words[] = { "retiring",       "bad speculation", "bad_speculation", "backend_bound",
					     "frontend_bound", "backend bound",	  "frontend bound",  "tma_" };
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(words); i++)
		count += has_words(lines, words[i]);
	return count;
}

/* A row of a table: numbers, and a time or a place in front; or nothing at all but lines of a box. */
static bool is_of_numbers(const struct lines *lines)
{
	size_t letters = 0, digits = 0;

	for (size_t i = 0; i < lines->length; i++) {
		letters += isalpha((unsigned char)lines->at[i]) != 0;
		digits += isdigit((unsigned char)lines->at[i]) != 0;
	}
	return digits > letters || (!digits && !letters);
}

#define LEAST_PART  3 /* of the lines one of so many, where nothing else says that the text is perf's */
#define LEAST_NAMES 3 /* of a table's head */

/*
 * Words of topdown beside a percent sign, or above rows of numbers: perf stat --topdown and --metric-only, toplev,
 * Arm's topdown-tool, AMD uProf. Text about them has them here and there.
 */
static bool has_percentages(const struct session_text *text, bool is_of_perf)
{
	struct lines lines = perf_stat_lines_of(text);
	size_t count = 0, all = 0;
	bool is_head = false, was_named = false;

	for (; next_line(&lines); all++) {
		size_t names = names_nodes(&lines);
		bool is_percent = has_text(&lines, "%") || has_words(&lines, "percent"), is_row = is_of_numbers(&lines);

		is_of_perf = is_of_perf || (*lines.at == '#' && has_text(&lines, "-full"));
		count += (is_percent && (names || was_named)) || (is_head && (is_row || is_percent));
		was_named = names > 0;
		is_head = names >= LEAST_NAMES || (names && is_percent) || (is_head && is_row);
	}
	return count && (is_of_perf || count * LEAST_PART >= all);
}

/* "ls 1234 [003] 5.984841:  250000 cycles:u: ...", a sample of perf script: a CPU or a number, a time, an event. */
static bool is_sample(const struct lines *lines)
{
	char copy[MOST_LINE], *word, *rest, before = '\0';

	if (*lines->at == '#' || lines->length >= sizeof(copy))
		return false;
	memcpy(copy, lines->at, lines->length);
	copy[lines->length] = '\0';
	for (word = strtok_r(copy, " ", &rest); word;
	     before = word[strlen(word) - 1], word = strtok_r(NULL, " ", &rest)) {
		size_t seconds = strspn(word, "0123456789"), digits;

		if (!seconds || word[seconds] != '.')
			continue;
		digits = strspn(word + seconds + 1, "0123456789");
		if (digits >= 6 && !strcmp(word + seconds + 1 + digits, ":"))
			return (before == ']' || isdigit((unsigned char)before)) && strchr(rest, ':');
	}
	return false;
}

/* Call chains follow a sample, in lines of their own: the first line that is no comment says it. */
static bool is_script(const struct session_text *text)
{
	struct lines lines = perf_stat_lines_of(text);

	while (next_line(&lines))
		if (*lines.at != '#')
			return is_sample(&lines);
	return false;
}

/*
 * A document of JSON has another first character. The program's own output may stand among perf's lines, so that one of
 * them decides; among counts for people anything may stand.
 */
static enum form form_of(const struct session_text *text)
{
	struct lines lines = perf_stat_lines_of(text);

	if (memmem(text->text, text->length, HEADER, strlen(HEADER)))
		return FORM_PEOPLE;
	if (is_likwid(text))
		return FORM_LIKWID;
	if (is_script(text))
		return FORM_SCRIPT;
	for (bool is_first = true; next_line(&lines); is_first = false) {
		if (is_json(&lines))
			return FORM_JSON;
		if (is_csv(&lines))
			return FORM_CSV;
		if (is_first && strchr("{[", *lines.at))
			return FORM_NONE;
	}
	if (has_counts(text))
		return FORM_PEOPLE;
	return has_percentages(text, false) ? FORM_PERCENTAGES : FORM_NONE;
}

bool is_perf_stat(const struct session_text *text)
{
	return form_of(text) != FORM_NONE;
}

/* ---- a record ---- */

struct perf_record perf_record_init(struct arena *arena)
{
	struct perf_record record = { .arena = arena };

	(void)perf_record_begin(&record);
	return record;
}

static bool is_unused(const struct perf_record *record)
{
	const struct perf_output *last = &record->outputs[record->noutputs - 1];

	return !last->subject && (!record->count || record->lines[record->count - 1].output < record->noutputs - 1);
}

struct perf_output *perf_record_begin(struct perf_record *record)
{
	if (!record->noutputs || !is_unused(record)) {
		record->outputs = arena_grow(record->arena, record->outputs, record->noutputs,
					     &record->outputs_capacity, sizeof(*record->outputs));
		record->noutputs++;
	}
	record->outputs[record->noutputs - 1] =
		(struct perf_output){ .wall_s = NOT_COUNTED, .user_s = NOT_COUNTED, .system_s = NOT_COUNTED };
	return &record->outputs[record->noutputs - 1];
}

static void perf_stat_append(struct perf_record *record, const struct perf_line *line)
{
	record->lines =
		arena_grow(record->arena, record->lines, record->count, &record->capacity, sizeof(*record->lines));
	record->lines[record->count] = *line;
	record->lines[record->count++].output = record->noutputs - 1;
}

/* Of the type of cores that the event beside it, or the head above it, names. */
static void append_metric(struct perf_record *record, const struct perf_line *line)
{
	struct perf_line metric = *line;

	metric.event = record->pmu ? arena_printf(record->arena, "%s/%s/", record->pmu, line->metric) : line->metric;
	metric.kind = PERF_PRINTED;
	metric.value = line->metric_percent;
	metric.is_mean = false;
	record->nprinted++;
	perf_stat_append(record, &metric);
}

/* "TopdownL1 (cpu_core)" */
static const char *pmu_of_group(const char *group, struct arena *arena)
{
	const char *start = group + strcspn(group, " ");

	if (!has_name_prefix(start, " (") || !isalpha((unsigned char)start[2]))
		return NULL;
	return arena_strndup(arena, start + 2, strcspn(start + 2, ")"));
}

void perf_record_add(struct perf_record *record, const struct perf_line *line)
{
	if (line->event)
		perf_stat_append(record, line);
	if (line->event)
		record->pmu = perf_event_pmu(line->event, record->arena);
	else if (line->metric_group)
		record->pmu = pmu_of_group(line->metric_group, record->arena);
	if (line->metric)
		append_metric(record, line);
}

size_t perf_record_counts(const struct perf_record *record)
{
	return record->count - record->nprinted;
}

static int perf_stat_read_line(struct perf_record *record, const struct lines *lines, struct error *err)
{
	char *text = arena_strndup(record->arena, lines->at, lines->length), separator = perf_separator(text);
	struct perf_line line = { .event = NULL };

	if (has_name_prefix(text, STARTED))
		(void)perf_record_begin(record);
	if (*text == '#')
		return 0;
	if (!separator && !is_json(lines)) {
		record->left_out++; /* the program's own output, or a warning of perf's */
		return 0;
	}
	if (is_json(lines) ? perf_json_line(&line, text, record->arena, err) < 0
			   : perf_csv_line(&line, text, separator, record->arena, err) < 0)
		return -1;
	perf_record_add(record, &line);
	return 0;
}

static int read_lines(struct perf_record *record, const struct session_text *text, struct error *err)
{
	struct lines lines = perf_stat_lines_of(text);

	while (next_line(&lines))
		if (perf_stat_read_line(record, &lines, err) < 0)
			return error_in(err, "%s: line %zu", text->source, lines.number);
	return 0;
}

int perf_stat_read(struct measurement *measured, const struct session_text *text, struct arena *arena,
		   struct error *err)
{
	struct perf_record record = perf_record_init(arena);
	enum form form = form_of(text);

	if (form == FORM_SCRIPT)
		return error_set(err,
				 "%s: samples as `perf script` prints them; `topdown report perf.data` reads the file "
				 "that they are of",
				 text->source);
	if (form == FORM_PEOPLE)
		perf_text_read(&record, text);
	else if (form == FORM_LIKWID)
		likwid_read(&record, text);
	else if (form != FORM_PERCENTAGES && read_lines(&record, text, err) < 0)
		return -1;
	if (!perf_record_counts(&record) && has_percentages(text, true))
		return error_set(err,
				 "%s: percentages only, no counts, so nothing can be evaluated; "
				 "`topdown plan {format} perf {cpu} CPU` prints what to run instead",
				 text->source);
	perf_record_drop_copies(&record);
	return perf_counts_fill(measured, &record, text->source, err);
}
