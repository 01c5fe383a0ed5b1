/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/perf_stat.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "evaluate/withhold.h"
#include "session/perf_line.h"

#define PERF_LEAST_PERCENT 0.005 /* what perf prints as 0.00 */

#define MOST_LINE 4096 /* perf's longest lines, with all terms of an event, have a few hundred bytes */

/* The lines of a file, without those that are empty or comments ("# started on ..."). */
struct lines {
	const char *next, *end;
	size_t number;	/* of the line at hand, from 1 */
	const char *at; /* it begins here, behind its blanks */
	size_t length;
};

static struct lines lines_of(const struct session_text *text)
{
	return (struct lines){ .next = text->text, .end = text->text + text->length };
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
		if (lines->length && *start != '#')
			return true;
	}
	return false;
}

static bool has_text(const struct lines *lines, const char *text)
{
	return memmem(lines->at, lines->length, text, strlen(text)) != NULL;
}

static bool is_json(const struct lines *lines)
{
	return *lines->at == '{' && (has_text(lines, "\"counter-value\"") || has_text(lines, "\"metric-value\"")) &&
	       !has_text(lines, "\"format\"");
}

#define FOR_PEOPLE "Performance counter stats for "

static bool is_for_people(const struct lines *lines)
{
	return lines->length > strlen(FOR_PEOPLE) && !memcmp(lines->at, FOR_PEOPLE, strlen(FOR_PEOPLE));
}

static char separator_of(const struct lines *lines)
{
	char copy[MOST_LINE];

	if (lines->length >= sizeof(copy))
		return '\0';
	memcpy(copy, lines->at, lines->length);
	copy[lines->length] = '\0';
	return perf_separator(copy);
}

bool is_perf_stat(const struct session_text *text)
{
	struct lines lines = lines_of(text);

	for (bool is_first = true; next_line(&lines); is_first = false) {
		if (is_json(&lines) || separator_of(&lines) || (is_first && is_for_people(&lines)))
			return true;
		if (is_first && strchr("{[", *lines.at))
			return false;
	}
	return false;
}

enum scope { SCOPE_NONE, SCOPE_BOTH, SCOPE_USER, SCOPE_KERNEL, SCOPE_MIXED };

struct reader {
	struct counts *counts;
	struct arena *arena;
	size_t capacity;
	struct table by_name;
	enum scope scope;
	double user_s, system_s;
	bool has_core, has_atom;
};

/* perf's clocks are no events of a core: they tell the run's times. */
static void set_wall(struct reader *r, double seconds)
{
	r->counts->runs[0].wall_s = seconds;
}

static void set_cpu(struct reader *r, double seconds)
{
	r->counts->runs[0].cpu_s = seconds;
}

static void set_user(struct reader *r, double seconds)
{
	r->user_s = seconds;
}

static void set_system(struct reader *r, double seconds)
{
	r->system_s = seconds;
}

static const struct {
	const char *event;
	void (*set)(struct reader *r, double seconds);
} clocks[] = {
	/* clang-format off */
	{ "duration_time", set_wall },
	{ "task-clock",    set_cpu },
	{ "cpu-clock",     set_cpu },
	{ "user_time",     set_user },
	{ "system_time",   set_system },
	/* clang-format on */
};

static double seconds_of(const struct perf_line *line)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "msec", 1e-3 }, { "usec", 1e-6 }, { "sec", 1 } };

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (!strcmp(units[i].unit, line->unit))
			return line->value * units[i].seconds;
	return line->value * 1e-9; /* "ns", and raw numbers */
}

static bool take_clock(struct reader *r, const struct perf_line *line)
{
	size_t length = strcspn(line->event, ":");

	for (size_t i = 0; i < COUNT_OF(clocks); i++) {
		if (strlen(clocks[i].event) != length || memcmp(clocks[i].event, line->event, length) != 0)
			continue;
		if (line->kind == PERF_COUNTED)
			clocks[i].set(r, seconds_of(line));
		return true;
	}
	return false;
}

/* Where the letters behind the last slash or colon begin ("u", "kpp"); the text's end when there are none. */
static size_t letters_at(const char *event)
{
	const char *slash = strrchr(event, '/'), *colon = strrchr(event, ':');
	const char *mark = slash ? slash : colon;

	if (slash && colon > slash)
		mark = colon;
	if (!mark || mark == event || !mark[1] || mark[1 + strspn(mark + 1, "ukhpPGHSDWbe")])
		return strlen(event);
	return (size_t)(mark - event) + 1;
}

static enum scope scope_of(const char *event)
{
	const char *letters = event + letters_at(event);
	bool is_user = strchr(letters, 'u') != NULL, is_kernel = strchr(letters, 'k') != NULL;

	if (is_user == is_kernel)
		return SCOPE_BOTH;
	return is_user ? SCOPE_USER : SCOPE_KERNEL;
}

static void note_scope(struct reader *r, const char *event)
{
	enum scope scope = scope_of(event);

	r->scope = r->scope == SCOPE_NONE || r->scope == scope ? scope : SCOPE_MIXED;
}

static double share_of(const struct count *count)
{
	return count->state == COUNT_OK ? (double)count->running_ns / (double)count->enabled_ns : -1;
}

/* perf rounds the percentage to two digits; of what was counted it is never 0. */
static double percent_of(const struct perf_line *line)
{
	if (line->percent > 0)
		return fmin(line->percent, 100);
	return line->kind == PERF_COUNTED ? PERF_LEAST_PERCENT : 100;
}

/* What never ran gets some time, too, so that the share is a number. */
static struct count make_count(const struct reader *r, const struct perf_line *line)
{
	static const enum count_state states[] = {
		[PERF_COUNTED] = COUNT_OK,
		[PERF_NOT_COUNTED] = COUNT_NEVER_RAN,
		[PERF_NOT_SUPPORTED] = COUNT_REFUSED,
	};
	double running = line->running_ns >= 1 ? fmin(line->running_ns, 0x1p62) : 1;
	double percent = percent_of(line);
	double raw = line->value * percent / 100;
	struct count count = {
		.event = arena_strdup(r->arena, line->event),
		.value = line->value,
		.raw = raw < 0x1p63 ? (uint64_t)raw : 0,
		.enabled_ns = (uint64_t)fmin(running * 100 / percent, 0x1p63),
		.running_ns = (uint64_t)running,
		.state = states[line->kind],
	};

	if (count.state == COUNT_REFUSED)
		count.reason = "perf stat printed <not supported>";
	if (count.state == COUNT_OK && is_time_too_short(running, running * 100 / percent))
		count_withhold_short(&count, running, running * 100 / percent, r->arena);
	return count;
}

/* An event may be there several times, for several of perf's metrics; the longest on a counter is the best. */
static void add_count(struct reader *r, struct count count)
{
	struct counts *counts = r->counts;
	size_t before = table_get(&r->by_name, count.event);

	if (before != TABLE_NONE) {
		if (share_of(&count) > share_of(&counts->items[before]))
			counts->items[before] = count;
		return;
	}
	counts->items = arena_grow(r->arena, counts->items, counts->count, &r->capacity, sizeof(count));
	table_set(&r->by_name, count.event, counts->count);
	counts->items[counts->count++] = count;
}

static int take_line(struct reader *r, const struct perf_line *line, struct error *err)
{
	if (!line->event || take_clock(r, line))
		return 0;
	r->has_core = r->has_core || has_name_prefix(line->event, "cpu_core/");
	r->has_atom = r->has_atom || has_name_prefix(line->event, "cpu_atom/");
	if (r->has_core && r->has_atom)
		return error_set(err, "counts of both kinds of core; leave those of cpu_core or of cpu_atom out");
	note_scope(r, line->event);
	add_count(r, make_count(r, line));
	return 0;
}

static int read_line(struct perf_line *line, const struct lines *lines, struct arena *arena, struct error *err)
{
	char *text = arena_strndup(arena, lines->at, lines->length), separator = perf_separator(text);

	if (is_for_people(lines))
		return error_set(err, "perf stat wrote this for people; write `perf stat -x, -o FILE` or `perf stat "
				      "-j -o FILE` for topdown");
	if (*text == '{')
		return perf_json_line(line, text, arena, err);
	return perf_csv_line(line, text, separator ? separator : ',', err);
}

static int read_lines(struct reader *r, const struct session_text *text, struct error *err)
{
	struct lines lines = lines_of(text);

	while (next_line(&lines)) {
		struct perf_line line = { .event = NULL };

		if (read_line(&line, &lines, r->arena, err) < 0 || take_line(r, &line, err) < 0)
			return error_in(err, "%s: line %zu", text->source, lines.number);
	}
	return 0;
}

/*
 * perf adds :u to each event when it may not count the kernel: then this is the scope of the whole measurement, and a
 * formula's EVENT is what perf calls EVENT:u. What a formula itself restricts (EVENT:u) is the same number.
 */
static void drop_scope(struct reader *r)
{
	static const char *const names[] = {
		[SCOPE_NONE] = NULL,	   [SCOPE_BOTH] = "user+kernel", [SCOPE_USER] = "user",
		[SCOPE_KERNEL] = "kernel", [SCOPE_MIXED] = NULL,
	};
	size_t count = r->counts->count;

	r->counts->scope = names[r->scope];
	if (r->scope != SCOPE_USER && r->scope != SCOPE_KERNEL)
		return;
	for (size_t i = 0; i < count; i++) {
		struct count plain = r->counts->items[i];
		size_t length = letters_at(plain.event);

		if (length && plain.event[length - 1] == ':')
			length--;
		plain.event = arena_strndup(r->arena, plain.event, length);
		add_count(r, plain);
	}
}

int perf_stat_read(struct counts *counts, const struct session_text *text, struct arena *arena, struct error *err)
{
	struct reader r = {
		.counts = counts, .arena = arena, .by_name = TABLE_INIT(arena), .user_s = NAN, .system_s = NAN
	};

	*counts = (struct counts){
		.facts = facts_assumed(),
		.is_flat = true,
		.runs = arena_array(arena, 1, sizeof(*counts->runs)),
		.nruns = 1,
		.ngroups = 1,
	};
	counts->runs[0] = (struct count_run){ .wall_s = NAN, .cpu_s = NAN };
	if (read_lines(&r, text, err) < 0)
		return -1;
	if (!counts->count)
		return error_set(err, "%s: no event of a core in it", text->source);
	if (isnan(counts->runs[0].cpu_s))
		counts->runs[0].cpu_s = r.user_s + r.system_s;
	drop_scope(&r);
	return 0;
}
