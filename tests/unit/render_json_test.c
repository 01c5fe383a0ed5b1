/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_json_test.c - JSON of reports, of a part of the tree and of plans, read back. */
#include "render_fixture.h"

#include <stdlib.h>

#include "common/json/json_read.h"

/* Follows "nodes.5.value" through objects and arrays. */
static const struct json *follow(const struct json *value, const char *path)
{
	char step[64];

	while (*path) {
		size_t length = strcspn(path, ".");

		snprintf(step, sizeof(step), "%.*s", (int)length, path);
		value = json_is_array(value) ? json_at(value, strtoul(step, NULL, 10)) : json_get(value, step);
		path += length + (path[length] == '.');
	}
	return value;
}

struct json_row {
	const char *path;
	const char *text; /* NULL: number */
	double number;	  /* NAN: null */
};

static void expect_json(const char *text, const struct json_row *expected, size_t count)
{
	struct error err = { .text = "" };
	struct json *root = json_read_text(text, strlen(text), "rendered", &err);
	struct rows rows = { 0 };

	assert_string_equal(err.text, "");
	for (size_t i = 0; i < count; i++) {
		const struct json *value = follow(root, expected[i].path);

		if (expected[i].text)
			row_expect_text(&rows, expected[i].path, json_text(value), expected[i].text);
		else if (isnan(expected[i].number))
			row_expect(&rows, expected[i].path, json_is_null(value), "is not null");
		else
			row_expect_number(&rows, expected[i].path,
					  json_is_number(value) ? json_number(value) : (double)json_whole(value, -99),
					  expected[i].number);
	}
	json_free(root);
	rows_end(&rows);
}

static const struct json_row report_json_rows[] = {
	{ "format", "topdown-report", 0 },
	{ "version", NULL, 1 },
	{ "cpu", "cascadelakex", 0 },
	{ "model", "cascadelakex 1.0", 0 },
	{ "tma_version", "5.01", 0 },
	{ "no_tree", NULL, (double)NAN },
	{ "level", NULL, 3 },
	{ "asked", NULL, (double)NAN },
	{ "summary.command", "./prog -n 4", 0 },
	{ "summary.wall_s", NULL, 12.345 },
	{ "summary.instructions", NULL, 1.234e12 },
	{ "summary.ipc", NULL, 0.4936 },
	{ "summary.started", "2026-11-22T07:00:00Z", 0 },
	{ "summary.host", "frodo", 0 },
	{ "summary.kernel", "6.12.1", 0 },
	{ "summary.tool_version", "0.1.0", 0 },
	{ "summary.runs", NULL, 12 },
	{ "summary.exit_status", NULL, 0 },
	{ "nodes.2.value", NULL, 0 },
	{ "nodes.2.raw", NULL, -1.5 },
	{ "nodes.5.name", "tma_dram_bound", 0 },
	{ "nodes.5.path", "Backend_Bound.Memory_Bound.DRAM_Bound", 0 },
	{ "nodes.5.parent", "tma_memory_bound", 0 },
	{ "nodes.5.value", NULL, 26.8125 },
	{ "nodes.5.unit", "%", 0 },
	{ "nodes.5.domain", "Stalls", 0 },
	{ "nodes.5.quality", "scaled", 0 },
	{ "nodes.5.running", NULL, 0.66 },
	{ "nodes.5.over_threshold", NULL, 1 },
	{ "nodes.5.bottleneck", NULL, 1 },
	{ "nodes.5.sample.0", "MEM_LOAD_RETIRED.L3_MISS", 0 },
	{ "nodes.6.value", NULL, (double)NAN },
	{ "nodes.6.quality", "none", 0 },
	{ "nodes.6.reason", "MEM_INST.X was not counted", 0 },
	{ "nodes.6.missing.0", "MEM_INST.X", 0 },
	{ "nodes.8.has_threshold", NULL, 0 },
	{ "nodes.0.parent", NULL, (double)NAN },
	{ "metrics.0.name", "l1d_mpki", 0 },
	{ "metrics.0.groups.1", "MPKI", 0 },
	{ "metrics.1.value", NULL, (double)NAN },
	{ "next.0.node", "tma_dram_bound", 0 },
	{ "next.0.period", NULL, 50021 },
	{ "next.0.precise", NULL, 3 },
	{ "notes.0", "Backend_Bound and Retiring are close.", 0 },
};

static void test_report_json(void **state UNUSED)
{
	static const char *missing[] = { "MEM_INST.X" };
	struct style style = { .format = FORMAT_JSON };
	struct fixture f;
	char *text;

	fixture_init(&f);
	f.nodes[L1].missing = missing;
	f.nodes[L1].nmissing = 1;
	text = report_text_of(&f.report, &style);
	expect_json(text, report_json_rows, COUNT_OF(report_json_rows));
	free(text);
}

static const struct json_row part_json_rows[] = {
	{ "level", NULL, 3 },
	{ "asked.nodes", "Memory_Bound*,Core_Bound,L1_Bound", 0 },
	{ "asked.groups", NULL, (double)NAN },
	{ "asked.metrics", "*", 0 },
	{ "asked.level", NULL, 3 },
	{ "nodes.0.over_threshold", NULL, 1 },
	{ "nodes.0.bottleneck", NULL, (double)NAN },
	{ "nodes.1.over_threshold", NULL, (double)NAN },
	{ "nodes.1.bottleneck", NULL, (double)NAN },
	{ "nodes.3.bottleneck", NULL, 0 },
	{ "metrics.0.topic", "Caches", 0 },
};

static void test_part_json(void **state UNUSED)
{
	struct style style = { .format = FORMAT_JSON };
	struct fixture f;
	char *text;

	fixture_init(&f);
	ask_for_part(&f);
	text = report_text_of(&f.report, &style);
	expect_json(text, part_json_rows, COUNT_OF(part_json_rows));
	free(text);
}

static const struct json_row plan_json_rows[] = {
	{ "format", "topdown-plan", 0 },
	{ "cpu", "cascadelakex", 0 },
	{ "level", NULL, 1 },
	{ "smt", NULL, 1 },
	{ "counters.general", NULL, 4 },
	{ "counters.fixed.3", NULL, 3 },
	{ "runs.0.run", NULL, 1 },
	{ "runs.0.groups.0.events.0.name", "CYCLES", 0 },
	{ "runs.0.groups.0.events.0.counter", "fixed1", 0 },
	{ "runs.0.groups.0.events.1.counter", "gp", 0 },
	{ "runs.0.groups.0.events.1.counter_index", NULL, 3 },
	{ "runs.0.groups.0.events.2.counter", "tool", 0 },
	{ "runs.0.groups.0.metrics.1", "tma_backend_bound", 0 },
	{ "runs.1.groups.0.events.0.counter", "fixed3", 0 },
	{ "runs.1.groups.0.events.1.counter", "metric", 0 },
	{ "runs.1.groups.0.group", NULL, 2 },
	{ "split.1", "tma_retiring", 0 },
	{ "split_over.tma_bad_speculation.0", NULL, 1 },
	{ "split_over.tma_bad_speculation.1", NULL, 2 },
	{ "split_over.tma_retiring.0", NULL, 2 },
	{ "too_large.0", "tma_bad_speculation", 0 },
	{ "lower_bound", NULL, 1 },
	{ "optimal", NULL, 0 },
	{ "one_run_fewer.max_runs", NULL, 1 },
	{ "one_run_fewer.first_shared_group", NULL, 1 },
	{ "one_run_fewer.share", NULL, 0.5 },
	{ "one_run_fewer.scaled.3", "tma_retiring", 0 },
};

static void test_plan_json(void **state UNUSED)
{
	struct style style = { .format = FORMAT_JSON };
	struct fixture f;
	char *text;

	fixture_init(&f);
	text = plan_text_of(&f, &style);
	expect_json(text, plan_json_rows, COUNT_OF(plan_json_rows));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_json),
		cmocka_unit_test(test_part_json),
		cmocka_unit_test(test_plan_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
