/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/catalog.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "load/embedded.h"
#include "load/json_read.h"

static bool is_match(const char *pattern, const char *name)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

/* One of the names in a cell. */
static bool has_match(const struct catalog *catalog, const char *names)
{
	const char *name;
	size_t length;

	while (names && (length = text_next(&names, ";", &name)) > 0)
		if (is_match(catalog->pattern, arena_strndup(catalog->arena, name, length)))
			return true;
	return false;
}

static bool is_wanted(const struct catalog *catalog, const char *const *cells)
{
	if (!catalog->pattern)
		return true;
	for (size_t i = 0; i < catalog->listing.ncolumns; i++)
		if (catalog->listing.columns[i].is_name && has_match(catalog, cells[i]))
			return true;
	return false;
}

struct list_row *catalog_add(struct catalog *catalog, const char *const *cells, unsigned depth)
{
	struct listing *listing = &catalog->listing;
	struct list_row row = { .depth = catalog->pattern ? 0 : depth };

	catalog->names = arena_grow(catalog->arena, catalog->names, catalog->nnames, &catalog->names_capacity,
				    sizeof(*catalog->names));
	catalog->names[catalog->nnames++] = cells[0];
	if (!is_wanted(catalog, cells))
		return NULL;
	row.cells = arena_array(catalog->arena, listing->ncolumns, sizeof(*row.cells));
	memcpy(row.cells, cells, listing->ncolumns * sizeof(*row.cells));
	listing->rows = arena_grow(catalog->arena, listing->rows, listing->count, &catalog->capacity, sizeof(row));
	listing->rows[listing->count++] = row;
	return &listing->rows[listing->count - 1];
}

void catalog_begin(struct catalog *catalog, const char *what, const struct list_column *columns, size_t count)
{
	catalog->listing.what = what;
	catalog->listing.columns = columns;
	catalog->listing.ncolumns = count;
}

/* Events */

static const struct list_column event_columns[] = {
	/* clang-format off */
	{ "name",     "Event",    LIST_TEXT,  true },
	{ "counters", "Counters", LIST_TEXT,  false },
	{ "flags",    "Flags",    LIST_PARTS, false },
	{ "perf",     "perf",     LIST_TEXT,  false },
	/* clang-format on */
};

static void add_range(struct string *text, const char *prefix, int first, int last)
{
	string_printf(text, "%s%s%d", text->length ? "," : "", prefix, first);
	if (last > first)
		string_printf(text, "-%d", last);
}

/* "0-3", "fixed1", "0-3,fixed1" */
static const char *counters_text(const struct event_row *row, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (row->is_metric)
		return "metric";
	if (!row->counters)
		return "any";
	for (int first = 0; first < 64; first++) {
		int last = first, end = first < FIXED_COUNTER ? FIXED_COUNTER : 64;
		bool is_fixed = first >= FIXED_COUNTER;

		if (!(row->counters >> first & 1))
			continue;
		while (last + 1 < end && row->counters >> (last + 1) & 1)
			last++;
		add_range(&text, is_fixed ? "fixed" : "", first % FIXED_COUNTER, last % FIXED_COUNTER);
		first = last;
	}
	return text.text;
}

static const char *flags_text(const struct event_row *row, struct arena *arena)
{
	const struct {
		bool is_set;
		const char *word;
	} flags[] = {
		/* clang-format off */
		{ row->precise == 1,  "precise" },
		{ row->precise >= 2,  "always-precise" },
		{ row->has_address,   "address" },
		{ row->taken_alone,   "alone" },
		{ row->is_deprecated, "deprecated" },
		/* clang-format on */
	};
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < COUNT_OF(flags); i++)
		if (flags[i].is_set)
			string_printf(&text, "%s%s", text.length ? ";" : "", flags[i].word);
	return text.text;
}

/* What perf would have to be told. */
static const char *perf_text(const struct target *target, struct event_set *set, const char *name)
{
	struct error unused = { .text = "" };
	size_t number = event_set_add(set, name, &unused);

	return number == TABLE_NONE ? NULL : event_perf_string(&set->events[number], target->pmu, "", set->arena);
}

void catalog_events(struct catalog *catalog, const struct target *target)
{
	struct event_set set;

	catalog_begin(catalog, "events", event_columns, COUNT_OF(event_columns));
	event_set_init(&set, &target->events, target->pmu, target->model.events.smt_on, catalog->arena);
	for (size_t i = 0; i < target->events.count; i++) {
		const struct event_row *row = &target->events.rows[i];
		const char *cells[COUNT_OF(event_columns)] = {
			row->name,
			counters_text(row, catalog->arena),
			flags_text(row, catalog->arena),
			row->unit ? NULL : perf_text(target, &set, row->name),
		};

		if (!row->unit) /* of another PMU, in an upstream file: can't be counted here */
			catalog_add(catalog, cells, 0);
	}
}

/* Metrics and nodes */

static const struct list_column metric_columns[] = {
	/* clang-format off */
	{ "title",   "Metric",   LIST_TEXT,  true },
	{ "name",    NULL,       LIST_TEXT,  true },
	{ "also_called", NULL,   LIST_PARTS, true },
	{ "unit",    "Unit",     LIST_TEXT,  false },
	{ "domain",  NULL,       LIST_TEXT,  false },
	{ "groups",  "Groups",   LIST_PARTS, false },
	{ "failure", "Not here", LIST_TEXT,  false },
	/* clang-format on */
};

void catalog_metrics(struct catalog *catalog, const struct target *target)
{
	const struct model *model = &target->model;

	catalog_begin(catalog, "metrics", metric_columns, COUNT_OF(metric_columns));
	for (size_t i = model->nnodes; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];
		const char *cells[COUNT_OF(metric_columns)] = {
			metric->title,	metric->name,	metric->also_called, metric->unit,
			metric->domain, metric->groups, metric->failure,
		};

		catalog_add(catalog, cells, 0);
	}
}

enum { NODE_TITLE, NODE_PATH };

static const struct list_column node_columns[] = {
	/* clang-format off */
	[NODE_TITLE] = { "title", "Node", LIST_TREE,   true },
	[NODE_PATH] =  { "path",  NULL,   LIST_TEXT,   true },
	{ "name",        NULL,            LIST_TEXT,   true },
	{ "also_called", NULL,            LIST_PARTS,  true },
	{ "level",       "Level",         LIST_NUMBER, false },
	{ "parent",      NULL,            LIST_TEXT,   false },
	{ "unit",        "Unit",          LIST_TEXT,   false },
	{ "domain",      "Domain",        LIST_TEXT,   false },
	{ "sample",      "Sample",        LIST_PARTS,  false },
	{ "threshold",   "Threshold",     LIST_TEXT,   false },
	{ "groups",      NULL,            LIST_PARTS,  false },
	{ "failure",     "Not here",      LIST_TEXT,   false },
	/* clang-format on */
};

/* The whole tree is drawn; nodes that a pattern found are told by their path. */
static const struct list_column *node_columns_for(const char *pattern, struct arena *arena)
{
	struct list_column *columns = arena_alloc(arena, sizeof(node_columns));

	memcpy(columns, node_columns, sizeof(node_columns));
	columns[NODE_TITLE].heading = pattern ? NULL : "Node";
	columns[NODE_PATH].heading = pattern ? "Node" : NULL;
	return columns;
}

static const char *samples_text(const struct metric *metric, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nsamples; i++)
		string_printf(&text, "%s%s", i ? ";" : "", metric->samples[i]);
	return text.text;
}

void catalog_nodes(struct catalog *catalog, const struct target *target)
{
	const struct model *model = &target->model;
	unsigned *depths = arena_array(catalog->arena, model->nnodes + 1, sizeof(*depths));

	catalog_begin(catalog, "nodes", node_columns_for(catalog->pattern, catalog->arena), COUNT_OF(node_columns));
	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *metric = &model->metrics[i];
		bool is_root = metric->parent == NO_PARENT;
		const char *cells[COUNT_OF(node_columns)] = {
			metric->title,
			metric->path,
			metric->name,
			metric->also_called,
			arena_printf(catalog->arena, "%u", metric->level),
			is_root ? NULL : model->metrics[metric->parent].name,
			metric->unit,
			metric->domain,
			samples_text(metric, catalog->arena),
			metric->has_threshold ? program_text(model->thresholds, i) : NULL,
			metric->groups,
			metric->failure,
		};

		depths[i] = is_root ? 0 : depths[metric->parent] + 1;
		catalog_add(catalog, cells, depths[i]);
	}
}

/* Groups */

static const struct list_column group_columns[] = {
	/* clang-format off */
	{ "group",   "Group",   LIST_TEXT,   true },
	{ "nodes",   "Nodes",   LIST_NUMBER, false },
	{ "metrics", "Metrics", LIST_NUMBER, false },
	/* clang-format on */
};

struct group {
	const char *name;
	size_t nodes, metrics;
};

struct groups {
	struct arena *arena;
	struct table by_name;
	struct group *items;
	size_t count, capacity;
};

static struct group *find_group(struct groups *groups, const char *name)
{
	size_t number = table_get(&groups->by_name, name);

	if (number != TABLE_NONE)
		return &groups->items[number];
	groups->items =
		arena_grow(groups->arena, groups->items, groups->count, &groups->capacity, sizeof(struct group));
	groups->items[groups->count] = (struct group){ .name = name };
	table_set(&groups->by_name, name, groups->count);
	return &groups->items[groups->count++];
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp(((const struct group *)a)->name, ((const struct group *)b)->name);
}

void catalog_groups(struct catalog *catalog, const struct target *target)
{
	struct groups groups = { .arena = catalog->arena, .by_name = TABLE_INIT(catalog->arena) };
	const struct model *model = &target->model;

	catalog_begin(catalog, "groups", group_columns, COUNT_OF(group_columns));
	for (size_t i = 0; i < model->count; i++) {
		const char *list = model->metrics[i].groups, *part;
		size_t length;

		while ((length = text_next(&list, ";", &part)) > 0) {
			struct group *group = find_group(&groups, arena_strndup(catalog->arena, part, length));

			*(i < model->nnodes ? &group->nodes : &group->metrics) += 1;
		}
	}
	if (groups.count)
		qsort(groups.items, groups.count, sizeof(*groups.items), by_name);
	for (size_t i = 0; i < groups.count; i++) {
		const char *cells[COUNT_OF(group_columns)] = {
			groups.items[i].name,
			arena_printf(catalog->arena, "%zu", groups.items[i].nodes),
			arena_printf(catalog->arena, "%zu", groups.items[i].metrics),
		};

		catalog_add(catalog, cells, 0);
	}
}

/* CPUs */

static const struct list_column cpu_columns[] = {
	/* clang-format off */
	{ "name",          "CPU",       LIST_TEXT, true },
	{ "short_name",    "Short",     LIST_TEXT, true },
	{ "title",         "Title",     LIST_TEXT, true },
	{ "vendor",        "Vendor",    LIST_TEXT, true },
	{ "model_version", "Model",     LIST_TEXT, false },
	{ "tma_version",   "TMA",       LIST_TEXT, false },
	{ "directory",     "Directory", LIST_TEXT, false },
	/* clang-format on */
};

static const char *copy_member(struct arena *arena, const struct json *object, const char *key)
{
	const char *text = json_text(json_get(object, key));

	return text ? arena_strdup(arena, text) : NULL;
}

/* The Header of events/NAME.json or models/NAME.json; upstream directories have none: *header is then NULL. */
static int read_header(struct json **header, const char *path, struct error *err)
{
	*header = is_directory(path) ? NULL : json_read_member(path, "Header", err);
	return is_error(err) ? -1 : 0;
}

/* What stands before /events/. */
static const char *directory_of(const char *path, struct arena *arena)
{
	const char *end = strrchr(path, '/');

	if (is_embedded(path))
		return "built in";
	while (end > path && end[-1] != '/')
		end--;
	return arena_strndup(arena, path, end > path ? (size_t)(end - path) - 1 : 0);
}

static int add_cpu(struct catalog *catalog, const struct database *database, const struct cpu_row *cpu,
		   struct error *err)
{
	struct error unused = { .text = "" };
	struct arena *arena = catalog->arena;
	const char *events = database_file(database, "events", cpu->name, arena, &unused);
	const char *models = events ? database_file(database, "models", cpu->name, arena, &unused) : NULL;
	struct json *event = NULL, *model = NULL;
	int result;

	if (!models)
		return 0; /* named by an upstream mapfile, but its files are not there */
	result = read_header(&event, events, err) < 0 || read_header(&model, models, err) < 0 ? -1 : 0;
	const char *cells[COUNT_OF(cpu_columns)] = {
		cpu->name,
		cpu->short_name,
		copy_member(arena, event, "Title"),
		copy_member(arena, event, "Vendor"),
		copy_member(arena, model, "Version"),
		copy_member(arena, model, "TmaVersion"),
		directory_of(events, arena),
	};

	json_free(event);
	json_free(model);
	if (result == 0)
		catalog_add(catalog, cells, 0);
	return result;
}

int catalog_cpus(struct catalog *catalog, struct database *database, struct error *err)
{
	struct table seen = TABLE_INIT(catalog->arena);

	if (database_complete(database, err) < 0)
		return -1;
	catalog_begin(catalog, "cpus", cpu_columns, COUNT_OF(cpu_columns));
	for (size_t i = 0; i < database->ncpus; i++)
		if (table_set(&seen, database->cpus[i].name, i) == TABLE_NONE &&
		    add_cpu(catalog, database, &database->cpus[i], err) < 0)
			return -1;
	return 0;
}
