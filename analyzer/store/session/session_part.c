/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_part.c - a part of a session: its members, and the objects in it, written and read by the same field tables.
 */
#include "store/session/session_internal.h"

#include <assert.h>
#include <math.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "common/json/json_shape.h"

static_assert(sizeof(enum count_state) == sizeof(unsigned), "FIELD_CHOICE stores an unsigned");

static const struct field part_fields[] = {
	{ "cpu", FIELD_TEXT, offsetof(struct counts, origin.cpu), NULL },
	{ "cpuid", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.cpuid), NULL },
	{ "machine", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.machine), NULL },
	{ "host", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.host), NULL },
	{ "kernel", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.kernel), NULL },
	{ "microcode", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.microcode), NULL },
	{ "governor", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.governor), NULL },
	{ "libc", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.libc), NULL },
	{ "compiler", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.compiler), NULL },
	{ "command", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.command), NULL },
	{ "target", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.target), NULL },
	{ "options", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.options), NULL },
	{ "part", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.part), NULL },
	{ "part_kind", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.part_kind), NULL },
	{ "scope", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.scope), NULL },
	{ "started", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.started), NULL },
	{ "tool_version", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.tool_version), NULL },
	{ "model_version", FIELD_TEXT_OR_NULL, offsetof(struct counts, origin.model_version), NULL },
	{ "form", FIELD_TEXT_IF_ANY, offsetof(struct counts, origin.form), NULL },
	{ "level", FIELD_LEVEL, offsetof(struct counts, question.level), NULL },
	{ "events", FIELD_TEXT_OR_NULL, offsetof(struct counts, question.events), NULL },
	{ "nodes_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, question.nodes), NULL },
	{ "groups_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, question.groups), NULL },
	{ "metrics_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, question.metrics), NULL },
	{ "syscalls_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, question.calls), NULL },
	{ "bottlenecks_asked", FIELD_TRUE_IF_ANY, offsetof(struct counts, question.wants_causes), NULL },
	{ "roofline_asked", FIELD_TRUE_IF_ANY, offsetof(struct counts, question.wants_roofline), NULL },
	{ "planned_repeats", FIELD_SIZE_IF_ANY, offsetof(struct counts, planned_repeats), NULL },
};

static const struct shape part_shape = SHAPE(part_fields, struct counts);

/* Of a repeat, beside its runs, counts and remarks. */
static const struct field repeat_fields[] = {
	{ "planned_runs", FIELD_SIZE, offsetof(struct repeat, planned_runs), NULL },
	{ "groups", FIELD_SIZE, offsetof(struct repeat, ngroups), NULL },
	{ "no_syscalls", FIELD_TEXT_IF_ANY, offsetof(struct repeat, no_calls), NULL },
};

static const struct shape repeat_shape = SHAPE(repeat_fields, struct repeat);

/* facts.cpuid is the session's own. */
static const struct field facts_fields[] = {
	{ "smt_on", FIELD_NUMBER_OR_NULL, offsetof(struct facts, smt_on), NULL },
	{ "core_wide", FIELD_NUMBER_OR_NULL, offsetof(struct facts, core_wide), NULL },
	{ "num_cpus", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_cpus), NULL },
	{ "num_cpus_online", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_cpus_online), NULL },
	{ "num_cores", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_cores), NULL },
	{ "num_dies", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_dies), NULL },
	{ "num_packages", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_packages), NULL },
	{ "slots", FIELD_NUMBER_OR_NULL, offsetof(struct facts, slots), NULL },
	{ "system_tsc_freq", FIELD_NUMBER_OR_NULL, offsetof(struct facts, system_tsc_freq), NULL },
	{ "has_pmem", FIELD_NUMBER_OR_NULL, offsetof(struct facts, has_pmem), NULL },
};

static const struct shape facts_shape = SHAPE(facts_fields, struct facts);

static const struct field run_fields[] = {
	{ "wall_s", FIELD_NUMBER_OR_NULL, offsetof(struct count_run, wall_s), NULL },
	{ "cpu_s", FIELD_NUMBER_OR_NULL, offsetof(struct count_run, cpu_s), NULL },
	{ "preemptions", FIELD_NUMBER_IF_ANY, offsetof(struct count_run, preemptions), NULL },
	{ "waited_s", FIELD_NUMBER_IF_ANY, offsetof(struct count_run, waited_s), NULL },
	{ "status", FIELD_STATUS, offsetof(struct count_run, status), NULL },
	{ "cut", FIELD_TRUE_IF_ANY, offsetof(struct count_run, is_cut), NULL },
	{ "target_ended", FIELD_TRUE_IF_ANY, offsetof(struct count_run, has_lost_target), NULL },
};

static const struct shape run_shape = SHAPE(run_fields, struct count_run);

static const struct field anchor_fields[] = {
	{ "user_s", FIELD_NUMBER_OR_NULL, offsetof(struct anchor, user_s), NULL },
	{ "hz", FIELD_NUMBER_OR_NULL, offsetof(struct anchor, hz), NULL },
	{ "reason", FIELD_TEXT_OR_NULL, offsetof(struct anchor, reason), NULL },
	{ "cycles", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, cycles), NULL },
	{ "wall_s", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, wall_s), NULL },
	{ "cpu_s", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, cpu_s), NULL },
	{ "tick_s", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, tick_s), NULL },
	{ "faults", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, faults), NULL },
	{ "preemptions", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, preemptions), NULL },
	{ "waited_s", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, waited_s), NULL },
	{ "runs", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, runs), NULL },
	{ "additions", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, additions), NULL },
	{ "additions_alone", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, additions_alone), NULL },
	{ "hz_low", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, hz_low), NULL },
	{ "hidden", FIELD_TEXT_IF_ANY, offsetof(struct anchor, hidden), NULL },
	{ "hidden_code", FIELD_TEXT_IF_ANY, offsetof(struct anchor, hidden_code), NULL },
};

static const struct shape anchor_shape = SHAPE(anchor_fields, struct anchor);

static const char *const count_states[] = {
	[COUNT_OK] = "ok",
	[COUNT_NEVER_RAN] = "never-ran",
	[COUNT_REFUSED] = "refused",
	[COUNT_WITHHELD] = "withheld",
	NULL,
};

static const struct field count_fields[] = {
	{ "event", FIELD_TEXT, offsetof(struct count, event), NULL },
	{ "group", FIELD_NUMBER_FROM_1, offsetof(struct count, group), NULL },
	{ "run", FIELD_NUMBER_FROM_1, offsetof(struct count, run), NULL },
	{ "value", FIELD_NUMBER_OR_NULL, offsetof(struct count, value), NULL },
	{ "raw", FIELD_U64, offsetof(struct count, raw), NULL },
	{ "enabled_ns", FIELD_U64, offsetof(struct count, enabled_ns), NULL },
	{ "running_ns", FIELD_U64, offsetof(struct count, running_ns), NULL },
	{ "state", FIELD_CHOICE, offsetof(struct count, state), count_states },
	{ "reason", FIELD_TEXT_OR_NULL, offsetof(struct count, reason), NULL },
	{ "unit", FIELD_TEXT_IF_ANY, offsetof(struct count, unit), NULL },
};

static const struct shape count_shape = SHAPE(count_fields, struct count);

static const struct field line_fields[] = {
	{ "function", FIELD_TEXT_OR_NULL, offsetof(struct source_line, function), NULL },
	{ "file", FIELD_TEXT_OR_NULL, offsetof(struct source_line, file), NULL },
	{ "line", FIELD_SIZE_IF_ANY, offsetof(struct source_line, line), NULL },
	{ "object", FIELD_TEXT_OR_NULL, offsetof(struct source_line, object), NULL },
};

static const struct shape line_shape = SHAPE(line_fields, struct source_line);

/* ---- writing ---- */

static void write_lines(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->has_lines)
		return;
	json_write_array(writer, "lines");
	for (size_t i = 0; i < counts->nlines; i++) {
		const struct source_line *line = &counts->lines[i];

		json_write_object(writer, NULL);
		fields_write(writer, &line_shape, line);
		json_write_object(writer, "counts");
		for (size_t j = 0; j < line->count; j++)
			json_write_number(writer, counts->repeats[0].items[line->counts[j].item].event,
					  line->counts[j].value);
		json_write_end(writer);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_runs(struct json_writer *writer, const struct repeat *repeat, size_t ncpus)
{
	json_write_array(writer, "runs");
	for (size_t i = 0; i < repeat->nruns; i++) {
		json_write_object(writer, NULL);
		json_write_integer(writer, "run", (int64_t)i + 1);
		fields_write(writer, &run_shape, &repeat->runs[i]);
		cpu_times_write(writer, &repeat->runs[i], ncpus);
		software_save(writer, &(struct saved_software){ repeat->runs[i].software,
								repeat->runs[i].software_by_cpu, ncpus });
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* Of groups that shared the counters. */
static void write_slices(struct json_writer *writer, const struct count *count)
{
	if (!count->nslices)
		return;
	json_write_array(writer, "slices");
	for (size_t i = 0; i < count->nslices; i++)
		json_write_integer(writer, NULL, count->slices[i] < INT64_MAX ? (int64_t)count->slices[i] : INT64_MAX);
	json_write_end(writer);
}

static void write_counts(struct json_writer *writer, const struct repeat *repeat, size_t ncpus)
{
	json_write_array(writer, "counts");
	for (size_t i = 0; i < repeat->count; i++) {
		json_write_object(writer, NULL);
		fields_write(writer, &count_shape, &repeat->items[i]);
		tallies_write(writer, &repeat->items[i], ncpus);
		write_slices(writer, &repeat->items[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_printed(struct json_writer *writer, const struct repeat *repeat)
{
	if (!repeat->nprinted)
		return;
	json_write_object(writer, "printed");
	for (size_t i = 0; i < repeat->nprinted; i++)
		json_write_number(writer, repeat->printed[i].name, repeat->printed[i].percent);
	json_write_end(writer);
}

static void write_calls(struct json_writer *writer, const struct repeat *repeat)
{
	if (!repeat->calls)
		return;
	json_write_object(writer, "syscalls");
	for (size_t i = 0; i < repeat->ncalls; i++)
		json_write_number(writer, repeat->calls[i].name, repeat->calls[i].count);
	json_write_end(writer);
}

static void write_anchor(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->anchor)
		return;
	json_write_object(writer, "anchor");
	fields_write(writer, &anchor_shape, counts->anchor);
	software_save(writer, &(struct saved_software){ .whole = counts->anchor->software });
	json_write_end(writer);
}

/* The members of a repeat, into the object that is open. */
static void write_repeat(struct json_writer *writer, const struct repeat *repeat, size_t ncpus)
{
	fields_write(writer, &repeat_shape, repeat);
	if (repeat->nremarks)
		texts_write(writer, "remarks", repeat->remarks, repeat->nremarks);
	write_runs(writer, repeat, ncpus);
	write_counts(writer, repeat, ncpus);
	write_printed(writer, repeat);
	write_calls(writer, repeat);
	wall_parts_write(writer, repeat->wall);
}

/* The first repeat's members are the part's own; "repeats" has the others. */
static void write_repeats(struct json_writer *writer, const struct counts *counts)
{
	if (counts->nrepeats < 2)
		return;
	json_write_array(writer, "repeats");
	for (size_t i = 1; i < counts->nrepeats; i++) {
		json_write_object(writer, NULL);
		write_repeat(writer, &counts->repeats[i], counts->ncpus);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_selector(struct json_writer *writer, const struct selector *selector)
{
	struct arena arena;

	if (selector->kind == SUBJECT_PROGRAM)
		return;
	arena_init(&arena);
	json_write_string(writer, "selector", selector_text(selector, &arena));
	arena_release(&arena);
}

/* The members of a part, into the object that is open. */
void part_write(struct json_writer *writer, const struct counts *counts)
{
	fields_write(writer, &part_shape, counts);
	inputs_write(writer, &counts->origin);
	job_write(writer, &counts->origin.job);
	write_selector(writer, &counts->origin.selector);
	division_write(writer, &counts->question.division);
	object_write(writer, "facts", &facts_shape, &counts->origin.facts);
	cpus_write(writer, counts);
	write_repeat(writer, &counts->repeats[0], counts->ncpus);
	write_anchor(writer, counts);
	trials_write(writer, counts);
	write_lines(writer, counts);
	write_repeats(writer, counts);
}

/* ---- reading ---- */

static int read_runs(struct repeat *repeat, const struct json *array, size_t ncpus, struct file_position place,
		     struct error *err)
{
	place.list = "runs";
	repeat->runs = objects_read(&repeat->nruns, array, &run_shape, &place, err);
	for (size_t i = 0; repeat->runs && i < repeat->nruns; i++) {
		const struct json *object = json_at(array, i), *number = json_get(object, "run");
		struct count_run *run = &repeat->runs[i];
		struct saved_software software = { .ncpus = ncpus };

		place.index = i;
		if (cpu_times_read(run, ncpus, object, &place, err) < 0 ||
		    software_load(&software, object, place, err) < 0)
			return -1;
		run->software = software.whole;
		run->software_by_cpu = software.by_cpu;
		if (json_whole(number, -1) != (long long)i + 1)
			return field_error(err, &place, "run", "the runs' numbers, 1 and up", number);
	}
	return repeat->runs ? 0 : -1;
}

/* What no table says: numbers that refer to other parts of the file, a value exactly where something was counted. */
static int check_count(const struct repeat *repeat, const struct count *item, const struct json *object,
		       const struct file_position *place, struct error *err)
{
	if (item->group >= repeat->ngroups)
		return field_error(err, place, "group", "at most \"groups\"", json_get(object, "group"));
	if (item->run >= repeat->nruns)
		return field_error(err, place, "run", "one of \"runs\"", json_get(object, "run"));
	if (item->state == COUNT_OK && isnan(item->value))
		return field_error(err, place, "value", "a number, as state is \"ok\"", json_get(object, "value"));
	if (item->state != COUNT_OK && !isnan(item->value))
		return field_error(err, place, "value", "null, as state is not \"ok\"", json_get(object, "value"));
	return 0;
}

static int read_slices(struct count *item, const struct json *array, const struct file_position *place,
		       struct error *err)
{
	uint64_t *slices;

	if (!array)
		return 0;
	if (!json_is_array(array))
		return field_error(err, place, "slices", "an array", array);
	item->nslices = json_size(array);
	item->slices = slices = arena_array(place->arena, item->nslices, sizeof(*slices));
	for (size_t i = 0; i < item->nslices; i++) {
		long long value = json_whole(json_at(array, i), -1);

		if (value < 0)
			return field_error(err, place, "slices", "whole numbers from 0", json_at(array, i));
		slices[i] = (uint64_t)value;
	}
	return 0;
}

static int read_counts(struct repeat *repeat, const struct json *array, size_t ncpus, struct file_position place,
		       struct error *err)
{
	place.list = "counts";
	repeat->items = objects_read(&repeat->count, array, &count_shape, &place, err);
	for (size_t i = 0; repeat->items && i < repeat->count; i++) {
		struct count *item = &repeat->items[i];
		const struct json *object = json_at(array, i);

		place.index = i;
		if (read_slices(item, json_get(object, "slices"), &place, err) < 0 ||
		    check_count(repeat, item, object, &place, err) < 0 ||
		    tallies_read(item, ncpus, object, &place, err) < 0)
			return -1;
	}
	return repeat->items ? 0 : -1;
}

const char **remarks_read(size_t *count, const struct json *array, struct file_position *place, struct error *err)
{
	const char **remarks = texts_read(count, array, place, err);

	if (remarks && *count > MOST_REMARKS) {
		remarks[MOST_REMARKS] =
			arena_printf(place->arena, "%zu more remarks of the file are left out.", *count - MOST_REMARKS);
		*count = MOST_REMARKS + 1;
	}
	return remarks;
}

static int read_remarks(struct repeat *repeat, const struct json *array, struct file_position place, struct error *err)
{
	if (!array)
		return 0;
	place.list = "remarks";
	repeat->remarks = remarks_read(&repeat->nremarks, array, &place, err);
	return repeat->remarks ? 0 : -1;
}

#define MOST_CALLS 4096 /* Linux has some 500 on each architecture, of 32 bits too */

/* A repeat whose system calls, or percentages, are being read. */
struct calls_reader {
	struct repeat *repeat;
	const struct file_position *place;
	size_t capacity;
	struct error *err;
};

static int read_call(void *context, const char *name, const struct json *value)
{
	struct calls_reader *reader = context;
	double count = json_amount(value);

	if (!(count >= 0))
		return field_error(reader->err, reader->place, name, "a number from 0 to " JSON_MOST_AMOUNT_TEXT,
				   value);
	if (reader->repeat->ncalls == MOST_CALLS)
		return error_set(reader->err, "%s: syscalls: more than %d of them", reader->place->source, MOST_CALLS);
	reader->repeat->calls = arena_grow(reader->place->arena, reader->repeat->calls, reader->repeat->ncalls,
					   &reader->capacity, sizeof(*reader->repeat->calls));
	reader->repeat->calls[reader->repeat->ncalls++] =
		(struct system_call){ .name = arena_strdup(reader->place->arena, name), .count = count };
	return 0;
}

static int read_calls(struct repeat *repeat, const struct json *object, struct file_position place, struct error *err)
{
	struct calls_reader reader = { .repeat = repeat, .place = &place, .err = err };

	if (!object)
		return 0;
	if (!json_is_object(object))
		return field_error(err, &place, "syscalls", "an object", object);
	repeat->calls = arena_array(place.arena, 1, sizeof(*repeat->calls)); /* counted, even if there were none */
	place.list = "syscalls";
	return json_each(object, read_call, &reader);
}

static int read_percentage(void *context, const char *key, const struct json *value)
{
	struct calls_reader *reader = context;

	if (!*key || (!json_is_number(value) && !json_is_null(value)))
		return field_error(reader->err, reader->place, key, "a percentage or null", value);
	reader->repeat->printed = arena_grow(reader->place->arena, reader->repeat->printed, reader->repeat->nprinted,
					     &reader->capacity, sizeof(*reader->repeat->printed));
	reader->repeat->printed[reader->repeat->nprinted++] =
		(struct printed){ .name = arena_strdup(reader->place->arena, key), .percent = json_number(value) };
	return 0;
}

static int read_printed(struct repeat *repeat, const struct json *object, struct file_position place, struct error *err)
{
	struct calls_reader reader = { .repeat = repeat, .place = &place, .err = err };

	if (!object)
		return 0;
	if (!json_is_object(object))
		return field_error(err, &place, "printed", "an object", object);
	place.list = "printed";
	return json_each(object, read_percentage, &reader);
}

static int read_anchor(struct counts *counts, const struct json *object, struct file_position place, struct error *err)
{
	struct anchor *anchor = arena_alloc(place.arena, sizeof(*anchor));
	struct saved_software software = { .ncpus = 0 };

	if (!object)
		return 0;
	if (software_load(&software, object, place, err) < 0)
		return -1;
	place.list = "anchor";
	counts->anchor = anchor;
	anchor->software = software.whole;
	return fields_read(anchor, object, &anchor_shape, &place, err);
}

static int read_repeat(struct repeat *repeat, const struct json *object, size_t ncpus,
		       const struct file_position *place, struct error *err)
{
	if (fields_read(repeat, object, &repeat_shape, place, err) < 0 ||
	    read_remarks(repeat, json_get(object, "remarks"), *place, err) < 0 ||
	    read_runs(repeat, json_get(object, "runs"), ncpus, *place, err) < 0 ||
	    read_printed(repeat, json_get(object, "printed"), *place, err) < 0 ||
	    read_calls(repeat, json_get(object, "syscalls"), *place, err) < 0 ||
	    wall_parts_read(&repeat->wall, json_get(object, "wall_parts"), *place, err) < 0)
		return -1;
	return read_counts(repeat, json_get(object, "counts"), ncpus, *place, err);
}

/* The part itself is the first repeat; array has the others, or is NULL. */
static int read_repeats(struct counts *counts, const struct json *root, const struct json *array,
			const struct file_position *place, struct error *err)
{
	if (array && !json_is_array(array))
		return field_error(err, place, "repeats", "an array", array);
	counts->nrepeats = 1 + (array ? json_size(array) : 0);
	counts->repeats = arena_array(place->arena, counts->nrepeats, sizeof(*counts->repeats));
	if (read_repeat(&counts->repeats[0], root, counts->ncpus, place, err) < 0)
		return -1;
	for (size_t i = 1; i < counts->nrepeats; i++) {
		struct file_position repeat = *place;

		repeat.source = arena_printf(place->arena, "%s: repeats[%zu]", place->source, i - 1);
		if (read_repeat(&counts->repeats[i], json_at(array, i - 1), counts->ncpus, &repeat, err) < 0)
			return -1;
	}
	return 0;
}

static int read_selector(struct selector *selector, const struct json *value, const struct file_position *place,
			 struct error *err)
{
	if (!value || json_is_null(value))
		return 0;
	if (json_text(value) && selector_parse(selector, json_text(value), place->arena))
		return 0;
	return field_error(err, place, "selector", "\"-a\" or one of -p, --tid, -C and --cgroup with a list", value);
}

/* A line whose counts are being read. */
struct reader {
	struct source_line *line;
	const struct table *items; /* by event */
	struct file_position *place;
	size_t capacity;
	struct error *err;
};

static int read_count(void *context, const char *event, const struct json *value)
{
	struct reader *reader = context;
	struct source_line *line = reader->line;
	size_t item = table_get(reader->items, event);
	double number = json_amount(value);

	if (item == TABLE_NONE)
		return field_error(reader->err, reader->place, "counts", "events of the session's \"counts\"", value);
	if (!(number >= 0))
		return field_error(reader->err, reader->place, event, "a number from 0 to " JSON_MOST_AMOUNT_TEXT,
				   value);
	line->counts =
		arena_grow(reader->place->arena, line->counts, line->count, &reader->capacity, sizeof(*line->counts));
	line->counts[line->count++] = (struct source_count){ .item = item, .value = number };
	return 0;
}

static int read_line_counts(struct source_line *line, const struct json *counts, const struct table *items,
			    struct file_position *place, struct error *err)
{
	struct reader reader = { .line = line, .items = items, .place = place, .err = err };

	if (!json_is_object(counts))
		return field_error(err, place, "counts", "an object", counts);
	return json_each(counts, read_count, &reader);
}

static int read_lines(struct counts *counts, const struct json *array, struct file_position place, struct error *err)
{
	struct table items = TABLE_INIT(place.arena);

	if (!array)
		return 0;
	for (size_t i = 0; i < counts->repeats[0].count; i++)
		table_set(&items, counts->repeats[0].items[i].event, i);
	counts->has_lines = true;
	place.list = "lines";
	counts->lines = objects_read(&counts->nlines, array, &line_shape, &place, err);
	for (size_t i = 0; counts->lines && i < counts->nlines; i++) {
		place.index = i;
		if (read_line_counts(&counts->lines[i], json_get(json_at(array, i), "counts"), &items, &place, err) < 0)
			return -1;
	}
	return counts->lines ? 0 : -1;
}

/* Texts of any length, which reports repeat. What was asked for is looked up, and stays. */
static void bound_origin(struct counts *counts, struct arena *arena)
{
	for (size_t i = 0; part_fields[i].offset < offsetof(struct counts, question); i++) {
		const char **text = (const char **)((char *)counts + part_fields[i].offset);

		*text = text_within(*text, MOST_ORIGIN_TEXT, arena);
	}
}

/* root is the object that has the part's members; in place they are named from there on. */
int part_read(struct counts *counts, const struct json *root, const struct file_position *place, struct error *err)
{
	struct file_position facts = {
		.source = place->source, .list = "facts", .index = NO_INDEX, .arena = place->arena
	};

	*counts = (struct counts){ .nrepeats = 0 };
	if (fields_read(counts, root, &part_shape, place, err) < 0 ||
	    inputs_read(&counts->origin, json_get(root, "inputs"), *place, err) < 0 ||
	    job_read(&counts->origin.job, json_get(root, "job"), *place, err) < 0 ||
	    read_selector(&counts->origin.selector, json_get(root, "selector"), place, err) < 0 ||
	    division_read(&counts->question.division, json_get(root, "parts_asked"), place, err) < 0 ||
	    cpus_read(counts, json_get(root, "cpus"), *place, err) < 0 ||
	    fields_read(&counts->origin.facts, json_get(root, "facts"), &facts_shape, &facts, err) < 0)
		return -1;
	bound_origin(counts, place->arena);
	counts->origin.facts.cpuid = counts->origin.cpuid;
	if (read_repeats(counts, root, json_get(root, "repeats"), place, err) < 0 ||
	    read_anchor(counts, json_get(root, "anchor"), *place, err) < 0 ||
	    trials_read(counts, json_get(root, "what_if"), *place, err) < 0)
		return -1;
	return read_lines(counts, json_get(root, "lines"), *place, err);
}
