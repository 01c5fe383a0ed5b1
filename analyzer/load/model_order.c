/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/text.h"
#include "load/model_internal.h"

/*
 * The node that a "<parent>_group" among the groups names (Intel: tma_<parent>_group, AMD: <parent>_group, both with the
 * parent's full metric name before _group), or NO_PARENT.
 */
static size_t find_parent(const struct model_sources *sources, const struct metric *metric)
{
	static const char suffix[] = "_group";
	const char *groups = metric->groups, *part;
	char name[128];
	size_t length;

	while ((length = text_next(&groups, ";", &part)) > 0) {
		size_t stem = length > strlen(suffix) ? length - strlen(suffix) : 0;
		size_t found;

		if (!stem || stem >= sizeof(name) || memcmp(part + stem, suffix, strlen(suffix)) != 0)
			continue;
		memcpy(name, part, stem);
		name[stem] = '\0';
		found = table_get(&sources->by_name, name);
		if (found != TABLE_NONE && sources->items[found].metric.level)
			return found;
	}
	return NO_PARENT;
}

/* A node below level 1 needs a parent on a higher level of the tree; without one it is a plain metric. */
static void attach_nodes(struct model *model, struct model_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct metric *metric = &sources->items[i].metric;

		if (metric->level < 2)
			continue;
		metric->parent = find_parent(sources, metric);
		if (metric->parent != NO_PARENT && sources->items[metric->parent].metric.level < metric->level)
			continue;
		model_warn(model, sources->arena,
			   "%s: node '%s' of level %u has no parent above it in the tree; shown as a metric",
			   sources->items[i].path, metric->name, metric->level);
		metric->parent = NO_PARENT;
		metric->level = 0;
	}
}

/* A dropped node leaves its children without a parent: repeat until nothing changes. */
static void drop_orphans(struct model *model, struct model_sources *sources)
{
	bool is_changed = true;

	while (is_changed) {
		is_changed = false;
		for (size_t i = 0; i < sources->count; i++) {
			struct metric *metric = &sources->items[i].metric;

			if (metric->level < 2 || sources->items[metric->parent].metric.level)
				continue;
			model_warn(model, sources->arena, "%s: the parent of node '%s' is not in the tree",
				   sources->items[i].path, metric->name);
			metric->parent = NO_PARENT;
			metric->level = 0;
			is_changed = true;
		}
	}
}

#define NO_NODE NO_PARENT

struct sorter {
	struct model_sources *sources;
	size_t *order; /* new position → source */
	size_t count;
	/* Of each source, the first node below it, and the next one below the same parent; in the file's order. */
	size_t *first, *next;
};

static void find_children(struct sorter *s)
{
	s->first = arena_array(s->sources->arena, s->sources->count, sizeof(*s->first));
	s->next = arena_array(s->sources->arena, s->sources->count, sizeof(*s->next));
	for (size_t i = 0; i < s->sources->count; i++)
		s->first[i] = NO_NODE;
	for (size_t i = s->sources->count; i-- > 0;) {
		const struct metric *metric = &s->sources->items[i].metric;

		if (!metric->level || metric->parent == NO_PARENT)
			continue;
		s->next[i] = s->first[metric->parent];
		s->first[metric->parent] = i;
	}
}

/* Preorder, with the source's children in the file's order. Levels grow downwards, so the depth is at most 9. */
static void place_node(struct sorter *s, size_t source)
{
	s->order[s->count++] = source;
	for (size_t i = s->first[source]; i != NO_NODE; i = s->next[i])
		place_node(s, i);
}

static const char *node_path(const struct model *model, const struct metric *metric, struct arena *arena)
{
	if (metric->parent == NO_PARENT)
		return metric->title;
	return arena_printf(arena, "%s.%s", model->metrics[metric->parent].path, metric->title);
}

static void fill_metrics(struct model *model, const struct sorter *s)
{
	struct arena *arena = s->sources->arena;
	size_t *position = arena_array(arena, s->sources->count, sizeof(*position));

	for (size_t i = 0; i < s->count; i++)
		position[s->order[i]] = i;
	model->metrics = arena_array(arena, s->count, sizeof(*model->metrics));
	model->count = s->count;
	for (size_t i = 0; i < s->count; i++) {
		struct metric *metric = &model->metrics[i];

		*metric = s->sources->items[s->order[i]].metric;
		if (metric->parent != NO_PARENT)
			metric->parent = position[metric->parent];
		metric->path = node_path(model, metric, arena);
		if (metric->level > model->levels)
			model->levels = metric->level;
	}
	s->sources->order = s->order;
}

/* Marks the members of the groups that nodes name as their next step. */
static void mark_explaining(struct model *model, struct arena *arena)
{
	struct table groups = TABLE_INIT(arena);
	const char *part;
	size_t length;

	for (size_t i = 0; i < model->nnodes; i++)
		for (const char *list = model->metrics[i].next_groups; (length = text_next(&list, ";", &part)) > 0;)
			table_set(&groups, arena_strndup(arena, part, length), i);
	for (size_t i = model->nnodes; groups.count && i < model->count; i++)
		for (const char *list = model->metrics[i].groups; (length = text_next(&list, ";", &part)) > 0;)
			if (table_get(&groups, arena_strndup(arena, part, length)) != TABLE_NONE)
				model->metrics[i].is_explaining = true;
}

void model_order(struct model *model, struct model_sources *sources)
{
	struct sorter s = { .sources = sources };

	attach_nodes(model, sources);
	drop_orphans(model, sources);
	s.order = arena_array(sources->arena, sources->count, sizeof(*s.order));
	find_children(&s);
	for (size_t i = 0; i < sources->count; i++)
		if (sources->items[i].metric.level == 1)
			place_node(&s, i);
	model->nnodes = s.count;
	for (size_t i = 0; i < sources->count; i++)
		if (!sources->items[i].metric.level)
			s.order[s.count++] = i;
	fill_metrics(model, &s);
	mark_explaining(model, sources->arena);
}
