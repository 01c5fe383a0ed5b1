/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_output.c - the two files of an imported CPU, and its rows of the map. */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/titles.h"
#include "common/system/file.h"
#include "common/system/output_file.h"
#include "cpu/import/import_rows.h"
#include "cpu/import/importer.h"

/* The events with a fixed role, so that the program needs no name of its own. */
static const struct role_row {
	const char *vendor, *key;
	const char *names[2]; /* the first that the CPU has */
} roles[] = {
	/* clang-format off */
	{ "Intel", "Cycles",       { "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.CORE" } },
	{ "Intel", "Instructions", { "INST_RETIRED.ANY", NULL } },
	{ "Intel", "Reference",    { "CPU_CLK_UNHALTED.REF_TSC", "CPU_CLK_UNHALTED.REF" } },
	{ "Intel", "SlotsEvent",   { "TOPDOWN.SLOTS", NULL } },
	{ "Intel", "SlotsGeneral", { "TOPDOWN.SLOTS_P", NULL } },
	{ "AMD",   "Cycles",       { "ls_not_halted_cyc", NULL } },
	{ "AMD",   "Instructions", { "ex_ret_instr", NULL } },
	{ "Arm",   "Cycles",       { "CPU_CYCLES", NULL } },
	{ "Arm",   "Instructions", { "INST_RETIRED", NULL } },
	/* clang-format on */
};

static void add_roles(struct row *header, const struct import *import)
{
	const char *vendor = is_arm(import->cpu) ? "Arm" : import->cpu->vendor;

	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		const char *name =
			!strcmp(roles[i].key, "Cycles") && import->cpu->cycles[0] ? import->cpu->cycles : NULL;

		if (strcmp(roles[i].vendor, vendor) != 0)
			continue;
		for (size_t k = 0; k < COUNT_OF(roles[i].names) && !name; k++)
			if (roles[i].names[k] && has_import_event(import, roles[i].names[k]))
				name = roles[i].names[k];
		row_add(header, roles[i].key, name, import->arena);
	}
}

static void add_counters(struct row *header, const struct import *import)
{
	unsigned general = counters_used(import, "Counter", false),
		 alone = counters_used(import, "CounterHTOff", false);
	uint64_t slots;

	row_add_number(header, "GeneralCounters", general, import->arena);
	if (alone > general)
		row_add_number(header, "GeneralCountersSMTOff", alone, import->arena);
	row_add_number(header, "FixedCounters", counters_used(import, "Counter", true), import->arena);
	if (text_u64(import->cpu->slots, &slots) && slots < 64)
		row_add_number(header, "Slots", (unsigned)slots, import->arena);
}

/* Meshes are around cores of any maker. */
#define ARM_SYSTEMS "cmn"

static struct row event_header(const struct import *import)
{
	const struct cpu_facts *cpu = import->cpu;
	struct row header = { .count = 0 };
	uint64_t max_precise;

	row_add(&header, "Cpu", cpu->name, import->arena);
	row_add(&header, "ShortName", cpu->short_name, import->arena);
	row_add(&header, "Title", cpu->title, import->arena);
	row_add(&header, "Vendor", cpu->vendor, import->arena);
	row_add(&header, "Source", import->source, import->arena);
	row_add(&header, "Version", import->version, import->arena);
	add_counters(&header, import);
	row_add(&header, "Pmu", cpu->pmu, import->arena);
	add_roles(&header, import);
	row_add(&header, "Pfm", cpu->pfm, import->arena);
	row_add(&header, "Exclusive", cpu->exclusive, import->arena);
	row_add(&header, "Paired", cpu->paired, import->arena);
	row_add(&header, "System", is_arm(cpu) ? ARM_SYSTEMS : NULL, import->arena);
	if (text_u64(cpu->max_precise, &max_precise) && max_precise < 3)
		row_add_number(&header, "MaxPrecise", (unsigned)max_precise, import->arena);
	return header;
}

/*
 * Why there is no tree; said when none was published, so not of an Intel core whose newer files have one (Arm's N1 has
 * nodes that are no slots).
 */
static const char *no_tree_of(const struct import *import)
{
	for (size_t i = 0; i < import->nmetrics && !strcmp(import->cpu->vendor, "Intel"); i++)
		if (!import->metrics[i].is_dropped && has_word(import->metrics[i].groups, ";", "TopdownL1"))
			return "";
	return import->cpu->no_tree;
}

static struct row model_header(const struct import *import)
{
	struct row header = { .count = 0 };

	row_add(&header, "Cpu", import->cpu->name, import->arena);
	row_add(&header, "Source", import->model_source, import->arena);
	row_add(&header, "Version", import->model_version, import->arena);
	row_add(&header, "TmaVersion", import->tma_version, import->arena);
	row_add(&header, "GeneralSource", import->general_source, import->arena);
	row_add(&header, "Thresholds", import->own_thresholds ? "topdown" : "vendor", import->arena);
	row_add(&header, "NoTree", no_tree_of(import), import->arena);
	row_add(&header, "Generic", import->generic, import->arena);
	return header;
}

static const char *samples_text(const struct import_metric *metric, struct arena *arena)
{
	struct string list = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nsamples; i++)
		string_printf(&list, "%s%s", i ? ";" : "", metric->samples[i]);
	return list.text;
}

/*
 * "tma_l1_bound" is titled "L1_Bound" where the vendor has no title. A title is one word, so that it can be typed:
 * Arm's have blanks, and asides in parentheses.
 */
static const char *import_output_title_of(const struct import_metric *metric, struct arena *arena)
{
	char *title, *to;
	bool is_aside = false;

	if (!metric->title)
		return title_of_name(metric->name, arena);
	title = to = arena_strdup(arena, metric->title);
	for (const char *from = title; *from; from++) {
		is_aside = is_aside || *from == '(';
		if (!is_aside && !(*from == ' ' && from[1] == '('))
			*to++ = *from == ' ' ? '_' : *from;
		is_aside = is_aside && *from != ')';
	}
	*to = '\0';
	return title;
}

struct row metric_row(const struct import_metric *metric, struct arena *arena)
{
	struct row row = { .count = 0 };

	row_add(&row, "MetricName", metric->name, arena);
	row_add(&row, "Title", import_output_title_of(metric, arena), arena);
	row_add(&row, "MetricExpr", metric->expr, arena);
	row_add(&row, "MetricExprGeneral", metric->general, arena);
	row_add(&row, "MetricGroup", metric->groups, arena);
	row_add(&row, "MetricThreshold", metric->threshold, arena);
	row_add(&row, "ScaleUnit", metric->unit, arena);
	row_add(&row, "CountDomain", metric->domain, arena);
	row_add(&row, "LocateWith", samples_text(metric, arena), arena);
	row_add(&row, "NextGroups", metric->next, arena);
	row_add(&row, "BriefDescription", metric->text, arena);
	return row;
}

/* "alderlake:atom" is alderlake-atom.json. */
static const char *path_of(const struct import *import, const char *kind)
{
	char *path = arena_printf(import->arena, "%s", import->cpu->name);

	for (char *c = path; *c; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
	return arena_printf(import->arena, "%s/%s/%s.json", import->request->out, kind, path);
}

static int write_events(const struct import *import, struct error *err)
{
	struct row_file file = { .name = "Events", .header = event_header(import) };
	struct row *rows = arena_array(import->arena, import->nevents + import->nunit_events + 1, sizeof(*rows));

	for (size_t i = 0; i < import->nevents; i++)
		rows[file.count++] = import->events[i].row;
	for (size_t i = 0; i < import->nunit_events; i++)
		rows[file.count++] = import->unit_events[i].row;
	file.rows = rows;
	return rows_write(path_of(import, "events"), &file, err);
}

static int write_model(const struct import *import, struct error *err)
{
	struct row_file file = { .name = "Metrics", .header = model_header(import) };
	struct row *rows = arena_array(import->arena, import->nmetrics + 1, sizeof(*rows));

	for (size_t i = 0; i < import->nmetrics; i++)
		if (!import->metrics[i].is_dropped)
			rows[file.count++] = metric_row(&import->metrics[i], import->arena);
	file.rows = rows;
	return rows_write(path_of(import, "models"), &file, err);
}

/*
 * The map: rows of CPUs that cpus.json does not know come first, so that a user's own rows win; the others in its
 * order.
 */
struct map_row {
	const char *text;
	size_t place, number;
};

struct map {
	struct map_row *rows;
	size_t count, capacity;
	const struct cpu_list *cpus;
	struct arena *arena;
};

static void map_add(struct map *map, const char *name, const char *text)
{
	size_t place = cpu_place(map->cpus, name);
	struct map_row row = { .text = text, .place = place < map->cpus->count ? place + 1 : 0, .number = map->count };

	map->rows = arena_grow(map->arena, map->rows, map->count, &map->capacity, sizeof(row));
	map->rows[map->count++] = row;
}

/* The third column. */
static const char *map_name(const char *line, struct arena *arena)
{
	const char *column = strchr(line, ',');

	column = column ? strchr(column + 1, ',') : NULL;
	return column ? arena_strndup(arena, column + 1, strcspn(column + 1, ",")) : "";
}

static const char map_title[] = "Family-model,Version,Filename,EventType,ShortName";

static int map_read(struct map *map, const char *path, const char *without, struct error *err)
{
	char *text, *rest, *line;
	size_t length;

	if (!is_file(path))
		return 0;
	text = file_read(path, &length, map->arena, err);
	if (!text)
		return -1;
	for (line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
		const char *name = map_name(line, map->arena);

		if (strcmp(line, map_title) != 0 && !is_same_name(name, without))
			map_add(map, name, line);
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct map_row *left = a, *right = b;

	if (left->place != right->place)
		return left->place < right->place ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

static int write_map(const struct import *import, const struct cpu_list *cpus, struct error *err)
{
	const char *path = arena_printf(import->arena, "%s/events/mapfile.csv", import->request->out), *part;
	const struct cpu_facts *cpu = import->cpu;
	const char *patterns = cpu->match[0] ? cpu->match : import->match ? import->match : "-"; /* by name only */
	struct map map = { .cpus = cpus, .arena = import->arena };
	struct string text = STRING_INIT(import->arena);
	size_t length;

	if (map_read(&map, path, cpu->name, err) < 0)
		return -1;
	while ((length = text_next(&patterns, " ", &part)) > 0)
		map_add(&map, cpu->name,
			arena_printf(import->arena, "%.*s,%s,%s,core,%s%s%s", (int)length, part,
				     import->map_version ? import->map_version : "v1", cpu->name, cpu->short_name,
				     cpu->event[0] ? "," : "", cpu->event));
	if (map.count)
		qsort(map.rows, map.count, sizeof(*map.rows), by_place);
	string_printf(&text, "%s\n", map_title);
	for (size_t i = 0; i < map.count; i++)
		string_printf(&text, "%s\n", map.rows[i].text);
	return output_file_write(path, text.text, err);
}

int import_output(struct import *import, const struct cpu_list *cpus, struct error *err)
{
	const char *out = import->request->out;

	/* The folders are made when there is something to put into them. */
	if (directory_make(arena_printf(import->arena, "%s/events", out), import->arena, err) < 0 ||
	    directory_make(arena_printf(import->arena, "%s/models", out), import->arena, err) < 0)
		return -1;
	if (write_events(import, err) < 0 || write_model(import, err) < 0)
		return -1;
	return write_map(import, cpus, err);
}
