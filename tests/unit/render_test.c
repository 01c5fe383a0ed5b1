/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_test.c - text, Markdown, CSV and series against hand-written ones. */
#include "render_fixture.h"

#include <stdlib.h>

static const char screen_terminal[] =
	"26.8 % of the stalls go to loads that wait for memory (DRAM_Bound). Counted in\n"
	"turns with other events.\n"
	"\n"
	"Frontend_Bound      8.1 % slots                 █▍\n"
	"Bad_Speculation     0.0 % slots     clamped\n"
	"Backend_Bound      62.4 % slots  !              ██████████▋\n"
	"├─ Memory_Bound    48.0 % slots  !              ████████▏\n"
	"│  └─ DRAM_Bound   26.8 % stalls !  scaled 66%  ████▌             <== start here\n"
	"└─ Core_Bound      14.4 % slots  !  runs        ██▌\n"
	"Retiring           29.5 % slots     estimated   █████\n"
	"! over the vendor's thresholds; 2 more nodes, 1 not measured: -v\n"
	"\n"
	"* Backend_Bound and Retiring are close.\n"
	"\n"
	"Next  perf record -e cpu/event=0xd1,umask=0x20/ppp -c 50021 -- ./prog\n"
	"Run   ./prog -n 4: 12.3 s, 3.98 CPUs used; 1.23 T instructions, 2.50 T cycles,\n"
	"      IPC 0.49, 3.10 GHz; 12 runs, user+kernel; Cascade Lake-X; -v: more\n";

static const char screen_verbose_ascii[] =
	"26.8 % of the stalls go to loads that wait for memory (DRAM_Bound). Counted in\n"
	"turns with other events.\n"
	"\n"
	"Frontend_Bound      8.1 % slots\n"
	"`- Fetch_Latency    3.0 % slots\n"
	"Bad_Speculation     0.0 % slots     clamped\n"
	"Backend_Bound      62.4 % slots  !\n"
	"+- Memory_Bound    48.0 % slots  !\n"
	"|  +- DRAM_Bound   26.8 % stalls !  scaled 66% <== start here\n"
	"|  `- L1_Bound        -  MEM_INST.X was not counted\n"
	"`- Core_Bound      14.4 % slots  !  runs\n"
	"Retiring           29.5 % slots     estimated\n"
	"! over the vendor's thresholds\n"
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
	"  perf record -e cpu/event=0xd1,umask=0x20/ppp -c 50021 -- ./prog\n"
	"\n"
	"Command  ./prog -n 4\n"
	"Time     12.3 s wall, 3.98 CPUs used\n"
	"Work     1.23 T instructions, 2.50 T cycles, IPC 0.49, 3.10 GHz\n"
	"Counted  12 runs, 12 groups, user+kernel\n"
	"CPU      Cascade Lake-X (cascadelakex)\n"
	"Model    TMA 5.01, cascadelakex 1.0\n";

static const char screen_calm[] = "Nothing stands out: no node that was measured is over its threshold, and the\n"
				  "largest is Frontend_Bound (8.1 % slots).\n"
				  "\n"
				  "Stalled cycles, no slots.\n"
				  "\n"
				  "Frontend_Bound     8.1\n"
				  "Bad_Speculation    0.0    clamped\n"
				  "% of slots; none over topdown's thresholds; 1 more node: -v\n"
				  "\n"
				  "Run   cascadelakex; -v: more\n";

static const char screen_next[] = "\n"
				  "Next: L1D_Cache_Effectiveness (Backend_Bound, Memory_Bound)\n"
				  "  L1D MPKI              12.3 MPKI\n"
				  "\n"
				  "Next, not counted here: DTLB (Backend_Bound)\n"
				  "\n";

static const char screen_markdown[] =
	"# Topdown report\n"
	"\n"
	"26.8 % of the stalls go to loads that wait for memory (DRAM_Bound). Counted in turns with other events.\n"
	"\n"
	"## Environment\n"
	"\n"
	"- Command: `./prog -n 4`\n"
	"- Time: 12.3 s wall, 3.98 CPUs used\n"
	"- Work: 1.23 T instructions, 2.50 T cycles, IPC 0.49, 3.10 GHz\n"
	"- Counted: 12 runs, 12 groups, user+kernel\n"
	"- CPU: Cascade Lake-X (cascadelakex)\n"
	"- Model: TMA 5.01, cascadelakex 1.0\n"
	"- Host: frodo\n"
	"- Kernel: 6.12.1\n"
	"- Started: 2026-11-22T07:00:00Z\n"
	"- topdown: 0.1.0\n"
	"\n"
	"## Topdown summary\n"
	"\n"
	"| Node | Value | Unit | Assessment | Quality | Remark |\n"
	"| --- | ---: | --- | --- | --- | --- |\n"
	"| Frontend_Bound | 8.1 | % slots | ok | exact |  |\n"
	"| Bad_Speculation | 0.0 | % slots | ok | clamped |  |\n"
	"| Backend_Bound | 62.4 | % slots | high | exact | bottleneck, on the worst path |\n"
	"| - Memory_Bound | 48.0 | % slots | high | exact | bottleneck, on the worst path |\n"
	"| - - DRAM_Bound | 26.8 | % stalls | high | scaled 66% | bottleneck, the worst |\n";

/* What all lines of a report's sheet end with: no source line, all of the time, the report's head. */
#define CSV_END	 ",,,,," CSV_TAIL
#define CSV_TAIL CSV_WHAT ",,,,,,,,,2,,,,,,,,,,,,,,,\n"
#define CSV_HEAD ",,,,," CSV_WHAT
#define CSV_WHAT                                                                                                       \
	",,,,,cascadelakex,cascadelakex 1.0,5.01,,false,false,3,./prog -n "                                            \
	"4,,2026-11-22T07:00:00Z,frodo,6.12.1,0.1.0,"                                                                  \
	"12.345,3.98,1.234e+12,2.5e+12,0.4936,3.1,12,12,1,user+kernel,0,,Cascade Lake-X"

static const char screen_csv[] =
	"kind,level,name,title,path,value,unit,domain,quality,over_threshold,bottleneck,reason,raw,n,stddev,ci95,"
	"running,"
	"missing,parent,has_threshold,worst_path,sample,topic,groups,function,file,line,object,text,part,part_kind,"
	"from_s,to_s,cpu,"
	"model,"
	"tma_version,no_tree,simulated,own_thresholds,deepest_level,command,target,started,host,kernel,tool_version,"
	"wall_s,"
	"cpus_used,instructions,cycles,ipc,ghz,runs,event_groups,repeats,scope,exit_status,machine,cpu_title,"
	"form,generic,asked_nodes,asked_groups,asked_metrics,asked_level,modelled,windows,csv_version,"
	"self_low,self_high,total,total_low,total_high,base,samples,rough,inlined_into,inlined_at_file,inlined_at_"
	"line,if_fixed,verdict,good,bad\n"
	"summary,,,,,,,,,,,,,,,,,,,,,,," CSV_END "verdict,,,,,,,,,,,,,,,,,,,,,,,,,,,,26.8 % of the stalls go to loads "
	"that wait for memory (DRAM_Bound)." CSV_TAIL
	"trust,,,,,,,,,,,,,,,,,,,,,,,,,,,,Counted in turns with other events." CSV_TAIL
	"node,1,\"a\"\"b,c\",Frontend_Bound,Frontend_Bound,8.1,%,Slots,exact,false,false,,8.1,,,,1,,,true,false,,,"
	"TopdownL1" CSV_END "node,2,tma_fetch_latency,Fetch_Latency,Frontend_Bound.Fetch_Latency,3.04,%,Slots,exact,"
	"false,false,,3.04,,,,1,,"
	"\"a\"\"b,c\",true,false,,,TopdownL2" CSV_END "node,1,tma_bad_speculation,Bad_Speculation,Bad_Speculation,0,%,"
	"Slots,clamped,false,false,,-1.5,,,,1,,,true,false,,,"
	"TopdownL1" CSV_END;

static const char csv_running[] = "Stalls,scaled,true,true,,26.8125,,,,0.66,,tma_memory_bound,true,true,"
				  "MEM_LOAD_RETIRED.L3_MISS,,TopdownL3" CSV_END;

/* What the tree's marks mean, and sections for which there is nothing. */
static const char markdown_summary[] =
	"| Retiring | 29.5 | % slots |  | estimated |  |\n"
	"\n"
	"bottleneck: it and its parents exceed the vendor's thresholds; the worst: start here\n"
	"\n"
	"1 node below its threshold, 1 not measured: -v shows them\n"
	"\n"
	"- Backend_Bound and Retiring are close.\n"
	"\n"
	"## Hotspots\n"
	"\n"
	"No place was recorded: topdown sample shows where.\n"
	"\n"
	"## Cache hierarchy\n"
	"\n"
	"This CPU's model has no metric for it.\n"
	"\n"
	"## Branches\n"
	"\n"
	"This CPU's model has no metric for it.\n"
	"\n"
	"## TLBs\n"
	"\n"
	"This CPU's model has no metric for it.\n"
	"\n"
	"## Root cause\n"
	"\n";

/* What the worst node means, what to do about it, and how to see whether that helped. */
static const char markdown_end[] =
	"## Root cause\n"
	"\n"
	"26.8 % of the stalls go to loads that wait for memory (DRAM_Bound). Counted in turns "
	"with other events.\n"
	"\n"
	"The worst path is Backend_Bound (62.4 % slots), Memory_Bound (48.0 % slots), "
	"DRAM_Bound (26.8 % stalls).\n"
	"\n"
	"DRAM_Bound: Loads wait for memory.\n"
	"\n"
	"## Recommendations\n"
	"\n"
	"- Touch less of it. DRAM_Bound should fall from 26.8 % stalls.\n"
	"\n"
	"Look closer:\n"
	"\n"
	"- `topdown -l4 ./prog`\n"
	"\n"
	"Sample next:\n"
	"\n"
	"- `perf record -e cpu/event=0xd1,umask=0x20/ppp -c 50021 -- ./prog`\n"
	"\n"
	"## Validation plan\n"
	"\n"
	"- `topdown -l3 --save before.json ./prog`\n"
	"- `topdown -l3 --save after.json ./prog`\n"
	"- `topdown compare before.json after.json`\n"
	"\n"
	"DRAM_Bound should be below 26.8 % stalls, and the program below 2.50 T cycles.\n";

static const char screen_part[] = "Memory_Bound    48.0 % slots  ?\n"
				  "+- DRAM_Bound   26.8 % stalls ?  scaled 66%\n"
				  "`- L1_Bound        -  MEM_INST.X was not counted\n"
				  "Core_Bound      14.4 % slots     runs\n"
				  "? perhaps: a node above was not measured\n"
				  "\n"
				  "Caches\n"
				  "  L1D MPKI              12.3 MPKI\n"
				  "\n"
				  "Not here, needs uncore_imc: Bandwidth\n";

static const char markdown_part[] =
	"| Memory_Bound | 48.0 | % slots | high | exact | may be a bottleneck: a node above it was not measured |\n"
	"| - DRAM_Bound | 26.8 | % stalls | - | scaled 66% | may be a bottleneck: a node above it was not measured "
	"|\n"
	"| - L1_Bound | - |  | - | none | MEM_INST.X was not counted |\n"
	"| Core_Bound | 14.4 | % slots | ok | runs |  |\n";

/* What the part was asked for. */
#define PART_ASKED ",,,\"Memory_Bound*,Core_Bound,L1_Bound\",,*,3,,,2,,,,,,,,,,,,,,,\n"

static const char csv_part[] =
	"node,2,tma_memory_bound,Memory_Bound,Backend_Bound.Memory_Bound,48,%,Slots,exact,true,,,48,,,,1,,tma_backend_"
	"bound,"
	"true,"
	"false,,,TopdownL2" CSV_HEAD PART_ASKED "node,3,tma_dram_bound,DRAM_Bound,Backend_Bound.Memory_Bound.DRAM_"
	"Bound,26.8125,%,Stalls,scaled,,,,26.8125,,,,0.66,,"
	"tma_memory_bound,true,false,MEM_LOAD_RETIRED.L3_MISS,,TopdownL3" CSV_HEAD PART_ASKED;

static void ask_for_groups(struct fixture *f)
{
	f->metrics[BE].next_groups = "L1D_Cache_Effectiveness;DTLB";
	f->metrics[MEM].next_groups = "L1D_Cache_Effectiveness";
	f->metrics[FE].next_groups = "Not_Asked_For"; /* no bottleneck */
}

static void ask_for_calm_part(struct fixture *f)
{
	make_calm(f);
	f->report.asked = (struct select_request){ .nodes = "+Retiring" };
}

static void give_words(struct fixture *f)
{
	f->report.meaning = "Loads wait for memory.";
	f->report.advice = "Touch less of it.";
	f->report.actions.look_closer.command = "topdown -l4 ./prog";
	f->report.actions.before.command = "topdown -l3 --save before.json ./prog";
	f->report.actions.again.command = "topdown -l3 --save after.json ./prog";
	f->report.actions.compare.command = "topdown compare before.json after.json";
}

/* The lines of the tree go on beside a reason that takes several. */
static const char screen_reasons[] = "Frontend_Bound        -  a reason that\n"
				     "|                        takes some more\n"
				     "|                        room\n"
				     "`- Fetch_Latency      -  a reason that\n"
				     "                         takes some more\n"
				     "                         room\n"
				     "Bad_Speculation     0.0\n";

static void give_reasons(struct fixture *f)
{
	for (size_t i = FE; i <= FE_LAT; i++) {
		f->nodes[i].value = (double)NAN;
		f->nodes[i].quality = QUALITY_NONE;
		f->nodes[i].reason = "a reason that takes some more room";
	}
	f->report.nnodes = BAD + 1;
	f->report.worst = NULL;
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
	{ "bars in ASCII", { .width = 80 }, NULL, "Core_Bound      14.4 % slots  !  runs        ##\n", true },
	{ "narrow", { .has_utf8 = true, .width = 40 }, NULL, "│  └─ DRAM_…   26.8 % sta… !  scale… <==\n", true },
	{ "reasons in a tree", { .width = 40, .is_verbose = true }, give_reasons, screen_reasons, true },
	{ "markdown", { .format = FORMAT_MARKDOWN }, NULL, screen_markdown, true },
	{ "Markdown's empty sections", { .format = FORMAT_MARKDOWN }, NULL, markdown_summary, true },
	{ "Markdown's words", { .format = FORMAT_MARKDOWN }, give_words, markdown_end, true },
	{ "CSV", { .format = FORMAT_CSV }, quote_name, screen_csv, true },
	{ "CSV, reason",
	  { .format = FORMAT_CSV },
	  NULL,
	  "Backend_Bound.Memory_Bound.L1_Bound,,%,Stalls,none,false,false,MEM_INST.X was not counted,,",
	  true },
	{ "CSV, running share and sampling events", { .format = FORMAT_CSV }, NULL, csv_running, true },
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
	  "; none over topdown's thresholds; 1 more node: -v\n",
	  true },
	{ "CSV, metric",
	  { .format = FORMAT_CSV },
	  NULL,
	  "\nmetric,,l1d_mpki,L1D MPKI,L1D MPKI,12.345,MPKI,Metric,exact,false,false,,12.345,,,,1,,,false,,,Caches,"
	  "L1D_Cache_Effectiveness;MPKI" CSV_END,
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
	"Combined from several groups (*: too large for one)\n"
	"  Bad_Speculation* (1+2), Retiring (2)\n"
	"\n"
	"Events\n"
	"   1  CYCLES         cpu//\n"
	"   2  SLOTS          cpu//\n"
	"   3  FIELD          cpu//\n"
	"   4  STALLS:c1      cpu//\n"
	"   5  duration_time  duration_time\n"
	"\n"
	"One run fewer (--max-runs 1): groups 1 and 2 share a run, and 4 of 4 metrics are scaled, counted for\n"
	"1/2 of the time.\n";

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
				  "Combined from several groups (*: too large for one)\n"
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

/* The second interval of a series, as each form goes on. */
static const struct {
	const char *row;
	enum format format;
	const char *first; /* what it begins with */
	const char *part;
	bool is_verbose;
} series[] = {
	{ "text: one line", FORMAT_TEXT, "    2.000   0.49       8.1    0.0     62.4      29.5  DRAM_Bound 26.8\n", "",
	  false },
	{ "verbose text", FORMAT_TEXT, "\n[2.000 s]\nWork     ", "Retiring ", true },
	{ "Markdown", FORMAT_MARKDOWN, "\n## 2.000 s\n\n- Work: ", "| Retiring |", false },
	{ "CSV: no heads, the time in its columns", FORMAT_CSV, "summary,", ",TopdownL1,,,,,,,,1.5,2,cascadelakex,",
	  false },
	{ "JSON: one line", FORMAT_JSON, "{\"format\":\"topdown-report\",",
	  ",\"interval\":{\"from_s\":1.5,\"to_s\":2},\"schema_version\":", false },
};

static void test_series(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(series); i++) {
		const struct style style = { .format = series[i].format, .is_verbose = series[i].is_verbose };
		struct error err = { .text = "" };
		struct report_set set = { .count = 1, .is_series = true, .before = 1, .from_s = 1.5, .to_s = 2 };
		struct fixture f;
		char *text = NULL;
		size_t length = 0;
		FILE *out = open_memstream(&text, &length);

		fixture_init(&f);
		set.parts = &f.report;
		assert_int_equal(render_reports(out, &set, NULL, &style, &err), 0);
		fclose(out);
		if (strncmp(text, series[i].first, strlen(series[i].first)) != 0)
			row_expect_text(&rows, series[i].row, text, series[i].first);
		row_expect(&rows, series[i].row, strstr(text, series[i].part), series[i].part);
		free(text);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_plan_text),
		cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
