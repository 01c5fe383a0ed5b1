/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/wanted.h"

#include "engine/reports.h"
#include "load/select.h"

static struct select_request request_of(const struct engine *engine)
{
	const struct question *asked = engine->question;

	return (struct select_request){ asked->nodes, asked->groups, asked->metrics, asked->level,
					asked->wants_causes };
}

unsigned wanted_level(const struct engine *engine)
{
	struct select_request request = request_of(engine);

	return engine->question->level || is_selecting(&request) ? engine->question->level : 1;
}

static int check_computable(const struct selection *selection, const struct model *model, struct error *err)
{
	const struct metric *first = &model->metrics[selection->items[0]];

	for (size_t i = 0; i < selection->count; i++)
		if (!model->metrics[selection->items[i]].failure)
			return 0;
	return error_set(err, "nothing of what is asked for can be computed on %s: %s %s", model->cpu, first->title,
			 first->failure);
}

int wanted_fill(struct plan_request *request, const struct model *model, const struct engine *engine, struct error *err)
{
	struct select_request asked = request_of(engine);
	struct selection selection;

	request->level = engine->question->level ? engine->question->level : 1;
	if (!is_selecting(&asked))
		return 0;
	if (select_metrics(&selection, model, &asked, engine->arena, err) < 0 ||
	    check_computable(&selection, model, err) < 0)
		return -1;
	request->level = selection.level;
	request->wanted = selection.items;
	request->nwanted = selection.count;
	return 0;
}

static void warn(const char *cpu, const struct error *why, const struct engine *engine)
{
	engine_notice(engine, NOTICE_WARNING, "%s is left out: %s", cpu, why->text);
}

/* Types stay where they are in memory, because their models refer to them: the list is a new one. */
int wanted_types(struct target_types *types, const struct engine *engine, struct error *err)
{
	struct target_types kept = { .items = arena_array(engine->arena, types->count, sizeof(*kept.items)) };
	struct error *errors = arena_array(engine->arena, types->count, sizeof(*errors));

	for (size_t i = 0; i < types->count; i++) {
		struct plan_request request = { .level = 0 };

		if (wanted_fill(&request, &types->items[i].model, engine, &errors[i]) == 0)
			kept.items[kept.count++] = types->items[i];
	}
	if (!kept.count)
		return error_set(err, "%s", errors[0].text);
	for (size_t i = 0; i < types->count; i++)
		if (is_error(&errors[i]))
			warn(types->items[i].cpu, &errors[i], engine);
	*types = kept;
	return 0;
}

static int check_part(const struct counts *counts, const struct model *model, struct arena *arena, struct error *err)
{
	const struct question *asked = &counts->question;
	struct select_request request = { asked->nodes, asked->groups, asked->metrics, asked->level,
					  asked->wants_causes };
	struct selection selection;

	return is_selecting(&request) ? select_metrics(&selection, model, &request, arena, err) : 0;
}

int wanted_parts(struct measurement *measured, const struct target_types *types, const struct engine *engine,
		 struct error *err)
{
	struct error *errors = arena_array(engine->arena, measured->count + 1, sizeof(*errors));
	size_t count = 0;

	for (size_t i = 0; i < measured->count; i++)
		if (check_part(&measured->parts[i], &target_of(types, &measured->parts[i])->model, engine->arena,
			       &errors[i]) == 0)
			count++;
	if (!count)
		return error_set(err, "%s", errors[0].text);
	count = 0;
	for (size_t i = 0; i < measured->count; i++) {
		const struct origin *origin = &measured->parts[i].origin;

		if (is_error(&errors[i]))
			warn(origin->part ? origin->part : origin->cpu, &errors[i], engine);
		else
			measured->parts[count++] = measured->parts[i];
	}
	measured->count = count;
	return 0;
}
