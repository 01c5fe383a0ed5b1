/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/catalog.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "collect/simulate/sim_core.h"
#include "common/base/text.h"
#include "common/system/embedded.h"
#include "common/system/file.h"
#include "cpu/load/glossary.h"

static bool catalog_is_match(const char *pattern, const char *name)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

/* One of the names in a cell. */
static bool has_match(const struct catalog *catalog, const struct cell *cell)
{
	const char *names = cell->text, *name;
	size_t length;

	while (names && (length = text_next(&names, ";", &name)) > 0)
		if (catalog_is_match(catalog->pattern, arena_strndup(catalog->arena, name, length)))
			return true;
	return false;
}

static bool catalog_is_wanted(const struct catalog *catalog, const struct cell *cells)
{
	const struct grid *table = &catalog->listing.table;

	if (!catalog->pattern)
		return true;
	for (size_t i = 0; i < table->ncolumns; i++)
		if (table->columns[i].flags & COLUMN_IS_NAME && has_match(catalog, &cells[i]))
			return true;
	return false;
}

struct grid_row *catalog_add(struct catalog *catalog, const struct cell *cells, unsigned depth)
{
	struct grid_row *row;

	catalog->names = arena_grow(catalog->arena, catalog->names, catalog->nnames, &catalog->names_capacity,
				    sizeof(*catalog->names));
	catalog->names[catalog->nnames++] = cells[0].text;
	if (!catalog_is_wanted(catalog, cells))
		return NULL;
	row = grid_add(&catalog->listing.table, cells, catalog->arena);
	row->depth = catalog->pattern ? 0 : depth;
	return row;
}

void catalog_begin(struct catalog *catalog, const char *what, const struct column *columns, size_t count)
{
	catalog->listing.what = what;
	catalog->listing.table.columns = columns;
	catalog->listing.table.ncolumns = count;
}

/* Events */

enum { EVENT_NAME, EVENT_COUNTERS, EVENT_FLAGS, EVENT_PERF, EVENT_COLUMNS };

#define MOST_NAME 44 /* columns; longer names push what follows them */

static const struct column event_columns[EVENT_COLUMNS] = {
	/* clang-format off */
	[EVENT_NAME]     = { .key = "name", .heading = "Event", .flags = COLUMN_IS_NAME, .most = MOST_NAME },
	[EVENT_COUNTERS] = { .key = "counters", .heading = "Counters" },
	[EVENT_FLAGS]    = { .key = "flags", .heading = "Flags" },
	[EVENT_PERF]     = { .key = "perf", .heading = "perf", .flags = COLUMN_LAST },
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

/* The event in the form that perf takes. */
static const char *perf_text(const struct target *target, struct event_set *set, const char *name)
{
	struct error unused = { .text = "" };
	size_t number = event_set_add(set, name, &unused);

	return number == TABLE_NONE ? NULL : event_perf_string(&set->events[number], target->pmu, "", set->arena);
}

void catalog_events(struct catalog *catalog, const struct target *target)
{
	struct event_set set;

	catalog_begin(catalog, "events", event_columns, EVENT_COLUMNS);
	event_set_init(&set, &target->events, target->pmu, target->model.events.smt_on, catalog->arena);
	for (size_t i = 0; i < target->events.count; i++) {
		const struct event_row *row = &target->events.rows[i];
		const struct cell cells[EVENT_COLUMNS] = {
			[EVENT_NAME] = word_cell(row->name),
			[EVENT_COUNTERS] = word_cell(counters_text(row, catalog->arena)),
			[EVENT_FLAGS] = parts_cell(flags_text(row, catalog->arena)),
			[EVENT_PERF] = word_cell(perf_text(target, &set, row->name)),
		};

		catalog_add(catalog, cells, 0);
	}
}

/* Metrics and nodes */

enum {
	METRIC_TITLE,
	METRIC_NAME,
	METRIC_ALSO_CALLED,
	METRIC_SOURCE,
	METRIC_UNIT,
	METRIC_DOMAIN,
	METRIC_GROUPS,
	METRIC_MEANS,
	METRIC_FAILURE,
	METRIC_COLUMNS
};

static const struct column metric_columns[METRIC_COLUMNS] = {
	/* clang-format off */
	[METRIC_TITLE]       = { .key = "title", .heading = "Metric", .flags = COLUMN_IS_NAME },
	[METRIC_NAME]        = { .key = "name", .flags = COLUMN_IS_NAME },
	[METRIC_ALSO_CALLED] = { .key = "also_called", .flags = COLUMN_IS_NAME },
	[METRIC_SOURCE]      = { .key = "source" },
	[METRIC_UNIT]        = { .key = "unit", .heading = "Unit" },
	[METRIC_DOMAIN]      = { .key = "domain" },
	[METRIC_GROUPS]      = { .key = "groups", .heading = "Groups", .flags = COLUMN_SHEET_ONLY },
	[METRIC_MEANS]       = { .key = "means", .heading = "Means", .flags = COLUMN_BELOW },
	[METRIC_FAILURE]     = { .key = "failure", .heading = "Not here", .flags = COLUMN_BELOW | COLUMN_LABEL },
	/* clang-format on */
};

/* Its path, or NULL: then nothing has words. */
static const char *glossary_of(const struct catalog *catalog, const struct target *target)
{
	struct error unused = { .text = "" };

	return glossary_file(target->database, &target->model, catalog->arena, &unused);
}

void catalog_metrics(struct catalog *catalog, const struct target *target)
{
	const char *glossary = glossary_of(catalog, target);
	const struct model *model = &target->model;

	catalog_begin(catalog, "metrics", metric_columns, METRIC_COLUMNS);
	catalog->listing.has_details = true;
	for (size_t i = model->nnodes; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];
		const struct cell cells[METRIC_COLUMNS] = {
			[METRIC_TITLE] = word_cell(metric->title),
			[METRIC_NAME] = word_cell(metric->name),
			[METRIC_ALSO_CALLED] = parts_cell(metric->also_called),
			[METRIC_SOURCE] = word_cell(metric->is_ours || model->is_simulated ? "topdown" : "vendor"),
			[METRIC_UNIT] = word_cell(metric->unit),
			[METRIC_DOMAIN] = word_cell(metric->domain),
			[METRIC_GROUPS] = parts_cell(metric->groups),
			[METRIC_MEANS] = word_cell(glossary_meaning(glossary, metric->name, catalog->arena)),
			[METRIC_FAILURE] = word_cell(metric->failure),
		};

		catalog_add(catalog, cells, 0);
	}
}

enum {
	NODE_TITLE,
	NODE_PATH,
	NODE_NAME,
	NODE_ALSO_CALLED,
	NODE_LEVEL,
	NODE_PARENT,
	NODE_UNIT,
	NODE_DOMAIN,
	NODE_SAMPLE,
	NODE_THRESHOLD,
	NODE_GROUPS,
	NODE_FAILURE,
	NODE_MEANS,
	NODE_COLUMNS
};

#define REASON_WIDTH 30 /* columns; `topdown explain` has the rest */

static const struct column node_columns[NODE_COLUMNS] = {
	/* clang-format off */
	[NODE_TITLE]       = { .key = "title", .heading = "Node", .flags = COLUMN_TREE | COLUMN_IS_NAME },
	[NODE_PATH]        = { .key = "path", .flags = COLUMN_IS_NAME },
	[NODE_NAME]        = { .key = "name", .flags = COLUMN_IS_NAME },
	[NODE_ALSO_CALLED] = { .key = "also_called", .flags = COLUMN_IS_NAME },
	[NODE_LEVEL]       = { .key = "level", .heading = "Level", .flags = COLUMN_SHEET_ONLY },
	[NODE_PARENT]      = { .key = "parent" },
	[NODE_UNIT]        = { .key = "unit", .heading = "Unit", .flags = COLUMN_SHEET_ONLY },
	[NODE_DOMAIN]      = { .key = "domain", .heading = "Domain", .flags = COLUMN_SHEET_ONLY },
	[NODE_SAMPLE]      = { .key = "sample", .heading = "Sample", .flags = COLUMN_SHEET_ONLY },
	[NODE_THRESHOLD]   = { .key = "threshold", .heading = "Threshold", .flags = COLUMN_SHEET_ONLY },
	[NODE_GROUPS]      = { .key = "groups" },
	[NODE_FAILURE]     = { .key = "failure", .heading = "Not here", .most = REASON_WIDTH },
	[NODE_MEANS]       = { .key = "means", .heading = "Means", .flags = COLUMN_WRAP },
	/* clang-format on */
};

/* The whole tree is drawn; nodes that a pattern found are named by their path. */
static const struct column *node_columns_for(const char *pattern, struct arena *arena)
{
	struct column *columns = arena_alloc(arena, sizeof(node_columns));

	memcpy(columns, node_columns, sizeof(node_columns));
	columns[NODE_TITLE].heading = pattern ? NULL : "Node";
	columns[NODE_PATH].heading = pattern ? "Node" : NULL;
	columns[NODE_MEANS].flags = pattern ? COLUMN_BELOW : COLUMN_WRAP;
	return columns;
}

void catalog_nodes(struct catalog *catalog, const struct target *target)
{
	const char *glossary = glossary_of(catalog, target);
	const struct model *model = &target->model;
	unsigned *depths = arena_array(catalog->arena, model->nnodes + 1, sizeof(*depths));

	catalog_begin(catalog, "nodes", node_columns_for(catalog->pattern, catalog->arena), NODE_COLUMNS);
	catalog->listing.has_details = catalog->pattern;
	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *metric = &model->metrics[i];
		bool is_root = metric->parent == NO_PARENT;
		const struct cell cells[NODE_COLUMNS] = {
			[NODE_TITLE] = word_cell(metric->title),
			[NODE_PATH] = word_cell(metric->path),
			[NODE_NAME] = word_cell(metric->name),
			[NODE_ALSO_CALLED] = parts_cell(metric->also_called),
			[NODE_LEVEL] = whole_cell(metric->level),
			[NODE_PARENT] = word_cell(is_root ? NULL : model->metrics[metric->parent].name),
			[NODE_UNIT] = word_cell(metric->unit),
			[NODE_DOMAIN] = word_cell(metric->domain),
			[NODE_SAMPLE] = names_cell(catalog->arena, metric->samples, metric->nsamples),
			[NODE_THRESHOLD] = word_cell(metric->has_threshold ? program_text(model->thresholds, i) : NULL),
			[NODE_GROUPS] = parts_cell(metric->groups),
			[NODE_FAILURE] = word_cell(metric->failure),
			[NODE_MEANS] = word_cell(glossary_meaning(glossary, metric->name, catalog->arena)),
		};

		depths[i] = is_root ? 0 : depths[metric->parent] + 1;
		catalog_add(catalog, cells, depths[i]);
	}
}

/* Groups */

enum { GROUP_NAME, GROUP_NODES, GROUP_METRICS, GROUP_COLUMNS };

static const struct column group_columns[GROUP_COLUMNS] = {
	/* clang-format off */
	[GROUP_NAME]   = { .key = "group", .heading = "Group", .flags = COLUMN_IS_NAME },
	[GROUP_NODES]   = { .key = "nodes", .heading = "Nodes", .flags = COLUMN_RIGHT },
	[GROUP_METRICS] = { .key = "metrics", .heading = "Metrics", .flags = COLUMN_RIGHT },
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

static int catalog_by_name(const void *a, const void *b)
{
	return strcasecmp(((const struct group *)a)->name, ((const struct group *)b)->name);
}

void catalog_groups(struct catalog *catalog, const struct target *target)
{
	struct groups groups = { .arena = catalog->arena, .by_name = TABLE_INIT(catalog->arena) };
	const struct model *model = &target->model;

	catalog_begin(catalog, "groups", group_columns, GROUP_COLUMNS);
	for (size_t i = 0; i < model->count; i++) {
		const char *list = model->metrics[i].groups, *part;
		size_t length;

		if (model->metrics[i].is_common)
			find_group(&groups, COMMON_GROUP)->metrics++;
		while ((length = text_next(&list, ";", &part)) > 0) {
			struct group *group = find_group(&groups, arena_strndup(catalog->arena, part, length));

			*(i < model->nnodes ? &group->nodes : &group->metrics) += 1;
		}
	}
	if (groups.count)
		qsort(groups.items, groups.count, sizeof(*groups.items), catalog_by_name);
	for (size_t i = 0; i < groups.count; i++) {
		const struct cell cells[GROUP_COLUMNS] = {
			[GROUP_NAME] = word_cell(groups.items[i].name),
			[GROUP_NODES] = whole_cell(groups.items[i].nodes),
			[GROUP_METRICS] = whole_cell(groups.items[i].metrics),
		};

		catalog_add(catalog, cells, 0);
	}
}

/* CPUs */

enum {
	CPU_NAME,
	CPU_SHORT_NAME,
	CPU_TITLE,
	CPU_VENDOR,
	CPU_MODEL_VERSION,
	CPU_TMA_VERSION,
	CPU_METRICS,
	CPU_DIRECTORY,
	CPU_COLUMNS
};

static const struct column cpu_columns[CPU_COLUMNS] = {
	/* clang-format off */
	[CPU_NAME]          = { .key = "name", .heading = "CPU", .flags = COLUMN_IS_NAME },
	[CPU_SHORT_NAME]    = { .key = "short_name", .heading = "Short", .flags = COLUMN_IS_NAME | COLUMN_SPARE },
	[CPU_TITLE]         = { .key = "title", .heading = "Title", .flags = COLUMN_IS_NAME | COLUMN_SHRINKS },
	[CPU_VENDOR]        = { .key = "vendor", .heading = "Vendor", .flags = COLUMN_IS_NAME | COLUMN_SHEET_ONLY },
	[CPU_MODEL_VERSION] = { .key = "model_version", .heading = "Model", .flags = COLUMN_SHEET_ONLY },
	[CPU_TMA_VERSION]   = { .key = "tma_version", .heading = "TMA" },
	[CPU_METRICS]       = { .key = "metrics", .heading = "Metrics" },
	[CPU_DIRECTORY]     = { .key = "directory", .heading = "Directory" },
	/* clang-format on */
};

static const char built_in[] = "built in";

/* What stands before /events/. */
static const char *directory_of(const char *path, struct arena *arena)
{
	const char *end = strrchr(path, '/');

	if (is_embedded(path))
		return built_in;
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
	struct event_database event;
	struct model model;

	if (!models)
		return 0; /* named by an upstream mapfile, but its files are not there */
	if (event_database_load_header(&event, events, arena, err) < 0 ||
	    model_load_header(&model, models, arena, err) < 0)
		return -1;
	const struct cell cells[CPU_COLUMNS] = {
		[CPU_NAME] = word_cell(cpu->name),
		[CPU_SHORT_NAME] = word_cell(cpu->short_name),
		[CPU_TITLE] = word_cell(event.title[0] ? event.title : NULL),
		[CPU_VENDOR] = word_cell(event.vendor[0] ? event.vendor : NULL),
		[CPU_MODEL_VERSION] = word_cell(model.version),
		[CPU_TMA_VERSION] = word_cell(model.tma_version),
		[CPU_METRICS] = word_cell(model.generic ? "generic" : "published"),
		[CPU_DIRECTORY] = word_cell(directory_of(events, arena)),
	};

	catalog_add(catalog, cells, 0);
	return 0;
}

int catalog_cpus(struct catalog *catalog, struct database *database, struct error *err)
{
	struct table seen = TABLE_INIT(catalog->arena);
	struct column *columns = arena_alloc(catalog->arena, sizeof(cpu_columns));
	bool is_all_built_in = true;

	if (database_complete(database, err) < 0)
		return -1;
	columns = memcpy(columns, cpu_columns, sizeof(cpu_columns));
	catalog_begin(catalog, "cpus", columns, CPU_COLUMNS);
	for (size_t i = 0; i < database->ncpus; i++)
		if (table_set(&seen, database->cpus[i].name, i) == TABLE_NONE &&
		    add_cpu(catalog, database, &database->cpus[i], err) < 0)
			return -1;
	for (size_t i = 0; i < catalog->listing.table.count; i++)
		is_all_built_in &= !strcmp(catalog->listing.table.rows[i].cells[CPU_DIRECTORY].text, built_in);
	if (is_all_built_in)
		columns[CPU_DIRECTORY].flags |= COLUMN_SHEET_ONLY;
	return 0;
}

/* ---- simulated cores: what --sim-core takes ---- */

enum { CORE_NAME, CORE_TITLE, CORE_MACHINE, CORE_COLUMNS };

static const struct column core_columns[CORE_COLUMNS] = {
	/* clang-format off */
	[CORE_NAME]    = { .key = "name", .heading = "Core", .flags = COLUMN_IS_NAME },
	[CORE_TITLE]   = { .key = "title", .heading = "Title", .flags = COLUMN_IS_NAME | COLUMN_SHRINKS },
	[CORE_MACHINE] = { .key = "this_machine", .heading = "This machine" },
	/* clang-format on */
};

int catalog_cores(struct catalog *catalog, const struct target *identified, struct error *err)
{
	const struct database *database = identified->database;
	struct error unknown = { .text = "" };
	const char *own = sim_core_match(database, identified->machine.cpuid, catalog->arena, &unknown);
	size_t count;
	const char **names = sim_core_names(database, &count, catalog->arena);

	catalog_begin(catalog, "cores", core_columns, CORE_COLUMNS);
	for (size_t i = 0; i < count; i++) {
		struct sim_core core;

		if (sim_core_load(&core, database, names[i], catalog->arena, err) < 0)
			return -1;
		const struct cell cells[CORE_COLUMNS] = {
			[CORE_NAME] = word_cell(names[i]),
			[CORE_TITLE] = word_cell(core.title),
			[CORE_MACHINE] = truth_cell(own && !strcmp(own, names[i])),
		};

		catalog_add(catalog, cells, 0);
	}
	return 0;
}
