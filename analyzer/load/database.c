/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/database.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "formula/literals.h"
#include "load/embedded.h"

/* Set by the build: where the data is installed, and the source tree that it was built from ("": is not looked for). */
#ifndef TOPDOWN_DATA_DIR
#define TOPDOWN_DATA_DIR "/usr/local/share/topdown"
#endif
#ifndef TOPDOWN_SOURCE_DIR
#define TOPDOWN_SOURCE_DIR "."
#endif

#define MAPFILE "events/mapfile.csv"

struct opener {
	struct database *database;
	struct arena *arena;
	size_t directories_capacity;
};

/* Cuts the next column off a line; a line without quotes, as perf's mapfiles are. */
static const char *next_column(char **line)
{
	char *start = *line, *comma = start ? strchr(start, ',') : NULL;

	if (comma)
		*comma = '\0';
	*line = comma ? comma + 1 : NULL;
	return start ? start : "";
}

static void add_row(struct opener *o, char *line)
{
	struct database *database = o->database;
	struct cpu_row row = { .pattern = arena_strdup(o->arena, next_column(&line)) };
	const char *type;

	row.version = arena_strdup(o->arena, next_column(&line));
	row.name = arena_strdup(o->arena, next_column(&line));
	type = next_column(&line);
	row.short_name = line ? arena_strdup(o->arena, next_column(&line)) : "";
	if (strcmp(type, "core") != 0 || !row.name[0] || !strcmp(row.pattern, "Family-model"))
		return;
	if (strchr(row.name, '/')) /* arm64 rows upstream: "arm/neoverse-n1" */
		row.name = strrchr(row.name, '/') + 1;
	database->cpus = arena_grow(o->arena, database->cpus, database->ncpus, &database->capacity, sizeof(row));
	database->cpus[database->ncpus++] = row;
}

static int read_mapfile(struct opener *o, const char *path, struct error *err)
{
	size_t length;
	char *text = source_read(path, &length, o->arena, err), *line, *rest;

	if (!text)
		return -1;
	for (line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
		if (*line != '#')
			add_row(o, line);
	return 0;
}

/* A directory counts as a database when it has events/ or models/. */
static int add_directory(struct opener *o, const char *path, struct error *err)
{
	struct database *database = o->database;
	const char *map = arena_printf(o->arena, "%s/" MAPFILE, path);

	if (!is_directory(arena_printf(o->arena, "%s/events", path)) &&
	    !is_directory(arena_printf(o->arena, "%s/models", path)))
		return 0;
	database->directories = arena_grow(o->arena, database->directories, database->ndirectories,
					   &o->directories_capacity, sizeof(*database->directories));
	database->directories[database->ndirectories++] = path;
	return is_file(map) ? read_mapfile(o, map, err) : 0;
}

static const char *user_directory(struct arena *arena)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data)
		return arena_printf(arena, "%s/topdown", data);
	return home && *home ? arena_printf(arena, "%s/.local/share/topdown", home) : NULL;
}

int database_complete(struct database *database, struct error *err)
{
	struct opener o = { .database = database, .arena = database->arena };

	if (database->is_complete)
		return 0;
	database->is_complete = true;
	return read_mapfile(&o, BUILT_IN MAPFILE, err);
}

/* The row after *number, which it counts up; NULL after the last. Rows that can't be unpacked are none. */
static const struct cpu_row *next_row(struct database *database, size_t *number)
{
	struct error damaged = { .text = "" };

	if (*number == database->ncpus && database_complete(database, &damaged) < 0)
		return NULL;
	return *number < database->ncpus ? &database->cpus[(*number)++] : NULL;
}

#define NAMED_PLACES 2 /* --db and $TOPDOWN_DB: somebody named them, so they must be there */

int database_open(struct database *database, const char *option, struct arena *arena, struct error *err)
{
	struct opener o = { .database = database, .arena = arena };
	const char *places[] = { option, getenv("TOPDOWN_DB"), user_directory(arena), TOPDOWN_DATA_DIR,
				 TOPDOWN_SOURCE_DIR };
	size_t before;

	*database = (struct database){ .arena = arena };
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (!places[i] || !*places[i])
			continue;
		before = database->ndirectories;
		if (add_directory(&o, places[i], err) < 0)
			return -1;
		if (i < NAMED_PLACES && database->ndirectories == before)
			return error_set(err, "%s%s: neither events/ nor models/ in it", i ? "TOPDOWN_DB=" : "--db ",
					 places[i]);
	}
	return database->ncpus ? 0 : database_complete(database, err);
}

/* Three dashes: the string carries a stepping. */
static bool has_stepping(const char *cpuid)
{
	unsigned dashes = 0;

	for (; *cpuid; cpuid++)
		dashes += *cpuid == '-';
	return dashes >= 3;
}

static bool has_alternatives(const char *pattern)
{
	int depth = 0;

	for (; *pattern; pattern++) {
		depth += (*pattern == '(') - (*pattern == ')');
		if (*pattern == '|' && depth <= 0)
			return true;
	}
	return false;
}

static bool is_repeated(char next)
{
	return next && strchr("*?{", next);
}

/* What every match of this part of a pattern begins with. */
static size_t literal_length(const char *part)
{
	size_t length = strcspn(part, "\\^$.[]|()*+?{}");

	return length && is_repeated(part[length]) ? length - 1 : length;
}

/* Can c be of the class that begins at "["? One with names of classes, or of what it is not, is not looked into. */
static bool may_be_of_class(const char *class, char c)
{
	const char *end = strchr(class, ']');

	if (!end || end == class + 1 || class[1] == '^' || memchr(class + 1, '[', (size_t)(end - class - 1)) ||
	    is_repeated(end[1]))
		return true;
	for (const char *at = class + 1; at < end; at++) {
		char last = at[1] == '-' && at + 2 < end ? at[2] : *at;

		if (c >= *at && c <= last)
			return true;
		at += last == *at ? 0 : 2;
	}
	return false;
}

/* Does any alternative of the parenthesis that begins at "(" begin like text? */
static bool may_be_alternative(const char *open, const char *text)
{
	const char *end = open + strcspn(open, ")"), *part = open + 1;

	if (!*end || memchr(part, '(', (size_t)(end - part)) || is_repeated(end[1]))
		return true;
	for (;; part += strcspn(part, "|)") + 1) {
		size_t length = literal_length(part);

		if (strncmp(part, text, length) == 0 &&
		    (part[length] != '[' || may_be_of_class(part + length, text[length])))
			return true;
		if (part[strcspn(part, "|)")] == ')')
			return false;
	}
}

/* False for most patterns that do not match: compiling them to find out takes a hundred times as long. */
static bool may_match(const char *pattern, const char *text)
{
	size_t length = literal_length(pattern);

	if (has_alternatives(pattern))
		return true;
	if (strncmp(pattern, text, length) != 0)
		return false;
	if (pattern[length] == '[')
		return may_be_of_class(pattern + length, text[length]);
	return pattern[length] != '(' || may_be_alternative(pattern + length, text + length);
}

static bool is_whole_match(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	bool is_whole;

	if (!may_match(pattern, text))
		return false;
	if (!pattern[literal_length(pattern)])
		return !strcmp(pattern, text);
	if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
		return false;
	is_whole = regexec(&regex, text, 1, &match, 0) == 0 && match.rm_so == 0 && text[match.rm_eo] == '\0';
	regfree(&regex);
	return is_whole;
}

/* A pattern that names no stepping matches whatever the stepping. */
static bool is_x86_match(const char *pattern, const char *cpuid)
{
	char family_model[128];
	const char *stepping = strrchr(cpuid, '-');

	if (is_whole_match(pattern, cpuid))
		return true;
	if (!has_stepping(cpuid) || (size_t)(stepping - cpuid) >= sizeof(family_model))
		return false;
	memcpy(family_model, cpuid, (size_t)(stepping - cpuid));
	family_model[stepping - cpuid] = '\0';
	return is_whole_match(pattern, family_model);
}

static bool is_match(const char *pattern, const char *cpuid)
{
	uint64_t want, have;

	if (text_u64(pattern, &want) && text_u64(cpuid, &have))
		return is_cpuid_match(pattern, cpuid) != 0;
	return is_x86_match(pattern, cpuid);
}

const char *database_match(struct database *database, const char *cpuid)
{
	const struct cpu_row *row;
	size_t number = 0;

	while ((row = next_row(database, &number)) != NULL)
		if (is_match(row->pattern, cpuid))
			return row->name;
	return NULL;
}

const char *database_match_type(struct database *database, const char *cpuid, const char *type)
{
	const struct cpu_row *row;
	size_t number = 0;

	while ((row = next_row(database, &number)) != NULL) {
		const char *colon = strchr(row->name, ':');

		if (colon && is_same_name(colon + 1, type) && is_match(row->pattern, cpuid))
			return row->name;
	}
	return NULL;
}

static const char *find_name(struct database *database, const char *typed)
{
	const struct cpu_row *row;
	size_t number = 0;

	while ((row = next_row(database, &number)) != NULL) {
		if (is_same_name(row->name, typed) || (row->short_name[0] && is_same_name(row->short_name, typed)))
			return row->name;
	}
	return NULL;
}

const char *database_name(struct database *database, const char *typed, struct arena *arena, struct error *err)
{
	const char *found = find_name(database, typed), **names, *near;
	size_t count = 0;

	if (!found)
		found = find_name(database, arena_printf(arena, "%s:core", typed));
	if (!found && is_same_name(typed, SIMULATED_CPU))
		found = SIMULATED_CPU;
	if (found)
		return found;
	if (database_complete(database, err) < 0)
		return NULL;
	names = arena_array(arena, database->ncpus * 2 + 1, sizeof(*names));
	for (size_t i = 0; i < database->ncpus; i++) {
		const struct cpu_row *row = &database->cpus[i];

		names[count++] = row->name;
		if (row->short_name[0])
			names[count++] = row->short_name;
	}
	near = nearest_names(arena, typed, names, count);
	if (near)
		error_set(err, "unknown CPU '%s': did you mean %s?", typed, near);
	else
		error_set(err, "unknown CPU '%s': `topdown list cpus` names those that are known", typed);
	return NULL;
}

/* A core type is part of the file's name: "alderlake:atom" is alderlake-atom.json. */
static const char *file_name(const char *name, struct arena *arena)
{
	char *file = arena_strdup(arena, name);

	for (char *c = file; *c; c++)
		if (*c == ':')
			*c = '-';
	return file;
}

const char *database_file(const struct database *database, const char *kind, const char *name, struct arena *arena,
			  struct error *err)
{
	const char *built_in;

	name = file_name(name, arena);
	for (size_t i = 0; i < database->ndirectories; i++) {
		const char *directory = database->directories[i];
		const char *file = arena_printf(arena, "%s/%s/%s.json", directory, kind, name);

		if (is_file(file))
			return file;
		/* upstream: events and metrics side by side; but events/sim/ has the cores that can be simulated */
		file = arena_printf(arena, "%s/events/%s", directory, name);
		if (is_directory(file) && strcmp(name, SIMULATED_CPU) != 0)
			return file;
	}
	built_in = embedded_path(arena_printf(arena, "%s/%s.json", kind, name), arena);
	if (!built_in && database->ndirectories)
		error_set(err, "no %s/%s.json in %s or the other database directories", kind, name,
			  database->directories[0]);
	else if (!built_in)
		error_set(err, "no %s/%s.json built in", kind, name);
	return built_in;
}
