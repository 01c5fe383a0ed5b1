/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_test.c - retire latencies: a published mean stands in, as an estimate, where nobody measured one. */
#include "model_fixture.h"

#include "analyse/evaluate/evaluate.h"

/* Of 1000 misses, each with the vendor's mean of 137.41 cycles or the measured 50, in a million cycles. */
static const struct {
	const char *latency; /* NULL: not measured */
	double value;
	enum quality quality;
} latency_rows[] = {
	{ NULL, 13.741, QUALITY_ESTIMATED },
	{ "FRONTEND_RETIRED.L2_MISS:retire_latency", 5, QUALITY_EXACT },
};

static void test_latency(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(latency_rows); i++) {
		struct count items[] = {
			{ .event = "FRONTEND_RETIRED.L2_MISS", .value = 1000 },
			{ .event = "CPU_CLK_UNHALTED.THREAD", .value = 1e6 },
			{ .event = latency_rows[i].latency, .value = 50 },
		};
		struct count_run run = { .wall_s = 1 };
		struct repeat repeat = {
			.runs = &run, .nruns = 1, .ngroups = 1, .items = items, .count = latency_rows[i].latency ? 3 : 2
		};
		struct counts counts = { .origin = { .cpu = "graniterapids" },
					 .question = { .level = 6 },
					 .repeats = &repeat,
					 .nrepeats = 1 };
		struct loaded loaded;
		struct report report;
		size_t node;

		loaded_shipped(&loaded, "graniterapids", true);
		node = model_find(&loaded.model, "tma_code_l2_miss");
		if (evaluate(&report, &loaded.model, &counts, &loaded.arena, &loaded.err) < 0)
			fail_msg("%s", loaded.err.text);
		for (size_t k = 0; k < report.nnodes; k++) {
			if (report.nodes[k].metric != &loaded.model.metrics[node])
				continue;
			row_expect_number(&rows, "tma_code_l2_miss", report.nodes[k].value, latency_rows[i].value);
			row_expect(&rows, "tma_code_l2_miss", report.nodes[k].quality == latency_rows[i].quality,
				   quality_name(report.nodes[k].quality));
		}
		loaded_release(&loaded);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_latency) };

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
