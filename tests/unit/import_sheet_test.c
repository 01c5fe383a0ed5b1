/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_sheet_test.c - Intel's sheets as CSV: which cell is a CPU's, and what its formula means. */
#include "rows.h"

#include "common/system/file.h"
#include "cpu/import/import.h"
#include "scratch.h"

#define HEAD                                                                                                           \
	"TMA,Version,5.2-full\r\n"                                                                                     \
	".,,,,,Server,,,,,\r\n"                                                                                        \
	"Key,Level1,Level2,NEW,OLD/AGED,SRV,Locate-with,Count Domain,Metric Description,Threshold,Metric Group\r\n"
#define TOP		"FE,Top,,,A.A / CLKS,,,Slots,,> 0.2,G;\r\nInfo.Core,CLKS,,CPU.CLK,,,,Count,,,\r\n"
#define AUX(name, cell) "Aux,#" name ",," cell ",,,,,,,\r\n"

static const struct {
	const char *row, *text;
	const char *has;  /* in the model; NULL: the import fails */
	const char *line; /* of the log, or of the error; NULL: any */
} rows_of[] = {
	/* clang-format off */
	{ "an empty cell means as the next column", HEAD TOP,
	  "\"MetricName\":\"tma_top\",\"Title\":\"Top\",\"MetricExpr\":\"A.A / tma_info_core_clks\",\"MetricGroup\":\"G;TopdownL1;tma_L1_group\","
	  "\"MetricThreshold\":\"tma_top > 0.2\",\"ScaleUnit\":\"100%\",\"CountDomain\":\"Slots\"", NULL },
	{ "the version", HEAD TOP, "\"Version\":\"5.2\",\"TmaVersion\":\"5.2\"", NULL },
	{ "a column of servers says nothing of other CPUs", HEAD TOP "Info.Core,IPC,,,,A.A,,,,,\r\n", "\"tma_info_core_clks\"", NULL },
	{ "#NA is none, whatever the next column has", HEAD TOP "FE,,Low,#NA,A.A,,,,,,\r\n", "\"tma_top\"", NULL },
	{ "a node below, over its threshold with the node above", HEAD TOP "FE,,Low,A.A:c1:i1 / CLKS,,,,,,> 0.1 & P; $issueX; ~overlap,\r\n",
	  "\"MetricExpr\":\"A.A:c1:i1 / tma_info_core_clks\",\"MetricGroup\":\"TopdownL2;tma_L2_group;tma_top_group;tma_issueX\","
	  "\"MetricThreshold\":\"tma_low > 0.1 & tma_top > 0.2\"", NULL },
	{ "a threshold in parentheses, of two", HEAD TOP "FE,,Low,A.A,,,,,,(> 0.7 | CLKS2),\r\nInfo.Core,CLKS2,,A.A,,,,,,< 3 ,\r\n",
	  "\"MetricThreshold\":\"tma_low > 0.7 | tma_info_core_clks2 < 3\"", NULL },
	{ "only an issue, no threshold", HEAD TOP "Info.Core,X,,A.A,,,,,,; $issueX,\r\n",
	  "\"MetricExpr\":\"A.A\",\"MetricGroup\":\"tma_issueX\"}", NULL },
	{ "a part of formulas", HEAD TOP AUX("W", "4") AUX("S", "#W * CLKS") "Info.Core,X,,A.A / #S,,,,,,> #W / 2,\r\n",
	  "\"MetricExpr\":\"A.A / (4 * tma_info_core_clks)\",\"MetricThreshold\":\"tma_info_core_x > 4 / 2\"", NULL },
	{ "what the causes add up to, of those that are there", HEAD TOP
	  "FE,,One,A.A,,,,,,,\r\nFE,,Two,B.GONE,,,,,,,\r\nFE,,Three,B.B,,,,,,,\r\nBottleneck,X,,100 * Top / ##Top,,,,Scaled_Slots,,,\r\n",
	  "\"MetricName\":\"tma_bottleneck_x\",\"Title\":\"Bottleneck_X\",\"MetricExpr\":\"100 * tma_top / (tma_one + tma_three)\",\"ScaleUnit\":\"1%\"",
	  "toy: tma_two: left out: 'B.GONE' is nothing that this CPU has" },
	{ "what names a row that is left out is left out", HEAD TOP "Info.Core,X,,Y,,,,,,,\r\nInfo.Core,Y,,B.GONE,,,,,,,\r\n", "\"tma_top\"",
	  "toy: tma_info_core_x: left out: 'Y' is nothing" },
	{ "a question that the sheet answers with yes", HEAD TOP AUX("Q", "1") "Info.Core,X,,\"max( 1 , A.A if #Q else B.GONE )\",,,,,,,\r\n",
	  "\"MetricExpr\":\"max(1, A.A)\"", NULL },
	{ "and with no, in front of others", HEAD TOP AUX("Q", "#NA") "Info.Core,X,,( B.GONE / 2 if #Q else B.B if #R else A.A ) * 3,,,,,,,\r\n",
	  "\"MetricExpr\":\"A.A * 3\"", NULL },
	{ "a question of counts stays", HEAD TOP "Info.Core,X,,A.A if ( A.A > B.B ) else 0,,,,,,,\r\n",
	  "\"MetricExpr\":\"A.A if (A.A > B.B) else 0\"", NULL },
	{ "retire latencies", HEAD TOP "Info.Core,X,,\"A.A*$PEBS + B.B:c1*min($PEBS, 9)  / CLKS\",,,,,,,\r\n",
	  "\"MetricExpr\":\"(A.A * A.A:retire_latency) + (B.B:c1 * min(B.B:c1:retire_latency, 9)) / tma_info_core_clks\"", NULL },
	{ "half a retire latency", HEAD TOP "Info.Core,X,,\"A.A*min($PEBS\",,,,,,,\r\nInfo.Core,Y,,*$PEBS,,,,,,,\r\n", "\"tma_top\"",
	  "toy: tma_info_core_x: left out" },
	{ "a second name of a node of level 1", HEAD TOP "BE_aux,Top_Aux,,Top,,,,,,,\r\nBE_aux,,Low,B.B,,,,,,,\r\n",
	  "\"MetricExpr\":\"B.B\",\"MetricGroup\":\"TopdownL2;tma_L2_group;tma_top_group\"", "toy: Top_Aux is Top: its causes stand below that" },
	{ "events to sample, by CPU", HEAD TOP "FE,,Low,A.A,,,OLD/OLDER ? B.B : NEW/SRV ? A.A_PS;B.B : #NA,,,,\r\n",
	  "\"LocateWith\":\"A.A;B.B\"", NULL },
	{ "a quoted quote, and a line within a cell", HEAD TOP "Info.Core,X,,A.A,,,,,\"a \"\"b\"\",\nc\",> 2,\r\n",
	  "\"MetricExpr\":\"A.A\",\"MetricThreshold\":\"tma_info_core_x > 2\"", NULL },
	{ "a circle", HEAD TOP AUX("A", "#B") AUX("B", "#A") "Info.Core,X,,#A,,,,,,> #A,\r\n", "\"tma_top\"", NULL },
	{ "a node below none", HEAD "FE,,Low,A.A,,,,,,,\r\n" TOP, "\"MetricName\":\"tma_low\",\"Title\":\"Low\",\"MetricExpr\":\"A.A\"",
	  "toy: tma_low: the node above it is left out" },
	{ "no columns", "TMA,Version,1\r\n", NULL, "no row whose first cell is 'Key'" },
	{ "no such column", "Key,Level1,ELSE,Locate-with\r\n", NULL, "no column 'NEW' in front of 'Locate-with'" },
	{ "nothing behind the columns", "Key,Level1,NEW\r\n", NULL, "no column 'NEW' in front of 'Locate-with'" },
	/* clang-format on */
};

static const char *find_line(const struct import_log *log, const char *wanted)
{
	for (size_t i = 0; i < log->count; i++)
		if (!wanted || strstr(log->lines[i], wanted))
			return log->lines[i];
	return NULL;
}

static void check_row(struct rows *rows, size_t number, const struct scratch *scratch, struct arena *arena)
{
	static const char events[] =
		"[{\"EventName\":\"A.A\",\"EventCode\":\"0x1\",\"UMask\":\"0x1\",\"Counter\":\"0,1\"},"
		"{\"EventName\":\"B.B\",\"EventCode\":\"0x2\",\"UMask\":\"0x1\",\"Counter\":\"0,1\"},"
		"{\"EventName\":\"CPU.CLK\",\"EventCode\":\"0x3\",\"UMask\":\"0x1\",\"Counter\":\"0\"}]";
	const char *row = rows_of[number].row, *more[] = { arena_printf(arena, "%s/sheets", scratch->path) };
	char cpus[256], path[256];
	struct import_request request = { .form = IMPORT_PERFMON,
					  .folder = arena_printf(arena, "%s/TOY", scratch->path),
					  .more = more,
					  .nmore = COUNT_OF(more),
					  .out = arena_printf(arena, "%s/out", scratch->path),
					  .cpus = cpus };
	struct import_log log = { .count = 0 };
	struct error err = { .text = "" };
	const char *model;
	size_t length;
	int result;

	scratch_write(scratch, "cpus.json",
		      "[{\"File\":\"toy\",\"Name\":\"toy\",\"Vendor\":\"Intel\",\"Sheet\":\"sheet.csv NEW\"}]", cpus);
	scratch_write(scratch, "TOY/events/toy_core.json", events, path);
	scratch_write(scratch, "sheets/sheet.csv", rows_of[number].text, path);
	result = import_run(&log, &request, arena, &err);
	if (!rows_of[number].has) {
		row_expect(rows, row, result < 0 && strstr(err.text, rows_of[number].line), err.text);
		return;
	}
	row_expect(rows, row, result == 0, err.text);
	row_expect(rows, row, find_line(&log, rows_of[number].line) != NULL, log.count ? log.lines[0] : "no log");
	model = file_read(arena_printf(arena, "%s/models/toy.json", request.out), &length, arena, &err);
	row_expect(rows, row, model && strstr(model, rows_of[number].has), model ? model : err.text);
}

static void test_rows(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
		struct scratch scratch;
		struct arena arena;

		scratch_init(&scratch);
		arena_init(&arena);
		check_row(&rows, i, &scratch, &arena);
		arena_release(&arena);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
