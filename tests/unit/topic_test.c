/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topic_test.c - what each vendor's metrics are about; no shipped metric is left without a topic. */
#include "model_fixture.h"

#include "common/system/file.h"
#include "cpu/load/topic.h"

static const struct {
	const char *name, *groups;
	unsigned level;
	enum topic topic;
} topic_rows[] = {
	/* clang-format off */
	{ "tma_memory_bound", "Mem;TopdownL2", 2, TOPIC_TREE },
	{ "tma_bottleneck_memory_data_tlbs", "BvMT;Mem;MemoryTLB", 0, TOPIC_BOTTLENECKS },
	{ "tma_info_thread_ipc", "Ret;Summary", 0, TOPIC_SPEED },
	{ "ipc", "General", 0, TOPIC_SPEED },
	{ "tma_info_thread_uptb", "Branches;Fed;FetchBW", 0, TOPIC_BRANCHES },
	{ "tma_info_inst_mix_ipload", "InsType", 0, TOPIC_INSTRUCTIONS },
	{ "branch_percentage", "Operation_Mix", 0, TOPIC_INSTRUCTIONS },
	{ "tma_info_inst_mix_iparith_avx256", "Flops;FpVector;InsType", 0, TOPIC_FLOATING_POINT },
	{ "tma_info_inst_mix_ippause", "Flops;FpVector;InsType", 0, TOPIC_INSTRUCTIONS },
	{ "sve_predicate_percentage", "SVE_Effectiveness", 0, TOPIC_FLOATING_POINT },
	{ "branch_mpki", "MPKI;Branch_Effectiveness", 0, TOPIC_BRANCHES },
	{ "tma_info_frontend_dsb_coverage", "DSB;Fed;FetchBW", 0, TOPIC_FRONTEND },
	{ "op_cache_fetch_miss_ratio", "l2_cache", 0, TOPIC_FRONTEND },
	{ "l1i_cache_mpki", "MPKI;L1I_Cache_Effectiveness", 0, TOPIC_FRONTEND },
	{ "l1d_cache_mpki", "MPKI;L1D_Cache_Effectiveness", 0, TOPIC_CACHES },
	{ "tma_info_memory_l2mpki", "Mem;Backend;CacheHits", 0, TOPIC_CACHES },
	{ "ll_cache_read_mpki", "Summary", 0, TOPIC_CACHES },
	{ "all_l2_cache_hits", "l2_cache", 0, TOPIC_CACHES },
	{ "l1i_tlb_mpki", "MPKI;ITLB_Effectiveness", 0, TOPIC_TLBS },
	{ "all_tlbs_flushed", "tlb", 0, TOPIC_TLBS },
	{ "tma_info_memory_mlp", "Mem;MemoryBound;MemoryBW", 0, TOPIC_MEMORY },
	{ "umc_mem_bandwidth", "memory_controller", 0, TOPIC_MEMORY },
	{ "memory_bandwidth_read", "", 0, TOPIC_MEMORY },
	{ "tma_info_system_kernel_cpi", "OS", 0, TOPIC_SYSTEM },
	{ "C6_Core_Residency", "Power", 0, TOPIC_SYSTEM },
	{ "vpu_port_utilization", "Port_Utilization", 0, TOPIC_SPEED },
	{ "backend_stall_interlock_to_cme_gpr_bound", "CME_Ilock_To_CME", 0, TOPIC_SPEED },
	{ "rename_stall_vec_ratio", "Rename_Effectiveness", 0, TOPIC_SPEED },
	{ "za_active_cycles_ratio", "Topdown_CME", 0, TOPIC_FLOATING_POINT },
	{ "cas_near_fail_ratio", "Atomics_Effectiveness", 0, TOPIC_MEMORY },
	{ "of_my_own", "", 0, TOPIC_OTHERS },
	/* clang-format on */
};

static void test_topics(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(topic_rows); i++) {
		struct metric metric = { .name = topic_rows[i].name,
					 .topic = topic_of(topic_rows[i].name, topic_rows[i].groups),
					 .level = topic_rows[i].level };

		row_expect_text(&rows, metric.name, topic_name(metric_topic(&metric)), topic_name(topic_rows[i].topic));
	}
	rows_end(&rows);
}

static void check_model(struct rows *rows, const char *file)
{
	struct loaded loaded;
	char path[64];

	snprintf(path, sizeof(path), "%.*s", (int)(strlen(file) - strlen(".json")), file);
	loaded_shipped(&loaded, path, true);
	for (size_t i = 0; i < loaded.model.count; i++) {
		const struct metric *metric = &loaded.model.metrics[i];

		row_expect(rows, metric->name, metric_topic(metric) != TOPIC_OTHERS, "has no topic");
		row_expect(rows, metric->name, (metric_topic(metric) == TOPIC_TREE) == (i < loaded.model.nnodes),
			   "only nodes are of the tree");
	}
	loaded_release(&loaded);
}

static void test_shipped(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct error err = { .text = "" };
	struct arena arena;
	const char **files;
	size_t count, models = 0;

	arena_init(&arena);
	files = directory_list("models", ".json", &count, &arena, &err);
	assert_non_null(files);
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(files[i], "glossary", strlen("glossary")) || !strcmp(files[i], "common.json") ||
		    !strcmp(files[i], "assessment.json") || !strcmp(files[i], "roofline.json"))
			continue;
		check_model(&rows, files[i]);
		models++;
	}
	assert_true(models > 40);
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_topics),
		cmocka_unit_test(test_shipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
