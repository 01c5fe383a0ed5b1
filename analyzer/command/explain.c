/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - topdown explain NODE: what it means, how it is computed, what to try, what to sample. */
#include "base/text.h"
#include "command/commands.h"
#include "command/output.h"
#include "command/target.h"
#include "load/glossary.h"
#include "render/explain.h"

/* NULL and err with the nearest names. */
static const struct metric *find_metric(const struct target *target, const char *name, struct arena *arena,
					struct error *err)
{
	const struct model *model = &target->model;
	size_t found = model_find(model, name);
	const char **names, *near;

	if (found != TABLE_NONE)
		return &model->metrics[found];
	names = arena_array(arena, model->count, sizeof(*names));
	for (size_t i = 0; i < model->count; i++)
		names[i] = model->metrics[i].title;
	near = nearest_names(arena, name, names, model->count);
	error_set(err, "%s has no node or metric '%s'%s%s%s", model->cpu, name, near ? ": did you mean " : "",
		  near ? near : "", near ? "?" : "");
	return NULL;
}

static int open_glossary(struct glossary *glossary, const struct target *target, struct arena *arena, struct error *err)
{
	const char *path = database_file(&target->database, "models", "glossary", arena, err);

	return path ? glossary_open(glossary, path, err) : -1;
}

int command_explain(const struct options *options, struct arena *arena, struct error *err)
{
	const struct metric *metric;
	struct glossary glossary;
	struct output output;
	struct target target;
	int result;

	if (options->nwords != 1)
		return error_set(err, "explain: which node? `topdown explain [--cpu NAME] NODE`");
	if (target_find(&target, options, arena, err) < 0)
		return -1;
	metric = find_metric(&target, options->words[0], arena, err);
	if (!metric || open_glossary(&glossary, &target, arena, err) < 0)
		return -1;
	result = output_open(&output, options, stdout, err);
	if (result == 0)
		result = render_explanation(output.file, &target.model, metric, &glossary, &output.style);
	if (result == 0)
		result = output_close(&output, err);
	glossary_close(&glossary);
	return result;
}
