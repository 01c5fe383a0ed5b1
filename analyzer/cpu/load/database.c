/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/database.h"

#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/formula/facts.h"
#include "common/system/embedded.h"
#include "common/system/file.h"

/*
 * Set by the build: where the data is installed, also as it is seen from the program's folder; and the file beside a
 * program of the build folder that names the source tree ("": is not looked for).
 */
#ifndef TOPDOWN_DATA_DIR
#define TOPDOWN_DATA_DIR      "/usr/local/share/topdown"
#define TOPDOWN_DATA_FROM_BIN "../share/topdown"
#endif
#ifndef TOPDOWN_SOURCE_FILE
#define TOPDOWN_SOURCE_FILE ""
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

static void database_add_row(struct opener *o, char *line)
{
	struct database *database = o->database;
	struct cpu_row row = { .pattern = arena_strdup(o->arena, next_column(&line)) };
	const char *type;

	row.version = arena_strdup(o->arena, next_column(&line));
	row.name = arena_strdup(o->arena, next_column(&line));
	type = next_column(&line);
	row.short_name = line ? arena_strdup(o->arena, next_column(&line)) : "";
	row.kernel_event = line ? arena_strdup(o->arena, next_column(&line)) : "";
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
	const char *text = source_read(path, &length, o->arena, err);
	char *line, *rest;

	if (!text)
		return -1;
	for (line = strtok_r(arena_strndup(o->arena, text, length), "\r\n", &rest); line;
	     line = strtok_r(NULL, "\r\n", &rest))
		if (*line != '#')
			database_add_row(o, line);
	return 0;
}

/* A file of a directory, or of the program where that has the same; NULL: it is not there. */
static const char *file_in(const struct database_directory *directory, const char *file, struct arena *arena)
{
	const char *path = arena_printf(arena, "%s/%s", directory->path, file);

	if (!is_file(path))
		return NULL;
	return directory->may_be_built_in && is_same_as_embedded(path, file) ? embedded_path(file, arena) : path;
}

/* A directory counts as a database when it has events/ or models/. */
static int add_directory(struct opener *o, const char *path, bool may_be_built_in, struct error *err)
{
	struct database *database = o->database;
	struct database_directory *directory;
	const char *map;

	if (!is_directory(arena_printf(o->arena, "%s/events", path)) &&
	    !is_directory(arena_printf(o->arena, "%s/models", path)))
		return 0;
	database->directories = arena_grow(o->arena, database->directories, database->ndirectories,
					   &o->directories_capacity, sizeof(*database->directories));
	directory = &database->directories[database->ndirectories++];
	*directory = (struct database_directory){ .path = path, .may_be_built_in = may_be_built_in };
	map = file_in(directory, MAPFILE, o->arena);
	return map && !is_embedded(map) ? read_mapfile(o, map, err) : 0;
}

static const char *user_directory(struct arena *arena)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data)
		return arena_printf(arena, "%s/topdown", data);
	return home && *home ? arena_printf(arena, "%s/.local/share/topdown", home) : NULL;
}

/* The folder of this program; NULL without /proc. */
static const char *program_folder(struct arena *arena)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own));

	while (length > 0 && own[length - 1] != '/')
		length--;
	return length > 1 ? arena_strndup(arena, own, (size_t)length - 1) : NULL;
}

/*
 * The source tree of a program in its build folder: the build leaves its path there, so that no program has a path of
 * the machine that built it. NULL elsewhere.
 */
static const char *source_tree(const char *folder, struct arena *arena)
{
	const char *path = arena_printf(arena, "%s/" TOPDOWN_SOURCE_FILE, folder);
	struct error unread = { .text = "" };
	size_t length;
	char *text = *TOPDOWN_SOURCE_FILE && is_file(path) ? file_read(path, &length, arena, &unread) : NULL;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/*
 * The files that were made together with this program. A program of the build folder has the source tree; an installed
 * one has what lies beside it, wherever its prefix was moved to, or else where the build would install it.
 */
static const char *own_directory(struct arena *arena)
{
	const char *folder = program_folder(arena), *beside, *source;
	char found[PATH_MAX];

	if (!folder)
		return TOPDOWN_DATA_DIR;
	source = source_tree(folder, arena);
	if (source)
		return source;
	beside = arena_printf(arena, "%s/" TOPDOWN_DATA_FROM_BIN, folder);
	return realpath(beside, found) ? arena_strdup(arena, found) : TOPDOWN_DATA_DIR;
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
#define USERS_PLACES 3 /* those, and the user's own; what comes behind them was made with the program */

int database_open(struct database *database, const char *option, struct arena *arena, struct error *err)
{
	struct opener o = { .database = database, .arena = arena };
	const char *places[] = { option, getenv("TOPDOWN_DB"), user_directory(arena), own_directory(arena) };
	size_t before;

	*database = (struct database){ .arena = arena };
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (!places[i] || !*places[i])
			continue;
		before = database->ndirectories;
		if (add_directory(&o, places[i], i >= USERS_PLACES, err) < 0)
			return -1;
		if (i < NAMED_PLACES && database->ndirectories == before)
			return i ? error_set(err, "TOPDOWN_DB=%s: neither events/ nor models/ in it", places[i])
				 : error_set(err, "{db} %s: neither events/ nor models/ in it", places[i]);
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

static bool database_is_match(const char *pattern, const char *cpuid)
{
	uint64_t want, have;

	if (text_u64(pattern, &want) && text_u64(cpuid, &have))
		return is_cpuid_match(pattern, cpuid) != 0;
	return is_x86_match(pattern, cpuid);
}

static bool is_row_of(const struct cpu_row *row, const char *cpuid, const struct pmu *pmu)
{
	return database_is_match(row->pattern, cpuid) &&
	       (!row->kernel_event[0] || (pmu && pmu_event(pmu, row->kernel_event)));
}

const char *database_match(struct database *database, const char *cpuid, const struct pmu *pmu)
{
	const struct cpu_row *row;
	size_t number = 0;

	while ((row = next_row(database, &number)) != NULL)
		if (is_row_of(row, cpuid, pmu))
			return row->name;
	return NULL;
}

const char *database_match_type(struct database *database, const char *cpuid, const struct pmu *pmu)
{
	const char *type = strchr(pmu->name, '_');
	const struct cpu_row *row;
	size_t number = 0;

	while (type && (row = next_row(database, &number)) != NULL) {
		const char *colon = strchr(row->name, ':');

		if (colon && is_same_name(colon + 1, type + 1) && is_row_of(row, cpuid, pmu))
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

/* What machines are called by those who sell or rent them. */
static const struct product {
	const char *product, *cpu;
} products[] = {
	{ "grace", "neoverse-v2" },	{ "graviton2", "neoverse-n1" }, { "graviton3", "neoverse-v1" },
	{ "graviton4", "neoverse-v2" }, { "altra", "neoverse-n1" },	{ "axion", "neoverse-v2" },
	{ "cobalt100", "neoverse-n2" },
};

/* CPUs that are not shipped, and the folder of Linux' pmu-events (arch/arm64) that has their events. */
static const struct product importable[] = {
	{ "monaka", "fujitsu/monaka" },
};

static const char *find_product(const struct product *rows, size_t count, const char *typed)
{
	for (size_t i = 0; i < count; i++)
		if (is_same_name(rows[i].product, typed))
			return rows[i].cpu;
	return NULL;
}

const char *database_name(struct database *database, const char *typed, struct arena *arena, struct error *err)
{
	const char *product = find_product(products, COUNT_OF(products), typed);
	const char *folder = find_product(importable, COUNT_OF(importable), typed), **names, *near;
	const char *found = find_name(database, product ? product : typed);
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
	near = folder ? NULL : nearest_names(arena, typed, names, count);
	if (folder)
		error_set(err,
			  "unknown CPU '%s': its events are in Linux' tools/perf/pmu-events/arch/arm64/%s, of which "
			  "`topdown import` makes files",
			  typed, folder);
	else if (near)
		error_set(err, "unknown CPU '%s': did you mean %s?", typed, near);
	else
		error_set(err, "unknown CPU '%s': `topdown list cpus` names those that are known", typed);
	return NULL;
}

/* A core type is part of the file's name: "alderlake:atom" is alderlake-atom.json. */
static const char *database_file_name(const char *name, struct arena *arena)
{
	char *file = arena_strdup(arena, name);

	for (char *c = file; *c; c++)
		if (*c == ':')
			*c = '-';
	return file;
}

const char *database_find(const struct database *database, const char *file, struct arena *arena)
{
	for (size_t i = 0; i < database->ndirectories; i++) {
		const char *found = file_in(&database->directories[i], file, arena);

		if (found)
			return found;
	}
	return embedded_path(file, arena);
}

const char *database_file(const struct database *database, const char *kind, const char *name, struct arena *arena,
			  struct error *err)
{
	const char *base = database_file_name(name, arena), *file = arena_printf(arena, "%s/%s.json", kind, base),
		   *built_in;

	for (size_t i = 0; i < database->ndirectories; i++) {
		const struct database_directory *directory = &database->directories[i];
		const char *found = file_in(directory, file, arena);

		if (found)
			return found;
		/* upstream: events and metrics side by side; but events/sim/ has the cores that can be simulated */
		found = arena_printf(arena, "%s/events/%s", directory->path, base);
		if (is_directory(found) && strcmp(base, SIMULATED_CPU) != 0)
			return found;
	}
	built_in = embedded_path(file, arena);
	if (!built_in && database->ndirectories)
		error_set(err, "no %s in %s or the other database directories", file, database->directories[0].path);
	else if (!built_in)
		error_set(err, "no %s built in", file);
	return built_in;
}
