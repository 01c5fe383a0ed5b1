/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/sim_core.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/csv.h"
#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/system/embedded.h"
#include "common/system/file.h"
#include "simulator/wire.h"

#define FOLDER	     "events/sim/"
#define TABLE	     "cores.csv"	/* CPU strings and the cores that stand for them, */
#define INSTRUCTIONS "instructions.csv" /* what single ones take on each */
#define ENDING	     ".json"
#define HEADING	     "Match,Core" /* below this line */

static bool sim_core_is_match(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	bool is_whole;

	if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
		return false;
	is_whole = regexec(&regex, text, 1, &match, 0) == 0 && match.rm_so == 0 && text[match.rm_eo] == '\0';
	regfree(&regex);
	return is_whole;
}

/* x86 strings end in a stepping, which the patterns leave out; arm64's have none. */
static const char *without_stepping(const char *cpuid, struct arena *arena)
{
	const char *last = strrchr(cpuid, '-');
	size_t dashes = 0;

	for (const char *c = cpuid; *c; c++)
		dashes += *c == '-';
	return dashes == 3 ? arena_strndup(arena, cpuid, (size_t)(last - cpuid)) : cpuid;
}

/* "pattern,name" lines behind a heading; the first that matches. */
static const char *match_lines(char *text, const char *cpuid, struct arena *arena)
{
	char *rest;

	for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
		char *comma = strrchr(line, ',');

		if (!comma || !strcmp(line, HEADING))
			continue;
		*comma = '\0';
		if (sim_core_is_match(line, cpuid))
			return arena_strdup(arena, comma + 1);
	}
	return NULL;
}

/* A file of events/sim; NULL: nowhere. */
static const char *find_file(const struct database *database, const char *name, struct arena *arena)
{
	return database_find(database, arena_printf(arena, FOLDER "%s", name), arena);
}

static char *read_table(const struct database *database, const char *name, struct arena *arena, struct error *err)
{
	const char *path = find_file(database, name, arena), *text;
	size_t length;

	if (path) {
		text = source_read(path, &length, arena, err);
		return text ? arena_strndup(arena, text, length) : NULL;
	}
	error_set(err, "no " FOLDER "%s in the database", name);
	return NULL;
}

const char *sim_core_match(const struct database *database, const char *cpuid, struct arena *arena, struct error *err)
{
	char *text = read_table(database, TABLE, arena, err);
	const char *name;

	if (!text)
		return error_in(err, "no simulated core is known"), NULL;
	name = match_lines(text, without_stepping(cpuid, arena), arena);
	if (!name)
		error_set(err, "no simulated core represents this CPU (%s): choose one with {sim-core}", cpuid);
	return name;
}

struct names {
	struct arena *arena;
	const char **items;
	size_t count, capacity;
};

/* "events/sim/zen4.json", of which folder is the beginning, adds zen4, once. */
static void sim_core_add_name(struct names *names, const char *file, const char *folder)
{
	size_t length = strlen(file), before = strlen(folder), end = strlen(ENDING);
	const char *name;

	if (length <= before + end || strncmp(file, folder, before) != 0 || strcmp(file + length - end, ENDING) != 0)
		return;
	name = arena_strndup(names->arena, file + before, length - before - end);
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], name))
			return;
	names->items = arena_grow(names->arena, names->items, names->count, &names->capacity, sizeof(*names->items));
	names->items[names->count++] = name;
}

static int sim_core_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **sim_core_names(const struct database *database, size_t *count, struct arena *arena)
{
	struct names names = { .arena = arena };

	for (size_t i = 0; i < database->ndirectories; i++) {
		struct error none = { .text = "" }; /* most have no cores of their own */
		const char *folder = arena_printf(arena, "%s/" FOLDER, database->directories[i].path), **files;
		size_t nfiles = 0;

		files = directory_list(folder, ENDING, &nfiles, arena, &none);
		for (size_t k = 0; files && k < nfiles; k++)
			sim_core_add_name(&names, files[k], "");
	}
	for (size_t i = 0; i < embedded_count; i++)
		sim_core_add_name(&names, embedded_files[i].name, FOLDER);
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), sim_core_by_name);
	*count = names.count;
	return names.items;
}

static const char *known_cores(const struct database *database, struct arena *arena)
{
	struct string list = STRING_INIT(arena);
	size_t count;
	const char **names = sim_core_names(database, &count, arena);

	for (size_t i = 0; i < count; i++)
		string_printf(&list, "%s%s", list.length ? ", " : "", names[i]);
	return list.text;
}

static int unknown_core(const struct database *database, const char *name, struct arena *arena, struct error *err)
{
	size_t count;
	const char **names = sim_core_names(database, &count, arena);
	const char *near = nearest_names(arena, name, names, count);

	if (near)
		return error_set(err, "no simulated core is called '%s': did you mean %s? `topdown list cores` has all",
				 name, near);
	return error_set(err,
			 "no simulated core is called '%s': `topdown list cores` has %s; one of your own is named by "
			 "its file, as in ./mine.json",
			 name, known_cores(database, arena));
}

/* As in the table of the simulator, which reads them from lines. */
static bool is_parameter_name(const char *name)
{
	return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_there(const struct sim_core *core, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(core->parameters[i].name, name))
			return true;
	return false;
}

static int read_parameters(struct sim_core *core, const struct json *list, struct arena *arena, struct error *err)
{
	core->count = json_size(list);
	core->parameters = arena_array(arena, core->count + 1, sizeof(*core->parameters));
	for (size_t i = 0; i < core->count; i++) {
		const char *name = json_text(json_get(json_at(list, i), "Name"));
		long long value = json_whole(json_get(json_at(list, i), "Value"), -1);

		if (!name || !is_parameter_name(name))
			return error_set(err, "Parameters: number %zu needs a \"Name\", such as \"width\"", i + 1);
		if (value < 0)
			return error_set(err, "Parameters: '%s' needs a whole \"Value\"", name);
		if (is_there(core, i, name))
			return error_set(err, "Parameters: '%s' is there twice", name);
		core->parameters[i] = (struct sim_parameter){ arena_strdup(arena, name), (uint64_t)value };
	}
	return core->count ? 0 : error_set(err, "no \"Parameters\"");
}

/* As it is written, or in lower case like the shipped ones; NULL: nowhere. */
static const char *find_core(const struct database *database, const char *name, struct arena *arena)
{
	const char *path;

	if (strchr(name, '/'))
		return name;
	path = find_file(database, arena_printf(arena, "%s.json", name), arena);
	return path ? path : find_file(database, arena_printf(arena, "%s.json", text_lower(arena, name)), arena);
}

/* "db/events/sim/zen4.json" is zen4. */
static const char *core_name(const char *path, struct arena *arena)
{
	static const char end[] = ".json";
	const char *name = strrchr(path, '/') + 1;
	size_t length = strlen(name), tail = strlen(end);

	return arena_strndup(arena, name, length > tail && !strcmp(name + length - tail, end) ? length - tail : length);
}

/* Where a column is; 0: nowhere, as the first one has the bytes. */
static size_t find_column(const struct csv_line *heading, const char *name)
{
	for (size_t i = 1; i < heading->count; i++)
		if (!strcmp(heading->fields[i], name))
			return i;
	return 0;
}

/* "1 0.25 1" is latency, cycles between two of them, and slots; an empty field says nothing. */
static int add_instruction(struct string *lines, const struct csv_line *line, size_t column, struct error *err)
{
	const char *bytes = line->fields[0], *figures = column < line->count ? line->fields[column] : "?", *end;
	uint64_t latency, slots;
	double apart;

	if (!*figures)
		return 0;
	if (!text_u64_prefix(figures, &end, &latency) || *end != ' ' || !text_double_prefix(end + 1, &end, &apart) ||
	    *end != ' ' || !text_u64(end, &slots) || !(apart >= 0 && apart <= 200))
		return error_set(err, "'%s' of instruction '%s' is not latency, cycles and slots", figures, bytes);
	string_printf(lines, "instruction %s %llu %.0f %llu\n", bytes, (unsigned long long)latency, 100 * apart,
		      (unsigned long long)slots);
	return 0;
}

static int read_instructions(struct string *lines, char *text, const char *name, struct error *err)
{
	struct csv_line *line = arena_alloc(lines->arena, sizeof(*line));
	char *rest = csv_split(line, text);
	size_t column = rest ? find_column(line, name) : 0;

	if (!column)
		return error_set(err, "no column '%s'", name);
	while (rest && *rest) {
		rest = csv_split(line, rest);
		if (rest && line->count > 1 && add_instruction(lines, line, column, err) < 0)
			return -1;
	}
	return rest ? 0 : error_set(err, "a line has too many fields");
}

/* Those of the column that the core's header names; NULL and err where that can't be read. */
static const char *load_instructions(const struct database *database, const char *name, struct arena *arena,
				     struct error *err)
{
	struct string lines = STRING_INIT(arena);
	char *text = name ? read_table(database, INSTRUCTIONS, arena, err) : NULL;

	if (!name)
		return "";
	if (!text)
		return NULL;
	if (read_instructions(&lines, text, name, err) < 0)
		return error_in(err, FOLDER INSTRUCTIONS), NULL;
	return lines.length ? lines.text : "";
}

int sim_core_load(struct sim_core *core, const struct database *database, const char *name, struct arena *arena,
		  struct error *err)
{
	const char *path = find_core(database, name, arena), *title;
	struct json *root;
	int result;

	if (!path)
		return unknown_core(database, name, arena, err);
	root = json_read_file(path, err);
	if (!root)
		return -1;
	title = json_text(json_get(json_get(root, "Header"), "Title"));
	*core = (struct sim_core){ .name = core_name(path, arena), .path = path };
	core->title = title ? arena_strdup(arena, title) : core->name;
	result = read_parameters(core, json_get(root, "Parameters"), arena, err);
	core->instructions =
		load_instructions(database, json_text(json_get(json_get(root, "Header"), "Instructions")), arena, err);
	json_free(root);
	return result < 0 || !core->instructions ? error_in(err, "%s", path) : 0;
}

void sim_core_set(struct sim_core *core, const char *name, uint64_t value)
{
	for (size_t i = 0; i < core->count; i++)
		if (!strcmp(core->parameters[i].name, name))
			core->parameters[i].value = value;
}

uint64_t sim_core_get(const struct sim_core *core, const char *name)
{
	for (size_t i = 0; i < core->count; i++)
		if (!strcmp(core->parameters[i].name, name))
			return core->parameters[i].value;
	return 0;
}

struct sim_core sim_core_copy(const struct sim_core *core, size_t more, struct arena *arena)
{
	struct sim_core copy = *core;

	copy.parameters = arena_array(arena, core->count + more + 1, sizeof(*copy.parameters));
	memcpy(copy.parameters, core->parameters, core->count * sizeof(*copy.parameters));
	return copy;
}

const char *sim_core_text(const struct sim_core *core, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%s\n", WIRE_VERSION_LINE);
	for (size_t i = 0; i < core->count; i++)
		string_printf(&text, "%s %llu\n", core->parameters[i].name,
			      (unsigned long long)core->parameters[i].value);
	string_printf(&text, "%s", core->instructions);
	return text.text;
}
