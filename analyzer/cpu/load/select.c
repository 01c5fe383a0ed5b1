/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/select.h"

#include <fnmatch.h>
#include <string.h>

#include "common/base/text.h"

/* ---- what a name or pattern means ---- */

bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

static bool select_is_match(const char *pattern, const char *text)
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

	return select_is_match(pattern, text) || select_is_match(pattern, without_prefix(text));
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
		if (select_is_match(pattern, ++part))
			return true;
	return false;
}

static bool has_group(const struct metric *metric, const char *group, struct arena *arena)
{
	const char *groups = metric->groups, *part;
	size_t length;

	if (metric->is_common && is_same_name(group, COMMON_GROUP))
		return true;
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
	size_t number = model_find(model, has_name_prefix(pattern, ALL_CALLS ".") ? ALL_CALLS : pattern);

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

		matched[i] |= model->metrics[i].is_common && select_is_match(pattern, COMMON_GROUP);
		while (!matched[i] && (length = text_next(&groups, ";", &part)) > 0)
			matched[i] = select_is_match(pattern, arena_strndup(arena, part, length));
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
	return arena_worded(arena, "`topdown list %s {cpu} %s` names them all", what, model->cpu);
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
	if (!model->nnodes)
		return error_set(err, "%s has no tree, so there are no nodes to select; {metrics} takes its metrics",
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
		return error_set(err, "'%s' is a group of nodes of %s, not a metric: {groups} takes it", pattern,
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

/* A name or pattern that no node has may be a metric's. */
static void match_nodes_or_metrics(bool *matched, const struct model *model, const char *pattern, struct arena *arena)
{
	bool has_any = false;

	match_nodes(matched, model, pattern, arena);
	for (size_t i = 0; i < model->nnodes; i++)
		has_any |= matched[i];
	if (!has_any)
		(void)match_metric_names(matched, model, pattern, arena);
}

const struct selectable selectable_nodes = { match_nodes_or_metrics, no_node };
static const struct selectable selectable_groups = { match_groups, no_group };
const struct selectable selectable_metrics = { match_metrics, no_metric };

/* ---- the lists of the command line ---- */

/* One of a list's items. */
struct item {
	const char *text;   /* as typed */
	char *pattern;	    /* without the signs before and behind it */
	bool is_first;	    /* of its list */
	bool takes_away;    /* !, - or ^ */
	bool has_plus;	    /* + */
	bool has_ancestors; /* ^ */
	unsigned level;	    /* of /N; 0: none */
};

struct selector {
	struct selection *selection;
	const struct model *model;
	unsigned level;	 /* of the request */
	bool is_started; /* something has been selected */
	bool *matched;	 /* [model->count]: by the item at hand */
	struct arena *arena;
};

/* One of the options. */
struct list {
	const char *option; /* as the front end calls it: "--nodes" */
	const char *text;
	const struct selectable *from;
	bool is_tree; /* items may end in ^ and /N */
	void (*begin)(struct selector *s);
};

bool is_selecting(const struct select_request *request)
{
	return request->nodes || request->groups || request->metrics || request->wants_causes;
}

static void select_add(struct selector *s, size_t number)
{
	s->selection->has[number] = true;
	s->is_started = true;
}

/*
 * The nodes down to the level, and from level 2 on the metrics that explain them; all of the vendor's metrics where
 * there is no tree.
 */
static void begin_nodes(struct selector *s)
{
	const struct model *model = s->model;
	unsigned level = s->level ? s->level : 1;

	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].level <= level)
			select_add(s, i);
	for (size_t i = model->nnodes; i < model->count - model->nadded; i++)
		if (!model->nnodes || (level > 1 && model->metrics[i].is_explaining))
			select_add(s, i);
}

static void begin_metrics(struct selector *s)
{
	for (size_t i = s->model->nnodes; i < s->model->count; i++)
		select_add(s, i);
}

/* Parents stand before their children, so one pass reaches everything below the matched nodes. */
static void match_below(struct selector *s, unsigned level)
{
	for (size_t i = 0; i < s->model->nnodes; i++) {
		const struct metric *metric = &s->model->metrics[i];

		if (metric->parent != NO_PARENT && metric->level <= level && s->matched[metric->parent])
			s->matched[i] = true;
	}
}

/* What is above them; is_named: because it was asked for by name. */
static void match_above(struct selector *s, bool is_named)
{
	for (size_t i = s->model->nnodes; i-- > 0;) {
		size_t parent = s->model->metrics[i].parent;

		if (!s->matched[i] || parent == NO_PARENT)
			continue;
		s->matched[parent] = true;
		s->selection->is_named[parent] |= is_named;
	}
}

static void drop_below(struct selector *s, unsigned level)
{
	for (size_t i = 0; i < s->model->nnodes; i++)
		if (s->model->metrics[i].level > level)
			s->matched[i] = false;
}

static bool is_any_matched(const struct selector *s)
{
	for (size_t i = 0; i < s->model->count; i++)
		if (s->matched[i])
			return true;
	return false;
}

static void keep_names(struct selector *s, const struct item *item)
{
	for (size_t i = 0; i < s->model->count; i++)
		if (s->matched[i] && !item->takes_away && !is_glob(item->pattern))
			s->selection->is_named[i] = true;
}

/* From the nodes whose names match to those that the item means. */
static void match_relatives(struct selector *s, const struct item *item)
{
	if (item->level)
		match_below(s, item->level);
	else if (item->takes_away)
		match_below(s, s->model->levels);
	if (item->level)
		drop_below(s, item->level);
	else if (s->level && is_glob(item->pattern) && !item->takes_away)
		drop_below(s, s->level);
	if (item->has_ancestors)
		match_above(s, !is_glob(item->pattern));
}

static void apply(struct selector *s, const struct list *list, const struct item *item)
{
	if (item->is_first && !s->is_started && (item->takes_away || item->has_plus))
		list->begin(s);
	for (size_t i = 0; i < s->model->count; i++) {
		if (s->matched[i] && item->takes_away)
			s->selection->has[i] = false;
		else if (s->matched[i])
			select_add(s, i);
		s->selection->has_listed_metrics |= i >= s->model->nnodes && s->matched[i] && !item->takes_away;
	}
}

static int take_item(struct selector *s, const struct list *list, const struct item *item, struct error *err)
{
	memset(s->matched, 0, s->model->count * sizeof(*s->matched));
	if (*item->pattern)
		list->from->match(s->matched, s->model, item->pattern, s->arena);
	if (!is_any_matched(s))
		return list->from->nothing(s->model, item->pattern, s->arena, err);
	keep_names(s, item);
	if (list->is_tree)
		match_relatives(s, item);
	if (!is_any_matched(s))
		return error_set(err, "%s: all nodes of '%s' are deeper than level %u", list->option, item->text,
				 item->level ? item->level : s->level);
	apply(s, list, item);
	return 0;
}

/* Takes ^ and /N off the end, in any order. */
static void read_end(struct item *item)
{
	for (size_t length = strlen(item->pattern); length > 1; length = strlen(item->pattern)) {
		char last = item->pattern[length - 1];

		if (last == '^')
			item->has_ancestors = true;
		else if (length > 2 && item->pattern[length - 2] == '/' && last >= '1' && last <= '0' + DEEPEST_LEVEL)
			item->level = (unsigned)(last - '0');
		else
			return;
		item->pattern[length - (last == '^' ? 1 : 2)] = '\0';
	}
}

static int read_item(struct item *item, const struct list *list, const char *text, struct arena *arena,
		     struct error *err)
{
	bool has_sign = *text && strchr("!-^+", *text);

	item->text = text;
	item->pattern = arena_strdup(arena, text + (has_sign ? 1 : 0));
	item->has_plus = *text == '+';
	item->takes_away = has_sign && !item->has_plus;
	if (list->is_tree)
		read_end(item);
	if (item->takes_away && item->has_ancestors)
		return error_set(err,
				 "%s: '%s' would take away what is above %s, with all that is below it: leave out "
				 "the ^",
				 list->option, text, item->pattern);
	return 0;
}

static int take_list(struct selector *s, const struct list *list, struct error *err)
{
	const char *cursor = list->text, *part;
	size_t length, count = 0;

	if (!cursor)
		return 0;
	if (has_name_prefix(cursor, "!+"))
		cursor += 2;
	while ((length = text_next(&cursor, ",", &part)) > 0) {
		struct item item = { .is_first = !count++ };

		if (read_item(&item, list, arena_strndup(s->arena, part, length), s->arena, err) < 0 ||
		    take_item(s, list, &item, err) < 0)
			return -1;
	}
	return count ? 0 : error_set(err, "%s: which? Names or globs, separated by commas", list->option);
}

/* The rows of the bottleneck view, and the nodes above them, which decide whether they are bottlenecks. */
static int take_causes(struct selector *s, struct error *err)
{
	bool *is_cause = arena_array(s->arena, s->model->count, sizeof(*is_cause));

	if (!causes_find(is_cause, s->model))
		return error_set(err,
				 "%s has no tree of issue slots, so there is no bottleneck view; `topdown metrics "
				 "{cpu} %s` lists what there is",
				 s->model->cpu, s->model->cpu);
	s->selection->is_cause = is_cause;
	memcpy(s->matched, is_cause, s->model->count * sizeof(*is_cause));
	match_above(s, false);
	for (size_t i = 0; i < s->model->count; i++)
		if (s->matched[i])
			select_add(s, i);
	return 0;
}

static void select_finish(struct selector *s)
{
	struct selection *selection = s->selection;
	const struct model *model = s->model;

	for (size_t i = 0; i < model->nnodes; i++)
		if (selection->has[i] && model->metrics[i].level > selection->level)
			selection->level = model->metrics[i].level;
	for (unsigned level = 1; level <= selection->level; level++)
		for (size_t i = 0; i < model->nnodes; i++)
			if (selection->has[i] && model->metrics[i].level == level)
				selection->items[selection->count++] = i;
	for (size_t i = model->nnodes; i < model->count; i++)
		if (selection->has[i])
			selection->items[selection->count++] = i;
}

int select_metrics(struct selection *selection, const struct model *model, const struct select_request *request,
		   struct arena *arena, struct error *err)
{
	struct selector s = { .selection = selection, .model = model, .level = request->level, .arena = arena };
	const struct list lists[] = {
		{ arena_worded(arena, "{nodes}"), request->nodes, &selectable_nodes, true, begin_nodes },
		{ arena_worded(arena, "{groups}"), request->groups, &selectable_groups, false, begin_metrics },
		{ arena_worded(arena, "{metrics}"), request->metrics, &selectable_metrics, false, begin_metrics },
	};

	*selection = (struct selection){ .items = arena_array(arena, model->count, sizeof(size_t)) };
	selection->has = arena_array(arena, model->count, sizeof(bool));
	selection->is_named = arena_array(arena, model->count, sizeof(bool));
	s.matched = arena_array(arena, model->count, sizeof(bool));
	if (!request->nodes && (request->level || !is_selecting(request)))
		begin_nodes(&s);
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		if (take_list(&s, &lists[i], err) < 0)
			return -1;
	if (request->wants_causes && take_causes(&s, err) < 0)
		return -1;
	select_finish(&s);
	return selection->count ? 0 : error_set(err, "nothing is left of the selection");
}
