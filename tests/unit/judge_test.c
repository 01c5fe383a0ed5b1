/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_test.c - thresholds, bottlenecks, the worst path, and what to sample next. */
#include "evaluate_fixture.h"

/* Titles of the nodes that have something, in tree order. */
static const char *titles(struct evaluated *e, bool (*has)(const struct result *result))
{
	struct string text = STRING_INIT(&e->loaded.arena);

	for (size_t i = 0; i < e->report.nnodes; i++)
		if (has(&e->report.nodes[i]))
			string_printf(&text, "%s%s", text.length ? " " : "", e->report.nodes[i].metric->title);
	return text.text;
}

static bool is_over(const struct result *result)
{
	return result->over_threshold;
}

static bool is_bottleneck(const struct result *result)
{
	return result->is_bottleneck;
}

static bool is_on_worst_path(const struct result *result)
{
	return result->is_on_worst_path;
}

static bool is_in_report(const struct evaluated *e)
{
	return e->report.worst >= e->report.nodes && e->report.worst < e->report.nodes + e->report.nnodes;
}

#define CALM "CYCLES=1000 FRONT=400 ISSUED=2400 DONE=2000 BACK=800"

/* Of 4000 slots: frontend and bad speculation over 600, backend over 800, retiring over 2400. */
static const struct judge_row {
	const char *counts;
	unsigned level;
	const char *over, *bottlenecks, *worst;
} judge_rows[] = {
	/* clang-format off */
	{ CALM, 0, "", "", "" },
	/* a threshold is exceeded, not reached: 20 % is not more than 20 % */
	{ CALM " MEMORY=250", 0, "", "", "" },
	/* over its threshold below a parent that is not */
	{ CALM " DRAM=120 MEMORY=150", 0, "DRAM_Bound", "", "" },
	{ "CYCLES=1000 ISSUED=2800 DONE=2000", 0, "Bad_Speculation", "Bad_Speculation", "Bad_Speculation" },
	/* the largest on each level: core is 40 - 25 %, DRAM 10.1 %, L1 (300 - 101) / 1000 */
	{ "CYCLES=1000 FRONT=800 BACK=1600 MEMORY=250 DRAM=101 L1=300", 0,
	  "Frontend_Bound Backend_Bound Memory_Bound DRAM_Bound L1_Bound Core_Bound",
	  "Frontend_Bound Backend_Bound Memory_Bound DRAM_Bound L1_Bound Core_Bound",
	  "Backend_Bound Memory_Bound L1_Bound" },
	/* only as deep as the report */
	{ "CYCLES=1000 FRONT=800 BACK=1600 MEMORY=250 DRAM=101 L1=300", 2,
	  "Frontend_Bound Backend_Bound Memory_Bound Core_Bound",
	  "Frontend_Bound Backend_Bound Memory_Bound Core_Bound",
	  "Backend_Bound Memory_Bound" },
	/* useful work is the worst only where nothing is lost, however large it is */
	{ "CYCLES=1000 DONE=2600 ISSUED=2600 BACK=900", 0, "Retiring Backend_Bound", "Retiring Backend_Bound",
	  "Backend_Bound" },
	{ "CYCLES=1000 DONE=2600 ISSUED=2600 BACK=100", 0, "Retiring", "Retiring", "Retiring" },
	/* a threshold that names another node takes the value that is shown, from whichever run */
	{ "CYCLES=1000 MEMORY=300; run=1 CYCLES=2000 BACK=4000", 0, "Backend_Bound Memory_Bound Core_Bound",
	  "Backend_Bound Memory_Bound Core_Bound", "Backend_Bound Memory_Bound" },
	/* and none if there is none: neither over nor under */
	{ "CYCLES=1000 MEMORY=300", 0, "", "", "" },
	{ "CYCLES=1000 MEMORY=300 BACK=never", 0, "", "", "" },
	{ "CYCLES=1000 FRONT=refused", 0, "", "", "" },
	/* clang-format on */
};

static void test_judgement(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(judge_rows); i++) {
		const struct judge_row *row = &judge_rows[i];
		struct evaluated e;

		evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .level = row->level });
		row_expect_text(&rows, row->counts, titles(&e, is_over), row->over);
		row_expect_text(&rows, row->counts, titles(&e, is_bottleneck), row->bottlenecks);
		row_expect_text(&rows, row->counts, titles(&e, is_on_worst_path), row->worst);
		row_expect(&rows, row->counts, !e.report.worst == !*row->worst, "worst is NULL where nothing is");
		if (e.report.worst)
			row_expect(&rows, row->counts, is_in_report(&e), "worst is a node of the report");
		evaluated_release(&e);
	}
	rows_end(&rows);
}

/* What to sample next */

#define FRONTEND    "CYCLES=1000 FRONT=1600"
#define SPECULATION "CYCLES=1000 ISSUED=3000 DONE=1000"
#define BACKEND	    "CYCLES=1000 BACK=2000"
#define DRAM	    BACKEND " MEMORY=400 DRAM=300"
#define L1	    BACKEND " MEMORY=400 DRAM=0 L1=300"
#define LOADS	    "perf record -d -e cpu/event=0xd1,umask=0x20,name=LOADS,period=50021/"
#define PLAIN	    "perf record -e cpu/event=0x9c,umask=0x1,name=PLAIN,period=1000003/"
#define CYCLES	    "perf record -e cpu/event=0x3c,name=CYCLES,period=1000003/"
#define MISPREDICTS "perf record -e cpu/event=0xc5,name=MISPREDICTS,period=400009/"

static const struct hint_row {
	const char *counts, *scope, *command;
	const char *node; /* whose events they are */
	const char *commands;
	unsigned max_precise; /* 0: 3 */
} hint_rows[] = {
	/* clang-format off */
	{ FRONTEND, NULL, NULL, "Frontend_Bound", PLAIN " -- PROGRAM\n", 0 },
	{ FRONTEND, "user", NULL, "Frontend_Bound", PLAIN "u -- PROGRAM\n", 0 },
	{ FRONTEND, "user+kernel", "./a 'b c'", "Frontend_Bound", PLAIN " -- ./a 'b c'\n", 0 },
	/* an event that is only right when it is precise */
	{ SPECULATION, NULL, NULL, "Bad_Speculation", MISPREDICTS "ppp -- PROGRAM\n", 0 },
	{ SPECULATION, "user", NULL, "Bad_Speculation", MISPREDICTS "uppp -- PROGRAM\n", 0 },
	{ SPECULATION, NULL, NULL, "Bad_Speculation", MISPREDICTS "pp -- PROGRAM\n", 2 },
	/* no events of its own, or none that this CPU has: the nearest ancestor's */
	{ BACKEND " MEMORY=400", NULL, NULL, "Memory_Bound", LOADS "pp -- PROGRAM\n" PLAIN " -- PROGRAM\n", 0 },
	{ DRAM, "user", NULL, "Memory_Bound", LOADS "upp -- PROGRAM\n" PLAIN "u -- PROGRAM\n", 0 },
	{ L1, NULL, NULL, "Memory_Bound", LOADS "pp -- PROGRAM\n" PLAIN " -- PROGRAM\n", 0 },
	/* no locating events on the whole path: cycles; nothing over a threshold: nothing */
	{ BACKEND, NULL, NULL, "Backend_Bound", CYCLES " -- PROGRAM\n", 0 },
	{ BACKEND, "user", NULL, "Backend_Bound", CYCLES "u -- PROGRAM\n", 0 },
	{ CALM, NULL, NULL, NULL, "", 0 },
	/* clang-format on */
};

static const char *hint_commands(struct evaluated *e)
{
	struct string text = STRING_INIT(&e->loaded.arena);

	for (size_t i = 0; i < e->report.nnext; i++)
		string_printf(&text, "%s\n", e->report.next[i].command);
	return text.text;
}

static void check_hint(struct rows *rows, const struct hint_row *row)
{
	struct evaluated e;

	evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts,
						       .scope = row->scope,
						       .command = row->command,
						       .max_precise = row->max_precise });
	row_expect_text(rows, row->counts, hint_commands(&e), row->commands);
	for (size_t i = 0; i < e.report.nnext; i++) {
		const struct hint *hint = &e.report.next[i];
		const char *modifier = strrchr(hint->perf, '/') + 1;

		row_expect_text(rows, row->counts, hint->node->title, row->node);
		row_expect(rows, row->counts, strstr(hint->command, hint->perf), "the command has the event");
		row_expect(rows, row->counts, strspn(modifier + (*modifier == 'u'), "p") == hint->precise,
			   "as many p's as it says");
	}
	evaluated_release(&e);
}

static void test_hints(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(hint_rows); i++)
		check_hint(&rows, &hint_rows[i]);
	rows_end(&rows);
}

/* One level more, where the worst node has children that the report leaves out. */
static const struct next_command_row {
	const char *counts;
	unsigned level;
	const char *command, *next_command;
	const char *options, *selector;
	const char *file; /* that has the counts */
} next_command_rows[] = {
	{ BACKEND, 1, NULL, "topdown -l2 PROGRAM", NULL, NULL, NULL },
	{ BACKEND, 1, "./a 'b c'", "topdown -l2 ./a 'b c'", NULL, NULL, NULL },
	{ BACKEND, 1, "./a", "topdown -l2 -D 100 -u ./a", "-D 100 -u", NULL, NULL },
	{ BACKEND, 1, "./a", "topdown -l2 --per-core -a ./a", "--per-core", "-a", NULL },
	{ BACKEND, 1, NULL, "topdown -l2 --duration 2 -p 12", "--duration 2", "-p 12", NULL },
	{ DRAM, 2, NULL, "topdown -l3 PROGRAM", NULL, NULL, NULL },
	{ DRAM, 3, NULL, NULL, NULL, NULL, NULL },
	{ SPECULATION, 1, NULL, NULL, NULL, NULL, NULL },
	{ CALM, 1, NULL, NULL, NULL, NULL, NULL },
	/* as deep as the counts reach, without a run; what they lack is measured */
	{ L1, 1, "./a", "topdown report -l3", NULL, NULL, "" },
	{ L1, 1, "./a", "topdown report -l3 'a b.json'", "-u", NULL, "'a b.json'" },
	{ L1, 2, NULL, "topdown report -l3 r.json", NULL, "-p 12", "r.json" },
	{ DRAM, 1, NULL, "topdown report -l2 r.json", NULL, NULL, "r.json" },
	{ DRAM, 2, "./a", "topdown -l3 ./a", NULL, NULL, "r.json" },
	{ BACKEND, 1, "./a", "topdown -l2 ./a", NULL, NULL, "r.json" },
};

static void test_next_command(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(next_command_rows); i++) {
		const struct next_command_row *row = &next_command_rows[i];
		struct evaluate_request request = { .counts = row->counts,
						    .level = row->level,
						    .command = row->command,
						    .options = row->options,
						    .selector = row->selector,
						    .file = row->file };
		struct evaluated e;

		evaluated_init(&e, &request);
		row_expect_text(&rows, row->counts, e.report.actions.look_closer.command, row->next_command);
		evaluated_release(&e);
	}
	rows_end(&rows);
}

/* Whose work it was decides both commands. */
static const struct {
	const char *selector, *command, *measure, *record;
} subject_rows[] = {
	/* clang-format off */
	{ NULL, NULL, "topdown -l2 PROGRAM", CYCLES " -- PROGRAM" },
	{ "-p 12,13", NULL, "topdown -l2 -p 12,13", "perf record -p 12,13 -e cpu/event=0x3c,name=CYCLES,period=1000003/" },
	{ "--tid 14", "./a", "topdown -l2 --tid 14 ./a", "perf record -t 14 -e cpu/event=0x3c,name=CYCLES,period=1000003/ -- ./a" },
	{ "-a", NULL, "topdown -l2 -a", "perf record -a -e cpu/event=0x3c,name=CYCLES,period=1000003/" },
	{ "-C 0-3", NULL, "topdown -l2 -C 0-3", "perf record -C 0-3 -e cpu/event=0x3c,name=CYCLES,period=1000003/" },
	{ "--cgroup 'a b'", NULL, "topdown -l2 --cgroup 'a b'", "perf record -a -e cpu/event=0x3c,name=CYCLES,period=1000003/ -G 'a b'" },
	/* clang-format on */
};

static void test_subjects(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(subject_rows); i++) {
		struct evaluate_request request = { .counts = BACKEND,
						    .level = 1,
						    .command = subject_rows[i].command,
						    .selector = subject_rows[i].selector };
		struct evaluated e;

		evaluated_init(&e, &request);
		row_expect_text(&rows, subject_rows[i].measure, e.report.actions.look_closer.command,
				subject_rows[i].measure);
		assert_int_equal(e.report.nnext, 1);
		row_expect_text(&rows, subject_rows[i].measure, e.report.next[0].command, subject_rows[i].record);
		evaluated_release(&e);
	}
	rows_end(&rows);
}

/* What is looked at next: metrics of exactly those groups that the bottleneck names. */
static void test_next_groups(void **state UNUSED)
{
	static const struct {
		const char *groups;
		bool is_next;
	} table[] = { { "Bad;Mem", true }, { "Ports", true },	{ "Men", false },  { "Memory", false },
		      { "Me", false },	   { "Bad", false },	{ "", false },	   { "Mem;Ports", true },
		      { "Posts", false },  { "Ports2", false }, { "Other", false } };
	struct metric metrics[1 + COUNT_OF(table)] = {
		{ .level = 1, .parent = NO_PARENT, .next_groups = "Mem;Ports" }
	};
	const struct model model = { .metrics = metrics, .count = COUNT_OF(metrics), .nnodes = 1 };
	struct result node = { .metric = &metrics[0], .is_bottleneck = true };
	const struct report report = { .model = &model, .nodes = &node, .nnodes = 1 };
	size_t items[COUNT_OF(metrics)];
	bool taken[COUNT_OF(metrics)] = { true };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++)
		metrics[1 + i] = (struct metric){ .groups = table[i].groups, .parent = NO_PARENT, .next_groups = "" };
	(void)drill_next(items, taken, &report, 2);
	for (size_t i = 0; i < COUNT_OF(table); i++)
		row_expect(&rows, table[i].groups, taken[1 + i] == table[i].is_next, "is it next?");
	rows_end(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judgement),    cmocka_unit_test(test_hints),
		cmocka_unit_test(test_next_command), cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_next_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
