/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_assessment.c - any bytes as the bounds of what is healthy: refused with words, or figures that can be judged. */
#include <math.h>

#include "cpu/load/assessment.h"
#include "fuzz_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model_text[] = "{\"Metrics\":[{\"MetricName\":\"ipc\",\"MetricExpr\":\"1 + 1\"},"
				 "{\"MetricName\":\"tma_retiring\",\"MetricExpr\":\"0.5\",\"MetricGroup\":"
				 "\"TopdownL1\",\"ScaleUnit\":\"100%\"}]}";

/* The same for all inputs. */
static const struct model *fuzz_model(void)
{
	static struct model model;
	static struct facts facts;
	static struct arena arena;
	struct model_target target = { .database = fuzz_events(), .facts = &facts };
	struct error err = { .text = "" };
	struct memfile file;

	if (model.count)
		return &model;
	arena_init(&arena);
	facts = facts_assumed();
	target.pmu = pmu_assumed("cpu", "Intel", &arena);
	memfile_open(&file, model_text, sizeof(model_text) - 1);
	if (model_load(&model, file.path, &target, &arena, &err) < 0)
		abort();
	memfile_close(&file);
	return &model;
}

static void check_rule(const struct assessment_rules *rules, size_t number, const struct model *model)
{
	const struct assessment_rule *rule = &rules->items[number];

	if (!rule->name || !rule->title || !rule->unit || rule->topic >= ASSESS_TOPICS)
		abort();
	if (!rule->expression && !rule->without)
		abort();
	if (rule->with != NO_RULE && rule->with >= number)
		abort();
	if ((!isnan(rule->good) || !isnan(rule->bad)) && (!rule->means_ok || !rule->means_beyond))
		abort();
	for (size_t i = 0; i < rule->nmetrics; i++)
		if (rule->metrics[i] >= model->count)
			abort();
}

static void check(const struct assessment_rules *rules, const struct model *model)
{
	double *inputs = calloc(model->count + 1, sizeof(*inputs));
	double *values = calloc(program_size(rules->program) + 1, sizeof(*values));

	program_eval(rules->program, inputs, values);
	for (size_t i = 0; i < rules->count; i++)
		check_rule(rules, i, model);
	free(inputs);
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct model *model = fuzz_model();
	struct assessment_rules rules;
	struct error err = { .text = "" };
	struct memfile file;
	struct arena arena;
	int result;

	memfile_open(&file, data, size);
	arena_init(&arena);
	result = assessment_load(&rules, model, file.path, &arena, &err);
	if ((result < 0) != is_error(&err))
		abort();
	if (result == 0)
		check(&rules, model);
	arena_release(&arena);
	memfile_close(&file);
	return 0;
}
