/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_test.c - made-up models: the tree, names, units, locating events, and what is told about bad ones. */
#include "rows.h"

#include "base/text.h"
#include "identify/machine.h"
#include "load/model.h"
#include "scratch.h"

static const char events_text[] =
	"{\"Header\":{\"Cpu\":\"madeup\",\"Vendor\":\"Intel\",\"Pmu\":\"cpu\",\"Slots\":6,\"Cycles\":\"CYC\","
	"\"Instructions\":\"INST\"},"
	"\"Events\":["
	"{\"EventName\":\"CYC\",\"EventCode\":\"0x3c\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"INST\",\"EventCode\":\"0xc0\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"STALL.A\",\"EventCode\":\"0xa3\",\"UMask\":\"1\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"STALL.B\",\"EventCode\":\"0xa3\",\"UMask\":\"2\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"UNC.R\",\"EventCode\":\"1\",\"Unit\":\"CHA\"}]}";

struct world {
	struct scratch scratch;
	struct arena arena;
	struct event_database database;
	struct facts facts;
	struct model_target target;
	struct model model;
	struct error err;
	char path[256];
};

static void world_init(struct world *w)
{
	*w = (struct world){ .facts = facts_assumed() };
	scratch_init(&w->scratch);
	arena_init(&w->arena);
	scratch_write(&w->scratch, "events.json", events_text, w->path);
	if (event_database_load(&w->database, w->path, &w->arena, &w->err) < 0)
		fail_msg("%s", w->err.text);
	w->target = (struct model_target){ .database = &w->database,
					   .pmu = pmu_assumed("cpu", "Intel", &w->arena),
					   .facts = &w->facts };
}

static void world_release(struct world *w)
{
	arena_release(&w->arena);
	scratch_release(&w->scratch);
}

/* Loads {"Metrics":[metrics]}; single quotes stand for double ones. */
static int load(struct world *w, const char *metrics)
{
	char *text = arena_printf(
		&w->arena, "{\"Header\":{\"Version\":\"3\",\"TmaVersion\":\"5.2\"},\"Metrics\":[\n%s]}", metrics);

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	scratch_write(&w->scratch, "model.json", text, w->path);
	w->err = (struct error){ .text = "" };
	return model_load(&w->model, w->path, &w->target, &w->arena, &w->err);
}

static void load_well(struct world *w, const char *metrics)
{
	if (load(w, metrics) < 0)
		fail_msg("%s", w->err.text);
}

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

static const char *events_text_of(struct world *w, const struct metric *metric)
{
	struct string text = STRING_INIT(&w->arena);

	for (size_t i = 0; i < metric->nevents; i++)
		string_printf(&text, "%s%s", i ? " " : "", w->model.events.events[metric->events[i]].name);
	return text.text;
}

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

/* One bad metric is disabled and told; the others stay. The warning is the text behind the path. */
static const struct {
	const char *row, *metrics, *failure, *warning; /* of metric tma_x */
} warning_rows[] = {
	/* clang-format off */
	{ "unknown event", "{'MetricName':'tma_x','MetricExpr':'1 + UOPS.FOO'}",
	  "column 5: unknown event 'UOPS.FOO'", ": metric 'tma_x': column 5: unknown event 'UOPS.FOO'" },
	{ "syntax", "{'MetricName':'tma_x','MetricExpr':'INST / (CYC'}",
	  "column 8: '(' is never closed", ": metric 'tma_x': column 8: '(' is never closed" },
	{ "unknown modifier", "{'MetricName':'tma_x','MetricExpr':'INST:zz'}",
	  "column 1: unknown modifier ':zz'", ": metric 'tma_x': column 1: unknown modifier ':zz'" },
	{ "unknown literal", "{'MetricName':'tma_x','MetricExpr':'2 * #target_cpu'}",
	  "column 5: unknown literal '#target_cpu'", ": metric 'tma_x': column 5: unknown literal '#target_cpu'" },
	{ "cycle", "{'MetricName':'tma_x','MetricExpr':'tma_x + 1'}",
	  "refers to itself: tma_x > tma_x", ": metric 'tma_x': refers to itself: tma_x > tma_x" },
	{ "uncore is no reason to warn", "{'MetricName':'tma_x','MetricExpr':'UNC.R / 2'}",
	  "column 1: needs uncore PMU 'CHA' for 'UNC.R'", NULL },
	{ "another PMU neither", "{'MetricName':'tma_x','MetricExpr':'cstate_core@c6\\\\-residency@'}",
	  "column 1: needs uncore PMU 'cstate_core' for 'c6-residency'", NULL },
	{ "bad threshold", "{'MetricName':'tma_x','MetricExpr':'INST','MetricThreshold':'tma_x > 1 & tma_y > 2'}",
	  NULL, ": metric 'tma_x': threshold: column 13: unknown metric 'tma_y'" },
	{ "threshold's syntax", "{'MetricName':'tma_x','MetricExpr':'INST','MetricThreshold':'tma_x >'}",
	  NULL, ": metric 'tma_x': threshold: column 8: expected a number, a name or '('" },
	{ "threshold on an event", "{'MetricName':'tma_x','MetricExpr':'INST','MetricThreshold':'INST > 1'}",
	  NULL, ": metric 'tma_x': threshold: column 1: unknown metric 'INST'" },
	{ "twice", "{'MetricName':'tma_x','MetricExpr':'INST'},{'MetricName':'TMA_X','MetricExpr':'CYC'}",
	  NULL, ": metric 'TMA_X' stands twice; the last one is used" },
	{ "references in any case", "{'MetricName':'tma_x','MetricExpr':'TMA_Y + Ok'},{'MetricName':'tma_y','MetricExpr':'1'}",
	  NULL, NULL },
	/* clang-format on */
};

static void test_warnings(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(warning_rows); i++) {
		const char *row = warning_rows[i].row, *warning = warning_rows[i].warning;
		const struct metric *metric;

		load_well(&w, arena_printf(&w.arena, "%s,{'MetricName':'ok','MetricExpr':'INST / CYC'}",
					   warning_rows[i].metrics));
		metric = &w.model.metrics[model_find(&w.model, "tma_x")];
		row_expect_text(&rows, row, metric->failure, warning_rows[i].failure);
		row_expect(&rows, row, !metric->has_threshold, "has a threshold");
		row_expect(&rows, row, w.model.nwarnings == (warning ? 1 : 0), "number of warnings");
		row_expect_text(&rows, row, w.model.nwarnings ? w.model.warnings[0] : NULL,
				warning ? arena_printf(&w.arena, "%s%s", w.path, warning) : NULL);
		row_expect_text(&rows, row, w.model.metrics[model_find(&w.model, "ok")].failure, NULL);
	}
	world_release(&w);
	rows_end(&rows);
}

/* Only the members of a circle are told about; what leads to it fails with a reason. */
static void test_cycle(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	load_well(&w, "{'MetricName':'a','MetricExpr':'b * 2'},{'MetricName':'b','MetricExpr':'1 - A'},"
		      "{'MetricName':'c','MetricExpr':'b + INST'}");
	assert_int_equal(w.model.nwarnings, 2);
	assert_string_equal(w.model.warnings[0],
			    arena_printf(&w.arena, "%s: metric 'a': refers to itself: b > a > b", w.path));
	assert_string_equal(w.model.warnings[1],
			    arena_printf(&w.arena, "%s: metric 'b': refers to itself: b > a > b", w.path));
	assert_string_equal(w.model.metrics[2].failure, "needs a metric that refers to itself: b > a > b");
	assert_int_equal(w.model.metrics[2].nevents, 0);
	world_release(&w);
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

static const struct {
	const char *row, *text, *error; /* behind the path */
} bad_rows[] = {
	/* clang-format off */
	{ "empty",         "",                        ": empty, where JSON is expected" },
	{ "syntax",        "{\"Metrics\":[\n{\"a\" 1}]}", ": line 2, column 6: ':' expected near '1'" },
	{ "no metrics",    "{\"Metrics\":[]}",        ": no metrics in it" },
	{ "no list",       "{\"Metrics\":7}",         ": no metrics in it" },
	{ "other things",  "[1,null,{},{\"MetricName\":7},{\"MetricName\":\"m\"}]", ": no metrics in it" },
	/* clang-format on */
};

static void test_bad_files(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		struct error err = { .text = "" };

		scratch_write(&w.scratch, "model.json", bad_rows[i].text, w.path);
		row_expect(&rows, bad_rows[i].row, model_load(&w.model, w.path, &w.target, &w.arena, &err) < 0,
			   "was taken");
		row_expect_text(&rows, bad_rows[i].row, err.text,
				arena_printf(&w.arena, "%s%s", w.path, bad_rows[i].error));
	}
	world_release(&w);
	rows_end(&rows);
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
	{ "INST,NOPE",                            "INST", "unknown event 'NOPE'" },
	{ "UNC.R",                                "", "needs uncore PMU 'CHA' for 'UNC.R'" },
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

static void test_bad_header(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	w.database.cycles = "CYC.NOPE";
	assert_int_equal(load(&w, tree), -1);
	assert_string_equal(w.err.text, "madeup: Header: unknown event 'CYC.NOPE'");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	   cmocka_unit_test(test_find),
		cmocka_unit_test(test_orphans),	   cmocka_unit_test(test_units),
		cmocka_unit_test(test_samples),	   cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_cycle),	   cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_facts),
		cmocka_unit_test(test_asked),	   cmocka_unit_test(test_upstream_directory),
		cmocka_unit_test(test_bad_header),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
