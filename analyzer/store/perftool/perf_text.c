/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_text.c - what perf stat prints for people (linux tools/perf/util/stat-display.c), as it is pasted: quoted in
 * mails, wrapped, with prompts and the program's own output around it, with the numbers of any locale.
 *
 *	[time] [place [CPUs]] count [unit] event [# metric] ... [( +- x% )] [(running%)]
 *
 * Metrics take lines of their own, and the running share stands behind the last of them. So lines are put together
 * first: all that begins with no count belongs to the count before it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "store/perftool/perf_record.h"
#include "store/perftool/perftool_internal.h"

#define HEADER	    "erformance counter stats for "
#define STARTED	    "# started on "
#define MOST_JOINED 10000 /* bytes of lines that a mail has broken */

struct reader {
	struct perf_record *record;
	struct string joined; /* a count with all that belongs to it, or a header */
	bool has_headers;     /* somewhere in the text: what stands outside of the outputs is not perf's */
	bool is_open;	      /* within an output */
};

/* ---- characters ---- */

/* Blanks and apostrophes of locales and web pages, in UTF-8. */
static const struct {
	const char *bytes, plain;
} odd_characters[] = {
	{ "\xc2\xa0", ' ' },	  { "\xe2\x80\xaf", ' ' }, { "\xe2\x80\x89", ' ' }, { "\xe2\x80\x87", ' ' },
	{ "\xe2\x80\x99", '\'' }, { "\t", ' ' },	   { "\xef\xbb\xbf", ' ' }, { "\r", ' ' },
};

/* Length of a terminal's sequence for colours, ESC [ ... letter; 0: there is none. */
static size_t colour_length(const char *text)
{
	size_t length = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	length += strspn(text + 2, "0123456789;");
	return length + (isalpha((unsigned char)text[length]) ? 1 : 0);
}

static size_t odd_length(const char *text, char *plain)
{
	for (size_t i = 0; i < COUNT_OF(odd_characters); i++) {
		size_t length = strlen(odd_characters[i].bytes);

		if (!strncmp(text, odd_characters[i].bytes, length)) {
			*plain = odd_characters[i].plain;
			return length;
		}
	}
	return 0;
}

/* In place: what is left is never longer. */
static void make_plain(char *text)
{
	char *to = text, plain;

	while (*text) {
		size_t length = colour_length(text);

		if (length) {
			text += length;
			continue;
		}
		length = odd_length(text, &plain);
		*to++ = length ? plain : *text;
		text += length ? length : 1;
	}
	*to = '\0';
}

/* ---- the beginning of a line ---- */

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " ");
}

static size_t word_length(const char *text)
{
	return strcspn(text, " ");
}

/* "%6lu.%09lu", whatever the locale. */
static size_t time_length(const char *text, double *seconds)
{
	const char *end;
	size_t length = word_length(text), point = strspn(text, "0123456789");

	if (!point || text[point] != '.' || length - point != 10 || strspn(text + point + 1, "0123456789") != 9)
		return 0;
	return text_double_prefix(text, &end, seconds) && end == text + length ? length : 0;
}

static bool is_value(const char *text)
{
	double value;
	bool is_whole;
	size_t length = perf_number(text, &value, &is_whole);

	return has_name_prefix(text, "<not ") || (length && (!text[length] || text[length] == ' '));
}

/*
 * Of "S0-D0-C1   2", "CPU3", "bash-123", with the number of CPUs behind the place, which perf leaves out for events
 * with "percore"; 0: there is no place.
 */
static size_t place_length(const char *text)
{
	size_t length = word_length(text), blanks, digits;
	enum perf_place kind = perf_place_kind(text, length);
	const char *behind;

	if (kind == PLACE_NONE || kind == PLACE_ALONE)
		return kind == PLACE_NONE ? 0 : length;
	blanks = strspn(text + length, " ");
	digits = strspn(text + length + blanks, "0123456789");
	behind = text + length + blanks + digits;
	if (digits && (!*behind || is_value(skip_blanks(behind)) || is_perf_metric_group(skip_blanks(behind))))
		return length + blanks + digits;
	return is_value(text + length + blanks) ? length : 0;
}

/* What stands in front of the count: its end. */
static const char *skip_front(const char *text)
{
	double seconds;
	size_t length = time_length(text, &seconds);

	if (length && !has_name_prefix(skip_blanks(text + length), "seconds"))
		text = skip_blanks(text + length);
	return skip_blanks(text + place_length(text));
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);

	return length >= of_end && !strcmp(text + length - of_end, end);
}

/* Can it not be at its end: "... #", "( +-", a time and a place without their count? */
static bool perf_text_is_cut(const char *joined)
{
	if (!*joined)
		return false;
	return ends_with(joined, "#") || ends_with(joined, "+-") || ends_with(joined, "(") || !*skip_front(joined);
}

static bool is_header(const char *line)
{
	return strstr(line, HEADER) != NULL || has_name_prefix(line, STARTED);
}

static bool is_beginning(const struct reader *r, const char *line)
{
	if (is_header(line) || strstr(line, " seconds time elapsed"))
		return true;
	return !perf_text_is_cut(r->joined.text) &&
	       (is_value(skip_front(line)) || is_perf_metric_group(skip_front(line)) || (*line && !*skip_front(line)));
}

/* ---- a count ---- */

static const char *take_value(struct perf_line *line, const char *text, bool *is_whole)
{
	static const struct {
		const char *text;
		enum perf_value kind;
	} none[] = { { "<not counted>", PERF_NOT_COUNTED }, { "<not supported>", PERF_NOT_SUPPORTED } };
	size_t length;

	*is_whole = true;
	for (size_t i = 0; i < COUNT_OF(none); i++) {
		if (!has_name_prefix(text, none[i].text))
			continue;
		line->kind = none[i].kind;
		line->value = NOT_COUNTED;
		return text + strlen(none[i].text);
	}
	line->kind = PERF_COUNTED;
	length = perf_number(text, &line->value, is_whole);
	return length ? text + length : NULL;
}

/*
 * "(50.01%)", or of old perf "[50.01%]": the first of them; another one is that of a metric below. 100 where there is
 * none: nothing was multiplexed.
 */
static double find_percent(const char *text)
{
	for (; *text; text++) {
		size_t length;
		double value;
		bool is_whole;

		if (*text != '(' && *text != '[')
			continue;
		length = perf_number(text + 1, &value, &is_whole);
		if (length && text[length + 1] == '%' && strchr(")]", text[length + 2]) && text[length + 2] &&
		    value <= 100.5)
			return value;
	}
	return 100;
}

static const char *take_unit(struct perf_line *line, const char *text)
{
	static const char *const units[] = { "msec", "ns", "usec", "sec", "Joules", "MiB", "KiB", "GiB", "Bytes" };
	size_t length = word_length(text);

	line->unit = "";
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (strlen(units[i]) == length && !memcmp(units[i], text, length) && *skip_blanks(text + length)) {
			line->unit = units[i];
			return skip_blanks(text + length);
		}
	return text;
}

/* Of old perf: "2077.81 task-clock (msec)". */
static const char *take_unit_behind(struct perf_line *line, const char *text)
{
	if (!has_name_prefix(text, "(msec)"))
		return text;
	line->unit = "msec";
	return skip_blanks(text + strlen("(msec)"));
}

/* Somebody's words behind a large count of what can only be an event, "topdown-retiring"; prose counts few things. */
static bool is_remark(const struct perf_line *line)
{
	return line->value >= 1000 && strpbrk(line->event, "-._/:");
}

/*
 * The cgroup that perf prints behind the event (-G, --for-each-cgroup), in a column of its own: its end, where nothing
 * but metrics and the running share follows; NULL: it is none.
 */
static const char *cgroup_end(const char *text)
{
	size_t blanks = strspn(text, " "), length = word_length(text + blanks);
	const char *end = text + blanks + length;

	if (blanks < 2 || !length || (!isalnum((unsigned char)text[blanks]) && !strchr("/_", text[blanks])))
		return NULL;
	return !*end || strchr("#([", *skip_blanks(end)) ? end : NULL;
}

/* Is this all of a count? Then line is filled with what stands in it. */
static bool read_count(struct perf_line *line, const char *text, struct arena *arena)
{
	const char *end;
	size_t length;
	bool is_whole;

	text = take_value(line, text, &is_whole);
	if (!text || *text != ' ')
		return false;
	text = take_unit(line, skip_blanks(text));
	length = word_length(text);
	if (!length || (!isalpha((unsigned char)*text) && *text != '_'))
		return false;
	line->event = arena_strndup(arena, text, length);
	text += length;
	end = cgroup_end(text);
	if (end)
		line->place = arena_strndup(arena, skip_blanks(text), (size_t)(end - skip_blanks(text)));
	text = take_unit_behind(line, skip_blanks(end ? end : text));
	if (*text && !strchr("#([", *text) && !is_remark(line))
		return false;
	line->percent = find_percent(text);
	line->is_mean = strstr(text, "( +-") != NULL;
	return is_whole || *line->unit || is_perf_clock(line->event);
}

/* Fills what stands in front of the count; returns the rest. */
static const char *read_front(struct perf_line *line, const char *text, struct arena *arena)
{
	size_t length;

	*line = (struct perf_line){ .running_ns = NOT_COUNTED, .until_s = NOT_COUNTED };
	length = time_length(text, &line->until_s);
	text = skip_blanks(text + length);
	length = place_length(text);
	if (length)
		line->place = arena_strndup(arena, text, word_length(text));
	return skip_blanks(text + length);
}

/* ---- what stands above and below the counts ---- */

/* " Performance counter stats for 'sleep 1' (5 runs):" */
static void perf_text_read_header(struct reader *r, const char *text)
{
	struct perf_output *output = perf_record_begin(r->record);
	const char *subject = strstr(text, HEADER), *end, *runs;

	r->is_open = true;
	if (!subject)
		return; /* only when it was started */
	subject += strlen(HEADER);
	runs = strstr(subject, "' (");
	end = runs ? runs : strrchr(subject, '\'');
	output->is_command =
		*subject == '\'' && !has_name_prefix(subject, "'system wide'") && !has_name_prefix(subject, "'CPU(s) ");
	output->repeats = runs ? strtoul(runs + strlen("' ("), NULL, 10) : 0;
	if (*subject == '\'' && end > subject)
		output->subject = arena_strndup(r->record->arena, subject + 1, (size_t)(end - subject - 1));
	else
		output->subject = arena_strndup(r->record->arena, subject, strcspn(subject, ":"));
}

/* "1.0035 seconds time elapsed", "60.114 +- 0.112 seconds time elapsed ( +- 0.19% )", "0,81 seconds user" */
static bool read_times(struct reader *r, const char *text)
{
	struct perf_output *output = &r->record->outputs[r->record->noutputs - 1];
	const struct {
		const char *words;
		double *seconds;
	} times[] = { { " seconds time elapsed", &output->wall_s },
		      { " seconds user", &output->user_s },
		      { " seconds sys", &output->system_s } };
	size_t length = strspn(text, "0123456789.,");

	for (size_t i = 0; i < COUNT_OF(times); i++) {
		char number[64], *comma;

		if (!strstr(text, times[i].words) || !length || length >= sizeof(number))
			continue;
		memcpy(number, text, length);
		number[length] = '\0';
		comma = strchr(number, ',');
		if (comma)
			*comma = '.';
		if (!text_double(number, times[i].seconds))
			*times[i].seconds = NOT_COUNTED;
		r->is_open = r->is_open && i > 0;
		return true;
	}
	return false;
}

/* ---- all of it ---- */

/* Behind the time that elapsed the next count is another output's. */
static void perf_text_take_count(struct reader *r, const struct perf_line *line)
{
	bool is_interval = line->until_s >= 0;

	if (!is_interval && !r->is_open && r->has_headers)
		return;
	if (!is_interval && !r->is_open)
		(void)perf_record_begin(r->record);
	r->is_open = true;
	perf_record_add(r->record, line);
}

/* The percentages of nodes in text, which are of the same place and time as line. */
static void take_metrics(struct reader *r, const struct perf_line *line, const char *text)
{
	struct perf_line metric = *line;

	metric.event = NULL;
	while ((metric.metric = perf_metric_next(&metric.metric_percent, &text, r->record->arena)) != NULL) {
		perf_record_add(r->record, &metric);
		metric.metric_group = NULL;
	}
}

/* A count with its metrics, or metrics alone: below the name of their group, or of an earlier line that was cut. */
static void perf_text_take(struct reader *r, const char *text)
{
	struct perf_line line;

	text = read_front(&line, text, r->record->arena);
	if (is_perf_metric_group(text))
		line.metric_group = text;
	else if (read_count(&line, text, r->record->arena))
		perf_text_take_count(r, &line);
	if (r->is_open && perf_record_counts(r->record))
		take_metrics(r, &line, text);
}

static void flush(struct reader *r)
{
	const char *text = r->joined.text;

	if (!r->joined.length)
		return;
	if (is_header(text))
		perf_text_read_header(r, text);
	else if (!read_times(r, text))
		perf_text_take(r, text);
	r->joined.length = 0;
	*r->joined.text = '\0';
}

/* Without the marks of quoted mail and the blanks around it. */
static const char *strip(char *line)
{
	size_t length;

	line += strspn(line, " >|");
	length = strlen(line);
	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
	return line;
}

static void take_line(struct reader *r, const char *line)
{
	if (!*line || is_beginning(r, line) || r->joined.length > MOST_JOINED)
		flush(r);
	if (*line)
		string_printf(&r->joined, "%s%s", r->joined.length ? " " : "", line);
	if (is_header(r->joined.text) && (ends_with(line, ":") || has_name_prefix(line, STARTED)))
		flush(r);
}

void perf_text_read(struct perf_record *record, const struct session_text *text)
{
	char *copy = arena_strndup(record->arena, text->text, text->length), *next;
	struct reader r = { .record = record, .joined = STRING_INIT(record->arena) };

	for (size_t i = 0; i < text->length; i++)
		copy[i] = copy[i] ? copy[i] : '\n';
	r.has_headers = strstr(copy, HEADER) != NULL;
	make_plain(copy);
	for (char *line = copy; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		take_line(&r, strip(line));
	}
	flush(&r);
}
