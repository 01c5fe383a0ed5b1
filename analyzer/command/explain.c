/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - topdown explain NODE...: what it means, how it is computed, what to try, what to sample. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "command/commands.h"
#include "command/output.h"
#include "command/target.h"
#include "load/glossary.h"
#include "load/select_match.h"
#include "render/explain.h"

/* Who has read a simulated report, on a machine that can't count, asks for its nodes. */
static int tell_simulated(const struct options *options, const char *word, struct arena *arena, struct error *err)
{
	struct options simulated = *options;
	struct error unused = { .text = "" };
	struct target target;

	if (options->cpu || options->pmu != PMU_AUTO)
		return -1;
	simulated.pmu = PMU_SIM;
	if (target_find(&target, &simulated, arena, &unused) == 0 && model_find(&target.model, word) != TABLE_NONE) {
		unused = *err;
		*err = (struct error){ .text = "" };
		error_set(err, "%s; a simulated core has one: `topdown explain --pmu sim %s`", unused.text, word);
	}
	return -1;
}

static int nothing(const struct model *model, const char *word, struct arena *arena, struct error *err)
{
	const char **names = arena_array(arena, model->count, sizeof(*names)), *near;

	for (size_t i = 0; i < model->count; i++)
		names[i] = model->metrics[i].title;
	near = nearest_names(arena, word, names, model->count);
	return error_set(err, "%s has no node or metric '%s'%s%s%s", model->cpu, word, near ? ": did you mean " : "",
			 near ? near : "", near ? "?" : "");
}

/* Adds what a word means: a node or metric by any of its names, else all that --nodes or --metrics would take for it. */
static int want(bool *wanted, const struct model *model, const char *word, struct arena *arena, struct error *err)
{
	bool *nodes = arena_array(arena, model->count, sizeof(*nodes)), has_any = false;
	bool *metrics = arena_array(arena, model->count, sizeof(*metrics));
	size_t found = model_find(model, word);

	if (found != TABLE_NONE) {
		wanted[found] = true;
		return 0;
	}
	if (is_glob(word))
		selectable_nodes.match(nodes, model, word, arena);
	selectable_metrics.match(metrics, model, word, arena);
	for (size_t i = 0; i < model->count; i++) {
		wanted[i] |= nodes[i] || metrics[i];
		has_any |= nodes[i] || metrics[i];
	}
	return has_any ? 0 : nothing(model, word, arena, err);
}

/* Those that are wanted, in the model's order; *count of them. NULL and err when the words can't be read. */
static struct explanation *explain(size_t *count, const struct target *target, const bool *wanted, struct arena *arena,
				   struct error *err)
{
	const struct model *model = &target->model;
	struct explanation *explained = arena_array(arena, model->count, sizeof(*explained));
	const char *path = database_file(&target->database, "models", "glossary", arena, err);

	*count = 0;
	for (size_t i = 0; path && i < model->count; i++) {
		struct explanation *next = &explained[*count];

		if (!wanted[i])
			continue;
		next->metric = i;
		if (glossary_read_entry(&next->words, path, model->metrics[i].name, arena, err) < 0)
			return NULL;
		++*count;
	}
	return path ? explained : NULL;
}

int command_explain(const struct options *options, struct arena *arena, struct error *err)
{
	struct explanation *explained;
	struct output output;
	struct target target;
	bool *wanted;
	size_t count;

	if (options->nwords < 1)
		return error_set(err, "explain: which node? `topdown explain [--cpu NAME] NODE`");
	if (target_find(&target, options, arena, err) < 0)
		return -1;
	wanted = arena_array(arena, target.model.count, sizeof(*wanted));
	for (size_t i = 0; i < options->nwords; i++)
		if (want(wanted, &target.model, options->words[i], arena, err) < 0)
			return tell_simulated(options, options->words[i], arena, err);
	explained = explain(&count, &target, wanted, arena, err);
	if (!explained || output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_explanations(output.file, &target.model, explained, count, &output.style) < 0) {
		error_set(err, "can't write the output: %s", strerror(errno));
		return output_failed(&output, err);
	}
	return output_close(&output, err);
}
