/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdarg.h>

#include "base/text.h"
#include "load/model_internal.h"

void model_warn(struct model *model, struct arena *arena, const char *format, ...)
{
	va_list args;

	model->warnings = arena_grow(arena, model->warnings, model->nwarnings, &model->warnings_capacity,
				     sizeof(*model->warnings));
	va_start(args, format);
	model->warnings[model->nwarnings++] = arena_vprintf(arena, format, args);
	va_end(args);
}

static void add_name(struct model *model, const char *name, size_t number)
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
			add_name(model, metric->name + 4, i);
		add_name(model, metric->title, i);
		add_name(model, metric->path, i);
	}
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

	for (size_t i = 0; i < ROLE_COUNT; i++)
		model->roles[i] = names[i] ? event_set_add(&model->events, names[i], err) : TABLE_NONE;
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

		number = event_set_add(&model->events, arena_strndup(arena, list, length), err);
		if (number == TABLE_NONE)
			return -1;
		model->asked = arena_grow(arena, model->asked, model->nasked, &capacity, sizeof(*model->asked));
		model->asked[model->nasked++] = number;
		list += list[length] ? length + 1 : length;
	}
	return 0;
}

int model_load(struct model *model, const char *path, const struct model_target *target, struct arena *arena,
	       struct error *err)
{
	struct model_sources sources = { .arena = arena, .by_name = TABLE_INIT(arena) };
	const struct event_database *database = target->database;

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
