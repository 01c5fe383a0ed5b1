/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_test.c - from the words of --nodes, --groups and --metrics to metrics, or to the sentence that says why not. */
#include "model_fixture.h"

#include "common/base/text.h"
#include "cpu/load/glossary.h"
#include "cpu/load/select.h"

/*
 * The small CPU's tree (fixtures/small): Frontend_Bound > Wide; Bad_Speculation; Retiring > Light > Apart;
 * Backend_Bound > Memory_Bound > DRAM_Bound, L1_Bound; Backend_Bound > Core_Bound; and two metrics.
 */
#define LEVEL_1 "Frontend_Bound Bad_Speculation Retiring Backend_Bound"
#define LEVEL_2 "Wide Light Memory_Bound Core_Bound"
#define LEVEL_3 "Apart DRAM_Bound L1_Bound"
#define METRICS "Info_Seconds Info_Rate"

static const struct select_row {
	struct select_request request;
	const char *titles; /* in the order of the plan */
	unsigned level;
} selection_rows[] = {
	/* clang-format off */
	/* by level */
	{ { .level = 0 }, LEVEL_1, 1 },
	{ { .level = 2 }, LEVEL_1 " " LEVEL_2, 2 },
	{ { .level = 9 }, LEVEL_1 " " LEVEL_2 " " LEVEL_3, 3 },
	/* names: title, with tma_, dotted, a part of the path, in any case, with blanks */
	{ { .nodes = "DRAM_Bound" }, "DRAM_Bound", 3 },
	{ { .nodes = "tma_dram_bound" }, "DRAM_Bound", 3 },
	{ { .nodes = "dram_bound" }, "DRAM_Bound", 3 },
	{ { .nodes = "Backend_Bound.Memory_Bound.DRAM_Bound" }, "DRAM_Bound", 3 },
	{ { .nodes = "memory_bound.dram_bound" }, "DRAM_Bound", 3 },
	{ { .nodes = "tma_memory_bound.DRAM_BOUND" }, "DRAM_Bound", 3 },
	{ { .nodes = " Wide , Apart" }, "Wide Apart", 3 },
	/* upper levels first, whatever was said first */
	{ { .nodes = "L1_Bound,Core_Bound,Frontend_Bound" }, "Frontend_Bound Core_Bound L1_Bound", 3 },
	{ { .nodes = "Wide,Wide,wide" }, "Wide", 2 },
	/* globs: * goes over dots, so that X* has all that is below X */
	{ { .nodes = "Memory_Bound*" }, "Memory_Bound DRAM_Bound L1_Bound", 3 },
	{ { .nodes = "Backend_Bound.*" }, "Memory_Bound Core_Bound DRAM_Bound L1_Bound", 3 },
	{ { .nodes = "Backend_Bound.*.*" }, "DRAM_Bound L1_Bound", 3 },
	{ { .nodes = "L?_Bound" }, "L1_Bound", 3 },
	{ { .nodes = "[LD]*_bound" }, "DRAM_Bound L1_Bound", 3 },
	{ { .nodes = "tma_*_bound" }, "Frontend_Bound Backend_Bound Memory_Bound Core_Bound DRAM_Bound L1_Bound", 3 },
	/* ^: what is above; /N: what is below, down to level N; both */
	{ { .nodes = "Memory_Bound^" }, "Backend_Bound Memory_Bound", 2 },
	{ { .nodes = "Apart^" }, "Retiring Light Apart", 3 },
	{ { .nodes = "DRAM_Bound^,Wide^" }, "Frontend_Bound Backend_Bound Wide Memory_Bound DRAM_Bound", 3 },
	{ { .nodes = "Backend_Bound/2" }, "Backend_Bound Memory_Bound Core_Bound", 2 },
	{ { .nodes = "Backend_Bound*/2" }, "Backend_Bound Memory_Bound Core_Bound", 2 },
	{ { .nodes = "Retiring/9" }, "Retiring Light Apart", 3 },
	{ { .nodes = "Memory_Bound^/3" }, "Backend_Bound Memory_Bound DRAM_Bound L1_Bound", 3 },
	{ { .nodes = "Memory_Bound/3^" }, "Backend_Bound Memory_Bound DRAM_Bound L1_Bound", 3 },
	/* a level stops globs, and nothing that is named */
	{ { .nodes = "Backend_Bound*", .level = 2 }, "Backend_Bound Memory_Bound Core_Bound", 2 },
	{ { .nodes = "DRAM_Bound", .level = 1 }, "DRAM_Bound", 3 },
	{ { .nodes = "Backend_Bound*/3", .level = 1 }, "Backend_Bound Memory_Bound Core_Bound DRAM_Bound L1_Bound", 3 },
	/* taking away: with all that is below, in the order of the items */
	{ { .nodes = "Backend_Bound*,!Memory_Bound" }, "Backend_Bound Core_Bound", 2 },
	{ { .nodes = "Backend_Bound*,-Memory_Bound" }, "Backend_Bound Core_Bound", 2 },
	{ { .nodes = "Backend_Bound*,!Memory_Bound,L1_Bound" }, "Backend_Bound Core_Bound L1_Bound", 3 },
	{ { .nodes = "L1_Bound,!L1_Bound,L1_Bound" }, "L1_Bound", 3 },
	{ { .nodes = "Backend_Bound*,!Memory_Bound.*" }, "Backend_Bound Memory_Bound Core_Bound", 2 },
	{ { .nodes = "Memory_Bound^,!Core_Bound,DRAM_Bound*" }, "Backend_Bound Memory_Bound DRAM_Bound", 3 },
	/* a first item that takes away or adds begins with the level */
	{ { .nodes = "!Retiring" }, "Frontend_Bound Bad_Speculation Backend_Bound", 1 },
	{ { .nodes = "!Retiring,-Frontend_Bound", .level = 2 }, "Bad_Speculation Backend_Bound Memory_Bound Core_Bound", 2 },
	{ { .nodes = "+DRAM_Bound" }, LEVEL_1 " DRAM_Bound", 3 },
	{ { .nodes = "+DRAM_Bound,+Wide,!Frontend_Bound", .level = 1 }, "Bad_Speculation Retiring Backend_Bound DRAM_Bound", 3 },
	{ { .nodes = "Wide,+DRAM_Bound" }, "Wide DRAM_Bound", 3 },
	/* toplev's way to say: nothing but these */
	{ { .nodes = "!+Memory_Bound*/3,+Wide" }, "Wide Memory_Bound DRAM_Bound L1_Bound", 3 },
	/* a ^ before a name takes away, as toplev's */
	{ { .nodes = "Backend_Bound*,^Memory_Bound" }, "Backend_Bound Core_Bound", 2 },
	{ { .nodes = "^Retiring" }, "Frontend_Bound Bad_Speculation Backend_Bound", 1 },
	{ { .metrics = "^rate" }, "Info_Seconds", 0 },
	/* what no node is called may be a metric */
	{ { .nodes = "Wide,Info_Rate" }, "Wide Info_Rate", 2 },
	{ { .nodes = "rate" }, "Info_Rate", 0 },
	{ { .nodes = "!+Memory_Bound*/3,S*s" }, "Memory_Bound DRAM_Bound L1_Bound Info_Seconds", 3 },
	{ { .nodes = "+rate" }, LEVEL_1 " Info_Rate", 1 },
	{ { .nodes = "Wide,rate,!rate" }, "Wide", 2 },
	/* metrics: names of metrics and nodes, the last part of an Info metric's name, globs of metrics */
	{ { .metrics = "Info_Rate" }, "Info_Rate", 0 },
	{ { .metrics = "tma_info_rate" }, "Info_Rate", 0 },
	{ { .metrics = "rate" }, "Info_Rate", 0 },
	{ { .metrics = "S*s" }, "Info_Seconds", 0 },
	{ { .metrics = "*" }, METRICS, 0 },
	{ { .metrics = "rate,Core_Bound" }, "Core_Bound Info_Rate", 2 },
	{ { .metrics = "!rate" }, "Info_Seconds", 0 },
	{ { .metrics = "+Wide" }, "Wide " METRICS, 2 },
	{ { .metrics = "rate", .level = 1 }, LEVEL_1 " Info_Rate", 1 },
	/* groups: all members, nodes too */
	{ { .groups = "TopdownL1" }, LEVEL_1, 1 },
	{ { .groups = "topdownl[13]" }, LEVEL_1 " " LEVEL_3, 3 },
	{ { .groups = "tma_memory_bound_group" }, "DRAM_Bound L1_Bound", 3 },
	/* together: nodes, then groups, then metrics */
	{ { .nodes = "Wide", .groups = "TopdownL3", .metrics = "rate" }, "Wide " LEVEL_3 " Info_Rate", 3 },
	{ { .nodes = "Wide", .groups = "TopdownL3", .metrics = "!Apart" }, "Wide DRAM_Bound L1_Bound", 3 },
	{ { .nodes = "Memory_Bound*", .groups = "!TopdownL3" }, "Memory_Bound", 2 },
	/* clang-format on */
};

static const char *request_text(const struct select_request *request, struct arena *arena)
{
	return arena_printf(arena, "-l%u --nodes %s --groups %s --metrics %s", request->level,
			    request->nodes ? request->nodes : "-", request->groups ? request->groups : "-",
			    request->metrics ? request->metrics : "-");
}

static const char *titles_of(const struct selection *selection, const struct model *model, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < selection->count; i++)
		string_printf(&text, "%s%s", i ? " " : "", model->metrics[selection->items[i]].title);
	return text.text;
}

static void load_small(struct loaded *loaded)
{
	loaded_init(loaded, &(struct loaded_request){ .events = "tests/unit/fixtures/small/events.json",
						      .model = "tests/unit/fixtures/small/model.json" });
}

static void test_selections(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct loaded loaded;

	load_small(&loaded);
	for (size_t i = 0; i < COUNT_OF(selection_rows); i++) {
		const char *row = request_text(&selection_rows[i].request, &loaded.arena);
		struct error err = { .text = "" };
		struct selection selection;

		if (select_metrics(&selection, &loaded.model, &selection_rows[i].request, &loaded.arena, &err) < 0) {
			row_expect_text(&rows, row, err.text, selection_rows[i].titles);
			continue;
		}
		row_expect_text(&rows, row, titles_of(&selection, &loaded.model, &loaded.arena),
				selection_rows[i].titles);
		row_expect_number(&rows, row, selection.level, selection_rows[i].level);
		for (size_t k = 0; k < selection.count; k++)
			row_expect(&rows, row, selection.has[selection.items[k]], "has is what items are");
	}
	loaded_release(&loaded);
	rows_end(&rows);
}

/* What a report shows whatever it comes to. */
static const struct {
	const char *nodes, *named;
} named_rows[] = {
	{ "DRAM_Bound^", "Backend_Bound Memory_Bound DRAM_Bound" },
	{ "DRAM_Bound*", "" },
	{ "Backend_Bound/3", "Backend_Bound" },
	{ "+L1_Bound,!Retiring", "L1_Bound" },
	{ "!Retiring", "" },
};

static void test_named(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct loaded loaded;

	load_small(&loaded);
	for (size_t i = 0; i < COUNT_OF(named_rows); i++) {
		struct select_request request = { .nodes = named_rows[i].nodes };
		struct string text = STRING_INIT(&loaded.arena);
		struct selection selection;

		if (select_metrics(&selection, &loaded.model, &request, &loaded.arena, &loaded.err) < 0)
			fail_msg("%s", loaded.err.text);
		for (size_t k = 0; k < selection.count; k++)
			if (selection.is_named[selection.items[k]])
				string_printf(&text, "%s%s", text.length ? " " : "",
					      loaded.model.metrics[selection.items[k]].title);
		row_expect_text(&rows, named_rows[i].nodes, text.text, named_rows[i].named);
	}
	loaded_release(&loaded);
	rows_end(&rows);
}

static const struct {
	struct select_request request;
	const char *error;
} wrong_rows[] = {
	/* clang-format off */
	{ { .nodes = "DRAM_Bond" }, "small has no node 'DRAM_Bond': did you mean DRAM_Bound, L1_Bound or Core_Bound?" },
	{ { .nodes = "Wide,quite_something_else" },
	  "small has no node 'quite_something_else'; `topdown list nodes --cpu small` names them all" },
	{ { .nodes = "Memory_Bound.L2*" }, "small has no node 'Memory_Bound.L2*': did you mean Memory_Bound or Core_Bound?" },
	{ { .nodes = "" }, "--nodes: which? Names or globs, separated by commas" },
	{ { .nodes = " , " }, "--nodes: which? Names or globs, separated by commas" },
	{ { .metrics = "" }, "--metrics: which? Names or globs, separated by commas" },
	{ { .nodes = "Wide,!" }, "small has no node ''; `topdown list nodes --cpu small` names them all" },
	{ { .nodes = "DRAM_Bound/2" }, "--nodes: all nodes of 'DRAM_Bound/2' are deeper than level 2" },
	{ { .nodes = "Memory_Bound.*", .level = 2 }, "--nodes: all nodes of 'Memory_Bound.*' are deeper than level 2" },
	{ { .nodes = "Backend_Bound*,!Memory_Bound^" },
	  "--nodes: '!Memory_Bound^' would take away what is above Memory_Bound, with all that is below it: leave out "
	  "the ^" },
	{ { .nodes = "^Memory_Bound^" },
	  "--nodes: '^Memory_Bound^' would take away what is above Memory_Bound, with all that is below it: leave out "
	  "the ^" },
	{ { .nodes = "Wide,!Wide" }, "nothing is left of the selection" },
	{ { .metrics = "Info_Rte" }, "small has no metric 'Info_Rte': did you mean Info_Rate?" },
	{ { .metrics = "econd" }, "small has no metric 'econd', but 1 with that in the name: '*econd*' selects it" },
	{ { .metrics = "info" }, "small has no metric 'info', but 2 with that in the name: '*info*' selects them" },
	{ { .metrics = "TopdownL2" }, "'TopdownL2' is a group of nodes of small, not a metric: --groups takes it" },
	{ { .groups = "TopdownL4" }, "small has no group of metrics 'TopdownL4': did you mean TopdownL1, TopdownL2 or TopdownL3?" },
	/* clang-format on */
};

static void test_wrong(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct loaded loaded;

	load_small(&loaded);
	for (size_t i = 0; i < COUNT_OF(wrong_rows); i++) {
		const char *row = request_text(&wrong_rows[i].request, &loaded.arena);
		struct error err = { .text = "" };
		struct selection selection;
		int result = select_metrics(&selection, &loaded.model, &wrong_rows[i].request, &loaded.arena, &err);

		row_expect(&rows, row, result < 0, "is refused");
		row_expect_text(&rows, row, err.text, wrong_rows[i].error);
	}
	loaded_release(&loaded);
	rows_end(&rows);
}

/* Shipped CPUs, with the names that other versions of the method have for their nodes. */
static const struct {
	const char *cpu;
	struct select_request request;
	const char *titles;
} shipped_rows[] = {
	/* clang-format off */
	{ "sapphirerapids", { .nodes = "DRAM_Bound" }, "L3_Miss_Bound" },
	{ "sapphirerapids", { .nodes = "DRAM_Bound^" }, "Backend_Bound Memory_Bound L3_Miss_Bound" },
	{ "sapphirerapids", { .nodes = "DRAM_Bound*/4" }, "L3_Miss_Bound MEM_Bandwidth MEM_Latency" },
	{ "sapphirerapids", { .nodes = "dram_bound.mem_l*/4" }, "MEM_Latency" },
	{ "sapphirerapids", { .metrics = "IPC,l2mpki" }, "Info_Thread_IPC Info_Memory_L2MPKI" },
	{ "sapphirerapids", { .groups = "tma_issueSpSt" }, "Split_Stores" },
	{ "cascadelakex", { .nodes = "L3_Miss_Bound^" }, "Backend_Bound Memory_Bound DRAM_Bound" },
	{ "amdzen4", { .nodes = "Backend_Bound*" }, "Backend_Bound Backend_Memory Backend_CPU" },
	{ "amdzen4", { .groups = "branch_prediction" }, "Branch_Misprediction_Ratio" },
	{ "neoverse-v1", { .metrics = "Branch_MPKI, SVE_Operations_Percentage" },
	  "Branch_MPKI SVE_Operations_Percentage" },
	{ "neoverse-v1", { .metrics = "branch_effectiveness,ipc" },
	  "Instructions_Per_Cycle Branch_MPKI Branch_Misprediction_Ratio" },
	/* a name comes before a group of that name */
	{ "sapphirerapids", { .metrics = "DSB" }, "DSB" },
	{ "neoverse-v1", { .groups = "branch_*" }, "Branch_MPKI Branch_Misprediction_Ratio" },
	/* clang-format on */
};

static void test_shipped(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(shipped_rows); i++) {
		struct error err = { .text = "" };
		struct selection selection;
		struct loaded loaded;
		const char *row;

		loaded_shipped(&loaded, shipped_rows[i].cpu, true);
		row = request_text(&shipped_rows[i].request, &loaded.arena);
		if (model_add_names(&loaded.model, "models/glossary.json", &loaded.arena, &err) < 0 ||
		    select_metrics(&selection, &loaded.model, &shipped_rows[i].request, &loaded.arena, &err) < 0)
			row_expect_text(&rows, row, err.text, "");
		else
			row_expect_text(&rows, row, titles_of(&selection, &loaded.model, &loaded.arena),
					shipped_rows[i].titles);
		loaded_release(&loaded);
	}
	rows_end(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selections),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_shipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
