/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - topdown explain NODE: what it means, how it is computed, what to try, what to sample. */
#include <errno.h>
#include <string.h>

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

static int read_words(struct glossary_entry *words, const struct target *target, const struct metric *metric,
		      struct arena *arena, struct error *err)
{
	const char *path = database_file(&target->database, "models", "glossary", arena, err);

	return path ? glossary_read_entry(words, path, metric->name, arena, err) : -1;
}

int command_explain(const struct options *options, struct arena *arena, struct error *err)
{
	const struct metric *metric;
	struct glossary_entry words;
	struct output output;
	struct target target;

	if (options->nwords != 1)
		return error_set(err, "explain: which node? `topdown explain [--cpu NAME] NODE`");
	if (target_find(&target, options, arena, err) < 0)
		return -1;
	metric = find_metric(&target, options->words[0], arena, err);
	if (!metric || read_words(&words, &target, metric, arena, err) < 0)
		return -1;
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_explanation(output.file, &target.model, metric, &words, &output.style) < 0) {
		error_set(err, "can't write the output: %s", strerror(errno));
		return output_failed(&output, err);
	}
	return output_close(&output, err);
}
