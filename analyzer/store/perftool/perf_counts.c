/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_counts.c - lines of perf stat as parts, runs and repeats of a measurement. perf_record.h says by which rules. */
#include <math.h>
#include <string.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "store/perftool/perf_record.h"
#include "store/perftool/perftool_internal.h"
#include "store/session/session_internal.h"

#define LEAST_PERCENT 0.005 /* what perf prints as 0.00 */

/* Outputs about the same subject. */
struct series {
	const struct perf_output *first;
	size_t count;  /* of outputs */
	size_t period; /* of them that have other events; then the same events come again */
};

/* Where the counts of an output belong. */
struct position {
	size_t series; /* NO_SERIES: it has no lines */
	size_t repeat, run;
};

#define NO_SERIES SIZE_MAX

struct part {
	size_t series;
	const char *place, *pmu;
	enum seen_scope scope;
	struct counts counts;
	size_t *capacities, *printed; /* [repeat], of its items and of what perf printed */
};

struct builder {
	struct arena *arena;
	const struct perf_record *record;
	struct position *positions; /* [output] */
	struct series *series;
	size_t nseries;
	const char **pmus; /* that the events name: "cpu_core" */
	size_t npmus, pmus_capacity;
	struct part *parts;
	size_t count, capacity;
	struct table by_key;
};

static void note_scope(struct part *part, const char *event)
{
	enum seen_scope scope = perf_event_scope(event);

	if (!is_perf_software(event))
		part->scope = part->scope == SEEN_NONE || part->scope == scope ? scope : SEEN_MIXED;
}

/* ---- outputs: runs and repeats ---- */

/* The events of each output, to be compared: none where there are only percentages. NULL: there is nothing at all. */
static const char **signatures_of(const struct builder *b)
{
	const struct perf_record *record = b->record;
	const char **signatures = arena_array(b->arena, record->noutputs, sizeof(*signatures));
	size_t at = 0;

	for (size_t o = 0; o < record->noutputs; o++) {
		struct string text = STRING_INIT(b->arena);
		size_t first = at;

		for (; at < record->count && record->lines[at].output == o; at++)
			if (record->lines[at].kind != PERF_PRINTED)
				string_printf(&text, "%s ", record->lines[at].event);
		signatures[o] = at == first ? NULL : text.text;
	}
	return signatures;
}

/* The shortest beginning that all outputs repeat, a whole number of times. */
static size_t period_of(const char *const *signatures, size_t count)
{
	for (size_t period = 1; period < count; period++) {
		size_t i = period;

		if (count % period)
			continue;
		while (i < count && !strcmp(signatures[i], signatures[i - period]))
			i++;
		if (i == count)
			return period;
	}
	return count;
}

static size_t find_series(struct builder *b, const struct perf_output *output)
{
	size_t i = 0;

	while (i < b->nseries && compare_texts(b->series[i].first->subject, output->subject) != 0)
		i++;
	if (i == b->nseries)
		b->series[b->nseries++] = (struct series){ .first = output };
	return i;
}

static void place_series(struct builder *b, size_t number, const char *const *signatures)
{
	size_t outputs = b->record->noutputs, count = 0;
	const char **own = arena_array(b->arena, outputs, sizeof(*own));
	struct series *series = &b->series[number];

	for (size_t o = 0; o < outputs; o++)
		if (b->positions[o].series == number)
			own[count++] = signatures[o];
	series->period = period_of(own, count);
	count = 0;
	for (size_t o = 0; o < outputs; o++) {
		if (b->positions[o].series != number)
			continue;
		b->positions[o].repeat = count / series->period;
		b->positions[o].run = count++ % series->period;
	}
}

static void place_outputs(struct builder *b)
{
	size_t outputs = b->record->noutputs;
	const char **signatures = signatures_of(b);

	b->positions = arena_array(b->arena, outputs, sizeof(*b->positions));
	b->series = arena_array(b->arena, outputs, sizeof(*b->series));
	for (size_t o = 0; o < outputs; o++) {
		b->positions[o].series = signatures[o] ? find_series(b, &b->record->outputs[o]) : NO_SERIES;
		if (signatures[o])
			b->series[b->positions[o].series].count++;
	}
	for (size_t i = 0; i < b->nseries; i++)
		place_series(b, i, signatures);
}

/* ---- parts ---- */

static void init_part(const struct builder *b, struct part *part)
{
	const struct series *series = &b->series[part->series];
	size_t repeats = series->count / series->period;

	flat_init(&part->counts, b->arena);
	part->counts.repeats = arena_array(b->arena, repeats, sizeof(*part->counts.repeats));
	part->counts.nrepeats = repeats;
	part->capacities = arena_array(b->arena, repeats, sizeof(*part->capacities));
	part->printed = arena_array(b->arena, repeats, sizeof(*part->printed));
	for (size_t i = 0; i < repeats; i++) {
		struct repeat *repeat = &part->counts.repeats[i];

		*repeat = (struct repeat){ .runs = arena_array(b->arena, series->period, sizeof(*repeat->runs)),
					   .nruns = series->period,
					   .ngroups = series->period };
		for (size_t k = 0; k < series->period; k++)
			repeat->runs[k] = (struct count_run){ .wall_s = NOT_COUNTED,
							      .cpu_s = NOT_COUNTED,
							      .status = STATUS_UNKNOWN };
	}
}

static struct part *perf_counts_part_of(struct builder *b, const struct perf_line *line, const char *pmu)
{
	size_t series = b->positions[line->output].series, found;
	const char *key = arena_printf(b->arena, "%zu %s %s", series, pmu ? pmu : "", line->place ? line->place : "");

	found = table_get(&b->by_key, key);
	if (found != TABLE_NONE)
		return &b->parts[found];
	b->parts = arena_grow(b->arena, b->parts, b->count, &b->capacity, sizeof(*b->parts));
	b->parts[b->count] = (struct part){ .series = series, .place = line->place, .pmu = pmu };
	init_part(b, &b->parts[b->count]);
	table_set(&b->by_key, key, b->count);
	return &b->parts[b->count++];
}

static void note_pmu(struct builder *b, const char *pmu)
{
	for (size_t i = 0; i < b->npmus; i++)
		if (!strcmp(b->pmus[i], pmu))
			return;
	b->pmus = arena_grow(b->arena, b->pmus, b->npmus, &b->pmus_capacity, sizeof(*b->pmus));
	b->pmus[b->npmus++] = pmu;
}

/*
 * Calls use for each part that the line belongs to. With two types of cores a plain name ("cycles") says nothing of the
 * cores that were counted.
 */
static void for_parts(struct builder *b, const struct perf_line *line,
		      void (*use)(struct builder *b, struct part *part, const struct perf_line *line))
{
	const char *pmu = perf_event_pmu(line->event, b->arena);

	if (pmu || b->npmus < 2) {
		use(b, perf_counts_part_of(b, line, pmu || !b->npmus ? pmu : b->pmus[0]), line);
		return;
	}
	for (size_t i = 0; is_perf_event_for_all(line->event) && i < b->npmus; i++)
		use(b, perf_counts_part_of(b, line, b->pmus[i]), line);
}

static void see_event(struct builder *b UNUSED, struct part *part, const struct perf_line *line)
{
	if (line->kind != PERF_PRINTED)
		note_scope(part, line->event);
}

/* ---- counts ---- */

/* perf rounds the percentage to two digits; of what was counted it is never 0. */
static double percent_of(const struct perf_line *line)
{
	if (line->percent > 0)
		return fmin(line->percent, 100);
	return line->kind == PERF_COUNTED ? LEAST_PERCENT : 100;
}

/*
 * What never ran gets some time, too, so that the share is a number. Without perf's time on a counter the run's time
 * stands for it, or a second.
 */
static double running_ns(const struct perf_line *line, const struct count_run *run)
{
	double enabled_s = run->wall_s > 0 ? run->wall_s : run->cpu_s > 0 ? run->cpu_s : 1;
	double running = isnan(line->running_ns) ? enabled_s * 1e9 * percent_of(line) / 100 : line->running_ns;

	return running >= 1 ? fmin(running, 0x1p62) : 1;
}

static struct count make_count(const struct builder *b, const struct perf_line *line, const struct part *part)
{
	static const enum count_state states[] = {
		[PERF_COUNTED] = COUNT_OK,
		[PERF_NOT_COUNTED] = COUNT_NEVER_RAN,
		[PERF_NOT_SUPPORTED] = COUNT_REFUSED,
	};
	const struct position *at = &b->positions[line->output];
	double running = running_ns(line, &part->counts.repeats[at->repeat].runs[at->run]);
	double percent = percent_of(line), raw = line->value * percent / 100;
	struct count count = {
		.event = line->event,
		.group = at->run,
		.run = at->run,
		.value = line->value,
		.raw = raw < 0x1p63 ? (uint64_t)raw : 0,
		.unit = *line->unit && !is_perf_clock(line->event) ? line->unit : NULL,
		.enabled_ns = (uint64_t)fmin(running * 100 / percent, 0x1p63),
		.running_ns = (uint64_t)running,
		.state = states[line->kind],
	};

	if (count.state == COUNT_REFUSED)
		count.reason = "perf stat printed <not supported>";
	if (count.state == COUNT_OK && line->value >= 0x1p63)
		count_withhold_impossible(&count, (uint64_t)fmin(line->value, 0x1.fffffffffffffp63), count.running_ns,
					  b->arena);
	else if (count.state == COUNT_OK && is_time_too_short(running, running * 100 / percent))
		count_withhold_short(&count, running, running * 100 / percent, b->arena);
	return count;
}

static void append(const struct builder *b, struct part *part, size_t number, const struct count *count)
{
	struct repeat *repeat = &part->counts.repeats[number];

	repeat->items = arena_grow(b->arena, repeat->items, repeat->count, &part->capacities[number], sizeof(*count));
	repeat->items[repeat->count++] = *count;
}

/*
 * perf adds :u to each event when it may not count the kernel: then this is the scope of the whole measurement, and a
 * formula's EVENT is what perf calls EVENT:u. What a formula itself restricts (EVENT:u) is the same number. An event
 * may be there several times, for several of perf's metrics: all copies are kept (common/measurement/counts.h).
 */
static void add_count(struct builder *b, struct part *part, const struct perf_line *line)
{
	size_t repeat = b->positions[line->output].repeat, length = perf_event_letters(line->event);
	struct count count = make_count(b, line, part);

	append(b, part, repeat, &count);
	if ((part->scope != SEEN_USER && part->scope != SEEN_KERNEL) || !line->event[length])
		return;
	if (line->event[length - 1] == ':')
		length--;
	count.event = arena_strndup(b->arena, line->event, length);
	append(b, part, repeat, &count);
}

/*
 * Of several runs each group is one of `perf stat -e '{...},{...}'`: the groups that topdown plans begin with the same
 * events, so that another one begins where an event comes again. Of one run nobody knows what perf's groups were.
 */
static void find_groups(struct repeat *repeat, struct arena *arena)
{
	size_t groups = 0;

	if (repeat->nruns < 2)
		return;
	for (size_t run = 0; run < repeat->nruns; run++, groups++) {
		struct table seen = TABLE_INIT(arena);

		for (size_t i = 0; i < repeat->count; i++) {
			struct count *count = &repeat->items[i];

			if (count->run != run)
				continue;
			if (table_set(&seen, count->event, groups) == groups)
				table_set(&seen, count->event, ++groups);
			count->group = groups;
		}
	}
	repeat->ngroups = groups;
}

/* ---- what else is known ---- */

/* Only words that a shell would leave as they are go into commands to be pasted without quotes. */
static const char *quoted(const char *words, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const char *word;
	size_t length;

	while ((length = text_next(&words, " ", &word)) > 0) {
		string_add(&text, text.length ? " " : "");
		string_add_shell_word(&text, arena_strndup(arena, word, length));
	}
	return text.text;
}

/* As perf says what it counted where that was no command (linux tools/perf/util/stat-display.c). */
static void set_target(struct origin *origin, const char *subject, struct arena *arena)
{
	static const struct {
		const char *perf, *ours;
		enum subject_kind kind;
	} rows[] = {
		{ "system wide", "all CPUs", SUBJECT_CPUS },
		{ "CPU(s) ", "CPUs ", SUBJECT_CPUS },
		{ "process id '", "process ", SUBJECT_PROCESSES },
		{ "thread id '", "thread ", SUBJECT_THREADS },
	};

	origin->target = subject;
	origin->selector.kind = SUBJECT_CPUS;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *list = subject + strlen(rows[i].perf);
		size_t length;

		if (!has_name_prefix(subject, rows[i].perf))
			continue;
		length = strspn(list, "0123456789,-");
		origin->selector.kind = rows[i].kind;
		origin->selector.list = length ? arena_strndup(arena, list, length) : NULL;
		origin->target = arena_printf(arena, "%s%.*s", rows[i].ours, (int)length, list);
	}
}

/* perf stat -a counts all threads of the cores, and -A shows each by itself; a list of CPUs may be either. */
static enum counted_cores cores_of(const struct perf_output *output, const char *place)
{
	enum perf_place kind = place ? perf_place_kind(place, strlen(place)) : PLACE_NONE;

	if (kind == PLACE_COUNTED)
		return CORES_WHOLE;
	if (kind == PLACE_ALONE && has_name_prefix(place, "CPU"))
		return CORES_SPLIT;
	if (place)
		return CORES_SHARED;
	if (!output->subject || has_name_prefix(output->subject, "CPU(s) "))
		return CORES_UNSAID;
	return !output->is_command && has_name_prefix(output->subject, "system wide") ? CORES_WHOLE : CORES_SHARED;
}

static void perf_counts_describe(struct builder *b, struct part *part)
{
	static const char *const names[] = {
		[SEEN_NONE] = NULL,	  [SEEN_BOTH] = "user+kernel", [SEEN_USER] = "user",
		[SEEN_KERNEL] = "kernel", [SEEN_MIXED] = NULL,
	};
	const struct perf_output *output = b->series[part->series].first;
	struct origin *origin = &part->counts.origin;
	struct string label = STRING_INIT(b->arena);

	origin->scope = names[part->scope];
	origin->pmu = part->pmu;
	origin->cores = cores_of(output, part->place);
	origin->facts.core_wide = origin->cores == CORES_WHOLE;
	origin->adds_sockets = !part->place;
	if (output->subject && output->is_command)
		origin->command = text_within(quoted(output->subject, b->arena), MOST_ORIGIN_TEXT, b->arena);
	else if (output->subject)
		set_target(origin, output->subject, b->arena);
	if (b->nseries > 1)
		string_add(&label, output->subject ? output->subject : "-");
	if (part->place)
		string_printf(&label, "%s%s", label.length ? ", " : "", part->place);
	if (b->npmus > 1)
		string_printf(&label, "%s%s", label.length ? ", " : "", part->pmu ? part->pmu : "-");
	origin->part = label.length ? label.text : NULL;
}

static void append_remark(struct repeat *repeat, const char *remark, struct arena *arena)
{
	const char **remarks = arena_array(arena, repeat->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < repeat->nremarks; i++)
		remarks[i] = repeat->remarks[i];
	remarks[repeat->nremarks++] = remark;
	repeat->remarks = remarks;
}

static void perf_counts_add_remark(const struct builder *b, struct part *part, const struct perf_line *line)
{
	const struct perf_output *output = &b->record->outputs[line->output];
	struct repeat *repeat = &part->counts.repeats[b->positions[line->output].repeat];

	if (!line->is_mean || repeat->nremarks)
		return;
	append_remark(repeat,
		      output->repeats > 1 ? arena_printf(b->arena,
							 "perf stat -r printed the means of %zu runs; how far the runs "
							 "differed is not known.",
							 output->repeats)
					  : "perf stat -r printed means; how far the runs differed is not known.",
		      b->arena);
}

/* Once, with the first part. */
static void remark_left_out(const struct builder *b)
{
	size_t lines = b->record->left_out;

	if (b->count && lines)
		append_remark(&b->parts[0].counts.repeats[0],
			      arena_printf(b->arena, "%zu %s not perf stat's, and left out.", lines,
					   lines == 1 ? "line of the file is" : "lines of the file are"),
			      b->arena);
}

/* "cpu_core/tma_retiring/" is tma_retiring of a part that has the type of cores. */
static void add_printed(const struct builder *b, struct part *part, const struct perf_line *line)
{
	size_t number = b->positions[line->output].repeat;
	struct repeat *repeat = &part->counts.repeats[number];
	const char *slash = strchr(line->event, '/'), *name = slash ? slash + 1 : line->event;

	repeat->printed = arena_grow(b->arena, repeat->printed, repeat->nprinted, &part->printed[number],
				     sizeof(*repeat->printed));
	repeat->printed[repeat->nprinted++] = (struct printed){
		.name = arena_strndup(b->arena, name, strcspn(name, "/")),
		.percent = line->value,
	};
}

/* To the same event of another unit, if there is one. */
static bool add_to_sum(const struct builder *b, struct part *part, const struct perf_line *line)
{
	const struct position *at = &b->positions[line->output];
	struct repeat *repeat = &part->counts.repeats[at->repeat];

	for (size_t i = 0; i < repeat->count; i++) {
		struct count *count = &repeat->items[i];

		if (count->run != at->run || strcmp(count->event, line->event) != 0)
			continue;
		count->value += line->value;
		return true;
	}
	return false;
}

static void perf_counts_take_count(struct builder *b, struct part *part, const struct perf_line *line)
{
	struct perf_alias aliases[MOST_ALIASES];
	size_t count;

	if (line->kind == PERF_PRINTED) {
		add_printed(b, part, line);
		return;
	}
	count = perf_event_aliases(aliases, line->event, line->unit, b->arena);
	if (!count)
		add_count(b, part, line);
	for (size_t i = 0; i < count; i++) {
		struct perf_line one = *line;

		one.event = aliases[i].event;
		one.unit = "";
		one.value *= aliases[i].factor;
		if (!aliases[i].is_part || !add_to_sum(b, part, &one))
			add_count(b, part, &one);
	}
	perf_counts_add_remark(b, part, line);
}

/* ---- all of it ---- */

/* The lines of clocks alone, which are few. */
static struct perf_record clock_lines(const struct perf_record *record)
{
	struct perf_record clocks = *record;

	clocks.lines = arena_array(record->arena, record->count + 1, sizeof(*clocks.lines));
	clocks.count = 0;
	for (size_t i = 0; i < record->count; i++)
		if (is_perf_clock(record->lines[i].event))
			clocks.lines[clocks.count++] = record->lines[i];
	return clocks;
}

static void take_clocks(struct builder *b)
{
	const struct perf_record lines = clock_lines(b->record);

	for (size_t i = 0; i < b->count; i++) {
		struct part *part = &b->parts[i];
		struct perf_clocks clocks = { .place = part->place, .is_divided = part->pmu && b->npmus > 1 };

		for (size_t o = 0; o < b->record->noutputs; o++) {
			const struct position *at = &b->positions[o];

			if (at->series != part->series)
				continue;
			clocks.output = o;
			perf_clocks_fill(&part->counts.repeats[at->repeat].runs[at->run], &lines, &clocks);
		}
	}
}

static void perf_counts_fill_one(struct measurement *measured, const struct perf_record *record)
{
	struct builder b = { .arena = record->arena, .record = record, .by_key = TABLE_INIT(record->arena) };

	place_outputs(&b);
	for (size_t i = 0; i < record->count; i++) {
		const char *pmu = perf_event_pmu(record->lines[i].event, b.arena);

		if (pmu)
			note_pmu(&b, pmu);
	}
	for (size_t i = 0; i < record->count; i++)
		if (!is_perf_clock(record->lines[i].event))
			for_parts(&b, &record->lines[i], see_event);
	take_clocks(&b);
	for (size_t i = 0; i < record->count; i++)
		if (!is_perf_clock(record->lines[i].event))
			for_parts(&b, &record->lines[i], perf_counts_take_count);
	remark_left_out(&b);
	measured->parts = arena_array(b.arena, b.count + 1, sizeof(*measured->parts));
	measured->count = b.count;
	for (size_t i = 0; i < b.count; i++) {
		perf_counts_describe(&b, &b.parts[i]);
		for (size_t k = 0; k < b.parts[i].counts.nrepeats; k++)
			find_groups(&b.parts[i].counts.repeats[k], b.arena);
		measured->parts[i] = b.parts[i].counts;
	}
}

int perf_counts_fill(struct measurement *measured, const struct perf_record *record, const char *source,
		     struct error *err)
{
	struct perf_intervals intervals = perf_intervals_find(record);
	struct perf_record all = intervals.count ? perf_intervals_sum(record, &intervals) : *record;

	*measured = (struct measurement){ .from_s = NOT_COUNTED, .to_s = NOT_COUNTED };
	if (perf_amount_check(&all, &intervals, source, err) < 0)
		return -1;
	perf_counts_fill_one(measured, &all);
	if (!measured->count)
		return error_set(err, "%s: no event of a core in it", source);
	measured->intervals = arena_array(record->arena, intervals.count + 1, sizeof(*measured->intervals));
	for (size_t i = 0; intervals.count > 1 && i < intervals.count; i++) { /* one is all of the time */
		struct perf_record part = perf_interval_lines(record, &intervals, i);
		struct measurement *interval = &measured->intervals[measured->nintervals++];

		*interval =
			(struct measurement){ .from_s = intervals.items[i].from_s, .to_s = intervals.items[i].to_s };
		perf_counts_fill_one(interval, &part);
	}
	return 0;
}
