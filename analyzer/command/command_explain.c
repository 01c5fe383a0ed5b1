/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_explain.c - topdown explain NODE...: what it means, how it is computed, what to try, what to sample. */
#include <string.h>

#include "command/commands.h"
#include "command/jobs/output.h"
#include "common/base/text.h"
#include "cpu/load/glossary.h"
#include "cpu/load/select.h"
#include "engine/target.h"

static const char *nearest_titles(const struct model *model, const char *word, struct arena *arena)
{
	const char **names = arena_array(arena, model->count + 1, sizeof(*names));

	for (size_t i = 0; i < model->count; i++)
		names[i] = model->metrics[i].title;
	return nearest_names(arena, word, names, model->count);
}

static int nothing(const struct request *request, const struct model *model, const char *word, struct error *err)
{
	const char *near = nearest_titles(model, word, request->arena);

	return error_set(err, "%s has no node or metric '%s'%s%s%s", model->cpu, word, near ? ": did you mean " : "",
			 near ? near : "",
			 near ? "?" : "; `topdown list nodes` and `topdown list metrics` show what it has");
}

/* The machine's own model and the simulated core's: a report may have been of either. NULL: a model was named. */
static const struct target *other_target(const struct target *target, const struct request *request)
{
	struct target *other = arena_alloc(request->arena, sizeof(*other));
	struct setup *setup = arena_alloc(request->arena, sizeof(*setup));
	struct request asked = *request;
	struct error unused = { .text = "" };

	*setup = *request->setup;
	if (setup->machine.cpu || setup->machine.pmu != PMU_AUTO)
		return NULL;
	setup->machine.pmu = target->model.is_simulated ? PMU_CPU : PMU_SIM;
	asked.setup = setup;
	return target_find(other, &asked, &unused) < 0 ? NULL : other;
}

/*
 * Adds what a word means: a node or metric by any of its names, else all that --nodes or --metrics would take for it.
 */
static int want(bool *wanted, const struct model *model, const char *word, const struct request *request,
		struct error *err)
{
	struct arena *arena = request->arena;
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
	return has_any ? 0 : nothing(request, model, word, err);
}

/* Those that are wanted, in the model's order; *count of them. NULL and err when the words can't be read. */
static struct explanation *explain(size_t *count, const struct target *target, const bool *wanted, struct arena *arena,
				   struct error *err)
{
	const struct model *model = &target->model;
	struct explanation *explained = arena_array(arena, model->count, sizeof(*explained));
	const char *path = glossary_file(target->database, model, arena, err);

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

/* All words in this model; NULL and err: it lacks one. */
static bool *want_all(const struct options *options, const struct target *target, const struct request *request,
		      struct error *err)
{
	bool *wanted = arena_array(request->arena, target->model.count, sizeof(*wanted));

	for (size_t i = 0; i < options->nwords; i++)
		if (want(wanted, &target->model, options->words[i], request, err) < 0)
			return NULL;
	return wanted;
}

static int run_explain(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct explanation *explained;
	struct explanation_set set;
	struct output output;
	struct target target;
	const struct target *shown;
	bool *wanted;
	size_t count;

	if (options->nwords < 1)
		return error_set(err, "explain: which node? `topdown explain [--cpu NAME] NODE`");
	if (target_followed(&target, &request, err) < 0)
		return -1;
	shown = &target;
	wanted = want_all(options, shown, &request, err);
	if (!wanted) {
		struct error unused = { .text = "" };

		shown = other_target(&target, &request);
		wanted = shown ? want_all(options, shown, &request, &unused) : NULL;
	}
	if (!wanted)
		return -1;
	error_clear(err);
	explained = explain(&count, shown, wanted, arena, err);
	if (!explained || output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	set = (struct explanation_set){ &shown->model, explained, count };
	if (render_explanations(output.file, &set, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

const struct command command_explain = {
	.name = "explain",
	.arguments = "[OPTION]... NODE...",
	.summary = "what a node means, its formula, and what to try",
	.examples = "topdown explain --cpu clx DRAM_Bound\n"
		    "topdown explain --cpu zen4 'Backend_Bound*'\n",
	.run = run_explain,
	.sets = { &pmu_options, &cpu_options, &form_options, &sysroot_options, &file_options, &style_options,
		  &general_options },
};
