/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_arm.c - Arm's telemetry files: events, metrics, and the decision tree of the methodology, whose metrics are
 * nodes and whose groups are the next step of a node. Thresholds are ours, because none are published.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/system/file.h"
#include "cpu/import/convert.h"
#include "cpu/import/importer.h"
#include "cpu/load/model.h"

int arm_files(struct import_files *files, const char *folder, struct arena *arena, struct error *err)
{
	size_t count;
	const char **names = directory_list(folder, ".json", &count, arena, err);

	for (size_t i = 0; names && i < count; i++) {
		struct import_file file = {
			.path = arena_printf(arena, "%s/%s", folder, names[i]),
			.file = arena_strndup(arena, names[i], strlen(names[i]) - strlen(".json")),
		};

		if (has_name_prefix(names[i], "schema"))
			continue;
		files->items = arena_grow(arena, files->items, files->count, &files->capacity, sizeof(file));
		files->items[files->count++] = file;
	}
	return names ? 0 : -1;
}

struct arm_reader {
	struct import *import;
	const struct json *root, *metrics, *groups, *tree;
	struct table done;   /* metrics that are in the model already */
	struct table levels; /* of metrics to which the roots lead, by the shortest way */
};

static int import_arm_read_event(void *context, const char *name, const struct json *value)
{
	struct import *import = context;
	struct row raw = { .count = 0 };
	const char *code = json_text(json_get(value, "code")), *title = json_text(json_get(value, "title"));

	if (!code)
		return 0;
	row_add(&raw, "EventName", arena_strdup(import->arena, name), import->arena);
	row_add(&raw, "EventCode", arena_strdup(import->arena, code), import->arena);
	row_add(&raw, "Counter", strcmp(name, "CPU_CYCLES") ? ARM_COUNTERS : "Fixed counter 0", import->arena);
	if (title && import->request->with_text)
		row_add(&raw, "BriefDescription", arena_strdup(import->arena, title), import->arena);
	event_add(import, &raw);
	return 0;
}

/*
 * Percent of slots, of cycles, and of the stalled cycles of the node above. Published formulas are in percent already.
 */
static const struct unit_row {
	const char *units, *unit, *domain;
} units[] = {
	/* clang-format off */
	{ "percent of slots",      "1%", "Slots" },
	{ "percent of cycles",     "1%", "Clocks" },
	{ "percent of operations", "1%", "Operations" },
	{ "percent of load/store operations",     "1%", "Operations" },
	{ "percent of backend stalls",            "1%", "Stalls" },
	{ "percent of ilock cycles",              "1%", "Stalls" },
	{ "percent of ilock cycles from cme",     "1%", "Stalls" },
	{ "percent of ilock cycles to cme",       "1%", "Stalls" },
	/* clang-format on */
};

static const struct limit_row {
	const char *name;
	unsigned percent;
} limits[] = {
	/* clang-format off */
	{ "frontend_bound",          15 },
	{ "bad_speculation",         15 },
	{ "backend_bound",           20 },
	{ "retiring",                70 },
	{ "frontend_stalled_cycles", 15 },
	{ "backend_stalled_cycles",  20 },
	/* clang-format on */
};
#define USUAL_LIMIT 20 /* of a share of the stalls of the node above */

static unsigned limit_of(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(limits); i++)
		if (!strcmp(limits[i].name, name))
			return limits[i].percent;
	return USUAL_LIMIT;
}

static bool has_item(const struct json *array, const char *text)
{
	for (size_t i = 0; i < json_size(array); i++) {
		const char *item = json_text(json_at(array, i));

		if (item && !strcmp(item, text))
			return true;
	}
	return false;
}

/* A node of the tree being written, with its way up. */
struct place {
	const char *name;
	unsigned level; /* 0: not in the tree */
	const struct place *parent;
};

struct group_search {
	const char *metric;
	struct string *list;
};

static int import_arm_add_group(void *context, const char *name, const struct json *value)
{
	const struct group_search *search = context;

	if (has_item(json_get(value, "metrics"), search->metric))
		string_printf(search->list, "%s%s", search->list->length ? ";" : "", name);
	return 0;
}

static const char *groups_of(const struct arm_reader *r, const struct place *place)
{
	struct string list = STRING_INIT(r->import->arena);
	struct group_search search = { .metric = place->name, .list = &list };

	if (place->level)
		string_printf(&list, "TopdownL%u", place->level);
	if (place->parent)
		string_printf(&list, ";%s_group", place->parent->name);
	json_each(r->groups, import_arm_add_group, &search);
	return list.text;
}

static const char *threshold_of(const struct arm_reader *r, const struct place *place)
{
	struct string text = STRING_INIT(r->import->arena);

	for (const struct place *at = place; at; at = at->parent)
		string_printf(&text, "%s%s > %u", at == place ? "" : " & ", at->name, limit_of(at->name));
	return text.text;
}

static const struct json *tree_node(const struct arm_reader *r, const char *name)
{
	const struct json *nodes = json_get(r->tree, "metrics");

	for (size_t i = 0; i < json_size(nodes); i++) {
		const char *other = json_text(json_get(json_at(nodes, i), "name"));

		if (other && !strcmp(other, name))
			return json_at(nodes, i);
	}
	return NULL;
}

/* next_items are metrics, which are children, and groups, which explain. */
static const char *next_groups(const struct arm_reader *r, const char *name)
{
	struct string list = STRING_INIT(r->import->arena);
	const struct json *items = json_get(tree_node(r, name), "next_items");

	for (size_t i = 0; i < json_size(items); i++) {
		const char *item = json_text(json_at(items, i));

		if (item && !json_get(r->metrics, item))
			string_printf(&list, "%s%s", list.length ? ";" : "", item);
	}
	return list.text;
}

static void import_arm_read_unit(struct import *import, struct import_metric *metric, const char *published)
{
	metric->unit = arena_printf(import->arena, "1%s", published);
	metric->domain = "Metric";
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(units[i].units, published) != 0)
			continue;
		metric->unit = units[i].unit;
		metric->domain = units[i].domain;
	}
}

static const char *as_it_is(void *context UNUSED, const char *name UNUSED)
{
	return NULL;
}

static void read_samples(struct import *import, struct import_metric *metric, const struct json *list)
{
	for (size_t i = 0; i < json_size(list); i++) {
		const char *event = json_text(json_at(list, i));

		if (event)
			metric_add_sample(import, metric, event, strlen(event));
	}
}

static void import_arm_read_metric(struct arm_reader *r, const struct place *place)
{
	struct import *import = r->import;
	const struct json *raw = json_get(r->metrics, place->name);
	const char *formula = json_text(json_get(raw, "formula")), *title = json_text(json_get(raw, "title"));
	const char *published = json_text(json_get(raw, "units")), *text = json_text(json_get(raw, "description"));
	struct convert_names names = { .name = as_it_is };
	struct import_metric *metric;
	struct error err = { 0 };

	if (table_set(&r->done, place->name, 1) != TABLE_NONE)
		return;
	formula = formula ? convert_formula(formula, &names, import->arena, &err) : NULL;
	if (!formula) {
		import_say(import, "%s: left out: %s", place->name, is_error(&err) ? err.text : "no formula");
		return;
	}
	metric = metric_add(import, place->name);
	metric->expr = formula;
	metric->title = title ? arena_strdup(import->arena, title) : NULL;
	metric->groups = groups_of(r, place);
	metric->text = text && import->request->with_text ? arena_strdup(import->arena, text) : NULL;
	import_arm_read_unit(import, metric, published ? published : "");
	read_samples(import, metric, json_get(raw, "sample_events"));
	if (place->level) {
		metric->threshold = threshold_of(r, place);
		metric->next = next_groups(r, place->name);
	}
}

static bool import_arm_is_listed(const struct arm_reader *r, const char *name)
{
	const struct json *nodes = json_get(r->tree, "metrics");

	for (size_t i = 0; i < json_size(nodes); i++)
		if (has_item(json_get(json_at(nodes, i), "next_items"), name))
			return true;
	return has_item(json_get(r->tree, "root_nodes"), name);
}

/* A node of the tree that no other lists: a child of the root whose name begins with the same word. */
static bool is_stray_child(const struct arm_reader *r, const char *name, const struct place *parent)
{
	size_t word = strcspn(name, "_") + 1;

	return parent->level == 1 && !strncmp(name, parent->name, word) && !import_arm_is_listed(r, name);
}

/* A node may lead to one of another branch (C1-Nano's do): the place of that is the one nearest to the root. */
static bool is_child(const struct arm_reader *r, const char *name, const struct place *parent)
{
	size_t level = table_get(&r->levels, name);

	return json_get(r->metrics, name) && table_get(&r->done, name) == TABLE_NONE &&
	       (level == TABLE_NONE || level == parent->level + 1);
}

/* DEEPEST_LEVEL also ends a tree that leads back to itself. */
static void read_tree(struct arm_reader *r, const struct place *place)
{
	const struct json *items = json_get(tree_node(r, place->name), "next_items");
	const struct json *nodes = json_get(r->tree, "metrics");

	import_arm_read_metric(r, place);
	for (size_t i = 0; i < json_size(items) + json_size(nodes) && place->level < DEEPEST_LEVEL; i++) {
		bool is_item = i < json_size(items);
		const char *name =
			json_text(is_item ? json_at(items, i) : json_get(json_at(nodes, i - json_size(items)), "name"));
		struct place child = { .level = place->level + 1, .parent = place };

		if (!name || !is_child(r, name, place) || (!is_item && !is_stray_child(r, name, place)))
			continue;
		if (!is_item)
			import_say(r->import, "%s: no node leads to it, taken as a child of %s", name, place->name);
		child.name = arena_strdup(r->import->arena, name);
		read_tree(r, &child);
	}
}

static void set_levels(struct arm_reader *r, const struct json *names, size_t level)
{
	for (size_t i = 0; i < json_size(names); i++) {
		const char *name = json_text(json_at(names, i));

		if (name && json_get(r->metrics, name) && table_get(&r->levels, name) == TABLE_NONE)
			table_set(&r->levels, arena_strdup(r->import->arena, name), level);
	}
}

static void find_levels(struct arm_reader *r)
{
	const struct json *nodes = json_get(r->tree, "metrics");

	set_levels(r, json_get(r->tree, "root_nodes"), 1);
	for (size_t level = 1; level < DEEPEST_LEVEL; level++)
		for (size_t i = 0; i < json_size(nodes); i++) {
			const char *name = json_text(json_get(json_at(nodes, i), "name"));

			if (name && table_get(&r->levels, name) == level)
				set_levels(r, json_get(json_at(nodes, i), "next_items"), level + 1);
		}
}

static void read_roots(struct arm_reader *r)
{
	const struct json *roots = json_get(r->tree, "root_nodes");

	for (size_t i = 0; i < json_size(roots); i++) {
		const char *name = json_text(json_at(roots, i));
		struct place root = { .name = name ? arena_strdup(r->import->arena, name) : "", .level = 1 };

		if (json_get(r->metrics, root.name))
			read_tree(r, &root);
	}
}

static void read_plain(struct arm_reader *r, const char *name)
{
	struct place place = { .name = arena_strdup(r->import->arena, name) };

	if (json_get(r->metrics, name))
		import_arm_read_metric(r, &place);
}

/* Group by group in the order of the methodology. */
static void read_stage(struct arm_reader *r, const struct json *stage)
{
	for (size_t i = 0; i < json_size(stage); i++) {
		const char *group = json_text(json_at(stage, i));
		const struct json *names = group ? json_get(json_get(r->groups, group), "metrics") : NULL;

		for (size_t k = 0; k < json_size(names); k++)
			if (json_text(json_at(names, k)))
				read_plain(r, json_text(json_at(names, k)));
	}
}

struct name_list {
	const char **names;
	size_t count, capacity;
	struct arena *arena;
};

static int collect(void *context, const char *name, const struct json *value UNUSED)
{
	struct name_list *list = context;

	list->names = arena_grow(list->arena, list->names, list->count, &list->capacity, sizeof(*list->names));
	list->names[list->count++] = arena_strdup(list->arena, name);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_rest(struct arm_reader *r)
{
	struct name_list list = { .arena = r->import->arena };

	json_each(r->metrics, collect, &list);
	if (list.count)
		qsort(list.names, list.count, sizeof(*list.names), by_text);
	for (size_t i = 0; i < list.count; i++)
		read_plain(r, list.names[i]);
}

/* "r0p3 Jun 21 2024" from the product's revision and the document's "Jun 21 09:30:24 2024". */
static const char *version_of(const struct json *root, struct arena *arena)
{
	const struct json *product = json_get(root, "product_configuration");
	const char *stamp = json_text(json_get(json_get(root, "document"), "timestamp")), *part,
		   *words[4] = { "", "", "", "" };
	const char *major, *minor;
	size_t length;

	for (size_t i = 0; i < COUNT_OF(words) && stamp && (length = text_next(&stamp, " ", &part)) > 0; i++)
		words[i] = arena_strndup(arena, part, length);
	major = json_text(json_get(product, "major_revision"));
	minor = json_text(json_get(product, "minor_revision"));
	return arena_printf(arena, "r%sp%s %s %s %s", major ? major : "0", minor ? minor : "0", words[0], words[1],
			    words[3]);
}

static void read_model(struct arm_reader *r)
{
	const struct json *method = json_get(json_get(r->root, "methodologies"), "topdown_methodology");
	const struct json *grouping = json_get(method, "metric_grouping");

	r->metrics = json_get(r->root, "metrics");
	r->groups = json_get(json_get(r->root, "groups"), "metrics");
	r->tree = json_get(method, "decision_tree");
	r->done = r->levels = TABLE_INIT(r->import->arena);
	find_levels(r);
	read_roots(r);
	read_stage(r, json_get(grouping, "stage_1"));
	read_stage(r, json_get(grouping, "stage_2"));
	read_rest(r);
}

/* The MIDR of all revisions; NULL where the file does not say which core it is of. */
static const char *match_of(const struct json *root, struct arena *arena)
{
	const struct json *product = json_get(root, "product_configuration");
	const char *implementer = json_text(json_get(product, "implementer"));
	const char *part = json_text(json_get(product, "part_num"));
	uint64_t vendor, number;

	if (!implementer || !part || !text_u64(implementer, &vendor) || !text_u64(part, &number) || vendor > 0xff ||
	    number > 0xfff)
		return NULL;
	return arena_printf(arena, "0x00000000%02llx0f%03llx0", (unsigned long long)vendor, (unsigned long long)number);
}

int arm_read(struct import *import, const char *path, struct error *err)
{
	struct arm_reader reader = { .import = import };
	struct json *root = json_read_bulk(path, err);

	if (!root)
		return -1;
	reader.root = root;
	import->version = import->model_version = version_of(root, import->arena);
	import->map_version = "v1";
	import->match = match_of(root, import->arena);
	import->source = import->model_source =
		arena_printf(import->arena, "Arm telemetry-solution %s", path_name(path, import->arena));
	import->own_thresholds = true;
	json_each(json_get(root, "events"), import_arm_read_event, import);
	events_finish(import);
	read_model(&reader);
	json_free(root);
	return 0;
}
