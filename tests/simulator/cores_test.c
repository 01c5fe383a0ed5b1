/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cores_test.c - the simulator takes each core of events/sim, also as --what-if changes it; CPU strings get the core of
 * their family.
 */
#include <string.h>

#include "collect/simulate/sim_core.h"
#include "collect/simulate/what_if.h"
#include "common/base/macros.h"
#include "rows.h"
#include "simulator/model/parameters.h"

/* The CPU strings are those of events/mapfile.csv: "x86 vendor-family-model-stepping", arm64 MIDRs. */
static const struct {
	const char *cpuid, *core;
} match_rows[] = {
	{ "GenuineIntel-6-5E-3", "skylake-client" }, { "GenuineIntel-6-9E-9", "skylake-client" },
	{ "GenuineIntel-6-A5-2", "skylake-client" }, { "GenuineIntel-6-55-4", "skylake" },
	{ "GenuineIntel-6-55-7", "skylake" },	     { "GenuineIntel-6-6A-6", "icelake" },
	{ "GenuineIntel-6-7E-5", "icelake" },	     { "GenuineIntel-6-8C-1", "icelake" },
	{ "GenuineIntel-6-A7-1", "icelake" },	     { "GenuineIntel-6-8F-8", "golden-cove" },
	{ "GenuineIntel-6-CF-2", "golden-cove" },    { "GenuineIntel-6-AD-1", "redwood-cove" },
	{ "GenuineIntel-18-1-0", "golden-cove" },    { "GenuineIntel-6-3F-2", "skylake" },
	{ "AuthenticAMD-23-31-0", "zen3" },	     { "AuthenticAMD-25-1-1", "zen3" },
	{ "AuthenticAMD-25-21-0", "zen3" },	     { "AuthenticAMD-25-50-0", "zen3" },
	{ "AuthenticAMD-25-11-1", "zen4" },	     { "AuthenticAMD-25-61-2", "zen4" },
	{ "AuthenticAMD-25-A0-2", "zen4" },	     { "AuthenticAMD-26-2-1", "zen5" },
	{ "AuthenticAMD-26-44-0", "zen5" },	     { "0x00000000410fd0c0", "neoverse-n1" },
	{ "0x00000000413fd0c1", "neoverse-n1" },     { "0x00000000410fd490", "neoverse-n2" },
	{ "0x000000006d0fd493", "neoverse-n2" },     { "0x00000000410fd400", "neoverse-v1" },
	{ "0x00000000411fd401", "neoverse-v1" },     { "0x00000000410fd4f0", "neoverse-v2" },
	{ "0x00000000410fd840", "neoverse-v2" },     { "0x00000000c00fac30", "neoverse-v1" },
};

static void open_database(struct database *database, struct arena *arena)
{
	struct error err = { .text = "" };

	arena_init(arena);
	assert_int_equal(database_open(database, NULL, arena, &err), 0);
}

static void test_match(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct database database;
	struct arena arena;

	open_database(&database, &arena);
	for (size_t i = 0; i < COUNT_OF(match_rows); i++) {
		struct error err = { .text = "" };

		row_expect_text(&rows, match_rows[i].cpuid,
				sim_core_match(&database, match_rows[i].cpuid, &arena, &err), match_rows[i].core);
	}
	arena_release(&arena);
	rows_end(&rows);
}

static void test_parameters(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct database database;
	struct arena arena;
	const char **names;
	size_t count;

	open_database(&database, &arena);
	names = sim_core_names(&database, &count, &arena);
	assert_true(count >= 12);
	for (size_t i = 0; i < count; i++) {
		struct error err = { .text = "" };
		struct parameters parameters;
		struct sim_core core;
		const char *text;

		if (sim_core_load(&core, &database, names[i], &arena, &err) < 0) {
			row_expect(&rows, names[i], false, err.text);
			continue;
		}
		text = strchr(sim_core_text(&core, &arena), '\n') + 1; /* behind the version */
		row_expect_text(&rows, names[i], parameters_read(&parameters, text), NULL);
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* Of the ranges of sizes and latencies the ends, and each word alone. */
#define EVERYTHING                                                                                                     \
	"branches,targets,icache,itlb,microcode,decode,uop-cache,fetch,l1-latency,dtlb,l1,l2,l3,dram,bandwidth,"       \
	"sharing,stores,memory,divider,fences,ports,dependencies,core,backend,window"
#define ENDS                                                                                                           \
	"l1=1K,l1=4M,l2=half,l2=1G,l3=1k,l3=1024MiB,dram=1,dram=2000,dram=double,l1=double,fetch+backend+window+l2=2M"

static const char *const lists[] = { EVERYTHING, ENDS };

static void test_changed(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct database database;
	struct arena arena;
	const char **names;
	size_t count;

	open_database(&database, &arena);
	names = sim_core_names(&database, &count, &arena);
	for (size_t i = 0; i < count * COUNT_OF(lists); i++) {
		struct error err = { .text = "" };
		struct sim_trials *trials = arena_alloc(&arena, sizeof(*trials));
		struct parameters parameters;
		struct sim_core core;

		assert_int_equal(sim_core_load(&core, &database, names[i / 2], &arena, &err), 0);
		assert_int_equal(what_if_parse(trials, lists[i % 2], &core, &arena, &err), 0);
		for (size_t k = 0; k < trials->count; k++) {
			const char *text = strchr(sim_core_text(&trials->items[k].core, &arena), '\n') + 1;

			row_expect_text(&rows, trials->items[k].name, parameters_read(&parameters, text), NULL);
		}
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* Slots that were lost have a cause that a core can be without; those that retired have none. */
static void test_nodes(void **state UNUSED)
{
	static const struct {
		const char *node, *word;
	} nodes[] = {
		{ "tma_frontend_bound", "fetch" },
		{ "tma_icache_misses", "icache" },
		{ "tma_itlb_misses", "itlb" },
		{ "tma_mispredicts_resteers", "branches" },
		{ "tma_unknown_branches", "targets" },
		{ "tma_ms_switches", "microcode" },
		{ "tma_mite", "decode" },
		{ "tma_dsb", "uop-cache" },
		{ "tma_branch_mispredicts", "branches" },
		{ "tma_backend_bound", "backend" },
		{ "tma_l1_bound", "l1-latency" },
		{ "tma_dtlb_load", "dtlb" },
		{ "tma_l2_bound", "l1" },
		{ "tma_l3_bound", "l2" },
		{ "tma_contested_accesses", "sharing" },
		{ "tma_data_sharing", "sharing" },
		{ "tma_dram_bound", "dram" },
		{ "tma_store_bound", "stores" },
		{ "tma_false_sharing", "sharing" },
		{ "tma_divider", "divider" },
		{ "tma_serializing_operation", "fences" },
		{ "tma_ports_utilization", "ports" },
		{ "dependency_chains", "dependencies" },
		{ "tma_retiring", NULL },
		{ "tma_light_operations", NULL },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		row_expect_text(&rows, nodes[i].node, what_if_of_node(nodes[i].node), nodes[i].word);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_match), cmocka_unit_test(test_parameters),
					    cmocka_unit_test(test_changed), cmocka_unit_test(test_nodes) };

	return cmocka_run_group_tests_name("simulator.cores", tests, NULL, NULL);
}
