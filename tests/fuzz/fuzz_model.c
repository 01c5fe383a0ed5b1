/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_model.c - any bytes as a model: refused with words, or a tree whose parents come first. */
#include <math.h>

#include "cpu/load/model.h"
#include "fuzz_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_metric(const struct model *model, size_t number)
{
	const struct metric *metric = &model->metrics[number];
	bool is_node = number < model->nnodes;

	if (!metric->name || !metric->title || !metric->path || !metric->unit || (metric->level > 0) != is_node)
		abort();
	if (metric->parent != NO_PARENT && (!is_node || metric->parent >= number))
		abort();
	for (size_t i = 0; i < metric->nevents; i++)
		if (metric->events[i] >= model->events.count)
			abort();
}

static void check(const struct model *model)
{
	double *events = calloc(model->events.count + 1, sizeof(*events));
	double *values = calloc(program_size(model->program) + 1, sizeof(*values));
	double *results = calloc(model->count + 1, sizeof(*results));
	double *judged = calloc(program_size(model->thresholds) + 1, sizeof(*judged));

	program_eval(model->program, events, values);
	for (size_t i = 0; i < model->count; i++) {
		check_metric(model, i);
		results[i] = program_value(model->program, values, i);
	}
	program_eval(model->thresholds, results, judged);
	free(events);
	free(values);
	free(results);
	free(judged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct facts facts = facts_assumed();
	struct model_target target = { .database = fuzz_events(), .facts = &facts };
	struct error err = { .text = "" };
	struct memfile file;
	struct arena arena;
	struct model model;
	int result;

	memfile_open(&file, data, size);
	arena_init(&arena);
	target.pmu = pmu_assumed("cpu", "Intel", &arena);
	result = model_load(&model, file.path, &target, &arena, &err);
	if ((result < 0) != is_error(&err))
		abort();
	if (result == 0)
		check(&model);
	arena_release(&arena);
	memfile_close(&file);
	return 0;
}
