/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_test.c - a session is read back as it was saved, flat counts are understood, everything else is refused. */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/session/session.h"

#define BAD_DIR TOPDOWN_SOURCE_DIR "/tests/bad/session/"

/* One row for each file of tests/bad/session: what is said behind the file's name. */
static const struct {
	const char *name, *error;
} bad_files[] = {
	{ "anchor-array", "anchor: expected an object, found an array" },
	{ "anchor-negative", "anchor.user_s: expected a number from 0 to 1e24 or null, found -1" },
	{ "anchor-without-hz", "anchor.hz: expected a number from 0 to 1e24 or null, found nothing" },
	{ "array", "format: expected \"topdown-session\" or \"topdown-counts\", found nothing" },
	{ "bottlenecks-asked-number", "bottlenecks_asked: expected true, found 1" },
	{ "command-number", "command: expected text or null, found 5" },
	{ "count-null", "counts[0]: expected an object, found null" },
	{ "count-run-beyond", "counts[0].run: expected one of \"runs\", found 2" },
	{ "counts-missing", "counts: expected an array, found nothing" },
	{ "cpu-empty", "cpu: expected text, found \"\"" },
	{ "cpu-missing", "cpu: expected text, found nothing" },
	{ "empty", "empty, where a session, flat counts or perf stat's output is expected" },
	{ "enabled-missing", "counts[0].enabled_ns: expected a whole number from 0, found nothing" },
	{ "event-missing", "counts[0].event: expected text, found nothing" },
	{ "facts-missing", "facts: expected an object, found nothing" },
	{ "facts-negative", "facts.slots: expected a number from 0 to 1e24 or null, found -4" },
	{ "facts-text", "facts.smt_on: expected a number from 0 to 1e24 or null, found \"on\"" },
	{ "flat-constant-text",
	  "constants.SYSTEM_TSC_FREQ: expected a number from 0 to 1e24 or null, found \"2.5 GHz\"" },
	{ "flat-count-negative", "counts.A: expected an event's count from 0 to 1e24 or null, found -1" },
	{ "flat-count-text", "counts.A: expected an event's count from 0 to 1e24 or null, found \"1\"" },
	{ "flat-counts-array", "counts: expected an object, found an array" },
	{ "flat-counts-missing", "counts: expected an object, found nothing" },
	{ "flat-cpu-missing", "cpu: expected text, found nothing" },
	{ "flat-smt-two", "smt: expected 0, 1, true or false, found 2" },
	{ "flat-version-newer", "version 2 was written by a newer topdown; this one reads up to version 1" },
	{ "format-number", "format: expected \"topdown-session\" or \"topdown-counts\", found 1" },
	{ "format-report", "a report, which lacks the counts; `topdown --save FILE PROGRAM` keeps "
			   "them, and `topdown report FILE` evaluates them again" },
	{ "group-beyond", "counts[0].group: expected at most \"groups\", found 2" },
	{ "group-huge", "counts[0].group: expected a whole number from 1 to 1000000, found 9.2233720368547758e+18" },
	{ "group-zero", "counts[0].group: expected a whole number from 1 to 1000000, found 0" },
	{ "groups-absurd", "groups: expected a whole number from 0 to 1000000, found 1000001" },
	{ "groups-true", "groups: expected a whole number from 0 to 1000000, found true" },
	{ "inputs-bytes-negative", "inputs[0].bytes: expected a whole number from 0, found -3" },
	{ "inputs-digest-number", "inputs[0].digest: expected text or null, found 7" },
	{ "inputs-name-missing", "inputs[0].name: expected text, found nothing" },
	{ "inputs-object", "inputs: expected an array, found an object" },
	{ "level-fraction", "level: expected a whole number from 0 to 16, found 2.5" },
	{ "level-negative", "level: expected a whole number from 0 to 16, found -1" },
	{ "lines-counts", "lines[0].counts: expected an object, found nothing" },
	{ "lines-event", "lines[0].counts: expected events of the session's \"counts\", found 1" },
	{ "lines-function", "lines[0].function: expected text or null, found 5" },
	{ "lines-line", "lines[1].line: expected a whole number from 0 to 1000000, found -3" },
	{ "lines-negative", "lines[0].INST_RETIRED.ANY: expected a number from 0 to 1e24, found -1" },
	{ "lines-number", "lines[0]: expected an object, found 7" },
	{ "lines-object", "lines: expected an array, found an object" },
	{ "nested", "line 1, column 2049: maximum parsing depth reached near '['" },
	{ "no-format", "format: expected \"topdown-session\" or \"topdown-counts\", found nothing" },
	{ "nodes-asked-list", "nodes_asked: expected text, found an array" },
	{ "not-json", "neither a session, nor flat counts, nor perf stat's output" },
	{ "raw-fraction", "counts[0].raw: expected a whole number from 0, found 1.5" },
	{ "raw-overflow", "line 1, column 624: too big integer near '99999999999999999999'" },
	{ "raw-text", "counts[0].raw: expected a whole number from 0, found \"many\"" },
	{ "raw-too-big", "counts[0].raw: expected a whole number from 0, found \"18446744073709551616\"" },
	{ "reason-missing", "counts[0].reason: expected text or null, found nothing" },
	{ "run-number", "runs[0]: expected an object, found 7" },
	{ "run-order", "runs[0].run: expected the runs' numbers, 1 and up, found 2" },
	{ "run-status-absurd", "runs[0].status: expected a whole number from 0 to 255, found 256" },
	{ "run-wall-negative", "runs[0].wall_s: expected a number from 0 to 1e24 or null, found -1" },
	{ "running-negative", "counts[0].running_ns: expected a whole number from 0, found -10" },
	{ "runs-missing", "runs: expected an array, found nothing" },
	{ "runs-object", "runs: expected an array, found an object" },
	{ "slices-negative", "counts[0].slices: expected whole numbers from 0, found -1" },
	{ "slices-number", "counts[0].slices: expected an array, found 7" },
	{ "state-control",
	  "counts[0].state: expected \"ok\", \"never-ran\", \"refused\" or \"withheld\", found \"\\x1b[31m\"" },
	{ "state-unknown",
	  "counts[0].state: expected \"ok\", \"never-ran\", \"refused\" or \"withheld\", found \"fine\"" },
	{ "truncated", "line 37, column 14: unexpected token near end of file" },
	{ "value-absurd", "counts[0].value: expected a number from 0 to 1e24 or null, found 1e+308" },
	{ "value-negative", "counts[0].value: expected a number from 0 to 1e24 or null, found -1" },
	{ "value-null", "counts[0].value: expected a number, as state is \"ok\", found null" },
	{ "value-though-refused", "counts[0].value: expected null, as state is not \"ok\", found 100" },
	{ "version-missing", "version: expected 1 or 2, found nothing" },
	{ "what-if-cycles-negative", "what_if[0].cycles: expected a number from 0 to 1e24 or null, found -5" },
	{ "what-if-name-missing", "what_if[0].name: expected text, found nothing" },
	{ "what-if-node-number", "what_if[0].nodes[0]: expected text, found 3" },
	{ "what-if-nodes-text", "what_if[0].nodes: expected an array, found \"tma_bad_speculation\"" },
	{ "what-if-object", "what_if: expected an array, found an object" },
	{ "version-newer", "version 3 was written by a newer topdown; this one reads up to version 2" },
	{ "version-text", "version: expected 1 or 2, found \"1\"" },
};

/* Sessions of one part. */
static int save_one(const char *path, struct counts *counts, struct error *err)
{
	const struct measurement measured = { .parts = counts, .count = 1 };

	return session_save(path, &measured, err);
}

static int read_one(struct counts *counts, const char *path, struct arena *arena, struct error *err)
{
	struct measurement measured;

	*counts = (struct counts){ .nrepeats = 0 };
	if (session_read(&measured, path, arena, err) < 0)
		return -1;
	assert_int_equal(measured.count, 1);
	*counts = measured.parts[0];
	return 0;
}

static int read_text_one(struct counts *counts, const struct session_text *text, struct arena *arena, struct error *err)
{
	struct measurement measured;

	*counts = (struct counts){ .nrepeats = 0 };
	if (session_read_text(&measured, text, arena, err) < 0)
		return -1;
	*counts = measured.parts[0];
	return 0;
}

static void test_bad_files(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(bad_files); i++) {
		struct error err = { .text = "" };
		char path[512], expected[1024];
		struct counts counts;
		struct arena arena;

		arena_init(&arena);
		snprintf(path, sizeof(path), BAD_DIR "%s.json", bad_files[i].name);
		snprintf(expected, sizeof(expected), "%s: %s", path, bad_files[i].error);
		row_expect(&rows, bad_files[i].name, read_one(&counts, path, &arena, &err) == -1, "was read");
		row_expect_text(&rows, bad_files[i].name, err.text, expected);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* Numbers that lose something in a careless writer: beyond 2^53, beyond 2^63, no finite decimal. */
static const uint64_t sample_slices[] = { 0, 333333333332, 1 };

static struct count sample_items[] = {
	{ .event = "INST_RETIRED.ANY",
	  .value = 1e12 / 3,
	  .raw = 333333333333,
	  .enabled_ns = 3,
	  .running_ns = 1,
	  .slices = sample_slices,
	  .nslices = COUNT_OF(sample_slices) },
	{ .event = "L1D_PEND_MISS.FB_FULL:c1",
	  .group = 1,
	  .run = 1,
	  .value = 0.1 + 0.2,
	  .raw = UINT64_MAX,
	  .enabled_ns = UINT64_C(9007199254740993),
	  .running_ns = INT64_MAX },
	{ .event = "never", .group = 1, .run = 1, .value = (double)NAN, .enabled_ns = 5, .state = COUNT_NEVER_RAN },
	{ .event = "refused",
	  .group = 1,
	  .run = 1,
	  .value = (double)NAN,
	  .state = COUNT_REFUSED,
	  .reason = "no \x1b counter\n" },
};

static struct count_run sample_runs[] = {
	/* clang-format off */
	{ .wall_s = 12.345678901234567, .cpu_s = (double)NAN, .status = 139 },
	{ .wall_s = 0, .cpu_s = 1e-9 },
	/* clang-format on */
};

static struct repeat sample_repeat = {
	.ngroups = 2,
	.runs = sample_runs,
	.nruns = COUNT_OF(sample_runs),
	.items = sample_items,
	.count = COUNT_OF(sample_items),
};

static struct counts sample(void)
{
	return (struct counts){
		.origin = { .cpu = "cascadelakex",
			    .cpuid = "GenuineIntel-6-55-7",
			    .command = "./prog 'a\tb' \xc2\x9b é",
			    .scope = "user",
			    .started = "2024-05-06T07:08:09Z",
			    .tool_version = "1.0",
			    .form = "general",
			    .facts = { .smt_on = 1,
				       .core_wide = 0,
				       .num_cpus = 8,
				       .num_cpus_online = 8,
				       .num_cores = 4,
				       .num_dies = 1,
				       .num_packages = 1,
				       .slots = (double)NAN,
				       .system_tsc_freq = 2.5e9 + 0.1,
				       .has_pmem = (double)NAN,
				       .cpuid = "GenuineIntel-6-55-7" } },
		.question = { .level = 3, .nodes = "Memory_Bound^,'!Core_Bound'", .metrics = "" },
		.repeats = &sample_repeat,
		.nrepeats = 1,
	};
}

static void expect_same_text(const char *a, const char *b)
{
	assert_true(!a == !b);
	if (a)
		assert_string_equal(a, b);
}

/* Bit for bit, but any NAN is NAN. */
static void expect_same_number(double a, double b)
{
	assert_true(isnan(a) ? isnan(b) : !memcmp(&a, &b, sizeof(a)));
}

static void expect_same_facts(const struct facts *a, const struct facts *b)
{
	expect_same_number(a->smt_on, b->smt_on);
	expect_same_number(a->core_wide, b->core_wide);
	expect_same_number(a->num_cpus, b->num_cpus);
	expect_same_number(a->num_cpus_online, b->num_cpus_online);
	expect_same_number(a->num_cores, b->num_cores);
	expect_same_number(a->num_dies, b->num_dies);
	expect_same_number(a->num_packages, b->num_packages);
	expect_same_number(a->slots, b->slots);
	expect_same_number(a->system_tsc_freq, b->system_tsc_freq);
	expect_same_number(a->has_pmem, b->has_pmem);
	expect_same_text(a->cpuid, b->cpuid);
}

static void expect_same_repeat(const struct repeat *a, const struct repeat *b)
{
	assert_int_equal(a->nruns, b->nruns);
	for (size_t i = 0; i < a->nruns; i++) {
		expect_same_number(a->runs[i].wall_s, b->runs[i].wall_s);
		expect_same_number(a->runs[i].cpu_s, b->runs[i].cpu_s);
		assert_int_equal(a->runs[i].status, b->runs[i].status);
	}
	assert_int_equal(a->ngroups, b->ngroups);
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct count *x = &a->items[i], *y = &b->items[i];

		expect_same_text(x->event, y->event);
		expect_same_number(x->value, y->value);
		expect_same_text(x->reason, y->reason);
		assert_true(x->group == y->group && x->run == y->run && x->raw == y->raw &&
			    x->enabled_ns == y->enabled_ns && x->running_ns == y->running_ns && x->state == y->state);
		assert_int_equal(x->nslices, y->nslices);
		assert_true(!x->nslices || !memcmp(x->slices, y->slices, x->nslices * sizeof(*x->slices)));
	}
}

static void expect_same(const struct counts *a, const struct counts *b)
{
	expect_same_text(a->origin.cpu, b->origin.cpu);
	expect_same_text(a->origin.cpuid, b->origin.cpuid);
	expect_same_text(a->origin.machine, b->origin.machine);
	expect_same_text(a->origin.command, b->origin.command);
	expect_same_text(a->origin.scope, b->origin.scope);
	expect_same_text(a->origin.started, b->origin.started);
	expect_same_text(a->origin.tool_version, b->origin.tool_version);
	expect_same_text(a->origin.model_version, b->origin.model_version);
	expect_same_text(a->origin.form, b->origin.form);
	assert_int_equal(a->question.level, b->question.level);
	expect_same_text(a->question.nodes, b->question.nodes);
	expect_same_text(a->question.groups, b->question.groups);
	expect_same_text(a->question.metrics, b->question.metrics);
	assert_int_equal(a->origin.is_flat, b->origin.is_flat);
	expect_same_facts(&a->origin.facts, &b->origin.facts);
	assert_int_equal(a->nrepeats, b->nrepeats);
	for (size_t i = 0; i < a->nrepeats; i++)
		expect_same_repeat(&a->repeats[i], &b->repeats[i]);
}

/* A directory of the test's own, removed by leave(). */
static void enter(char directory[32])
{
	strcpy(directory, "/tmp/topdown-XXXXXX");
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
}

static void leave(const char *directory)
{
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0); /* fails when a temporary file was left behind */
}

static void test_round_trip(void **state UNUSED)
{
	struct counts saved = sample(), loaded;
	struct error err = { .text = "" };
	struct stat status;
	char directory[32];
	struct arena arena;

	arena_init(&arena);
	enter(directory);
	assert_int_equal(save_one("run.json", &saved, &err), 0);
	assert_int_equal(read_one(&loaded, "run.json", &arena, &err), 0);
	expect_same(&saved, &loaded);
	assert_int_equal(chmod("run.json", 0640), 0);
	assert_int_equal(symlink("run.json", "link.json"), 0);
	saved.question.level = 5;
	assert_int_equal(save_one("link.json", &saved, &err), 0);
	assert_int_equal(read_one(&loaded, "run.json", &arena, &err), 0);
	assert_int_equal(loaded.question.level, 5);
	assert_int_equal(lstat("link.json", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat("run.json", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	unlink("link.json");
	unlink("run.json");
	leave(directory);
	arena_release(&arena);
}

/* Each repeat has its own counts; what was asked, and where it was measured, is there once. */
static void test_repeats(void **state UNUSED)
{
	struct counts saved = sample(), loaded;
	struct count other = { .event = "INST_RETIRED.ANY", .value = 7, .raw = 7, .enabled_ns = 1, .running_ns = 1 };
	struct repeat repeats[] = {
		sample_repeat,
		{ .planned_runs = 2, .ngroups = 1, .runs = sample_runs, .nruns = 1, .items = &other, .count = 1 },
	};
	struct error err = { .text = "" };
	char directory[32];
	struct arena arena;

	arena_init(&arena);
	enter(directory);
	saved.repeats = repeats;
	saved.nrepeats = COUNT_OF(repeats);
	saved.planned_repeats = 3;
	assert_int_equal(save_one("run.json", &saved, &err), 0);
	assert_int_equal(read_one(&loaded, "run.json", &arena, &err), 0);
	expect_same(&saved, &loaded);
	assert_int_equal(loaded.planned_repeats, 3);
	assert_int_equal(loaded.repeats[1].planned_runs, 2);
	unlink("run.json");
	leave(directory);
	arena_release(&arena);
}

static const struct {
	struct selector selector;
	const char *text; /* in the file */
} selector_rows[] = {
	/* clang-format off */
	{ { SUBJECT_PROGRAM, NULL },           NULL },
	{ { SUBJECT_PROCESSES, "123,124" },    "-p 123,124" },
	{ { SUBJECT_THREADS, "125" },          "--tid 125" },
	{ { SUBJECT_CPUS, NULL },              "-a" },
	{ { SUBJECT_CPUS, "0-3" },             "-C 0-3" },
	{ { SUBJECT_CGROUP, "'user slice'" },  "--cgroup 'user slice'" },
	/* clang-format on */
};

static void test_selectors(void **state UNUSED)
{
	static const char *const bad[] = { "", "-p", "-p ", "--pid 1", "-a 3", "123" };
	struct rows rows = { 0 };
	struct selector none;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(selector_rows); i++) {
		struct counts saved = sample(), loaded;
		struct error err = { .text = "" };
		char directory[32];

		enter(directory);
		saved.origin.selector = selector_rows[i].selector;
		row_expect(&rows, "save", save_one("run.json", &saved, &err) == 0, err.text);
		row_expect(&rows, "read", read_one(&loaded, "run.json", &arena, &err) == 0, err.text);
		row_expect(&rows, "kind", loaded.origin.selector.kind == saved.origin.selector.kind, "another kind");
		row_expect_text(&rows, "list", loaded.origin.selector.list, saved.origin.selector.list);
		row_expect_text(&rows, "text", selector_text(&loaded.origin.selector, &arena), selector_rows[i].text);
		unlink("run.json");
		leave(directory);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		row_expect(&rows, bad[i], !selector_parse(&none, bad[i], &arena), "it selects something");
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *path, *error;
} bad_places[] = {
	/* clang-format off */
	{ "/dev/full",                   "/dev/full: can't write the output: No space left on device: `df` shows which file system is full" },
	{ "/no/such/directory/run.json", "/no/such/directory/run.json: No such file or directory" },
	{ "/tmp",                        "/tmp: Is a directory" },
	/* clang-format on */
};

static void test_bad_places(void **state UNUSED)
{
	struct counts saved = sample();
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(bad_places); i++) {
		struct error err = { .text = "" };

		row_expect(&rows, bad_places[i].path, save_one(bad_places[i].path, &saved, &err) == -1, "was saved");
		row_expect_text(&rows, bad_places[i].path, err.text, bad_places[i].error);
	}
	rows_end(&rows);
}

/* The sample as text in arena. */
static struct session_text sample_text(struct arena *arena)
{
	struct counts saved = sample();
	struct error err = { .text = "" };
	char directory[32], *text = arena_alloc(arena, 65536);
	size_t length;
	FILE *in;

	enter(directory);
	assert_int_equal(save_one("run.json", &saved, &err), 0);
	in = fopen("run.json", "r");
	assert_non_null(in);
	length = fread(text, 1, 65536, in);
	fclose(in);
	unlink("run.json");
	leave(directory);
	return (struct session_text){ .text = text, .length = length, .source = "cut" };
}

/* Each length in a block of exactly that size, so that reading behind it shows. The last byte, a newline, may be missing. */
static void test_truncation(void **state UNUSED)
{
	struct arena arena, memory;
	struct session_text text;

	arena_init(&memory);
	text = sample_text(&memory);
	for (size_t length = 0; length < text.length; length++) {
		struct session_text cut = { .text = NULL, .length = length, .source = "cut" };
		struct error err = { .text = "" };
		char *copy = malloc(length ? length : 1);
		struct counts counts;
		int result;

		assert_non_null(copy);
		memcpy(copy, text.text, length);
		cut.text = copy;
		arena_init(&arena);
		result = read_text_one(&counts, &cut, &arena, &err);
		if (result != (length == text.length - 1 ? 0 : -1))
			fail_msg("cut at byte %zu: %d", length, result);
		assert_true((result < 0) == is_error(&err));
		arena_release(&arena);
		free(copy);
	}
	arena_release(&memory);
}

/* The reader is no weaker than the writer for any single byte: an error or a session, never a crash. */
static void test_damage(void **state UNUSED)
{
	static const char bytes[] = "\0\"{}[],9-x\xff";
	struct arena arena, memory;
	struct session_text text;

	arena_init(&memory);
	text = sample_text(&memory);
	for (size_t i = 0; i < text.length; i++) {
		char *damaged = arena_alloc(&memory, text.length);
		struct session_text read = { .text = damaged, .length = text.length, .source = "damaged" };
		struct error err = { .text = "" };
		struct counts counts;

		memcpy(damaged, text.text, text.length);
		damaged[i] = bytes[i % (sizeof(bytes) - 1)];
		arena_init(&arena);
		assert_true((read_text_one(&counts, &read, &arena, &err) < 0) == is_error(&err));
		arena_release(&arena);
	}
	arena_release(&memory);
}

static int read_flat(struct counts *counts, const char *text, struct arena *arena, struct error *err)
{
	struct session_text flat = { .text = text, .length = strlen(text), .source = "flat" };

	return read_text_one(counts, &flat, arena, err);
}

static void test_flat(void **state UNUSED)
{
	static const char text[] =
		"{ \"format\": \"topdown-counts\", \"cpu\": \"cascadelakex\", \"smt\": 0, \"unknown\": [],"
		"  \"constants\": { \"SYSTEM_TSC_FREQ\": 2.5e9, \"DURATIONTIMEINMILLISECONDS\": 1500, "
		"\"CHAS_PER_SOCKET\": 28 },"
		"  \"counts\": { \"CPU_CLK_UNHALTED.THREAD\": 1000000, \"L1D_PEND_MISS.FB_FULL:c1\": null,"
		"               \"MEM_LOAD_RETIRED.L2_HIT:retire_latency\": 17.5 } }";
	struct error err = { .text = "" };
	struct counts counts;
	struct arena arena;

	arena_init(&arena);
	assert_int_equal(read_flat(&counts, text, &arena, &err), 0);
	assert_string_equal(counts.origin.cpu, "cascadelakex");
	assert_true(counts.origin.is_flat && counts.repeats[0].ngroups == 1 && counts.repeats[0].nruns == 1 &&
		    counts.repeats[0].count == 3);
	expect_same_number(counts.origin.facts.smt_on, 0);
	expect_same_number(counts.origin.facts.system_tsc_freq, 2.5e9);
	expect_same_number(counts.repeats[0].runs[0].wall_s, 1.5);
	assert_string_equal(counts.repeats[0].items[0].event, "duration_time");
	expect_same_number(counts.repeats[0].items[0].value, 1.5);
	assert_string_equal(counts.repeats[0].items[1].event, "CPU_CLK_UNHALTED.THREAD");
	expect_same_number(counts.repeats[0].items[1].value, 1e6);
	assert_int_equal(counts.repeats[0].items[1].raw, 1000000);
	assert_true(counts.repeats[0].items[1].enabled_ns == 1 && counts.repeats[0].items[1].running_ns == 1 &&
		    counts.repeats[0].items[1].state == COUNT_OK);
	assert_string_equal(counts.repeats[0].items[2].event, "MEM_LOAD_RETIRED.L2_HIT:retire_latency");
	expect_same_number(counts.repeats[0].items[2].value, 17.5);
	arena_release(&arena);
}

#define FLAT(members) "{\"format\":\"topdown-counts\",\"cpu\":\"x\"," members "\"counts\":{}}"

static const struct {
	const char *text;
	double smt_on;
} smt_rows[] = {
	/* clang-format off */
	{ FLAT(""),                                                   1 },
	{ FLAT("\"smt\":null,"),                                      1 },
	{ FLAT("\"smt\":false,"),                                     0 },
	{ FLAT("\"smt\":true,"),                                      1 },
	{ FLAT("\"smt\":0,"),                                         0 },
	{ FLAT("\"constants\":{\"HYPERTHREADING_ON\":0},"),           0 },
	{ FLAT("\"constants\":{\"hyperthreading_on\":true},"),        1 },
	{ FLAT("\"constants\":{\"THREADS_PER_CORE\":1},"),            0 },
	{ FLAT("\"constants\":{\"THREADS_PER_CORE\":2},"),            1 },
	{ FLAT("\"constants\":{\"HYPERTHREADING_ON\":1},\"smt\":0,"), 0 },
	/* clang-format on */
};

static void test_smt(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(smt_rows); i++) {
		struct error err = { .text = "" };
		struct counts counts;
		struct arena arena;

		arena_init(&arena);
		row_expect(&rows, smt_rows[i].text, read_flat(&counts, smt_rows[i].text, &arena, &err) == 0, err.text);
		row_expect_number(&rows, smt_rows[i].text, is_error(&err) ? -1 : counts.origin.facts.smt_on,
				  smt_rows[i].smt_on);
		arena_release(&arena);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_round_trip), cmocka_unit_test(test_bad_places),
		cmocka_unit_test(test_truncation), cmocka_unit_test(test_damage),     cmocka_unit_test(test_flat),
		cmocka_unit_test(test_smt),	   cmocka_unit_test(test_repeats),    cmocka_unit_test(test_selectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
