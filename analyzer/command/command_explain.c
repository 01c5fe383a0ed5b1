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

/* Who has read a simulated report, on a machine that can't count, asks for its nodes; err has the model's answer. */
static int suggest_simulated(const struct request *request, const char *word, bool has_suggestion, struct error *err)
{
	struct setup setup = *request->setup;
	struct request simulated = *request;
	struct error missing = *err, unused = { .text = "" };
	struct target target;
	const char *near;

	if (setup.machine.cpu || setup.machine.pmu != PMU_AUTO)
		return -1;
	setup.machine.pmu = PMU_SIM;
	simulated.setup = &setup;
	if (target_find(&target, &simulated, &unused) < 0)
		return -1;
	near = has_suggestion ? NULL : nearest_titles(&target.model, word, request->arena);
	if (model_find(&target.model, word) == TABLE_NONE && !near)
		return -1;
	*err = (struct error){ .text = "" };
	if (model_find(&target.model, word) != TABLE_NONE)
		return error_set(err, "%s; a simulated core has one: `topdown explain --pmu sim %s`", missing.text,
				 word);
	return error_set(err, "%s; a simulated core has %s (`topdown explain --pmu sim NODE`)", missing.text, near);
}

static int nothing(const struct request *request, const struct model *model, const char *word, struct error *err)
{
	const char *near = nearest_titles(model, word, request->arena);

	error_set(err, "%s has no node or metric '%s'%s%s%s", model->cpu, word, near ? ": did you mean " : "",
		  near ? near : "", near ? "?" : "; `topdown list nodes` and `topdown list metrics` show what it has");
	return suggest_simulated(request, word, near != NULL, err);
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

static int run_explain(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct explanation *explained;
	struct explanation_set set;
	struct output output;
	struct target target;
	bool *wanted;
	size_t count;

	if (options->nwords < 1)
		return error_set(err, "explain: which node? `topdown explain [--cpu NAME] NODE`");
	if (target_find(&target, &request, err) < 0)
		return -1;
	wanted = arena_array(arena, target.model.count, sizeof(*wanted));
	for (size_t i = 0; i < options->nwords; i++)
		if (want(wanted, &target.model, options->words[i], &request, err) < 0)
			return -1;
	explained = explain(&count, &target, wanted, arena, err);
	if (!explained || output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	set = (struct explanation_set){ &target.model, explained, count };
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
