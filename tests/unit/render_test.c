/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_test.c - whole screens against hand-written ones, machine formats by reading them. */
#include "render_fixture.h"

#include <stdlib.h>

#include "load/json_read.h"

static const char screen_terminal[] = "Command  ./prog -n 4\n"
				      "Time     12.3 s wall, 3.98 CPUs used\n"
				      "Work     1.23 T instructions, 2.50 T cycles, IPC 0.49, 3.10 GHz\n"
				      "Counted  12 runs, 12 groups, user+kernel\n"
				      "CPU      Cascade Lake-X (cascadelakex)\n"
				      "Model    TMA 5.01, cascadelakex 1.0\n"
				      "\n"
				      "Frontend_Bound      8.1 % slots                 ██\n"
				      "Bad_Speculation     0.0 % slots     clamped\n"
				      "Backend_Bound      62.4 % slots  !              ███████████████▋\n"
				      "├─ Memory_Bound    48.0 % slots  !              ████████████\n"
				      "│  └─ DRAM_Bound   26.8 % stalls !  scaled 66%  ██████▊                   <==\n"
				      "└─ Core_Bound      14.4 % slots  !  runs        ███▋\n"
				      "Retiring           29.5 % slots     estimated   ███████▍\n"
				      "\n"
				      "! over its threshold, as are its parents   <== the worst of them\n"
				      "1 node below its threshold, 1 not measured: -v shows them\n"
				      "\n"
				      "* Backend_Bound and Retiring are close.\n"
				      "\n"
				      "Sample next:\n"
				      "  perf record -e cpu/event=0xd1,umask=0x20/ppp -c 50021 -- ./prog\n";

static const char screen_verbose_ascii[] = "Command  ./prog -n 4\n"
					   "Time     12.3 s wall, 3.98 CPUs used\n"
					   "Work     1.23 T instructions, 2.50 T cycles, IPC 0.49, 3.10 GHz\n"
					   "Counted  12 runs, 12 groups, user+kernel\n"
					   "CPU      Cascade Lake-X (cascadelakex)\n"
					   "Model    TMA 5.01, cascadelakex 1.0\n"
					   "\n"
					   "Frontend_Bound      8.1 % slots\n"
					   "`- Fetch_Latency    3.0 % slots\n"
					   "Bad_Speculation     0.0 % slots     clamped\n"
					   "Backend_Bound      62.4 % slots  !\n"
					   "+- Memory_Bound    48.0 % slots  !\n"
					   "|  +- DRAM_Bound   26.8 % stalls !  scaled 66% <==\n"
					   "|  `- L1_Bound        -  MEM_INST.X was not counted\n"
					   "`- Core_Bound      14.4 % slots  !  runs\n"
					   "Retiring           29.5 % slots     estimated\n"
					   "\n"
					   "! over its threshold, as are its parents   <== the worst of them\n"
					   "\n"
					   "Caches\n"
					   "  L1D MPKI              12.3 MPKI\n"
					   "\n"
					   "Others\n"
					   "  Bandwidth                -\n"
					   "      not measured\n"
					   "\n"
					   "* Backend_Bound and Retiring are close.\n"
					   "\n"
					   "Sample next:\n"
					   "  perf record -e cpu/event=0xd1,umask=0x20/ppp -c 50021 -- ./prog\n";

static const char screen_calm[] = "CPU      - (-)\n"
				  "Model    cascadelakex -\n"
				  "\n"
				  "Stalled cycles, no slots.\n"
				  "\n"
				  "Frontend_Bound     8.1 % slots\n"
				  "Bad_Speculation    0.0 % slots    clamped\n"
				  "\n"
				  "No node is over its threshold.\n"
				  "1 node below its threshold: -v shows it\n"
				  "\n"
				  "The thresholds are topdown's own: the vendor publishes none.\n";

static const char screen_next[] = "\n"
				  "Next: L1D_Cache_Effectiveness (Backend_Bound, Memory_Bound)\n"
				  "  L1D MPKI              12.3 MPKI\n"
				  "\n"
				  "Next, not counted here: DTLB (Backend_Bound)\n"
				  "\n";

static const char screen_markdown[] = "| Node | Value | Unit | Quality | Remark |\n"
				      "| --- | ---: | --- | --- | --- |\n"
				      "| Frontend_Bound | 8.1 | % slots | exact |  |\n"
				      "| Bad_Speculation | 0.0 | % slots | clamped |  |\n"
				      "| Backend_Bound | 62.4 | % slots | exact | bottleneck, on the worst path |\n"
				      "| - Memory_Bound | 48.0 | % slots | exact | bottleneck, on the worst path |\n"
				      "| - - DRAM_Bound | 26.8 | % stalls | scaled 66% | bottleneck, the worst |\n";

static const char screen_csv[] =
	"level,name,title,path,value,unit,domain,quality,over_threshold,bottleneck,reason\n"
	"1,\"a\"\"b,c\",Frontend_Bound,Frontend_Bound,8.1,%,Slots,exact,false,false,\n"
	"2,tma_fetch_latency,Fetch_Latency,Frontend_Bound.Fetch_Latency,3.04,%,Slots,exact,false,false,\n"
	"1,tma_bad_speculation,Bad_Speculation,Bad_Speculation,0,%,Slots,clamped,false,false,\n";

static const char screen_part[] = "Counted  12 runs, 12 groups, user+kernel\n"
				  "Only     --nodes 'Memory_Bound*,Core_Bound,L1_Bound' --metrics '*' -l3\n"
				  "CPU      Cascade Lake-X (cascadelakex)\n"
				  "Model    TMA 5.01, cascadelakex 1.0\n"
				  "\n"
				  "Memory_Bound    48.0 % slots  ?\n"
				  "+- DRAM_Bound   26.8 % stalls ?  scaled 66%\n"
				  "`- L1_Bound        -  MEM_INST.X was not counted\n"
				  "Core_Bound      14.4 % slots     runs\n"
				  "\n"
				  "? may be a bottleneck: a node above it was not measured\n"
				  "\n"
				  "Caches\n"
				  "  L1D MPKI              12.3 MPKI\n"
				  "\n"
				  "Not here, needs uncore_imc: Bandwidth\n";

static const char markdown_part[] =
	"| Memory_Bound | 48.0 | % slots | exact | may be a bottleneck: a node above it was not measured |\n"
	"| - DRAM_Bound | 26.8 | % stalls | scaled 66% | may be a bottleneck: a node above it was not measured |\n"
	"| - L1_Bound | - |  | none | MEM_INST.X was not counted |\n"
	"| Core_Bound | 14.4 | % slots | runs |  |\n";

static const char csv_part[] = "2,tma_memory_bound,Memory_Bound,Backend_Bound.Memory_Bound,48,%,Slots,exact,true,,\n"
			       "3,tma_dram_bound,DRAM_Bound,Backend_Bound.Memory_Bound.DRAM_Bound,26.8125,%,Stalls,"
			       "scaled,,,\n";

static void ask_for_groups(struct fixture *f)
{
	f->metrics[BE].next_groups = "L1D_Cache_Effectiveness;DTLB";
	f->metrics[MEM].next_groups = "L1D_Cache_Effectiveness";
	f->metrics[FE].next_groups = "Not_Asked_For"; /* no bottleneck */
}

/* A part of the tree: what decides about Memory_Bound was not measured, and L1_Bound was asked for by name. */
static void ask_for_part(struct fixture *f)
{
	for (size_t i = MEM; i <= CORE; i++)
		f->nodes[i].is_bottleneck = f->nodes[i].is_on_worst_path = false;
	f->nodes[MEM].is_unjudged = true;
	f->nodes[DRAM].is_unjudged = f->nodes[DRAM].is_open = true;
	f->nodes[DRAM].over_threshold = false;
	f->nodes[L1].is_named = true;
	f->nodes[CORE].over_threshold = false;
	f->report.nodes = &f->nodes[MEM];
	f->report.nnodes = CORE - MEM + 1;
	f->report.asked =
		(struct select_request){ .nodes = "Memory_Bound*,Core_Bound,L1_Bound", .metrics = "*", .level = 3 };
	f->report.worst = NULL;
	f->report.nnext = f->report.nnotes = 0;
	f->metrics[BANDWIDTH].failure = "needs uncore_imc";
}

static void ask_for_calm_part(struct fixture *f)
{
	make_calm(f);
	f->report.asked = (struct select_request){ .nodes = "+Retiring" };
}

static void quote_name(struct fixture *f)
{
	f->metrics[FE].name = "a\"b,c";
}

/* expected is the whole screen or, with is_part, in it. */
static const struct {
	const char *row;
	struct style style;
	void (*change)(struct fixture *f);
	const char *expected;
	bool is_part;
} screens[] = {
	{ "terminal", { .has_utf8 = true, .width = 80 }, NULL, screen_terminal, false },
	{ "verbose file", { .is_verbose = true }, NULL, screen_verbose_ascii, false },
	{ "calm", { .has_utf8 = true }, make_calm, screen_calm, false },
	{ "next groups", { .has_utf8 = true }, ask_for_groups, screen_next, true },
	{ "colour, leaf",
	  { .has_color = true, .has_utf8 = true, .width = 80 },
	  NULL,
	  "│  └─ \033[1;31mDRAM_Bound\033[0m",
	  true },
	{ "colour, path",
	  { .has_color = true, .has_utf8 = true, .width = 80 },
	  NULL,
	  "├─ \033[1;33mMemory_Bound\033[0m",
	  true },
	{ "colour, dimmed", { .has_color = true, .is_verbose = true }, NULL, "`- \033[2mFetch_Latency\033[0m", true },
	{ "bars in ASCII", { .width = 80 }, NULL, "Core_Bound      14.4 % slots  !  runs        ####\n", true },
	{ "narrow", { .has_utf8 = true, .width = 40 }, NULL, "│  └─ DRAM_…   26.8 % stalls !  scaled 66% <==\n", true },
	{ "markdown", { .format = FORMAT_MARKDOWN }, NULL, screen_markdown, true },
	{ "CSV", { .format = FORMAT_CSV }, quote_name, screen_csv, true },
	{ "CSV, reason",
	  { .format = FORMAT_CSV },
	  NULL,
	  "Backend_Bound.Memory_Bound.L1_Bound,,%,Stalls,none,false,false,MEM_INST.X was not counted\n",
	  true },
	{ "a part of the tree", { .width = 0 }, ask_for_part, screen_part, true },
	{ "Markdown of a part", { .format = FORMAT_MARKDOWN }, ask_for_part, markdown_part, true },
	{ "Markdown says which part",
	  { .format = FORMAT_MARKDOWN },
	  ask_for_part,
	  "- Only: `--nodes 'Memory_Bound*,Core_Bound,L1_Bound' --metrics '*' -l3`\n",
	  true },
	{ "CSV of a part", { .format = FORMAT_CSV }, ask_for_part, csv_part, true },
	{ "nothing over in a part",
	  { .width = 0 },
	  ask_for_calm_part,
	  "None of these nodes is over its threshold.\n",
	  true },
	{ "CSV, metric",
	  { .format = FORMAT_CSV },
	  NULL,
	  "\n,l1d_mpki,L1D MPKI,L1D MPKI,12.345,MPKI,Metric,exact,,false,\n",
	  true },
};

static void test_screens(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(screens); i++) {
		struct fixture f;
		char *text;

		fixture_init(&f);
		if (screens[i].change)
			screens[i].change(&f);
		text = report_text_of(&f.report, &screens[i].style);
		if (!screens[i].is_part || !strstr(text, screens[i].expected))
			row_expect_text(&rows, screens[i].row, text, screens[i].expected);
		free(text);
	}
	rows_end(&rows);
}

/* Wide enough for nodes beside the counters. */
static const char plan_wide[] =
	"cascadelakex, level 1: 2 groups in 2 runs (lower bound 1: not proven minimal)\n"
	"4 general counters (g0 to g3), 4 fixed (f0 to f3), PERF_METRICS; SMT on\n"
	"A line is a group, counted at once; its numbers are events, listed at the end.\n"
	"\n"
	"run  f0 f1 f2 f3  g0 g1 g2 g3  fields  complete\n"
	"  1   .  1  .  .   .  .  .  4  5       Frontend_Bound, Backend_Bound\n"
	"  2   .  .  .  2   .  .  .  .  3\n"
	"\n"
	"Brought together from several groups (*: too large for one)\n"
	"  Bad_Speculation* (1+2), Retiring (2)\n"
	"\n"
	"Events\n"
	"   1  CYCLES         cpu//\n"
	"   2  SLOTS          cpu//\n"
	"   3  FIELD          cpu//\n"
	"   4  STALLS:c1      cpu//\n"
	"   5  duration_time  duration_time\n"
	"\n"
	"One run fewer (--max-runs 1): groups 1 and 2 share a run, and 4 of 4 metrics are scaled, counted for 1/2 of "
	"the "
	"time.\n";

/* All groups in one run, on a narrow page. */
static const char plan_narrow[] = "cascadelakex, level 1: 2 groups in 1 run (lower bound 1: not\n"
				  "proven minimal)\n"
				  "4 general counters (g0 to g3), 4 fixed (f0 to f3), PERF_METRICS;\n"
				  "SMT on\n"
				  "A line is a group, counted at once; its numbers are events,\n"
				  "listed at the end.\n"
				  "\n"
				  "run group  f0 f1 f2 f3  g0 g1 g2 g3  fields\n"
				  "  1     1   .  1  .  .   .  .  .  4  5\n"
				  "  1     2   .  .  .  2   .  .  .  .  3\n"
				  "\n"
				  "Complete in group\n"
				  "   1  Frontend_Bound, Backend_Bound\n"
				  "\n"
				  "Brought together from several groups (*: too large for one)\n"
				  "  Bad_Speculation* (1+2), Retiring (2)\n"
				  "\n"
				  "Events\n"
				  "   1  CYCLES         cpu//\n"
				  "   2  SLOTS          cpu//\n"
				  "   3  FIELD          cpu//\n"
				  "   4  STALLS:c1      cpu//\n"
				  "   5  duration_time  duration_time\n";

static void check_plan_text(struct fixture *f, unsigned width, const char *screen)
{
	struct style style = { .format = FORMAT_TEXT, .width = width };
	char *text = plan_text_of(f, &style);

	assert_string_equal(text, screen);
	free(text);
}

static void test_plan_text(void **state UNUSED)
{
	struct fixture f;

	fixture_init(&f);
	check_plan_text(&f, 200, plan_wide);
	f.runs[0].count = 2;
	f.plan.nruns = 1;
	check_plan_text(&f, 64, plan_narrow);
}

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
		cmocka_unit_test(test_screens),	  cmocka_unit_test(test_plan_text), cmocka_unit_test(test_report_json),
		cmocka_unit_test(test_part_json), cmocka_unit_test(test_plan_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
