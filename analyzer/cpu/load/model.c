/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model.c - from the metrics of a file, or of the program, to a model: the tree, the formulas, and names. */
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/load/database.h"
#include "cpu/load/model_internal.h"

/* ---- the tree ---- */

/*
 * The node that a "<parent>_group" among the groups names (Intel: tma_<parent>_group, AMD: <parent>_group, both with
 * the parent's full metric name before _group), or NO_PARENT.
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

/* Finds parents, drops nodes without one, and sorts: nodes in tree order, then the other metrics. */
static void model_order(struct model *model, struct model_sources *sources)
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

/* ---- the formulas ---- */

struct compiler {
	struct model *model;
	const struct model_sources *sources;
	struct table numbers; /* from a name to its place in names */
	struct name *names;
	size_t nnames, capacity;
};

/*
 * Vendors' databases first, then other metrics, then what the kernel, the tools and libpfm4 know
 * (the order of linux tools/perf/util/metricgroup.c).
 */
static struct name model_look_up(struct compiler *c, const char *id, struct error *err)
{
	struct name name = { .kind = NAME_EVENT };
	const struct event_row *row = event_database_find(c->model->database, id);
	size_t metric = row ? TABLE_NONE : table_get(&c->model->by_name, id);

	if (metric != TABLE_NONE)
		return (struct name){ .kind = NAME_METRIC, .index = metric };
	name.index = event_set_add(&c->model->events, id, err);
	if (name.index == TABLE_NONE)
		name.kind = NAME_UNKNOWN;
	return name;
}

/* Formulas repeat names, so each is looked up once. */
static struct name model_resolve(void *context, const char *id, struct error *err)
{
	struct compiler *c = context;
	size_t known = table_get(&c->numbers, id);
	struct name name;

	if (known != TABLE_NONE)
		return c->names[known];
	name = model_look_up(c, id, err);
	if (name.kind == NAME_UNKNOWN)
		return name;
	c->names = arena_grow(c->numbers.arena, c->names, c->nnames, &c->capacity, sizeof(name));
	c->names[c->nnames] = name;
	table_set(&c->numbers, arena_strdup(c->numbers.arena, id), c->nnames++);
	return name;
}

/*
 * Thresholds judge the values that are shown, so they read metrics as they were computed, not the events behind them.
 */
static struct name resolve_metric(void *context, const char *id, struct error *err)
{
	const struct compiler *c = context;
	struct name name = { .kind = NAME_EVENT, .index = table_get(&c->model->by_name, id) };

	if (name.index == TABLE_NONE) {
		error_set(err, "unknown metric '%s'", id);
		name.kind = NAME_UNKNOWN;
	}
	return name;
}

static bool model_has_event(void *context, const char *id)
{
	const struct compiler *c = context;

	return event_set_has(&c->model->events, id);
}

/*
 * The number of units of a socket that the count is the sum of (linux tools/perf/util/evsel.c, evsel__source_count).
 * The formulas ask of caches only; of other units nobody knows it.
 */
static double source_count(void *context, const char *id)
{
	const struct compiler *c = context;
	const struct event_row *row = event_database_find(c->model->database, id);

	if (!row || !row->unit)
		return 1;
	return strcmp(row->unit, "uncore_cha") != 0 ? NOT_COUNTED : c->model->facts.chas_per_socket;
}

static const char *model_slot_name(void *context, size_t slot)
{
	const struct compiler *c = context;

	return c->model->metrics[slot].name;
}

/* Of another PMU, or of a machine that the kernel shows more of. */
static bool is_elsewhere(const char *reason)
{
	return strstr(reason, "no PMU is called") || strstr(reason, "needs the kernel's event");
}

static const char *expression_of(const struct model *model, const struct metric_source *source)
{
	return model->form == FORM_GENERAL && source->general ? source->general : source->expression;
}

static void add_formula(struct compiler *c, size_t number, const struct formula_names *names, struct arena *arena)
{
	const struct metric_source *source = &c->sources->items[c->sources->order[number]];
	struct formula_names threshold_names = *names;
	struct model *model = c->model;
	const char *expression = expression_of(model, source);
	struct error err = { 0 };

	if (source->without) {
		program_fail(model->program, number, "", source->without);
		return;
	}
	threshold_names.resolve = resolve_metric;
	if (program_add(model->program, number, expression, names, &err) == 0 && source->threshold) {
		model->metrics[number].has_threshold = true;
		if (program_add(model->thresholds, number, source->threshold, &threshold_names, &err) < 0) {
			model->metrics[number].has_threshold = false;
			error_in(&err, "threshold");
		}
	}
	if (is_error(&err) && !is_elsewhere(err.text))
		model_warn(model, arena, "%s: metric '%s': %s", source->path, model->metrics[number].name, err.text);
}

static void finish_metric(struct model *model, size_t number, size_t *events, struct arena *arena)
{
	struct metric *metric = &model->metrics[number];

	metric->failure = program_failure(model->program, number);
	metric->nevents = program_events(model->program, number, events);
	if (!metric->nevents)
		return;
	metric->events = arena_array(arena, metric->nevents, sizeof(*events));
	memcpy(metric->events, events, metric->nevents * sizeof(*events));
	for (size_t i = 0; i < metric->nevents; i++) {
		const struct event *event = &model->events.events[events[i]];

		metric->is_of_machine = metric->is_of_machine || event->kind == EVENT_UNIT;
		metric->reads_core = metric->reads_core || !(is_beside_core(event->kind) || event->is_retire_latency);
	}
}

static void model_compile(struct model *model, const struct model_sources *sources, struct arena *arena)
{
	struct compiler compiler = { .model = model, .sources = sources, .numbers = TABLE_INIT(arena) };
	struct formula_names names = {
		.context = &compiler,
		.resolve = model_resolve,
		.has_event = model_has_event,
		.source_count = source_count,
		.slot_name = model_slot_name,
		.facts = &model->facts,
	};
	size_t *events;

	model->program = program_new(arena, model->count);
	model->thresholds = program_new(arena, model->count);
	for (size_t i = 0; i < model->count; i++)
		add_formula(&compiler, i, &names, arena);
	program_link(model->program, &names);
	program_link(model->thresholds, &names);
	events = arena_array(arena, model->events.count + 1, sizeof(*events));
	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		finish_metric(model, i, events, arena);
		if (metric->failure && has_name_prefix(metric->failure, "refers to itself"))
			model_warn(model, arena, "%s: metric '%s': %s", sources->items[sources->order[i]].path,
				   metric->name, metric->failure);
	}
	model_find_corrections(model, arena);
	model_find_halved(model);
}

/* ---- the whole ---- */

static void model_add_name(struct model *model, const char *name, size_t number)
{
	if (table_get(&model->by_name, name) == TABLE_NONE)
		table_set(&model->by_name, name, number);
}

/* Metric names first: a title must never hide another metric's name. */
static void index_names(struct model *model)
{
	for (size_t i = 0; i < model->count; i++)
		table_set(&model->by_name, model->metrics[i].name, i);
}

static void index_titles(struct model *model)
{
	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		if (has_name_prefix(metric->name, "tma_"))
			model_add_name(model, metric->name + 4, i);
		model_add_name(model, metric->title, i);
		model_add_name(model, metric->path, i);
	}
	for (size_t i = 0; i < model->count; i++)
		if (model->metrics[i].also_called)
			model_add_name(model, model->metrics[i].also_called, i);
}

/* What a machine has only where its kernel shows it. */
static bool is_optional(const struct event_database *database, const char *name)
{
	const struct event_row *row = event_database_find(database, name);

	return row && row->kernel_event;
}

/* The event of each role; the database names them. */
static void find_roles(struct model *model, struct error *err)
{
	const struct event_database *database = model->database;
	const char *const names[ROLE_COUNT] = {
		[ROLE_CYCLES] = database->cycles,
		[ROLE_INSTRUCTIONS] = database->instructions,
		[ROLE_REFERENCE] = database->reference,
		[ROLE_SLOTS] = database->slots_event,
	};

	for (size_t i = 0; i < ROLE_COUNT; i++) {
		model->roles[i] = names[i] ? event_set_add(&model->events, names[i], err) : TABLE_NONE;
		if (is_error(err) && names[i] && is_optional(database, names[i]))
			error_clear(err);
	}
}

/* Length of the first event of a list: commas inside cpu/.../ or cpu@...@ belong to the event. */
static size_t first_event(const char *list)
{
	bool is_inside = false;
	size_t n = 0;

	for (; list[n] && (is_inside || list[n] != ','); n++)
		if (list[n] == '/' || list[n] == '@')
			is_inside = !is_inside;
	return n;
}

static int add_asked(struct model *model, const char *list, struct arena *arena, struct error *err)
{
	size_t capacity = 0;

	while (list && *list) {
		size_t length = first_event(list), number;
		const char *spelling = arena_strndup(arena, list, length);

		number = event_set_add(&model->events, spelling, err);
		if (number == TABLE_NONE && event_set_suggest(&model->events, spelling, err) < 0)
			return strstr(err->text, spelling) ? -1 : error_in(err, "{e} %s", spelling);
		model->asked = arena_grow(arena, model->asked, model->nasked, &capacity, sizeof(*model->asked));
		model->asked[model->nasked++] = number;
		list += list[length] ? length + 1 : length;
	}
	return 0;
}

/* Event names separated by ';' or ','; "_PS" (precise) is no part of a name. */
static void model_add_samples(struct metric *metric, const char *list, struct arena *arena)
{
	const char *part;
	size_t length, capacity = 0;

	while ((length = text_next(&list, ";,", &part)) > 0) {
		if (length > 3 && !memcmp(part + length - 3, "_PS", 3))
			length -= 3;
		metric->samples =
			arena_grow(arena, metric->samples, metric->nsamples, &capacity, sizeof(*metric->samples));
		metric->samples[metric->nsamples++] = arena_strndup(arena, part, length);
	}
}

/* What files and rows do not say. */
static void complete_sources(struct model_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct metric_source *source = &sources->items[i];

		source->metric.path = source->metric.title;
		source->metric.parent = NO_PARENT;
		if (source->locating)
			model_add_samples(&source->metric, source->locating, sources->arena);
	}
}

static void choose_form(struct model *model, const struct model_sources *sources, enum model_form form)
{
	const char *slots = model->database->slots_general;
	struct error unknown = { .text = "" };

	for (size_t i = 0; i < sources->count && !model->has_forms; i++)
		model->has_forms = sources->items[i].general != NULL;
	model->form = model->has_forms ? form : FORM_PERF_METRICS;
	if (model->form == FORM_GENERAL)
		model->roles[ROLE_SLOTS] = slots ? event_set_add(&model->events, slots, &unknown) : TABLE_NONE;
}

const char *model_form_word(const struct model *model)
{
	if (!model->has_forms)
		return NULL;
	return model->form == FORM_GENERAL ? "general" : "perf-metrics";
}

int model_load(struct model *model, const char *path, const struct model_target *target, struct arena *arena,
	       struct error *err)
{
	struct model_sources sources = { .arena = arena, .by_name = TABLE_INIT(arena) };
	const struct event_database *database = target->database;
	size_t published;

	*model = (struct model){
		.cpu = database->cpu, .database = database, .facts = *target->facts, .by_name = TABLE_INIT(arena)
	};
	if (isnan(model->facts.slots) && database->slots)
		model->facts.slots = database->slots;
	event_set_init(&model->events, database, target->pmu, model->facts.smt_on != 0, arena);
	find_roles(model, err);
	if (is_error(err))
		return error_in(err, "%s: Header", database->cpu);
	if (add_asked(model, target->events, arena, err) < 0)
		return -1;
	if (model_read(&sources, model, path, err) < 0)
		return -1;
	if (!sources.count)
		return error_set(err, "%s: no metrics in it", path);
	for (const char *const *file = target->system; file && *file; file++)
		if (model_read_system(&sources, model, *file, err) < 0)
			return -1;
	published = sources.count;
	if (target->common && common_add(&sources, target, err) < 0)
		return -1;
	model->nadded = sources.count - published;
	model->is_simulated = !strcmp(database->pmu, SIMULATED_CPU);
	complete_sources(&sources);
	choose_form(model, &sources, target->form);
	if (target->wants_stalls)
		stalls_become_nodes(model, &sources);
	model_order(model, &sources);
	index_names(model);
	model_compile(model, &sources, arena);
	index_titles(model);
	return 0;
}

size_t model_find(const struct model *model, const char *name)
{
	return table_get(&model->by_name, name);
}
