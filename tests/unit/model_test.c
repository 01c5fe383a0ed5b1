/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_test.c - made-up models: the tree, names, units, locating events, events asked for, upstream directories. */
#include "cpu/load/glossary.h"
#include "model_world.h"

/* Parents behind children, siblings apart, a metric in between, and a parent two levels above. */
static const char tree[] =
	"{'MetricName':'tma_l2_b','MetricExpr':'INST / "
	"CYC','MetricGroup':'Slots;TopdownL3;tma_L3_group;tma_memory_group'},\n"
	"{'MetricName':'tma_backend','MetricExpr':'STALL.A / "
	"CYC','MetricGroup':'TopdownL1;tma_L1_group','ScaleUnit':'100%',"
	"'MetricThreshold':'tma_backend > 0.2'},\n"
	"{'MetricName':'tma_info_ipc','MetricExpr':'INST / tma_info_clks','MetricGroup':'Ret;Summary'},\n"
	"{'MetricName':'tma_core','MetricExpr':'tma_backend - "
	"tma_memory','MetricGroup':'TopdownL2;tma_backend_group'},\n"
	"{'MetricName':'tma_memory','MetricExpr':'STALL.B / "
	"tma_info_clks','MetricGroup':'TopdownL2;tma_backend_group','Title':'Mem'},\n"
	"{'MetricName':'tma_retiring','MetricExpr':'INST / 4 / CYC','MetricGroup':'TopdownL1'},\n"
	"{'MetricName':'tma_l2_a','MetricExpr':'1','MetricGroup':'TopdownL3;tma_memory_group'},\n"
	"{'MetricName':'tma_deep','MetricExpr':'2','MetricGroup':'TopdownL6;tma_memory_group','CountDomain':'Stalls'},"
	"\n"
	"{'MetricName':'tma_info_clks','MetricExpr':'CYC'}\n";

static const struct {
	const char *name, *title, *path, *parent;
	unsigned level;
	const char *events;
} tree_rows[] = {
	/* clang-format off */
	{ "tma_backend",   "Backend",   "Backend",            NULL,          1, "CYC STALL.A" },
	{ "tma_core",      "Core",      "Backend.Core",       "tma_backend", 2, "CYC STALL.A STALL.B" },
	{ "tma_memory",    "Mem",       "Backend.Mem",        "tma_backend", 2, "CYC STALL.B" },
	{ "tma_l2_b",      "L2_B",      "Backend.Mem.L2_B",   "tma_memory",  3, "CYC INST" },
	{ "tma_l2_a",      "L2_A",      "Backend.Mem.L2_A",   "tma_memory",  3, "" },
	{ "tma_deep",      "Deep",      "Backend.Mem.Deep",   "tma_memory",  6, "" },
	{ "tma_retiring",  "Retiring",  "Retiring",           NULL,          1, "CYC INST" },
	{ "tma_info_ipc",  "Info_Ipc",  "Info_Ipc",           NULL,          0, "CYC INST" },
	{ "tma_info_clks", "Info_Clks", "Info_Clks",          NULL,          0, "CYC" },
	/* clang-format on */
};

static void test_tree(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	load_well(&w, tree);
	assert_int_equal(w.model.count, COUNT_OF(tree_rows));
	assert_int_equal(w.model.nnodes, 7);
	assert_int_equal(w.model.levels, 6);
	assert_int_equal(w.model.nwarnings, 0);
	assert_string_equal(w.model.version, "3");
	assert_string_equal(w.model.tma_version, "5.2");
	assert_true(w.model.facts.slots == 6);
	for (size_t i = 0; i < COUNT_OF(tree_rows); i++) {
		const struct metric *metric = &w.model.metrics[i];
		const char *parent = metric->parent == NO_PARENT ? NULL : w.model.metrics[metric->parent].name;

		row_expect_text(&rows, tree_rows[i].name, metric->name, tree_rows[i].name);
		row_expect_text(&rows, tree_rows[i].name, metric->title, tree_rows[i].title);
		row_expect_text(&rows, tree_rows[i].name, metric->path, tree_rows[i].path);
		row_expect_text(&rows, tree_rows[i].name, parent, tree_rows[i].parent);
		row_expect_text(&rows, tree_rows[i].name, events_text_of(&w, metric), tree_rows[i].events);
		row_expect_text(&rows, tree_rows[i].name, metric->failure, NULL);
		row_expect(&rows, tree_rows[i].name, metric->level == tree_rows[i].level, "level");
		row_expect(&rows, tree_rows[i].name, metric->has_threshold == !i, "threshold");
	}
	assert_string_equal(w.model.metrics[5].domain, "Stalls");
	assert_int_equal(w.model.roles[ROLE_CYCLES], event_set_find(&w.model.events, "CYC"));
	assert_true(w.model.roles[ROLE_SLOTS] == TABLE_NONE);
	world_release(&w);
	rows_end(&rows);
}

static const struct {
	const char *typed, *name; /* NULL: none */
} find_rows[] = {
	/* clang-format off */
	{ "tma_memory",      "tma_memory" },
	{ "TMA_MEMORY",      "tma_memory" },
	{ "memory",          "tma_memory" },
	{ "mem",             "tma_memory" },
	{ "Mem",             "tma_memory" },
	{ "backend.mem",     "tma_memory" },
	{ "Backend.Mem.L2_A", "tma_l2_a" },
	{ "l2_a",            "tma_l2_a" },
	{ "info_ipc",        "tma_info_ipc" },
	{ "Backend.Memory",  NULL },
	{ "Mem.L2_A",        NULL },
	{ "",                NULL },
	{ "tma_",            NULL },
	/* clang-format on */
};

static void test_find(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	load_well(&w, tree);
	for (size_t i = 0; i < COUNT_OF(find_rows); i++) {
		size_t found = model_find(&w.model, find_rows[i].typed);

		row_expect_text(&rows, find_rows[i].typed, found == TABLE_NONE ? NULL : w.model.metrics[found].name,
				find_rows[i].name);
	}
	load_well(&w,
		  "{'MetricName':'a','Title':'b','MetricExpr':'1'},{'MetricName':'b','Title':'a','MetricExpr':'2'}");
	row_expect_text(&rows, "a name before a title", w.model.metrics[model_find(&w.model, "b")].name, "b");
	world_release(&w);
	rows_end(&rows);
}

/* A name that a metric has itself stays its own: tma_core in the list of tma_deep. */
static const char glossary[] = "{\"Header\":{\"SameNode\":[[\"tma_core\",\"tma_execution\"],"
			       "[\"tma_older\",\"tma_memory\",\"tma_newer\"],[\"tma_deep\",\"tma_core\",\"x_deeper\"],"
			       "[\"tma_nowhere\",\"tma_gone\"],7,[8,\"tma_l2_a\",\"tma_l2_hits\"],[]]},"
			       "\"tma_core\":{\"means\":\"\"}}";

static const struct {
	const char *typed, *name; /* NULL: none */
} other_name_rows[] = {
	/* clang-format off */
	{ "tma_core",          "tma_core" },
	{ "tma_execution",     "tma_core" },
	{ "Execution",         "tma_core" },
	{ "backend.execution", "tma_core" },
	{ "tma_memory",        "tma_memory" },
	{ "tma_older",         "tma_memory" },
	{ "NEWER",             "tma_memory" },
	{ "x_deeper",          "tma_deep" },
	{ "deeper",            NULL },
	{ "tma_nowhere",       NULL },
	{ "gone",              NULL },
	{ "l2_hits",           "tma_l2_a" },
	/* clang-format on */
};

static void test_other_names(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	load_well(&w, tree);
	scratch_write(&w.scratch, "glossary.json", glossary, w.path);
	assert_int_equal(model_add_names(&w.model, w.path, &w.arena, &w.err), 0);
	for (size_t i = 0; i < COUNT_OF(other_name_rows); i++) {
		size_t found = model_find(&w.model, other_name_rows[i].typed);

		row_expect_text(&rows, other_name_rows[i].typed,
				found == TABLE_NONE ? NULL : w.model.metrics[found].name, other_name_rows[i].name);
	}
	row_expect_text(&rows, "also called", w.model.metrics[model_find(&w.model, "tma_memory")].also_called,
			"tma_older;tma_newer");
	row_expect_text(&rows, "no other name", w.model.metrics[model_find(&w.model, "tma_l2_b")].also_called, NULL);
	scratch_write(&w.scratch, "glossary.json", "{\"Header\":{\"SameNode\"", w.path);
	assert_int_equal(model_add_names(&w.model, w.path, &w.arena, &w.err), -1);
	scratch_write(&w.scratch, "glossary.json", "{}", w.path);
	w.err = (struct error){ .text = "" };
	assert_int_equal(model_add_names(&w.model, w.path, &w.arena, &w.err), 0);
	world_release(&w);
	rows_end(&rows);
}

/* A node without a parent in the tree is shown as a metric, and so are its children. */
static void test_orphans(void **state UNUSED)
{
	static const char text[] = "{'MetricName':'child','MetricExpr':'1','MetricGroup':'TopdownL3;lost_group'},\n"
				   "{'MetricName':'lost','MetricExpr':'1','MetricGroup':'TopdownL2;gone_group'},\n"
				   "{'MetricName':'upside','MetricExpr':'1','MetricGroup':'TopdownL2;child_group'},\n"
				   "{'MetricName':'root','MetricExpr':'1','MetricGroup':'TopdownL1'},\n"
				   "{'MetricName':'good','MetricExpr':'1','MetricGroup':'TopdownL2;root_group'}\n";
	static const char *const names[] = { "root", "good", "child", "lost", "upside" };
	struct world w;

	world_init(&w);
	load_well(&w, text);
	assert_int_equal(w.model.nnodes, 2);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_string_equal(w.model.metrics[i].name, names[i]);
		assert_string_equal(w.model.metrics[i].path, i == 1 ? "Root.Good" : w.model.metrics[i].title);
		assert_true(i == 1 || w.model.metrics[i].parent == NO_PARENT);
		assert_int_equal(w.model.metrics[i].level, i < 2 ? i + 1 : 0);
	}
	assert_int_equal(w.model.nwarnings, 3);
	assert_string_equal(
		w.model.warnings[0],
		arena_printf(&w.arena,
			     "%s: node 'lost' of level 2 has no parent above it in the tree; shown as a metric",
			     w.path));
	assert_string_equal(
		w.model.warnings[1],
		arena_printf(&w.arena,
			     "%s: node 'upside' of level 2 has no parent above it in the tree; shown as a metric",
			     w.path));
	assert_string_equal(w.model.warnings[2],
			    arena_printf(&w.arena, "%s: the parent of node 'child' is not in the tree", w.path));
	world_release(&w);
}

static const struct {
	const char *scale_unit; /* NULL: none */
	double scale;
	const char *unit;
} unit_rows[] = {
	/* clang-format off */
	{ NULL,                  1,                "" },
	{ "100%",                100,              "%" },
	{ "1e2%",                100,              "%" },
	{ "100%slots",           100,              "%slots" },
	{ "1per_instr",          1,                "per_instr" },
	{ "1e3per_1k_instr",     1000,             "per_1k_instr" },
	{ "1MB/s",               1,                "MB/s" },
	{ "6.103515625e-5MiB",   0.00006103515625, "MiB" },
	{ "9.765625e-4KB",       0.0009765625,     "KB" },
	{ "64Bytes",             64,               "Bytes" },
	{ "1percent of slots",   1,                "percent of slots" },
	{ "100percent of cycles", 100,             "percent of cycles" },
	{ "4",                   4,                "" },
	{ "MPKI",                1,                "MPKI" },
	{ "1MPKI",               1,                "MPKI" },
	{ "1",                   1,                "" },
	/* clang-format on */
};

static void test_units(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(unit_rows); i++) {
		const char *unit = unit_rows[i].scale_unit;

		load_well(&w, arena_printf(&w.arena, "{'MetricName':'m','MetricExpr':'1'%s%s%s}",
					   unit ? ",'ScaleUnit':'" : "", unit ? unit : "", unit ? "'" : ""));
		row_expect_number(&rows, unit ? unit : "none", w.model.metrics[0].scale, unit_rows[i].scale);
		row_expect_text(&rows, unit ? unit : "none", w.model.metrics[0].unit, unit_rows[i].unit);
	}
	world_release(&w);
	rows_end(&rows);
}

static const struct {
	const char *members, *samples;
} sample_rows[] = {
	/* clang-format off */
	{ "",                                                        "" },
	{ ",'LocateWith':'A.B;C.D'",                                 "A.B C.D" },
	{ ",'LocateWith':' A.B ; C.D ;'",                            "A.B C.D" },
	{ ",'LocateWith':'A.B_PS, C.D'",                             "A.B C.D" },
	{ ",'LocateWith':''",                                        "" },
	{ ",'PublicDescription':'Waits. Sample with: A.B_PS;C.D_PS. Related metrics: x'", "A.B C.D" },
	{ ",'PublicDescription':'Waits.  Sample with: A.B.'",        "A.B" },
	{ ",'PublicDescription':'Waits. Sample with: A.B'",          "A.B" },
	{ ",'PublicDescription':'Waits. Sample with: A.B, C.D. '",   "A.B C.D" },
	{ ",'PublicDescription':'Nothing to sample.'",               "" },
	{ ",'PublicDescription':'Sample with: X.Y.','LocateWith':'A.B'", "A.B" },
	/* clang-format on */
};

static void test_samples(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(sample_rows); i++) {
		struct string samples = STRING_INIT(&w.arena);

		load_well(&w, arena_printf(&w.arena, "{'MetricName':'m','MetricExpr':'1'%s}", sample_rows[i].members));
		for (size_t k = 0; k < w.model.metrics[0].nsamples; k++)
			string_printf(&samples, "%s%s", k ? " " : "", w.model.metrics[0].samples[k]);
		row_expect_text(&rows, sample_rows[i].members, samples.text, sample_rows[i].samples);
	}
	world_release(&w);
	rows_end(&rows);
}

/* The last of two metrics of a name counts, with its place in the tree. */
static void test_last_wins(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	load_well(&w, "{'MetricName':'m','MetricExpr':'INST'},{'MetricName':'m','MetricExpr':'CYC','MetricGroup':'"
		      "TopdownL1'}");
	assert_int_equal(w.model.count, 1);
	assert_int_equal(w.model.nnodes, 1);
	assert_string_equal(events_text_of(&w, &w.model.metrics[0]), "CYC");
	world_release(&w);
}

/* What the machine is decides which branch of a formula counts. */
static void test_facts(void **state UNUSED)
{
	static const char text[] = "{'MetricName':'m','MetricExpr':'STALL.A / 2 if #SMT_on else STALL.B'}";
	struct world w;

	world_init(&w);
	load_well(&w, text);
	assert_string_equal(events_text_of(&w, &w.model.metrics[0]), "STALL.A");
	w.facts.smt_on = 0;
	load_well(&w, text);
	assert_string_equal(events_text_of(&w, &w.model.metrics[0]), "STALL.B");
	w.facts.slots = 8;
	load_well(&w, text);
	assert_true(w.model.facts.slots == 8);
	world_release(&w);
}

/* -e: names separated by commas, which may stand inside an event too. */
static const struct {
	const char *list, *names, *error;
} asked_rows[] = {
	/* clang-format off */
	{ "INST",                                 "INST", "" },
	{ "INST,STALL.A:c1",                      "INST STALL.A:c1", "" },
	{ "cpu/STALL.A,cmask=1/,STALL.B",         "STALL.A:c1 STALL.B", "" },
	{ "cpu@STALL.A\\,cmask\\=1@,cpu/event=1/u", "STALL.A:c1 cpu/event=0x1/u", "" },
	{ "INST,NOPE",                            "INST", "unknown event 'NOPE'; `topdown list events` has all" },
	{ "INTS",                                 "", "unknown event 'INTS'; did you mean INST?" },
	{ "cpu/INTS,cmask=1/",                    "", "unknown event 'cpu/INTS,cmask=1/'; did you mean INST?" },
	{ "UNC.R,power/energy-pkg/",              "UNC.R power/energy-pkg/", "" },
	/* clang-format on */
};

static void test_asked(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(asked_rows); i++) {
		struct string names = STRING_INIT(&w.arena);

		w.target.events = asked_rows[i].list;
		row_expect(&rows, asked_rows[i].list, (load(&w, tree) < 0) == !!*asked_rows[i].error, "taken or not?");
		for (size_t k = 0; k < w.model.nasked; k++)
			string_printf(&names, "%s%s", k ? " " : "", w.model.events.events[w.model.asked[k]].name);
		row_expect_text(&rows, asked_rows[i].list, names.text, asked_rows[i].names);
		row_expect_text(&rows, asked_rows[i].list, w.err.text, asked_rows[i].error);
	}
	world_release(&w);
	rows_end(&rows);
}

/* A directory as Linux ships it: arrays of events and metrics side by side, no headers. */
static void test_upstream_directory(void **state UNUSED)
{
	struct event_database database;
	struct error err = { .text = "" };
	struct world w;

	world_init(&w);
	scratch_write(&w.scratch, "up/metricgroups.json", "{\"TopdownL1\":\"Metrics for level 1\"}", w.path);
	scratch_write(&w.scratch, "up/pipeline.json",
		      "[{\"EventName\":\"P.Q\",\"EventCode\":\"0x3c\",\"Counter\":\"0,1\"}]", w.path);
	scratch_write(&w.scratch, "up/counter.json",
		      "[{\"Unit\":\"core\",\"CountersNumFixed\":\"4\",\"CountersNumGeneric\":8}]", w.path);
	scratch_write(
		&w.scratch, "up/z-metrics.json",
		"[{\"MetricName\":\"tma_top\",\"MetricExpr\":\"P.Q / "
		"cpu_core@P.Q\\\\,cmask\\\\=0x2@\",\"MetricGroup\":\"TopdownL1;tma_L1_group\","
		"\"ScaleUnit\":\"100%\",\"Unit\":\"cpu_core\"},"
		"{\"MetricName\":\"tma_sub\",\"MetricExpr\":\"nope\",\"MetricGroup\":\"TopdownL2;tma_top_group\"}]",
		w.path);
	*strrchr(w.path, '/') = '\0';
	assert_int_equal(event_database_load(&database, w.path, &w.arena, &err), 0);
	w.target.database = &database;
	if (model_load(&w.model, w.path, &w.target, &w.arena, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(w.model.nnodes, 2);
	assert_string_equal(w.model.metrics[1].path, "Top.Sub");
	assert_string_equal(events_text_of(&w, &w.model.metrics[0]), "P.Q P.Q:c2");
	assert_int_equal(w.model.nwarnings, 1);
	assert_string_equal(
		w.model.warnings[0],
		arena_printf(&w.arena, "%s/z-metrics.json: metric 'tma_sub': column 1: unknown event 'nope'", w.path));
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_orphans),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_upstream_directory),
		cmocka_unit_test(test_other_names),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
