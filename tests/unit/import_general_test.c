/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_general_test.c - the second form of Intel's formulas: read from Intel's text, or made of the first one. */
#include "rows.h"

#include "common/system/file.h"
#include "cpu/import/import.h"
#include "scratch.h"

#define EVENT(name, umask)                                                                                             \
	"{\"EventName\":\"" name "\",\"EventCode\":\"0xa4\",\"UMask\":\"" umask "\",\"Counter\":\"0,1\"}"
#define NODE(name, expr)                                                                                               \
	"{\"MetricName\":\"tma_" name "\",\"MetricExpr\":\"" expr                                                      \
	"\",\"MetricGroup\":\"TopdownL1\",\"ScaleUnit\":\"100%\"}"
#define OTHER(name, expr) "{\"MetricName\":\"" name "\",\"MetricExpr\":\"" expr "\"}"

#define SUM                                                                                                            \
	"(topdown\\\\-fe\\\\-bound + topdown\\\\-bad\\\\-spec + topdown\\\\-retiring + "                               \
	"topdown\\\\-be\\\\-bound)"
#define SLOTS EVENT("TOPDOWN.SLOTS", "0x4") "," EVENT("TOPDOWN.SLOTS_P", "0x1")
#define EVENTS                                                                                                         \
	SLOTS "," EVENT("IDQ_BUBBLES.CORE", "0x11") "," EVENT("UOPS_RETIRED.SLOTS", "0x12") "," EVENT(                 \
		"TOPDOWN.BACKEND_BOUND_SLOTS", "0x2") "," EVENT("INT_MISC.UOP_DROPPING", "0x13")
#define NODES                                                                                                          \
	NODE("frontend_bound", "topdown\\\\-fe\\\\-bound / " SUM " - INT_MISC.UOP_DROPPING / slots")                   \
	"," NODE("retiring", "topdown\\\\-retiring / " SUM)

#define TEXT(name, formula)                                                                                            \
	"{\"MetricName\":\"" name "\",\"Formula\":\"" formula "\",\"Events\":["                                        \
	"{\"Name\":\"UOPS_RETIRED.SLOTS\",\"Alias\":\"a\"},{\"Name\":\"TOPDOWN.SLOTS_P\",\"Alias\":\"b\"},"            \
	"{\"Name\":\"OLD.NAME\",\"Alias\":\"c\"},{\"Name\":\"NOT.HERE\",\"Alias\":\"d\"},"                             \
	"{\"Name\":\"UOPS_RETIRED.SLOTS:c1\",\"Alias\":\"e\"}]}"

static const struct {
	const char *row, *events, *metrics;
	const char *text; /* Intel's metrics; NULL: there is no such file */
	const char *has;  /* in the model; NULL: its second form is nowhere; "": the import fails */
	const char *line; /* of the log, or of the error; NULL: any */
} rows_of[] = {
	/* clang-format off */
	{ "a field by its event, the sum of all by slots", EVENTS, NODES, NULL,
	  "\"MetricExprGeneral\":\"IDQ_BUBBLES.CORE / TOPDOWN.SLOTS_P - INT_MISC.UOP_DROPPING / TOPDOWN.SLOTS_P\"",
	  "toy: tma_frontend_bound: second form with events" },
	{ "the header says where it comes from", EVENTS, NODES, NULL, "\"GeneralSource\":\"PERF_METRICS by events\"", NULL },
	{ "the sum in another order, with the core type", EVENTS, NODES "," OTHER("m",
	  "4 * cpu_core@topdown\\\\-be\\\\-bound@ / (cpu_core@topdown\\\\-be\\\\-bound@ + cpu_core@topdown\\\\-fe\\\\-bound@ + "
	  "cpu_core@topdown\\\\-bad\\\\-spec@ + cpu_core@topdown\\\\-retiring@)"), NULL,
	  "\"MetricExprGeneral\":\"4 * TOPDOWN.BACKEND_BOUND_SLOTS / TOPDOWN.SLOTS_P\"", NULL },
	{ "no sum of all four", EVENTS, NODES "," OTHER("m", "topdown\\\\-retiring / (topdown\\\\-be\\\\-bound + topdown\\\\-retiring)"), NULL,
	  "\"MetricExprGeneral\":\"UOPS_RETIRED.SLOTS / (TOPDOWN.BACKEND_BOUND_SLOTS + UOPS_RETIRED.SLOTS)\"", NULL },
	{ "one of the four twice", EVENTS, NODES "," OTHER("m", "1 / (topdown\\\\-retiring + topdown\\\\-retiring + "
	  "topdown\\\\-be\\\\-bound + topdown\\\\-fe\\\\-bound)"), NULL,
	  "\"MetricExprGeneral\":\"1 / (UOPS_RETIRED.SLOTS + UOPS_RETIRED.SLOTS + TOPDOWN.BACKEND_BOUND_SLOTS + IDQ_BUBBLES.CORE)\"", NULL },
	{ "a field that counts cycles of a core whose width nobody said", EVENTS "," EVENT("IDQ_BUBBLES.STARVATION_CYCLES", "0x15"),
	  NODES "," OTHER("m", "topdown\\\\-fetch\\\\-lat / " SUM), NULL, "\"MetricName\":\"m\",\"Title\":\"M\",\"MetricExpr\":\"topdown\\\\-fetch\\\\-lat / "
	  SUM "\"}", "toy: m: no second form: this CPU has no IDQ_BUBBLES.STARVATION_CYCLES" },
	{ "what names no field has one form", EVENTS, NODES "," OTHER("m", "UOPS_RETIRED.SLOTS / 2"), NULL,
	  "{\"MetricName\":\"m\",\"Title\":\"M\",\"MetricExpr\":\"UOPS_RETIRED.SLOTS / 2\"}", NULL },
	{ "an event is missing for a metric below", EVENTS, NODES "," OTHER("m", "topdown\\\\-mem\\\\-bound / " SUM), NULL,
	  "\"MetricExprGeneral\":\"UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P\"",
	  "toy: m: no second form: this CPU has no TOPDOWN.MEMORY_BOUND_SLOTS" },
	{ "an event is missing for level 1, so there is none", SLOTS "," EVENT("UOPS_RETIRED.SLOTS", "0x12"),
	  NODE("retiring", "topdown\\\\-retiring / " SUM) "," NODE("frontend_bound", "topdown\\\\-fe\\\\-bound / " SUM), NULL, NULL,
	  "toy: tma_frontend_bound: no second form: this CPU has no IDQ_BUBBLES.CORE" },
	{ "a core without slots", EVENT("TOPDOWN.SLOTS_P", "0x1") "," EVENT("UOPS_RETIRED.SLOTS", "0x12"),
	  NODE("retiring", "UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P"), "{\"Metrics\":[" TEXT("Retiring", "100 * ( a / b )") "]}", NULL, NULL },
	{ "Intel's text", EVENTS, NODES, "{\"Metrics\":[" TEXT("Retiring", "100 * ( ( a ) / ( b ) )") "]}",
	  "\"MetricExprGeneral\":\"UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P\"", NULL },
	{ "its source", EVENTS, NODES, "{\"Metrics\":[" TEXT("Retiring", "100 * ( a / b )") "]}",
	  "\"GeneralSource\":\"intel/PerfSpect alt.json\"", NULL },
	{ "Intel's text in percent of a sum", EVENTS, NODES, "{\"Metrics\":[" TEXT("Retiring", "100 * ( a / b ) + ( a / b )") "]}",
	  "\"MetricExprGeneral\":\"(100 * (UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P) + (UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P)) / 100\"", NULL },
	{ "Intel's text with a modifier", EVENTS, NODES, "{\"Metrics\":[" TEXT("Retiring", "100 * ( e / b )") "]}",
	  "\"MetricExprGeneral\":\"UOPS_RETIRED.SLOTS:c1 / TOPDOWN.SLOTS_P\"", NULL },
	{ "two names of an event", EVENTS "," EVENT("OLD.NAME", "0x12"), NODES,
	  "{\"Metrics\":[" TEXT("Retiring", "100 * ( ( a + c ) / b )") "]}",
	  "\"MetricExprGeneral\":\"(UOPS_RETIRED.SLOTS + UOPS_RETIRED.SLOTS) / TOPDOWN.SLOTS_P\"",
	  "toy: Retiring: OLD.NAME is the event that other formulas call UOPS_RETIRED.SLOTS" },
	{ "Intel's text names an event that is not here", EVENTS, NODES, "{\"Metrics\":[" TEXT("Retiring", "100 * ( d / b )") "]}",
	  "\"MetricExprGeneral\":\"UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P\"", "toy: tma_retiring: second form left out: no event NOT.HERE" },
	{ "Intel's text of another node", EVENTS, NODES, "{\"Metrics\":[" TEXT("Elsewhere", "100 * ( a / b )") "]}",
	  "\"GeneralSource\"", "toy: Elsewhere: no such node" },
	{ "Intel's text that does not parse", EVENTS, NODES, "{\"Metrics\":[" TEXT("Retiring", "100 * ( a / / b )") "]}",
	  "\"MetricName\":\"tma_retiring\",\"Title\":\"Retiring\",\"MetricExpr\":\"topdown", "toy: tma_retiring: second form left out: column" },
	{ "Intel's text without a formula", EVENTS, NODES, "{\"Metrics\":[{\"MetricName\":\"Retiring\"},7]}", "\"GeneralSource\"",
	  "toy: Retiring: no such node" },
	{ "Intel's text is not JSON", EVENTS, NODES, "{\"Metrics\":[", "", "alt.json: line 1, column 12" },
	{ "Intel's text is not there", EVENTS, NODES, NULL, "\"MetricExprGeneral\"", "toy: alt.json is in none of the folders" },
	/* clang-format on */
};

static const char *find_line(const struct import_log *log, const char *wanted)
{
	for (size_t i = 0; i < log->count; i++)
		if (!wanted || strstr(log->lines[i], wanted))
			return log->lines[i];
	return NULL;
}

static void check_made(struct rows *rows, size_t number, const struct import_request *request, struct arena *arena)
{
	const char *row = rows_of[number].row, *has = rows_of[number].has, *text;
	struct error err = { .text = "" };
	size_t length;

	text = file_read(arena_printf(arena, "%s/models/toy.json", request->out), &length, arena, &err);
	row_expect(rows, row, text != NULL, err.text);
	if (text && has)
		row_expect(rows, row, strstr(text, has) != NULL, text);
	else if (text)
		row_expect(rows, row, !strstr(text, "General"), text);
}

static void check_row(struct rows *rows, size_t number, const struct scratch *scratch, struct arena *arena)
{
	const char *folders[] = { arena_printf(arena, "%s/nowhere", scratch->path),
				  arena_printf(arena, "%s/texts", scratch->path) };
	char cpus[256], path[256];
	struct import_request request = { .form = IMPORT_PERF,
					  .folder = arena_printf(arena, "%s/toy", scratch->path),
					  .more = folders,
					  .nmore = COUNT_OF(folders),
					  .out = arena_printf(arena, "%s/out", scratch->path),
					  .cpus = cpus };
	struct import_log log = { .count = 0 };
	struct error err = { .text = "" };
	int result;

	scratch_write(scratch, "cpus.json",
		      "[{\"File\":\"toy\",\"Name\":\"toy\",\"Vendor\":\"Intel\",\"General\":\"alt.json\"}]", cpus);
	scratch_write(scratch, "toy/a.json",
		      arena_printf(arena, "[%s,%s]", rows_of[number].events, rows_of[number].metrics), path);
	if (rows_of[number].text)
		scratch_write(scratch, "texts/alt.json", rows_of[number].text, path);
	result = import_run(&log, &request, arena, &err);
	if (rows_of[number].has && !*rows_of[number].has) {
		row_expect(rows, rows_of[number].row, result < 0 && strstr(err.text, rows_of[number].line), err.text);
		return;
	}
	row_expect(rows, rows_of[number].row, result == 0, err.text);
	row_expect(rows, rows_of[number].row, find_line(&log, rows_of[number].line) != NULL,
		   log.count ? log.lines[0] : "no log");
	check_made(rows, number, &request, arena);
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
