/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_stat_test.c - what perf stat prints with -x and with -j, line by line, and a whole report from both. */
#include "model_fixture.h"

#include "analyse/evaluate/evaluate.h"
#include "common/base/text.h"
#include "common/json/json_read.h"
#include "store/session/session.h"

#define NO ((double)NAN)

static int read_text(struct counts *counts, const char *text, struct arena *arena, struct error *err)
{
	struct session_text all = { .text = text, .length = strlen(text), .source = "stat" };
	struct measurement measured;

	if (session_read_text(&measured, &all, arena, err) < 0)
		return -1;
	*counts = measured.parts[0];
	return 0;
}

/* One line and the count that it becomes. */
static const struct {
	const char *line, *event;
	double value, share;
	enum count_state state;
} line_rows[] = {
	/* clang-format off */
	{ "5964,,cycles,100,100.00,,",                         "cycles",                     5964,    1,    COUNT_OK },
	{ "5964,,cycles,100,25.00,,",                          "cycles",                     5964,    0.25, COUNT_OK },
	{ "5964,,cycles,8.24%,100,100.00,2.0,GHz",             "cycles",                     5964,    1,    COUNT_OK },
	{ "5964,,cycles,100,100.00",                           "cycles",                     5964,    1,    COUNT_OK },
	{ "7,,cpu/event=0xc2,umask=0x2/,100,50.00,,",          "cpu/event=0xc2,umask=0x2/",  7,       0.5,  COUNT_OK },
	{ "7,,cpu/topdown-retiring/,100,100.00,,",             "cpu/topdown-retiring/",      7,       1,    COUNT_OK },
	{ "7,,cpu_core/cycles/,100,100.00,,",                  "cpu_core/cycles/",           7,       1,    COUNT_OK },
	{ "7;;cpu/event=0xc2,umask=0x2/;100;50,00;1,5;M/sec",  "cpu/event=0xc2,umask=0x2/",  7,       0.5,  COUNT_OK },
	{ "7\t\tINST_RETIRED.ANY\t100\t100.00\t\t",            "INST_RETIRED.ANY",           7,       1,    COUNT_OK },
	{ "12,5;Joules;power/energy-pkg/;100;100,00;;",        "power/energy-pkg/",          12.5,    1,    COUNT_OK },
	{ "0,,page-faults,0,100.00,,",                         "page-faults",                0,       1,    COUNT_OK },
	/* too little: 1 % and 99 ms; two of a hundred, or a tenth of a second, are enough; a share of 0.00 % is below 0.005 % */
	{ "5964,,cycles,99000000,1.00,,",                      "cycles",                     NO,      0.01, COUNT_WITHHELD },
	{ "5964,,cycles,99000000,2.00,,",                      "cycles",                     5964,    0.02, COUNT_OK },
	{ "5964,,cycles,100000000,0.50,,",                     "cycles",                     5964,    0.005, COUNT_OK },
	{ "5964,,cycles,1000,0.00,,",                          "cycles",                     NO,      5e-5, COUNT_WITHHELD },
	{ "<not counted>,,cycles,0,0.00,,",                    "cycles",                     NO,      1,    COUNT_NEVER_RAN },
	{ "<not supported>,,cycles,0,100.00,,",                "cycles",                     NO,      1,    COUNT_REFUSED },
	{ "9000000000000000000,,a.b,100,100.00,,\r",           "a.b",                        9000000000000000000.0, 1, COUNT_OK },
	/* perf took more off than there was: from 2^63 on it is no count */
	{ "18446744073709535232,,a.b,100,100.00,,",            "a.b",                        NO,      1,    COUNT_WITHHELD },
	/* -x with characters that texts have too, and with blanks around */
	{ "7::cycles:100:50.00::",                             "cycles",                     7,       0.5,  COUNT_OK },
	{ "7::cycles:uk:100:50.00::",                          "cycles:uk",                  7,       0.5,  COUNT_OK },
	{ "7//cycles/100/50.00//",                             "cycles",                     7,       0.5,  COUNT_OK },
	{ "7||cycles|100|50.00||",                             "cycles",                     7,       0.5,  COUNT_OK },
	{ "7 ; ;cycles ;100 ;50,00 ; ;",                       "cycles",                     7,       0.5,  COUNT_OK },
	/* one object over several lines, and perf 6.13 on arm64 */
	{ "{\n\"counter-value\" : \"7\",\n\"unit\" : \"\",\n\"event\" : \"cycles\",\n\"event-runtime\" : 100,\n"
	  "\"pcnt-running\" : 50.00\n}",                      "cycles",                     7,       0.5,  COUNT_OK },
	{ "{\"counter-value\" : \"7\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 100, "
	  "\"pcnt-running\" : 100.00, }",                      "cycles",                     7,       1,    COUNT_OK },
	{ "{\"counter-value\" : \"5964.000000\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 100, "
	  "\"pcnt-running\" : 25.00, \"metric-value\" : 2.0, \"metric-unit\" : \"GHz\"}",
	                                                       "cycles",                     5964,    0.25, COUNT_OK },
	{ "{\"counter-value\" : \"7\", \"unit\" : \"\", \"event\" : \"cycles\", \"variance\" : 2.40, \"event-runtime\" : 100, "
	  "\"pcnt-running\" : 100.00}",                        "cycles",                     7,       1,    COUNT_OK },
	{ "{\"counter-value\":7,\"event\":\"cpu/event=0xc2,umask=0x2/\",\"event-runtime\":100,\"pcnt-running\":100}",
	                                                       "cpu/event=0xc2,umask=0x2/",  7,       1,    COUNT_OK },
	{ "{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 0, "
	  "\"pcnt-running\" : 0.00}",                          "cycles",                     NO,      1,    COUNT_NEVER_RAN },
	{ "{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 0, "
	  "\"pcnt-running\" : 100.00}",                        "cycles",                     NO,      1,    COUNT_REFUSED },
	/* clang-format on */
};

static void check_line(struct rows *rows, size_t i, const struct counts *counts)
{
	const char *row = line_rows[i].line;
	const struct count *count = counts->repeats[0].items;

	row_expect(rows, row,
		   counts->repeats[0].count == 1 && counts->repeats[0].ngroups == 1 && counts->repeats[0].nruns == 1,
		   "one count");
	row_expect(rows, row, counts->origin.is_flat && !counts->origin.cpu, "without CPU and groups");
	row_expect_text(rows, row, count->event, line_rows[i].event);
	row_expect_number(rows, row, count->value, line_rows[i].value);
	row_expect(rows, row, count->state == line_rows[i].state, "state");
	row_expect(rows, row,
		   (count->state == COUNT_REFUSED || count->state == COUNT_WITHHELD) == (count->reason != NULL),
		   "reason");
	row_expect_number(rows, row, (double)count->running_ns / (double)count->enabled_ns, line_rows[i].share);
}

static void test_lines(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(line_rows); i++) {
		struct error err = { .text = "" };
		struct counts counts;
		struct arena arena;

		arena_init(&arena);
		if (read_text(&counts, line_rows[i].line, &arena, &err) < 0)
			row_expect(&rows, line_rows[i].line, false, err.text);
		else
			check_line(&rows, i, &counts);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* Whole files: the events that are kept, the run's times and the scope. */
static const struct {
	const char *text, *events;
	double wall_s, cpu_s;
	const char *scope;
} file_rows[] = {
	/* clang-format off */
	{ "# started on Sat Nov 21 02:50:01 2026\n\n450.50,msec,task-clock,450500000,100.00,0.5,CPUs utilized\n"
	  "900000000,ns,duration_time,900000000,100.00,,\n7,,cycles,1,100.00,,\n",
	  "cycles=7", 0.9, 0.4505, "user+kernel" },
	{ "7,,cycles,1,100.00,,\n250000000,ns,user_time,1,100.00,,\n500000000,ns,system_time,1,100.00,,\n",
	  "cycles=7", NO, 0.75, "user+kernel" },
	{ "7,,cycles,1,100.00,,\n250000000,ns,user_time,1,100.00,,\n", "cycles=7", NO, NO, "user+kernel" },
	{ "<not counted>,msec,task-clock,0,100.00,,\n7,,cycles,1,100.00,,\n", "cycles=7", NO, NO, "user+kernel" },
	/* a metric of perf's own, and one more line of it */
	{ "7,,cycles,1,100.00,1.0,GHz\n,,,,,0.5,stalled cycles per insn\n", "cycles=7", NO, NO, "user+kernel" },
	{ "{\"counter-value\":\"7\",\"event\":\"cycles\",\"event-runtime\":1,\"pcnt-running\":100.00}\n"
	  "{\"metric-value\":0.5,\"metric-unit\":\"insn per cycle\"}\n"
	  "{\"counter-value\":\"1.5\",\"unit\":\"msec\",\"event\":\"task-clock\",\"event-runtime\":1,\"pcnt-running\":100.00}",
	  "cycles=7", NO, 0.0015, "user+kernel" },
	/* the program's own output, and perf's warnings */
	{ "# a comment\n\nhello\n7,,cycles,1,100.00,,\nhello, world\n{\"a\":1}\n-7,,cycles,1,100.00,,\n7,,,1,100.00,,\n8,,branches,1,100.00,,\n",
	  "cycles=7 branches=8", NO, NO, "user+kernel" },
	{ "hello\n{\"counter-value\":\"7\",\"event\":\"cycles\",\"event-runtime\":1,\"pcnt-running\":100.00}\n[1]\n{\"a\":1}",
	  "cycles=7", NO, NO, "user+kernel" },
	/* the kernel was out of scope for all: EVENT:u is the formulas' EVENT */
	{ "7,,cycles:u,1,100.00,,\n8,,cpu/event=0xc2,umask=2/u,1,100.00,,\n1.00,msec,task-clock:u,1,100.00,,\n",
	  "cycles:u=7 cycles=7 cpu/event=0xc2,umask=2/u=8 cpu/event=0xc2,umask=2/=8", NO, 0.001, "user" },
	{ "7,,A.B:c1:k,1,100.00,,\n", "A.B:c1:k=7 A.B:c1=7", NO, NO, "kernel" },
	{ "7,,cycles:u,1,100.00,,\n8,,cycles,1,100.00,,\n", "cycles:u=7 cycles=8", NO, NO, NULL },
	{ "7,,cycles:upp,1,100.00,,\n", "cycles:upp=7 cycles=7", NO, NO, "user" },
	{ "7,,:u,1,100.00,,\n", ":u=7", NO, NO, "user+kernel" },
	{ "7,,cycles:uk,1,100.00,,\n", "cycles:uk=7", NO, NO, "user+kernel" },
	/* twice, for two of perf's metrics: both are kept, in their order */
	{ "7,,cycles,1,50.00,,\n8,,cycles,1,75.00,,\n<not counted>,,cycles,0,0.00,,\n", "cycles=7 cycles=8 cycles=nan", NO, NO, "user+kernel" },
	{ "<not counted>,,cycles,0,0.00,,\n7,,cycles,1,50.00,,\n", "cycles=nan cycles=7", NO, NO, "user+kernel" },
	/* clang-format on */
};

static const char *counts_text(const struct counts *counts, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < counts->repeats[0].count; i++)
		string_printf(&text, "%s%s=%g", i ? " " : "", counts->repeats[0].items[i].event,
			      counts->repeats[0].items[i].value);
	return text.text;
}

static void test_files(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
		const char *row = file_rows[i].text;
		struct error err = { .text = "" };
		struct counts counts;
		struct arena arena;

		arena_init(&arena);
		if (read_text(&counts, row, &arena, &err) < 0) {
			row_expect(&rows, row, false, err.text);
		} else {
			row_expect_text(&rows, row, counts_text(&counts, &arena), file_rows[i].events);
			row_expect_number(&rows, row, counts.repeats[0].runs[0].wall_s, file_rows[i].wall_s);
			row_expect_number(&rows, row, counts.repeats[0].runs[0].cpu_s, file_rows[i].cpu_s);
			row_expect_text(&rows, row, counts.origin.scope, file_rows[i].scope);
		}
		arena_release(&arena);
	}
	rows_end(&rows);
}

#define NOT_PERF "not a line of `perf stat`; with `-o FILE` the program's own output stays out of it"
#define REPORT                                                                                                         \
	"a report, which lacks the counts; `topdown --save FILE PROGRAM` keeps them, and `topdown report FILE` "       \
	"evaluates them again"
#define PERCENTAGES                                                                                                    \
	"percentages only, no counts, so nothing can be evaluated; `topdown plan --format perf --cpu CPU` prints "     \
	"what "                                                                                                        \
	"to run instead"
#define SCRIPT	   "samples as `perf script` prints them; `topdown report perf.data` reads the file that they are of"
#define JSON(text) "{" text "\"counter-value\":\"7\",\"event\":\"cycles\",\"event-runtime\":1,\"pcnt-running\":100.00}"

static const struct {
	const char *text, *error;
} bad_rows[] = {
	/* clang-format off */
	{ "0,45,msec,task-clock,445611,100,00,0,511,CPUs utilized",
	  "line 1: the numbers have decimal commas; run perf stat with LC_ALL=C, or with -x\\;" },
	{ "7,,cycles,1,100.00,,\n7,,cycles,,,,\n",                     "line 2: no time and percentage after event 'cycles'" },
	{ "7,,cycles,1,200.00,,\n",                                    "line 1: no time and percentage after event 'cycles'" },
	{ "7,,cycles,1,nan,,\n",                                       "line 1: no time and percentage after event 'cycles'" },
	{ JSON("") "\n{\"counter-value\":\"7\"\n",                     "line 2: " NOT_PERF },
	{ JSON("") "\n{\"counter-value\":\"seven\",\"event\":\"a\"}",  "line 2: " NOT_PERF },
	{ JSON("") "\n{\"counter-value\":\"7\",\"event\":\"\"}",       "line 2: " NOT_PERF },
	{ JSON("") "\n{\"counter-value\":\"7\",\"event\":\"a\"}",
	  "line 2: no \"event-runtime\" and \"pcnt-running\" for event 'a'" },
	{ "450.50,msec,task-clock,450500000,100.00,0.5,CPUs utilized\n", "no event of a core in it" },
	{ ",,,,,25.1,insn per cycle\n",                                "no event of a core in it" },
	{ " Performance counter stats for 'true':\n\n  0.5 seconds time elapsed\n", "no event of a core in it" },
	/* percentages only: perf stat -M --metric-only in three forms, --topdown, and toplev */
	{ ",,,,,25.1,%  tma_retiring\n",                               PERCENTAGES },
	{ "{\"metric-value\" : \"31.1\", \"metric-unit\" : \"%  tma_backend_bound\"}\n", PERCENTAGES },
	{ "\n Performance counter stats for 'true':\n\n %  tma_backend_bound    %  tma_retiring\n   "
	  "            30.1              20.0\n\n   0.0016 seconds time elapsed\n", PERCENTAGES },
	{ "              retiring   bad speculation   frontend bound   backend bound\n"
	  "S0-D0-C0  2      16.9%             18.0%            37.9%           27.2%\n", PERCENTAGES },
	{ "# 4.8-full on Intel(R) Xeon(R)\nFE     Frontend_Bound   % Slots    25.0  [33.0%]\n", PERCENTAGES },
	{ "Area,Value,Unit,Description\nBE,Backend_Bound,50.3,% Slots,,\n", PERCENTAGES },
	{ "#           time             retiring      bad speculation       frontend bound        backend bound\n"
	  "     1.0001 S0-D0-C0  2    10.0%       20.0%       30.0%      40.0%\n"
	  "     2.0001 S0-D0-C0  2    11.0%       20.0%       30.0%      39.0%\n", PERCENTAGES },
	{ "cluster:cpus:%  tma_core_bound:%  tma_core_bound:\nS0-D0-CLS0:2:18.2::::\nS0-D0-CLS8:2:26.7::::\n"
	  "S0-D0-CLS16:2:14.2::::\nS0-D0-CLS64:0:::::::1.0:\n", PERCENTAGES },
	{ "# 5.01-full-perf on Intel(R) Xeon(R)\nFE   Frontend_Bound    % Slots   308.3\n\tTotal pipeline cost of\n"
	  "\tbottlenecks (when the front-end\n\tcould not\n\tdeliver)\n", PERCENTAGES },
	{ "Socket count,1\n\nTimestamp,Total,Frontend_Bound,Bad_Speculation,Backend_Bound,Retiring\n"
	  "09:12:08.123,23000000000,15.2,5.1,44.6,35.1\n09:12:09.123,23100000000,15.0,5.0,45.0,35.0\n", PERCENTAGES },
	{ "+-----------------+-------+------------------+\n| Metric          | Value | Unit             |\n"
	  "| Frontend Bound  | 25.11 | percent of slots |\n| Backend Bound   | 50.00 | percent of slots |\n", PERCENTAGES },
	{ "{\"counter-value\" : \"1419380,000000\", \"event\" : \"cycles\", \"pcnt-running\" : 100,00, \"metric-value\" : 1,01}",
	  "line 1: the numbers have decimal commas, which are no JSON; run perf stat with LC_ALL=C" },
	{ "x 1 [000] 5.984841: instructions: \n", SCRIPT },
	{ "# captured on: Sat\n#\nls  1234  5.984841:     250000 cycles:u:  7f00 main (/bin/ls)\n", SCRIPT },
	/* topdown's own report, in both forms for machines */
	{ "kind,level,name,title,path,value\nsummary,,,,,\n",          REPORT },
	{ "{\"format\": \"topdown-report\", \"version\": 1}\n",       REPORT },
	/* not perf's at all */
	{ "hello, world\n", "neither a session, nor flat counts, nor perf stat's output" },
	{ "# topdown\n\nIt prints where the slots go.\n\nFrontend_Bound 12 %\n\nMore about it.\nAnd more.\n",
	  "neither a session, nor flat counts, nor perf stat's output" },
	{ " \n\n", "empty, where a session, flat counts or perf stat's output is expected" },
	{ "\xff\xfe garbage\n", "neither a session, nor flat counts, nor perf stat's output" },
	{ "{\"format\":\"topdown-counts\",\"cpu\":\"\\\"counter-value\\\"\"}", "counts: expected an object, found nothing" },
	{ "{\"format\":\"topdown-counts\",\"cpu\":\"counter-value\"}", "counts: expected an object, found nothing" },
	/* clang-format on */
};

static void test_bad(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		struct error err = { .text = "" };
		char expected[512];
		struct counts counts;
		struct arena arena;

		arena_init(&arena);
		snprintf(expected, sizeof(expected), "stat: %s", bad_rows[i].error);
		row_expect(&rows, bad_rows[i].text, read_text(&counts, bad_rows[i].text, &arena, &err) == -1,
			   "was read");
		row_expect_text(&rows, bad_rows[i].text, err.text, expected);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/*
 * The chosen counts of a golden case as perf would have printed them. Time stamps and wall time are constants there, and
 * events of perf's here.
 */
#define CASE "tests/golden/spr-vector/"
#define CLOCKS                                                                                                         \
	{ .event = "msr/tsc/", .value = 2e9 },                                                                         \
	{                                                                                                              \
		.event = "duration_time", .value = 1e9                                                                 \
	}

static const char *as_csv(const struct count *count, struct arena *arena)
{
	return arena_printf(arena, "%.17g,,%s,1000000000,100.00,,\n", count->value, count->event);
}

static const char *as_json(const struct count *count, struct arena *arena)
{
	return arena_printf(arena,
			    "{\"counter-value\" : \"%f\", \"unit\" : \"\", \"event\" : \"%s\", \"event-runtime\" : "
			    "1000000000, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, \"metric-unit\" : "
			    "\"\"}\n",
			    count->value, count->event);
}

static const char *rewrite(const struct counts *counts,
			   const char *(*as)(const struct count *count, struct arena *arena), struct arena *arena)
{
	const struct count clocks[] = { CLOCKS };
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < counts->repeats[0].count; i++)
		if (strcmp(counts->repeats[0].items[i].event, "duration_time") != 0)
			string_add(&text, as(&counts->repeats[0].items[i], arena));
	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		string_add(&text, as(&clocks[i], arena));
	return text.text;
}

static struct report report_of(struct loaded *loaded, const struct counts *counts)
{
	struct report report;

	if (evaluate(&report, &loaded->model, counts, &loaded->arena, &loaded->err) < 0)
		fail_msg("%s", loaded->err.text);
	return report;
}

static void compare_nodes(struct rows *rows, const struct report *found, const struct report *flat)
{
	struct error err = { .text = "" };
	struct json *root = json_read_file(CASE "expected.json", &err);
	unsigned measured = 0;

	assert_non_null(root);
	assert_int_equal(found->nnodes, flat->nnodes);
	for (size_t i = 0; i < found->nnodes; i++) {
		const struct result *node = &found->nodes[i];
		const char *name = node->metric->name;
		const struct json *expected = json_get(json_get(root, "nodes"), name);
		double value = json_number(json_get(expected, "value"));

		row_expect(rows, name, expected != NULL, "is not in expected.json");
		row_expect(rows, name,
			   isnan(value) ? isnan(node->raw) : fabs(node->raw - value) <= 1e-9 * fmax(1, fabs(value)),
			   "differs from expected.json");
		row_expect_number(rows, name, node->raw, flat->nodes[i].raw);
		row_expect(rows, name, node->quality == flat->nodes[i].quality, "another quality");
		measured += isnan(node->raw) ? 0 : 1;
	}
	assert_true(measured > 50);
	json_free(root);
}

static void test_golden(void **state UNUSED)
{
	const char *(*const forms[])(const struct count *count, struct arena *arena) = { as_csv, as_json };
	struct rows rows = { 0 };
	struct loaded loaded;
	struct measurement measured;
	struct counts counts, again;
	struct report flat;

	loaded_shipped(&loaded, "sapphirerapids", true);
	if (session_read(&measured, CASE "counts.json", &loaded.arena, &loaded.err) < 0)
		fail_msg("%s", loaded.err.text);
	counts = measured.parts[0];
	loaded.model.facts = counts.origin.facts;
	flat = report_of(&loaded, &counts);
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		struct report report;

		if (read_text(&again, rewrite(&counts, forms[i], &loaded.arena), &loaded.arena, &loaded.err) < 0)
			fail_msg("%s", loaded.err.text);
		assert_true(again.repeats[0].runs[0].wall_s == 1);
		report = report_of(&loaded, &again);
		compare_nodes(&rows, &report, &flat);
	}
	loaded_release(&loaded);
	rows_end(&rows);
}

/* perf's spellings of one event, and the quality of a value whose events were counted for part of the time. */
static const struct {
	const char *cycles, *delivered;
	enum quality quality;
	double running;
} spelling_rows[] = {
	/* clang-format off */
	{ "cycles,1,100.00",                  "IDQ_UOPS_NOT_DELIVERED.CORE,1,100.00",    QUALITY_EXACT,  1 },
	{ "cpu-cycles,1,100.00",              "idq_uops_not_delivered.core,1,100.00",    QUALITY_EXACT,  1 },
	{ "cpu/cpu-cycles/,1,100.00",         "cpu/IDQ_UOPS_NOT_DELIVERED.CORE/,1,100",  QUALITY_EXACT,  1 },
	{ "cpu/event=0x3c/,1,100.00",         "cpu/event=0x9c,umask=0x1/,1,100.00",      QUALITY_EXACT,  1 },
	{ "cpu/event=0x3c/u,1,100.00",        "cpu/event=156,umask=1/u,1,100.00",        QUALITY_EXACT,  1 },
	{ "cycles:u,1,100.00",                "IDQ_UOPS_NOT_DELIVERED.CORE:u,1,100.00",  QUALITY_EXACT,  1 },
	{ "cpu_core/cycles/,1,100.00",        "cpu_core/event=0x9c,umask=0x1/,1,100.00", QUALITY_EXACT,  1 },
	{ "CPU_CLK_UNHALTED.THREAD,1,100.00", "IDQ_UOPS_NOT_DELIVERED.CORE,1000,25.00",  QUALITY_SCALED, 0.25 },
	{ "cycles,1000,50.00",                "IDQ_UOPS_NOT_DELIVERED.CORE,1,100.00",    QUALITY_SCALED, 0.5 },
	{ "cycles,1,100.00",                  "cpu/event=0x9c,umask=0x2/,1,100.00",      QUALITY_NONE,   NO },
	{ "cycles,1,100.00",                  "cpu/event=0x9c,umask=0x1,cmask=1/,1,100", QUALITY_NONE,   NO },
	/* clang-format on */
};

static void test_spellings(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct loaded loaded;

	loaded_shipped(&loaded, "cascadelakex", false);
	for (size_t i = 0; i < COUNT_OF(spelling_rows); i++) {
		const char *scope = strstr(spelling_rows[i].delivered, "u,1") ? ":u" : "";
		const char *row =
			arena_printf(&loaded.arena, "1000,,%s,,\n400,,%s,,\n7,,UOPS_ISSUED.ANY%s,10,10.00,,\n",
				     spelling_rows[i].cycles, spelling_rows[i].delivered, scope);
		struct report report;
		struct counts counts;

		if (read_text(&counts, row, &loaded.arena, &loaded.err) < 0)
			fail_msg("%s", loaded.err.text);
		report = report_of(&loaded, &counts);
		row_expect_text(&rows, row, report.nodes[0].metric->name, "tma_frontend_bound");
		row_expect(&rows, row, report.nodes[0].quality == spelling_rows[i].quality, "quality");
		row_expect_number(&rows, row, report.nodes[0].running, spelling_rows[i].running);
		row_expect_number(&rows, row, report.nodes[0].value,
				  spelling_rows[i].quality == QUALITY_NONE ? NO : 10);
	}
	loaded_release(&loaded);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),  cmocka_unit_test(test_files),	 cmocka_unit_test(test_bad),
		cmocka_unit_test(test_golden), cmocka_unit_test(test_spellings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
