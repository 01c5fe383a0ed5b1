/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/select_match.h"

#include <fnmatch.h>
#include <string.h>

#include "base/text.h"

bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

static bool is_match(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
}

static const char *without_prefix(const char *name)
{
	return has_name_prefix(name, "tma_") ? name + 4 : name;
}

/* A name of a node or metric with what follows it in a path, with and without tma_. */
static bool is_name_match(const char *pattern, const char *name, const char *rest, struct arena *arena)
{
	const char *text = *rest ? arena_printf(arena, "%s%s", name, rest) : name;

	return is_match(pattern, text) || is_match(pattern, without_prefix(text));
}

/* Any of the metric's names, those of other versions too, with rest behind it. */
static bool has_matching_name(const struct metric *metric, const char *pattern, const char *rest, struct arena *arena)
{
	const char *others = metric->also_called ? metric->also_called : "", *part;
	size_t length;

	if (is_name_match(pattern, metric->title, rest, arena) || is_name_match(pattern, metric->name, rest, arena))
		return true;
	while ((length = text_next(&others, ";", &part)) > 0)
		if (is_name_match(pattern, arena_strndup(arena, part, length), rest, arena))
			return true;
	return false;
}

/* The node's path from itself, its parent, its parent's parent ... on, each called by any of its names. */
static bool is_node_match(const struct model *model, size_t node, const char *pattern, struct arena *arena)
{
	const char *path = model->metrics[node].path;

	for (size_t from = node; from != NO_PARENT; from = model->metrics[from].parent)
		if (has_matching_name(&model->metrics[from], pattern, path + strlen(model->metrics[from].path), arena))
			return true;
	return false;
}

static void match_nodes(bool *matched, const struct model *model, const char *pattern, struct arena *arena)
{
	size_t number = model_find(model, pattern);

	if (number != TABLE_NONE) {
		matched[number] = number < model->nnodes;
		return;
	}
	for (size_t i = 0; i < model->nnodes; i++)
		matched[i] = is_node_match(model, i, pattern, arena);
}

/* The last parts of an Info metric's name: of tma_info_thread_ipc these are info_thread_ipc, thread_ipc and ipc. */
static bool is_info_match(const struct metric *metric, const char *pattern)
{
	const char *part = metric->name;

	if (!has_name_prefix(metric->name, "tma_info_"))
		return false;
	while ((part = strchr(part, '_')))
		if (is_match(pattern, ++part))
			return true;
	return false;
}

static bool has_group(const struct metric *metric, const char *group, struct arena *arena)
{
	const char *groups = metric->groups, *part;
	size_t length;

	while ((length = text_next(&groups, ";", &part)) > 0)
		if (is_same_name(arena_strndup(arena, part, length), group))
			return true;
	return false;
}

/* Globs are about metrics only, as the tree has --nodes. */
static bool match_metric_names(bool *matched, const struct model *model, const char *pattern, struct arena *arena)
{
	bool is_any = false;

	for (size_t i = model->nnodes; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		matched[i] = has_matching_name(metric, pattern, "", arena) || is_info_match(metric, pattern);
		is_any |= matched[i];
	}
	return is_any;
}

/* A name is that of one metric or node, if any has it; else a group of metrics may be meant. */
static void match_metrics(bool *matched, const struct model *model, const char *pattern, struct arena *arena)
{
	size_t number = model_find(model, pattern);

	if (number != TABLE_NONE)
		matched[number] = true;
	else if (!match_metric_names(matched, model, pattern, arena) && !is_glob(pattern))
		for (size_t i = model->nnodes; i < model->count; i++)
			matched[i] = has_group(&model->metrics[i], pattern, arena);
}

static void match_groups(bool *matched, const struct model *model, const char *pattern, struct arena *arena)
{
	for (size_t i = 0; i < model->count; i++) {
		const char *groups = model->metrics[i].groups, *part;
		size_t length;

		while (!matched[i] && (length = text_next(&groups, ";", &part)) > 0)
			matched[i] = is_match(pattern, arena_strndup(arena, part, length));
	}
}

/* What to say when there is nothing */

static bool is_any_group(const struct model *model, const char *pattern, struct arena *arena)
{
	for (size_t i = 0; i < model->count; i++)
		if (has_group(&model->metrics[i], pattern, arena))
			return true;
	return false;
}

/* ": did you mean A or B?", or the hint where no name is near. */
static const char *nearest(const char *pattern, const char **names, size_t count, const char *hint, struct arena *arena)
{
	const char *near = nearest_names(arena, pattern, names, count);

	return near ? arena_printf(arena, ": did you mean %s?", near) : arena_printf(arena, "; %s", hint);
}

static const char *list_hint(const struct model *model, const char *what, struct arena *arena)
{
	return arena_printf(arena, "`topdown list %s --cpu %s` names them all", what, model->cpu);
}

static const char **titles(const struct model *model, size_t first, size_t end, struct arena *arena)
{
	const char **names = arena_array(arena, end - first + 1, sizeof(*names));

	for (size_t i = first; i < end; i++)
		names[i - first] = model->metrics[i].title;
	return names;
}

static int no_node(const struct model *model, const char *pattern, struct arena *arena, struct error *err)
{
	size_t number = model_find(model, pattern);

	if (number != TABLE_NONE)
		return error_set(err, "%s is a metric of %s, and no node of its tree: --metrics takes it", pattern,
				 model->cpu);
	if (!model->nnodes)
		return error_set(err, "%s has no tree, so there are no nodes to select; --metrics takes its metrics",
				 model->cpu);
	return error_set(err, "%s has no node '%s'%s", model->cpu, pattern,
			 nearest(pattern, titles(model, 0, model->nnodes, arena), model->nnodes,
				 list_hint(model, "nodes", arena), arena));
}

static size_t count_matches(const struct model *model, const char *pattern, struct arena *arena)
{
	bool *matched = arena_array(arena, model->count, sizeof(*matched));
	size_t count = 0;

	(void)match_metric_names(matched, model, pattern, arena);
	for (size_t i = 0; i < model->count; i++)
		count += matched[i];
	return count;
}

static int no_metric(const struct model *model, const char *pattern, struct arena *arena, struct error *err)
{
	const char *part = arena_printf(arena, "*%s*", pattern);
	size_t parts = is_glob(pattern) ? 0 : count_matches(model, part, arena);

	if (is_any_group(model, pattern, arena))
		return error_set(err, "'%s' is a group of nodes of %s, no metric: --groups takes it", pattern,
				 model->cpu);
	if (parts)
		return error_set(err, "%s has no metric '%s', but %zu with that in the name: '%s' selects %s",
				 model->cpu, pattern, parts, part, parts == 1 ? "it" : "them");
	return error_set(err, "%s has no metric '%s'%s", model->cpu, pattern,
			 nearest(pattern, titles(model, 0, model->count, arena), model->count,
				 list_hint(model, "metrics", arena), arena));
}

static int no_group(const struct model *model, const char *pattern, struct arena *arena, struct error *err)
{
	struct table seen = TABLE_INIT(arena);
	const char **names = NULL, *part;
	size_t count = 0, capacity = 0, length;

	for (size_t i = 0; i < model->count; i++) {
		for (const char *list = model->metrics[i].groups; (length = text_next(&list, ";", &part)) > 0;) {
			const char *name = arena_strndup(arena, part, length);

			if (table_set(&seen, name, i) != TABLE_NONE)
				continue;
			names = arena_grow(arena, names, count, &capacity, sizeof(*names));
			names[count++] = name;
		}
	}
	return error_set(err, "%s has no group of metrics '%s'%s", model->cpu, pattern,
			 nearest(pattern, names, count, list_hint(model, "groups", arena), arena));
}

const struct selectable selectable_nodes = { match_nodes, no_node };
const struct selectable selectable_groups = { match_groups, no_group };
const struct selectable selectable_metrics = { match_metrics, no_metric };
