/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_select.c - any texts as --nodes, --groups and --metrics (parted by lines): refused with words, or what is selected holds together. */
#include "fuzz_events.h"

#include "common/base/text.h"
#include "cpu/load/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char metrics[] =
	"{\"Metrics\":["
	"{\"MetricName\":\"tma_a\",\"MetricExpr\":\"CYC\",\"MetricGroup\":\"TopdownL1\"},"
	"{\"MetricName\":\"tma_a_b\",\"MetricExpr\":\"CYC\",\"MetricGroup\":\"TopdownL2;tma_a_group\",\"Title\":\"B\"},"
	"{\"MetricName\":\"tma_a_c\",\"MetricExpr\":\"CYC\",\"MetricGroup\":\"TopdownL3;tma_a_b_group;Mem\"},"
	"{\"MetricName\":\"tma_d\",\"MetricExpr\":\"CYC\",\"MetricGroup\":\"TopdownL1;Mem\"},"
	"{\"MetricName\":\"tma_info_mem_ipc\",\"MetricExpr\":\"INST\",\"MetricGroup\":\"Mem\"},"
	"{\"MetricName\":\"e\",\"MetricExpr\":\"UNC\",\"Title\":\"E (f/g) h\"}]}";

static const struct model *fuzz_model(void)
{
	static struct model model;
	static struct arena arena;
	static struct facts facts;
	struct model_target target = { .database = fuzz_events(), .facts = &facts };
	struct error err = { .text = "" };
	struct memfile file;

	if (model.count)
		return &model;
	arena_init(&arena);
	facts = facts_assumed();
	target.pmu = pmu_assumed("cpu", "Intel", &arena);
	memfile_open(&file, metrics, strlen(metrics));
	if (model_load(&model, file.path, &target, &arena, &err) < 0)
		abort();
	memfile_close(&file);
	return &model;
}

static void check(const struct selection *selection, const struct model *model)
{
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++)
		count += selection->has[i];
	if (!count || count != selection->count)
		abort();
	for (size_t i = 0; i < count; i++)
		if (!selection->has[selection->items[i]] ||
		    model->metrics[selection->items[i]].level > selection->level)
			abort();
}

static const char *next_line(const char **cursor, struct arena *arena)
{
	const char *start = *cursor;
	size_t length = strcspn(start, "\n");

	*cursor = start + length + (start[length] == '\n');
	return length ? arena_strndup(arena, start, length) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct model *model = fuzz_model();
	struct error err = { .text = "" };
	struct select_request request;
	struct selection selection;
	struct arena arena;
	const char *text;

	arena_init(&arena);
	text = arena_strndup(&arena, (const char *)data, size);
	request = (struct select_request){ .level = (unsigned)(size % 4) };
	request.nodes = next_line(&text, &arena);
	request.groups = next_line(&text, &arena);
	request.metrics = next_line(&text, &arena);
	if (select_metrics(&selection, model, &request, &arena, &err) == 0)
		check(&selection, model);
	else if (!is_error(&err))
		abort();
	arena_release(&arena);
	return 0;
}
