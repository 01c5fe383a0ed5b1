/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/wanted.h"

#include <stdio.h>

#include "command/show.h"
#include "load/select.h"

static struct select_request request_of(const struct options *options)
{
	return (struct select_request){ options->nodes, options->groups, options->metrics, options->level };
}

unsigned wanted_level(const struct options *options)
{
	struct select_request request = request_of(options);

	return options->level || is_selecting(&request) ? options->level : 1;
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

int wanted_fill(struct plan_request *request, const struct model *model, const struct options *options,
		struct arena *arena, struct error *err)
{
	struct select_request asked = request_of(options);
	struct selection selection;

	request->level = options->level ? options->level : 1;
	if (!is_selecting(&asked))
		return 0;
	if (select_metrics(&selection, model, &asked, arena, err) < 0 || check_computable(&selection, model, err) < 0)
		return -1;
	request->level = selection.level;
	request->wanted = selection.items;
	request->nwanted = selection.count;
	return 0;
}

static void warn(const char *cpu, const struct error *why)
{
	fprintf(stderr, "topdown: warning: %s is left out: %s\n", cpu, why->text);
}

/* Types stay where they are in memory, because their models refer to them: the list is a new one. */
int wanted_types(struct target_types *types, const struct options *options, struct arena *arena, struct error *err)
{
	struct target_types kept = { .items = arena_array(arena, types->count, sizeof(*kept.items)) };
	struct error *errors = arena_array(arena, types->count, sizeof(*errors));

	for (size_t i = 0; i < types->count; i++) {
		struct plan_request request = { .level = 0 };

		if (wanted_fill(&request, &types->items[i].model, options, arena, &errors[i]) == 0)
			kept.items[kept.count++] = types->items[i];
	}
	if (!kept.count)
		return error_set(err, "%s", errors[0].text);
	for (size_t i = 0; i < types->count; i++)
		if (is_error(&errors[i]))
			warn(types->items[i].cpu, &errors[i]);
	*types = kept;
	return 0;
}

static int check_part(const struct counts *counts, const struct model *model, struct arena *arena, struct error *err)
{
	struct select_request request = { counts->nodes, counts->groups, counts->metrics, counts->level };
	struct selection selection;

	return is_selecting(&request) ? select_metrics(&selection, model, &request, arena, err) : 0;
}

int wanted_parts(struct measurement *measured, const struct target_types *types, struct arena *arena, struct error *err)
{
	struct error *errors = arena_array(arena, measured->count + 1, sizeof(*errors));
	size_t count = 0;

	for (size_t i = 0; i < measured->count; i++)
		if (check_part(&measured->parts[i], &show_type(types, &measured->parts[i])->model, arena, &errors[i]) ==
		    0)
			count++;
	if (!count)
		return error_set(err, "%s", errors[0].text);
	count = 0;
	for (size_t i = 0; i < measured->count; i++) {
		if (is_error(&errors[i]))
			warn(measured->parts[i].part ? measured->parts[i].part : measured->parts[i].cpu, &errors[i]);
		else
			measured->parts[count++] = measured->parts[i];
	}
	measured->count = count;
	return 0;
}
