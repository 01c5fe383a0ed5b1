/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/select.h"

#include <string.h>

#include "base/text.h"
#include "load/select_match.h"

/* One of a list's items. */
struct item {
	const char *text;   /* as typed */
	char *pattern;	    /* without the signs before and behind it */
	bool is_first;	    /* of its list */
	bool takes_away;    /* ! or - */
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
	const char *option; /* "--nodes" */
	const char *text;
	const struct selectable *from;
	bool is_tree; /* items may end in ^ and /N */
	void (*begin)(struct selector *s);
};

bool is_selecting(const struct select_request *request)
{
	return request->nodes || request->groups || request->metrics;
}

static void add(struct selector *s, size_t number)
{
	s->selection->has[number] = true;
	s->is_started = true;
}

/* The nodes down to the level, and from level 2 on the metrics that explain them; all metrics where there is no tree. */
static void begin_nodes(struct selector *s)
{
	const struct model *model = s->model;
	unsigned level = s->level ? s->level : 1;

	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].level <= level)
			add(s, i);
	for (size_t i = model->nnodes; i < model->count; i++)
		if (!model->nnodes || (level > 1 && model->metrics[i].is_explaining))
			add(s, i);
}

static void begin_metrics(struct selector *s)
{
	for (size_t i = s->model->nnodes; i < s->model->count; i++)
		add(s, i);
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
			add(s, i);
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
		else if (length > 2 && item->pattern[length - 2] == '/' && last >= '1' && last <= '9')
			item->level = (unsigned)(last - '0');
		else
			return;
		item->pattern[length - (last == '^' ? 1 : 2)] = '\0';
	}
}

static int read_item(struct item *item, const struct list *list, const char *text, struct arena *arena,
		     struct error *err)
{
	bool has_sign = *text == '!' || *text == '-' || *text == '+';

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

static void finish(struct selector *s)
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
		{ "--nodes", request->nodes, &selectable_nodes, true, begin_nodes },
		{ "--groups", request->groups, &selectable_groups, false, begin_metrics },
		{ "--metrics", request->metrics, &selectable_metrics, false, begin_metrics },
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
	finish(&s);
	return selection->count ? 0 : error_set(err, "nothing is left of what is selected");
}
