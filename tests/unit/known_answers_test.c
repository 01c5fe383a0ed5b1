/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known_answers_test.c - which node each kernel must have in the trees of each vendor, and what is said of reports whose
 * worst node the row chose. The names are those that the vendors publish.
 */
#include "analyse/verify/verification.h"
#include "model_fixture.h"

/* A report of a CPU, in which the row's node is the worst and all its ancestors are bottlenecks. */
struct made {
	struct loaded loaded;
	struct report report;
	const char *expected; /* the row's */
};

static struct result *find(struct made *made, const char *name)
{
	for (size_t i = 0; i < made->report.nnodes; i++)
		if (!strcmp(made->report.nodes[i].metric->name, name))
			return &made->report.nodes[i];
	return NULL;
}

static void mark_worst(struct made *made, const char *name)
{
	struct result *node = find(made, name);

	if (!node)
		fail_msg("there is no node %s", name);
	made->report.worst = node;
	for (;;) {
		node->is_bottleneck = true;
		node->value = 60;
		if (node->metric->parent == NO_PARENT)
			return;
		node = find(made, made->loaded.model.metrics[node->metric->parent].name);
		assert_non_null(node);
	}
}

/* worst NULL: nothing is over its threshold. */
static void made_init(struct made *made, const char *cpu, const char *worst)
{
	*made = (struct made){ .report = { .level = 3 } };
	loaded_shipped(&made->loaded, cpu, false);
	made->report.model = &made->loaded.model;
	made->report.nodes = arena_array(&made->loaded.arena, made->loaded.model.count, sizeof(struct result));
	for (size_t i = 0; i < made->loaded.model.count; i++) {
		const struct metric *metric = &made->loaded.model.metrics[i];

		if (metric->level >= 1 && metric->level <= 3)
			made->report.nodes[made->report.nnodes++] =
				(struct result){ .metric = metric, .value = 5, .quality = QUALITY_EXACT, .running = 1 };
	}
	if (worst)
		mark_worst(made, worst);
}

static const struct {
	const char *cpu, *kernel, *worst;
	enum known_verdict verdict;
	const char *expected; /* names, ';'-separated */
} verdict_rows[] = {
	{ "skylakex", "chase", "tma_dram_bound", KNOWN_YES, "tma_dram_bound" },
	{ "skylakex", "chase", "tma_l3_bound", KNOWN_NO, "tma_dram_bound" },
	{ "skylakex", "chase", "tma_branch_mispredicts", KNOWN_NO, "tma_dram_bound" },
	{ "skylakex", "chase", NULL, KNOWN_NO, "tma_dram_bound" },
	{ "sapphirerapids", "chase", "tma_l3_miss_bound", KNOWN_YES, "tma_l3_miss_bound" },
	{ "sapphirerapids", "chase-l3", "tma_l3_bound", KNOWN_YES, "tma_l3_bound" },
	{ "sapphirerapids", "chase-l2", "tma_l2_bound", KNOWN_YES, "tma_l2_bound" },
	{ "sapphirerapids", "chase-l2", "tma_l1_bound", KNOWN_NO, "tma_l2_bound" },
	{ "sapphirerapids", "stream", "tma_l2_bound", KNOWN_YES, "tma_memory_bound" },
	{ "sapphirerapids", "stream", "tma_divider", KNOWN_NO, "tma_memory_bound" },
	{ "sapphirerapids", "stores", "tma_store_bound", KNOWN_YES, "tma_store_bound" },
	{ "sapphirerapids", "branches", "tma_other_mispredicts", KNOWN_YES,
	  "tma_branch_resteers;tma_branch_mispredicts" },
	{ "sapphirerapids", "branches", "tma_branch_resteers", KNOWN_YES,
	  "tma_branch_resteers;tma_branch_mispredicts" },
	{ "sapphirerapids", "branches", "tma_machine_clears", KNOWN_NO, "tma_branch_resteers;tma_branch_mispredicts" },
	{ "sapphirerapids", "divide", "tma_divider", KNOWN_YES, "tma_divider" },
	{ "sapphirerapids", "divide", "tma_ports_utilization", KNOWN_NO, "tma_divider" },
	{ "sapphirerapids", "multiply", "tma_ports_utilization", KNOWN_YES, "tma_core_bound" },
	{ "sapphirerapids", "adds", "tma_other_light_ops", KNOWN_YES, "tma_retiring" },
	{ "sapphirerapids", "adds", "tma_mite", KNOWN_NO, "tma_retiring" },
	{ "sapphirerapids", "jumps", "tma_icache_misses", KNOWN_YES, "tma_fetch_latency" },
	{ "sapphirerapids", "jumps", "tma_dsb", KNOWN_NO, "tma_fetch_latency" },
	{ "sapphirerapids", "prefixes", "tma_lcp", KNOWN_YES, "tma_lcp" },
	{ "sapphirerapids", "prefixes", "tma_icache_misses", KNOWN_NO, "tma_lcp" },
	{ "amdzen4", "chase", "backend_bound_memory", KNOWN_YES, "backend_bound_memory" },
	{ "amdzen4", "chase", "backend_bound_cpu", KNOWN_NO, "backend_bound_memory" },
	{ "amdzen5", "chase-l2", "backend_bound_by_memory", KNOWN_YES, "backend_bound_by_memory" },
	{ "amdzen5", "branches", "bad_speculation_from_mispredicts", KNOWN_YES, "bad_speculation_from_mispredicts" },
	{ "amdzen5", "branches", "bad_speculation_from_pipeline_restarts", KNOWN_NO,
	  "bad_speculation_from_mispredicts" },
	{ "amdzen5", "divide", "backend_bound_by_cpu", KNOWN_YES, "backend_bound_by_cpu" },
	{ "amdzen5", "jumps", "frontend_bound_by_latency", KNOWN_YES, "frontend_bound_by_latency" },
	{ "amdzen5", "adds", "retiring_from_fastpath", KNOWN_YES, "retiring" },
	{ "amdzen5", "adds", "smt_contention", KNOWN_NO, "retiring" },
	{ "amdzen5", "prefixes", "frontend_bound_by_bandwidth", KNOWN_ABSENT, "" },
	{ "neoverse-v1", "chase", "backend_bound", KNOWN_YES, "backend_bound" },
	{ "neoverse-v1", "branches", "bad_speculation", KNOWN_YES, "bad_speculation" },
	{ "neoverse-v1", "jumps", "frontend_bound", KNOWN_YES, "frontend_bound" },
	{ "neoverse-v1", "jumps", "backend_bound", KNOWN_NO, "frontend_bound" },
	{ "neoverse-n1", "stores", "backend_stalled_cycles", KNOWN_YES, "backend_stalled_cycles" },
	{ "neoverse-n1", "branches", "frontend_stalled_cycles", KNOWN_ABSENT, "" },
	{ "neoverse-v3", "divide", "backend_busy_bound", KNOWN_YES, "backend_bound" },
	{ "neoverse-v3", "chase", "backend_mem_cache_bound", KNOWN_YES, "backend_mem_bound" },
	{ "neoverse-v3", "chase", "backend_core_bound", KNOWN_NO, "backend_mem_bound" },
	{ "ampereone", "branches", "branch_mispredict", KNOWN_YES, "branch_mispredict" },
	{ "ampereone", "chase", "d_cache_l2_miss_rate", KNOWN_YES, "backend_memory" },
	{ "ampereone", "adds", "retired_fraction", KNOWN_YES, "retired_fraction" },
	{ "sierraforest", "chase", "tma_mem_scheduler", KNOWN_YES, "tma_backend_bound" },
	{ "sierraforest", "jumps", "tma_icache_misses", KNOWN_YES, "tma_ifetch_latency" },
	{ "amdzen2", "chase", NULL, KNOWN_ABSENT, "" },
};

static const struct known_kernel *kernel_named(const char *name)
{
	for (size_t i = 0; i < nknown_kernels; i++)
		if (!strcmp(known_kernels[i].name, name))
			return &known_kernels[i];
	fail_msg("there is no kernel %s", name);
	return NULL;
}

static void expect_nodes(struct rows *rows, const char *row, struct made *made, const struct known_result *result)
{
	char joined[200] = "";

	for (size_t i = 0; i < result->nexpected; i++)
		for (size_t k = 0; k < made->report.nnodes; k++)
			if (!strcmp(made->report.nodes[k].metric->title, result->expected[i]))
				snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s", i ? ";" : "",
					 made->report.nodes[k].metric->name);
	row_expect_text(rows, row, joined, made->expected);
}

static void verdicts_follow_the_worst_node(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(verdict_rows); i++) {
		struct known_result result;
		struct made made;
		char row[100];

		snprintf(row, sizeof(row), "%s %s: %s", verdict_rows[i].cpu, verdict_rows[i].kernel,
			 verdict_rows[i].worst ? verdict_rows[i].worst : "nothing");
		made_init(&made, verdict_rows[i].cpu, verdict_rows[i].worst);
		known_judge(&result, kernel_named(verdict_rows[i].kernel), &made.report, &made.loaded.arena);
		row_expect_text(&rows, row, known_verdict_name(result.verdict),
				known_verdict_name(verdict_rows[i].verdict));
		made.expected = verdict_rows[i].expected;
		expect_nodes(&rows, row, &made, &result);
		row_expect(&rows, row, (result.reason != NULL) == (verdict_rows[i].verdict == KNOWN_NO), "a reason");
		loaded_release(&made.loaded);
	}
	rows_end(&rows);
}

/* Most slots retire, and something is over its threshold beside them. */
static void retired_slots_are_enough(void **state)
{
	struct known_result result;
	struct made made;

	(void)state;
	made_init(&made, "skylakex", "tma_mite");
	find(&made, "tma_retiring")->is_bottleneck = true;
	find(&made, "tma_retiring")->value = 75;
	known_judge(&result, kernel_named("adds"), &made.report, &made.loaded.arena);
	assert_int_equal(result.verdict, KNOWN_YES);
	assert_string_equal(result.found.title, "MITE");
	find(&made, "tma_retiring")->value = 45;
	known_judge(&result, kernel_named("adds"), &made.report, &made.loaded.arena);
	assert_int_equal(result.verdict, KNOWN_NO);
	loaded_release(&made.loaded);
}

static void unmeasured_nodes_are_unknown(void **state)
{
	struct known_result result;
	struct made made;
	struct result *node;

	(void)state;
	made_init(&made, "skylakex", "tma_l3_bound");
	node = find(&made, "tma_dram_bound");
	node->value = (double)NAN;
	node->quality = QUALITY_NONE;
	node->reason = "the kernel refused it";
	known_judge(&result, kernel_named("chase"), &made.report, &made.loaded.arena);
	assert_int_equal(result.verdict, KNOWN_UNKNOWN);
	assert_string_equal(result.reason, "DRAM_Bound was not measured: the kernel refused it");
	assert_true(isnan(result.wanted.value));
	loaded_release(&made.loaded);
}

static void a_kernel_that_failed_is_unknown(void **state)
{
	static const struct {
		int status;
		const char *reason;
	} ends[] = { { 1, "the kernel ended with status 1" }, { 139, "signal 11 ended the kernel" } };
	struct known_result result;
	struct made made;

	(void)state;
	made_init(&made, "skylakex", "tma_dram_bound");
	made.report.summary.has_status = true;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		made.report.summary.status = ends[i].status;
		known_judge(&result, kernel_named("chase"), &made.report, &made.loaded.arena);
		assert_int_equal(result.verdict, KNOWN_UNKNOWN);
		assert_string_equal(result.reason, ends[i].reason);
	}
	loaded_release(&made.loaded);
}

static void intervals_are_around_the_value(void **state)
{
	struct known_result result;
	struct made made;

	(void)state;
	made_init(&made, "skylakex", "tma_dram_bound");
	find(&made, "tma_dram_bound")->spread.ci95 = 1.5;
	known_judge(&result, kernel_named("chase"), &made.report, &made.loaded.arena);
	assert_true(result.found.low == 58.5 && result.found.high == 61.5);
	assert_string_equal(result.found.quality, "exact");
	loaded_release(&made.loaded);
}

static const struct {
	const char *name;
	enum known_verdict verdicts[3];
	int status;
	const char *conclusion;
} status_rows[] = {
	{ "all",
	  { KNOWN_YES, KNOWN_YES, KNOWN_ABSENT },
	  0,
	  "2 of 2 kernels show the node that their source predicts." },
	{ "one otherwise",
	  { KNOWN_YES, KNOWN_NO, KNOWN_UNKNOWN },
	  3,
	  "1 of 2 kernels show the node that their source predicts; 1 could not be judged." },
	{ "one unknown",
	  { KNOWN_YES, KNOWN_UNKNOWN, KNOWN_YES },
	  4,
	  "2 of 2 kernels show the node that their source predicts; 1 could not be judged." },
	{ "no tree", { KNOWN_ABSENT, KNOWN_ABSENT, KNOWN_ABSENT }, 4, "No kernel could be judged." },
};

static void the_status_says_what_they_come_to(void **state)
{
	struct rows rows = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(status_rows); i++) {
		struct known_result results[3];
		const struct verification verification = { .results = results, .count = COUNT_OF(results) };

		for (size_t k = 0; k < COUNT_OF(results); k++) {
			known_give_up(&results[k], &known_kernels[k], NULL);
			results[k].verdict = status_rows[i].verdicts[k];
		}
		row_expect_number(&rows, status_rows[i].name, verification_status(&verification),
				  status_rows[i].status);
		row_expect_text(&rows, status_rows[i].name, verification_conclusion(&verification, &arena),
				status_rows[i].conclusion);
		row_expect(&rows, status_rows[i].name, !verification_anchor(&verification, &arena), "nothing compared");
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* A third of the cycles is farther than twice as many. */
static void the_farthest_ratio_is_named(void **state)
{
	static const double ratios[] = { 2, 0.33, (double)NAN };
	struct known_result results[COUNT_OF(ratios)];
	const struct verification verification = { .results = results, .count = COUNT_OF(results) };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t k = 0; k < COUNT_OF(ratios); k++) {
		known_give_up(&results[k], &known_kernels[k], NULL);
		results[k].ratio = ratios[k];
	}
	assert_non_null(strstr(verification_anchor(&verification, &arena),
			       "for 2 kernels: the farthest off is chase-l3, at 33 % of what it took natively."));
	arena_release(&arena);
}

/* Each works once, on little: with an address sanitizer this finds what they do beyond their memory. */
static void kernels_do_their_work(void **state)
{
	const struct known_sizes sizes = { .l2_kib = 256, .l3_kib = 1024, .times = 1 };

	(void)state;
	for (size_t i = 0; i < nknown_kernels; i++) {
		struct error err = { .text = "" };

		if (known_kernel_is_here(&known_kernels[i]) && known_kernels[i].run(&sizes, &err) < 0)
			fail_msg("%s: %s", known_kernels[i].name, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_follow_the_worst_node), cmocka_unit_test(retired_slots_are_enough),
		cmocka_unit_test(unmeasured_nodes_are_unknown),	  cmocka_unit_test(a_kernel_that_failed_is_unknown),
		cmocka_unit_test(intervals_are_around_the_value), cmocka_unit_test(the_status_says_what_they_come_to),
		cmocka_unit_test(the_farthest_ratio_is_named),	  cmocka_unit_test(kernels_do_their_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
