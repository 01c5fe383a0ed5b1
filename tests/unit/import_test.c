/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_test.c - vendors' formulas and thresholds respelled, and small folders of each form imported. */
#include "rows.h"

#include "common/system/file.h"
#include "cpu/import/convert.h"
#include "cpu/import/import.h"
#include "scratch.h"

static const char *upper_x(void *context, const char *name)
{
	(void)context;
	return !strcmp(name, "x") ? "X.Y" : !strcmp(name, "nameless") ? "" : NULL;
}

static const struct {
	const char *formula, *text, *error;
} formula_rows[] = {
	/* clang-format off */
	{ "( 4 ) * x / ( a + b )",       "4 * X.Y / (a + b)", "" },
	{ "max( ( a - b ) / c , 0 )",    "max((a - b) / c, 0)", "" },
	{ "max( ( a ) , 0.0001 )",       "max(a, 0.0001)", "" },
	{ "a if ( x ) else 1e-9",        "a if X.Y else 1e-9", "" },
	{ "min( a , b ) if ( c >= 0 ) else a", "min(a, b) if (1 - (c < 0)) else a", "" },
	{ "min( a , b ) if c > = 0 else a", "min(a, b) if 1 - (c < 0) else a", "" },
	{ "a <= 5",                      "1 - (a > 5)", "" },
	{ "a >0.2 && b >0.1",            "a > 0.2 & b > 0.1", "" },
	{ "cpu@a\\,cmask\\=0x6@ + b",    "cpu@a\\,cmask\\=0x6@ + b", "" },
	{ "a.b:c1:e1 / d:ocr_msr_val=0x1fb", "a.b:c1:e1 / d:ocr_msr_val=0x1fb", "" },
	{ "icache_16b.ifdata_stall * 16b.x", "icache_16b.ifdata_stall * 16b.x", "" },
	{ "(b / a[0]) * c",              "(b / a) * c", "" },
	{ "#SMT_on - 1e9",               "#SMT_on - 1e9", "" },
	{ "",                            "", "" },
	{ "a $ b",                       NULL, "'$ b' is not understood" },
	{ "( a + b ) >= 0",              NULL, "a comparison with '=' of more than single words" },
	{ "nameless / b",                NULL, "'nameless' names no event" },
	{ "nameless >= 0",               NULL, "'nameless' names no event" },
	{ "a >= ( b )",                  NULL, "a comparison with '=' of more than single words" },
	/* clang-format on */
};

static void test_formulas(void **state UNUSED)
{
	struct convert_names names = { .name = upper_x };
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(formula_rows); i++) {
		struct error err = { .text = "" };
		const char *text = convert_formula(formula_rows[i].formula, &names, &arena, &err);

		row_expect_text(&rows, formula_rows[i].formula, text, formula_rows[i].text);
		row_expect_text(&rows, formula_rows[i].formula, err.text, formula_rows[i].error);
	}
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *expr, *text;
	unsigned count;
} latency_rows[] = {
	/* clang-format off */
	{ "n * (27 * f) - (3 * f)",              "n * ((27 * f) - (3 * f))", 1 },
	{ "min(n * l, n * (12 * t_f) - (3.5 * t_f)) * 2", "min(n * l, n * ((12 * t_f) - (3.5 * t_f))) * 2", 1 },
	{ "a * (2 * f) - (1 * f) + b * (3 * f) - (1 * f)", "a * ((2 * f) - (1 * f)) + b * ((3 * f) - (1 * f))", 2 },
	{ "n * ((27 * f) - (3 * f))",            "n * ((27 * f) - (3 * f))", 0 }, /* the vendor's other files */
	{ "n * (27 * f) - (3 * g)",              "n * (27 * f) - (3 * g)", 0 },   /* two things, not two times */
	{ "n * (27 * f) - (3 * fg)",             "n * (27 * f) - (3 * fg)", 0 },
	{ "n * (27 * f) - 3 * f",                "n * (27 * f) - 3 * f", 0 },
	{ "n * (27 * f) + (3 * f)",              "n * (27 * f) + (3 * f)", 0 },
	{ "(27 * f) - (3 * f)",                  "(27 * f) - (3 * f)", 0 },
	{ "n * (f * 27) - (f * 3)",              "n * (f * 27) - (f * 3)", 0 },
	{ "n * (27 * f",                         "n * (27 * f", 0 },
	{ "n * ",                                "n * ", 0 },
	/* clang-format on */
};

static void test_latencies(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(latency_rows); i++) {
		unsigned count;
		const char *text = convert_latency(latency_rows[i].expr, &count, &arena);

		row_expect_text(&rows, latency_rows[i].expr, text, latency_rows[i].text);
		row_expect(&rows, latency_rows[i].expr, count == latency_rows[i].count, "another number of repairs");
	}
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *published, *text, *error;
} threshold_rows[] = {
	/* clang-format off */
	{ "metric_TMA_Frontend_Bound(%) > 15", "tma_frontend_bound > 0.15", "" },
	{ "( metric_TMA_....L1_Bound(%) > 10 ) & ( metric_TMA_..Memory_Bound(%) > 20 )",
	  "tma_l1_bound > 0.1 & tma_memory_bound > 0.2", "" },
	{ "metric_TMA_Retiring(%) > 70 | metric_TMA_..Heavy_Operations(%) > 10",
	  "tma_retiring > 0.7 | tma_heavy_operations > 0.1", "" },
	{ "metric_TMA_..Core_Bound(%) >0.10 && metric_TMA_Backend_Bound(%) >0.10",
	  "tma_core_bound > 0.10 & tma_backend_bound > 0.10", "" },
	{ "metric_TMA_Info_Thread_IPC / 4 > 0.35", "tma_info_thread_ipc / 4 > 0.35", "" },
	{ "metric_TMA_A(%) > 1 & metric_TMA_B(%) > 1 | metric_TMA_C(%) > 1", NULL, "& and | are mixed" },
	{ "Frontend_Bound > 15", NULL, "the comparison 'Frontend_Bound > 15' is not understood" },
	{ "metric_TMA_A(%) > x", NULL, "the comparison 'metric_TMA_A(%) > x' is not understood" },
	{ "metric_TMA_A(%)", NULL, "the comparison 'metric_TMA_A(%)' is not understood" },
	{ "", NULL, "the comparison '' is not understood" },
	/* clang-format on */
};

static void test_thresholds(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(threshold_rows); i++) {
		struct error err = { .text = "" };
		const char *text = convert_threshold(threshold_rows[i].published, &arena, &err);

		row_expect_text(&rows, threshold_rows[i].published, text, threshold_rows[i].text);
		row_expect_text(&rows, threshold_rows[i].published, err.text, threshold_rows[i].error);
	}
	arena_release(&arena);
	rows_end(&rows);
}

#define EVENT(name, rest)  "{\"EventName\":\"" name "\",\"EventCode\":\"0x3C\",\"Counter\":\"0,1\"" rest "}"
#define METRIC(name, expr) "{\"MetricName\":\"" name "\",\"MetricExpr\":\"" expr "\"}"

static const struct {
	const char *name;
	enum import_form form;
	const char *file, *text; /* the one file of the folder */
	const char *made, *has;	 /* a file that is made, and what stands in it */
	const char *line;	 /* of the log, or the error's beginning where nothing is made */
} folder_rows[] = {
	/* clang-format off */
	{ "a code in capitals", IMPORT_PERF, "toy/a.json", "[" EVENT("A", "") "]",
	  "events/toy.json", "{\"EventName\":\"A\",\"EventCode\":\"0x3c\",\"Counter\":\"0,1\"}", "toy: 1 events, 0 metrics" },
	{ "an event twice", IMPORT_PERF, "toy/a.json", "[" EVENT("A", "") "," EVENT("A", ",\"UMask\":\"0x1\"") "]",
	  "events/toy.json", "\"UMask\":\"0x01\"", "toy: A: appears twice; the last one is used" },
	{ "an unknown name", IMPORT_PERF, "toy/a.json", "[" EVENT("A", "") "," METRIC("m", "A / B") "," METRIC("n", "A") "]",
	  "models/toy.json", "\"Metrics\":[\n{\"MetricName\":\"n\",\"Title\":\"N\",\"MetricExpr\":\"A\"}\n]}", "toy: m: left out: column 5: unknown event 'B'" },
	{ "another PMU", IMPORT_PERF, "toy/a.json",
	  "[" EVENT("A", "") "," EVENT("UNC_X", ",\"Unit\":\"CHA\",\"PortMask\":\"0x01\",\"UMaskExt\":\"0xc8\"") "," METRIC("m", "A / UNC_X") "]",
	  "events/toy.json", "{\"EventName\":\"UNC_X\",\"EventCode\":\"0x3c\",\"UMask\":\"0xc800\",\"Counter\":\"0,1\",\"Unit\":\"uncore_cha\",\"Terms\":\"ch_mask=0x1\"}",
	  "toy: 1 events, 1 metrics; 1 more events are of other PMUs, and 1 of the metrics read them" },
	{ "an event of another PMU that nobody has", IMPORT_PERF, "toy/a.json", "[" EVENT("A", "") "," METRIC("m", "A / UNC_CHA_X") "," METRIC("n", "A") "]",
	  "models/toy.json", "\"Metrics\":[\n{\"MetricName\":\"n\",\"Title\":\"N\",\"MetricExpr\":\"A\"}\n]}", "toy: m: left out: column 5: unknown event 'UNC_CHA_X'" },
	{ "two core types, the one", IMPORT_PERF, "toy/a.json",
	  "[" EVENT("A", ",\"Unit\":\"cpu_core\"") "," EVENT("B", ",\"Unit\":\"cpu_atom\"") "]",
	  "events/toy-core.json", "\"Events\":[\n{\"EventName\":\"A\",\"EventCode\":\"0x3c\",\"Counter\":\"0,1\"}\n]", "toy:core: 1 events" },
	{ "two core types, the other", IMPORT_PERF, "toy/a.json",
	  "[" EVENT("A", ",\"Unit\":\"cpu_core\"") "," EVENT("A", ",\"Unit\":\"cpu_atom\",\"UMask\":\"0x2\"") "]",
	  "events/toy-atom.json", "\"Pmu\":\"cpu_atom\"},\n\"Events\":[\n{\"EventName\":\"A\",\"EventCode\":\"0x3c\",\"UMask\":\"0x02\"",
	  "toy:atom: 1 events" },
	{ "a percentage twice", IMPORT_PERF, "toy/a.json",
	  "[" EVENT("A", "") ",{\"MetricName\":\"m\",\"MetricExpr\":\"100 * A / A\",\"ScaleUnit\":\"100%\"}]",
	  "models/toy.json", "\"ScaleUnit\":\"1%\"", "toy: m: its formula is in percent already, so its unit is 1%" },
	{ "a name with blanks", IMPORT_PERF, "toy/a.json", "[" EVENT("A", "") "," METRIC("tma _%_x", "A") "]",
	  "models/toy.json", "\"MetricName\":\"tma_x\"", "toy: 1 events" },
	{ "on the CPUs of a core type", IMPORT_PERF, "toy/a.json",
	  "[" EVENT("A", "") "," METRIC("m", "A / msr@tsc\\\\,cpu=cpu_atom@") "]",
	  "models/toy.json", "\"MetricExpr\":\"A / msr@tsc@\"", "toy: 1 events, 1 metrics" },
	{ "no UTF-8", IMPORT_PERF, "toy/a.json", "[" EVENT("A", ",\"Errata\":\"\xff\"") "]",
	  NULL, NULL, "toy/a.json: line 1, column 63: unable to decode byte 0xff" },
	{ "not JSON", IMPORT_PERF, "toy/a.json", "[{", NULL, NULL, "line 1, column 2: string or '}' expected" },
	{ "no events", IMPORT_PERF, "toy/a.json", "[]", NULL, NULL, "no events in it" },
	{ "a fixed counter from 1", IMPORT_PERFMON, "toy/events/old_core.json",
	  "[{\"EventName\":\"INST_RETIRED.ANY\",\"EventCode\":\"0x0\",\"Counter\":\"Fixed counter 1\"}]",
	  "events/old.json", "\"EventCode\":\"0xc0\",\"Counter\":\"Fixed counter 0\"",
	  "old: INST_RETIRED.ANY: is 'Fixed counter 0', not 'Fixed counter 1'" },
	{ "a fixed counter's name on general ones", IMPORT_PERFMON, "toy/events/old_core.json",
	  "[{\"EventName\":\"CPU_CLK_UNHALTED.REF\",\"EventCode\":\"0x3C\",\"UMask\":\"0x1\",\"Counter\":\"0,1\"}]",
	  "events/old.json", "\"EventCode\":\"0x3c\",\"UMask\":\"0x01\",\"Counter\":\"0,1\"", "old: 1 events" },
	{ "a fixed counter of an efficient core", IMPORT_PERFMON, "toy/events/new_core.json",
	  "[{\"EventName\":\"TOPDOWN_FE_BOUND.ALL\",\"EventCode\":\"0x00\",\"UMask\":\"0x06\",\"Counter\":\"Fixed counter 5\"}]",
	  "events/new.json", "\"EventCode\":\"0x9c\",\"UMask\":\"0x01\",\"Counter\":\"Fixed counter 5\"", "new: 1 events" },
	{ "the same event on general counters", IMPORT_PERFMON, "toy/events/new_core.json",
	  "[{\"EventName\":\"TOPDOWN_FE_BOUND.ALL\",\"EventCode\":\"0x71\",\"UMask\":\"0x00\",\"Counter\":\"0,1\"}]",
	  "events/new.json", "\"EventCode\":\"0x71\",\"Counter\":\"0,1\"", "new: 1 events" },
	{ "no folder of events", IMPORT_PERFMON, "toy/other", "", NULL, NULL, "No such file or directory" },
	{ "an event without a name", IMPORT_ARM, "toy/n9.json",
	  "{\"events\":{\"\":{\"code\":\"0x2\"},\"A\":{\"code\":\"0x1\"}}}", "events/n9.json",
	  "\"Events\":[\n{\"EventName\":\"A\"", "n9: 1 events, 0 metrics" },
	{ "a metric without a name", IMPORT_PERF, "toy/a.json", "[" EVENT("A", "") "," METRIC("%", "A") "," METRIC("n", "A") "]",
	  "models/toy.json", "\"Metrics\":[\n{\"MetricName\":\"n\",\"Title\":\"N\",\"MetricExpr\":\"A\"}\n]}", "toy: : left out: has no name" },
	{ "not an Arm file", IMPORT_ARM, "toy/n9.json", "[]", NULL, NULL, "no events in it" },
	{ "a tree that leads back", IMPORT_ARM, "toy/n9.json",
	  "{\"events\":{\"A\":{\"code\":\"0x1\"}},\"metrics\":{\"m\":{\"formula\":\"A\",\"units\":\"percent of slots\"}},"
	  "\"methodologies\":{\"topdown_methodology\":{\"decision_tree\":{\"root_nodes\":[\"m\"],"
	  "\"metrics\":[{\"name\":\"m\",\"next_items\":[\"m\",\"G\"]}]}}}}",
	  "models/n9.json", "\"MetricGroup\":\"TopdownL1\",\"MetricThreshold\":\"m > 20\"", "n9: 1 events, 1 metrics" },
	/* clang-format on */
};

static bool has_line(const struct import_log *log, const char *wanted)
{
	for (size_t i = 0; i < log->count; i++)
		if (!strncmp(log->lines[i], wanted, strlen(wanted)))
			return true;
	return false;
}

/* A folder of Linux is known by its CPUs' names; that a CPU has no tree holds until one is published. */
static const char known_cpus[] =
	"[{\"File\":\"other\",\"Name\":\"toy:core\",\"Vendor\":\"Intel\",\"Pmu\":\"cpu_core\",\"NoTree\":\"Not "
	"said.\"},"
	"{\"File\":\"toy\",\"Name\":\"toy:atom\",\"Vendor\":\"Intel\",\"Pmu\":\"cpu_atom\",\"NoTree\":\"Not said.\"},"
	"{\"File\":\"toy\",\"Name\":\"toy:tiny\",\"Vendor\":\"Intel\",\"Pmu\":\"cpu_tiny\"},"
	"{\"File\":\"toy\",\"Name\":\"toyota\",\"Vendor\":\"Intel\"}]";
static const char known_folder[] = "[" EVENT("A", ",\"Unit\":\"cpu_core\"") "," EVENT(
	"A", ",\"Unit\":\"cpu_atom\"") ","
				       "{\"MetricName\":\"m\",\"MetricExpr\":\"A\",\"MetricGroup\":\"TopdownL1\","
				       "\"Unit\":\"cpu_core\"},"
				       "{\"MetricName\":\"n\",\"MetricExpr\":\"A\",\"Unit\":\"cpu_atom\"}]";

static const struct {
	const char *made, *has;
} known_rows[] = {
	/* clang-format off */
	{ "models/toy-core.json", "\"Thresholds\":\"vendor\"},\n\"Metrics\":[\n{\"MetricName\":\"m\"" },
	{ "models/toy-atom.json", "\"NoTree\":\"Not said.\"},\n\"Metrics\":[\n{\"MetricName\":\"n\"" },
	{ "events/mapfile.csv",   "-,v1,toy:core,core,\n-,v1,toy:atom,core,\n" },
	/* clang-format on */
};

static void test_known(void **state UNUSED)
{
	struct import_log log = { .count = 0 };
	struct error err = { .text = "" };
	struct rows rows = { 0 };
	struct scratch scratch;
	struct arena arena;
	struct import_request request = { .form = IMPORT_PERF };
	char path[256];

	scratch_init(&scratch);
	arena_init(&arena);
	scratch_write(&scratch, "toy/a.json", known_folder, path);
	request.folder = arena_printf(&arena, "%s/toy", scratch.path);
	request.out = arena_printf(&arena, "%s/out", scratch.path);
	scratch_write(&scratch, "cpus.json", known_cpus, path);
	request.cpus = path;
	if (import_run(&log, &request, &arena, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < COUNT_OF(known_rows); i++) {
		size_t length;
		const char *made = arena_printf(&arena, "%s/%s", request.out, known_rows[i].made);
		const char *text = file_read(made, &length, &arena, &err);

		row_expect(&rows, known_rows[i].made, text && strstr(text, known_rows[i].has), text ? text : err.text);
	}
	row_expect(&rows, "a core type without events", has_line(&log, "toy:tiny: no events of cpu_tiny"),
		   log.lines[0]);
	arena_release(&arena);
	scratch_release(&scratch);
	rows_end(&rows);
}

static void check_folder(struct rows *rows, size_t number, const struct scratch *scratch, struct arena *arena)
{
	const char *name = folder_rows[number].name, *made = folder_rows[number].made, *text;
	struct import_request request = {
		.form = folder_rows[number].form,
		.folder = arena_printf(arena, "%s/toy/", scratch->path),
		.out = arena_printf(arena, "%s/out", scratch->path),
	};
	struct import_log log = { .count = 0 };
	struct error err = { .text = "" };
	size_t length;
	int result = import_run(&log, &request, arena, &err);

	row_expect(rows, name, (result == 0) == (made != NULL), err.text);
	if (!made) {
		row_expect(rows, name, strstr(err.text, folder_rows[number].line) != NULL, err.text);
		return;
	}
	row_expect(rows, name, has_line(&log, folder_rows[number].line), log.count ? log.lines[0] : "no log");
	text = file_read(arena_printf(arena, "%s/%s", request.out, made), &length, arena, &err);
	row_expect(rows, name, text && strstr(text, folder_rows[number].has), text ? text : err.text);
}

static void test_folders(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(folder_rows); i++) {
		struct scratch scratch;
		struct arena arena;
		char path[256];

		scratch_init(&scratch);
		arena_init(&arena);
		scratch_write(&scratch, folder_rows[i].file, folder_rows[i].text, path);
		check_folder(&rows, i, &scratch, &arena);
		arena_release(&arena);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

/* What all CPUs of an architecture have stands in its folder: events, metrics, and what a CPU says otherwise. */
static const char standard_file[] =
	"[" EVENT("STD", ",\"UMask\":\"0x7\"") "," METRIC("Bound", "STD / 2") "," METRIC("Other", "STD / 3") "]";
static const char standard_folder[] =
	"[{\"ArchStdEvent\":\"std\"},{\"ArchStdEvent\":\"bound\"},{\"ArchStdEvent\":\"OTHER\",\"MetricExpr\":\"STD * "
	"5\"},"
	"{\"ArchStdEvent\":\"nowhere\"},{\"ArchStdEvent\":\"nowhere\",\"MetricName\":\"own\",\"MetricExpr\":\"STD\"}]";

static const struct {
	const char *row, *map, *made, *has; /* has: NULL where the import fails */
} standard_rows[] = {
	/* clang-format off */
	{ "an event", "arch/mapfile.csv", "events/toy.json", "{\"EventName\":\"STD\",\"EventCode\":\"0x3c\",\"UMask\":\"0x07\"" },
	{ "metrics", "arch/mapfile.csv", "models/toy.json",
	  "[\n{\"MetricName\":\"Bound\",\"Title\":\"Bound\",\"MetricExpr\":\"STD / 2\"},\n"
	  "{\"MetricName\":\"Other\",\"Title\":\"Other\",\"MetricExpr\":\"STD * 5\"},\n"
	  "{\"MetricName\":\"own\",\"Title\":\"Own\",\"MetricExpr\":\"STD\"}\n]" },
	{ "a folder that is no architecture's", "arch/vendor/other", "events/toy.json", NULL },
	/* clang-format on */
};

static void check_standard(struct rows *rows, size_t number, struct scratch *scratch, struct arena *arena)
{
	const char *row = standard_rows[number].row, *has = standard_rows[number].has, *text = NULL;
	struct import_request request = {
		.form = IMPORT_PERF,
		.folder = arena_printf(arena, "%s/arch/vendor/toy", scratch->path),
		.out = arena_printf(arena, "%s/out", scratch->path),
	};
	struct import_log log = { .count = 0 };
	struct error err = { .text = "" };
	char path[256];
	size_t length;

	scratch_write(scratch, "arch/common.json", standard_file, path);
	scratch_write(scratch, standard_rows[number].map, "", path);
	scratch_write(scratch, "arch/vendor/toy/a.json", standard_folder, path);
	row_expect(rows, row, (import_run(&log, &request, arena, &err) == 0) == (has != NULL), err.text);
	if (!has)
		return;
	text = file_read(arena_printf(arena, "%s/%s", request.out, standard_rows[number].made), &length, arena, &err);
	row_expect(rows, row, text && strstr(text, has), text ? text : err.text);
}

static void test_standard(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(standard_rows); i++) {
		struct scratch scratch;
		struct arena arena;

		scratch_init(&scratch);
		arena_init(&arena);
		check_standard(&rows, i, &scratch, &arena);
		arena_release(&arena);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

/* A folder's Source says which Linux it is of, where the path does. */
static const struct {
	const char *folder, *source;
} source_rows[] = {
	{ "linux-7.3/x86/toy/", "\"Source\":\"Linux 7.3 pmu-events arch/x86/toy\"" },
	{ "linux-6.12/tools/perf/x86//toy", "\"Source\":\"Linux 6.12 pmu-events arch/x86/toy\"" },
	{ "linux-stable/x86/toy", "\"Source\":\"Linux pmu-events arch/x86/toy\"" },
	{ "x86/toy", "\"Source\":\"Linux pmu-events arch/x86/toy\"" },
};

static void check_source(struct rows *rows, size_t number, const struct scratch *scratch, struct arena *arena)
{
	const char *folder = source_rows[number].folder, *text = NULL;
	struct import_request request = {
		.form = IMPORT_PERF,
		.folder = arena_printf(arena, "%s/%s", scratch->path, folder),
		.out = arena_printf(arena, "%s/out", scratch->path),
	};
	struct import_log log = { .count = 0 };
	struct error err = { .text = "" };
	char path[256];
	size_t length;

	scratch_write(scratch, arena_printf(arena, "%s/a.json", folder), "[" EVENT("A", "") "]", path);
	row_expect(rows, folder, import_run(&log, &request, arena, &err) == 0, err.text);
	text = file_read(arena_printf(arena, "%s/events/toy.json", request.out), &length, arena, &err);
	row_expect(rows, folder, text && strstr(text, source_rows[number].source), text ? text : err.text);
}

static void test_sources(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(source_rows); i++) {
		struct scratch scratch;
		struct arena arena;

		scratch_init(&scratch);
		arena_init(&arena);
		check_source(&rows, i, &scratch, &arena);
		arena_release(&arena);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

static void test_forms(void **state UNUSED)
{
	enum import_form form = IMPORT_ARM;

	assert_true(import_form_named(&form, "perfmon"));
	assert_int_equal(form, IMPORT_PERFMON);
	assert_false(import_form_named(&form, "windows"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_formulas),  cmocka_unit_test(test_thresholds),
					    cmocka_unit_test(test_latencies), cmocka_unit_test(test_sources),
					    cmocka_unit_test(test_folders),   cmocka_unit_test(test_known),
					    cmocka_unit_test(test_standard),  cmocka_unit_test(test_forms) };

	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
