/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_data_test.c - perf.data of each form gives the profile that its records were made for; damaged ones give a part. */
#include "rows.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/measurement/profile.h"
#include "store/perftool/perf_record.h"

#include "perf_file.h"

#define ATTR_5_10 120
#define ATTR_6_12 136
#define ATTR_NEW  176 /* of a kernel that does not exist yet */
#define CHAINED	  (SAMPLING_TYPE | PERF_SAMPLE_CALLCHAIN)

static const uint32_t task[2] = { 7, 8 };

/* Three samples of the first event, and two of the second where there is one; the last record is the earliest. */
static void add_records(struct perf_file *file)
{
	static const uint64_t where[3] = { 0x400000, 0x10000, 0x1000 };
	uint64_t second = file->form.nevents > 1 ? 102 : 101;
	struct record_bytes bytes;

	file_add_record(file, record_sample(&bytes, task, 50, 0x400010, 101));
	file_add_record(file, record_sample(&bytes, task, 60, 0x400020, second));
	file_add_record(file, record_sample(&bytes, task, 70, 0x400010, 101));
	file_add_own(file, 68, 0); /* a finished round */
	file_add_record(file, record_sample(&bytes, task, 80, 0x400010, 101));
	file_add_record(file, record_sample(&bytes, task, 90, 0x900000, second));
	file_add_record(file, record_comm(&bytes, task, 40, "work", true));
	file_add_record(file, record_mmap(&bytes, 7, 45, where, "/opt/work"));
}

/* "EVENT SAMPLES WEIGHT: MODULE+ADDRESS SAMPLES TASK, ..." in the order of the rows. */
static const char *describe(const struct profile *profile, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (uint32_t e = 0; e < profile->nevents; e++) {
		const struct profile_event *event = &profile->events[e];

		string_printf(&text, "%s %llu %g:", event->event, (unsigned long long)event->samples, event->weight);
		for (uint32_t i = 0; i < profile->nrows; i++) {
			const struct profile_row *row = &profile->rows[i];
			const struct profile_place *place = &profile->places[profile->stacks[row->stack].place];

			if (row->event == e)
				string_printf(&text, " %s+%llx %llu %s", profile->modules[place->module].path,
					      (unsigned long long)place->address, (unsigned long long)row->samples,
					      profile->tasks[row->task].name);
		}
		string_add(&text, "\n");
	}
	return text.text;
}

struct reading {
	struct measurement measured;
	struct arena arena;
	struct error err;
	int result;
};

static void reading_init(struct reading *reading, const void *bytes, size_t length)
{
	/* Of exactly that size, so that what reads beyond it is seen. */
	struct stored_bytes stored = { .bytes = malloc(length + 1), .length = length };

	memset(reading, 0, sizeof(*reading));
	arena_init(&reading->arena);
	if (!stored.bytes)
		abort();
	memcpy(stored.bytes, bytes, length);
	reading->result = perf_data_read(&reading->measured, &stored, "f", &reading->arena, &reading->err);
	stored_bytes_release(&stored);
}

static void reading_release(struct reading *reading)
{
	arena_release(&reading->arena);
}

static const char *remarks_of(struct reading *reading)
{
	struct string text = STRING_INIT(&reading->arena);

	for (size_t i = 0; i < reading->measured.profile->nremarks; i++)
		string_printf(&text, "%s\n", reading->measured.profile->remarks[i]);
	return text.text;
}

#define ONE_EVENT "cpu-clock 5 5000: /opt/work+1010 3 work /opt/work+1020 1 work [unknown]+900000 1 work\n"
#define TWO_EVENTS                                                                                                     \
	"cpu-clock 3 3000: /opt/work+1010 3 work\n"                                                                    \
	"cycles 2 2000: /opt/work+1020 1 work [unknown]+900000 1 work\n"

static void test_forms(void **state UNUSED)
{
	static const struct {
		const char *name;
		struct perf_file_form form;
		const char *expected;
	} table[] = {
		{ "5.10, one event", { .attr_bytes = ATTR_5_10, .nevents = 1 }, ONE_EVENT },
		{ "5.10, two events", { .attr_bytes = ATTR_5_10, .nevents = 2 }, TWO_EVENTS },
		{ "6.12", { .attr_bytes = ATTR_6_12, .nevents = 2, .has_build_ids = true }, TWO_EVENTS },
		{ "of a newer kernel", { .attr_bytes = ATTR_NEW, .nevents = 2 }, TWO_EVENTS },
		{ "records at odd places", { .attr_bytes = ATTR_6_12, .nevents = 2, .is_odd = true }, TWO_EVENTS },
		{ "pipe", { .attr_bytes = ATTR_5_10, .nevents = 1, .is_pipe = true }, ONE_EVENT },
		{ "pipe, two events", { .attr_bytes = ATTR_6_12, .nevents = 2, .is_pipe = true }, TWO_EVENTS },
		{ "perf was killed", { .attr_bytes = ATTR_6_12, .nevents = 2, .is_unfinished = true }, TWO_EVENTS },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct perf_file_form form = table[i].form;
		struct reading reading;
		struct perf_file file;

		form.sample_type = SAMPLING_TYPE;
		file_begin(&file, &form);
		add_records(&file);
		file_end(&file);
		reading_init(&reading, file.bytes, file.length);
		row_expect_text(&rows, table[i].name, reading.err.text, "");
		if (reading.result == 0)
			row_expect_text(&rows, table[i].name, describe(reading.measured.profile, &reading.arena),
					table[i].expected);
		if (reading.result == 0)
			row_expect(&rows, table[i].name, !*remarks_of(&reading) == !form.is_unfinished,
				   remarks_of(&reading));
		reading_release(&reading);
	}
	rows_end(&rows);
}

static void test_facts(void **state UNUSED)
{
	const struct perf_file_form form = {
		.attr_bytes = ATTR_6_12, .nevents = 2, .has_build_ids = true, .sample_type = SAMPLING_TYPE
	};
	const struct profile *profile;
	const struct origin *origin;
	struct reading reading;
	struct perf_file file;

	file_begin(&file, &form);
	add_records(&file);
	file_end(&file);
	reading_init(&reading, file.bytes, file.length);
	assert_int_equal(reading.result, 0);
	origin = &reading.measured.parts[0].origin;
	profile = reading.measured.profile;
	assert_string_equal(origin->host, "elsewhere");
	assert_string_equal(origin->tool_version, "perf 5.10.1");
	assert_string_equal(origin->command, "perf record './my work'");
	assert_string_equal(profile->scope, "user");
	assert_null(profile->method);
	assert_true(fabs(profile->seconds - 40e-9) < 1e-15);
	assert_int_equal(profile->events[0].frequency, 997);
	assert_int_equal(profile->events[1].period, 100003);
	assert_string_equal(profile->modules[0].path, "/opt/work");
	assert_string_equal(profile->modules[0].build_id, "abababababababababababababababababababab");
	reading_release(&reading);
}

/* Callers are where the call is: one before where it returns to. */
static void test_chains(void **state UNUSED)
{
	static const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_USER, 0x400010, 0x400021, 0x400031 };
	const struct perf_file_form form = { .attr_bytes = ATTR_5_10, .nevents = 1, .sample_type = CHAINED };
	const struct profile *profile;
	struct record_bytes bytes;
	struct reading reading;
	struct perf_file file;
	uint64_t addresses[3];
	uint32_t stack;

	file_begin(&file, &form);
	(void)record_sample(&bytes, task, 50, 0x400010, 101);
	file_add_record(&file, record_add_chain(&bytes, chain, COUNT_OF(chain)));
	file_end(&file);
	reading_init(&reading, file.bytes, file.length);
	assert_int_equal(reading.result, 0);
	profile = reading.measured.profile;
	assert_string_equal(profile->method, "fp");
	assert_int_equal(profile->nrows, 1);
	stack = profile->rows[0].stack;
	assert_int_equal(profile->stacks[stack].depth, 3);
	for (size_t i = 0; i < COUNT_OF(addresses); i++, stack = profile->stacks[stack].caller)
		addresses[i] = profile->places[profile->stacks[stack].place].address;
	assert_int_equal(addresses[0], 0x400010);
	assert_int_equal(addresses[1], 0x400020);
	assert_int_equal(addresses[2], 0x400030);
	reading_release(&reading);
}

/* Whatever is missing at the end: no sample that is not there, and no silence about it. */
static void test_cut(void **state UNUSED)
{
	static const bool pipes[] = { false, true };

	for (size_t i = 0; i < COUNT_OF(pipes); i++) {
		const struct perf_file_form form = { .attr_bytes = ATTR_6_12,
						     .nevents = 2,
						     .is_pipe = pipes[i],
						     .has_build_ids = true,
						     .sample_type = SAMPLING_TYPE };
		struct perf_file file;
		uint64_t most = 0;

		file_begin(&file, &form);
		add_records(&file);
		file_end(&file);
		for (size_t length = 0; length < file.length; length++) {
			struct reading reading;
			uint64_t samples = 0;

			reading_init(&reading, file.bytes, length);
			assert_int_equal(reading.result < 0, is_error(&reading.err));
			for (uint32_t e = 0; reading.result == 0 && e < reading.measured.profile->nevents; e++)
				samples += reading.measured.profile->events[e].samples;
			assert_true(samples >= most && samples <= 5);
			if (reading.result == 0 && !pipes[i])
				assert_true(*remarks_of(&reading));
			most = samples;
			reading_release(&reading);
		}
		assert_int_equal(most, 5);
	}
}

/* Nothing that can be shown: why, and what to do. */
static void test_refused(void **state UNUSED)
{
	static const struct {
		const char *name;
		const void *bytes;
		size_t length;
		const char *expected;
	} table[] = {
		{ "big-endian", "2ELIFREP\0\0\0\0\0\0\0\150", 16,
		  "f: it was recorded on a machine of the other byte order; `topdown report` there reads it" },
		{ "old", "PERFFILE\150\0\0\0\0\0\0\0", 16,
		  "f: it was written by a perf older than Linux 3.0, in the format of that time; record it with a "
		  "newer one" },
		{ "header only", "PERFILE2\150\0\0\0\0\0\0\0", 16, "f: it ends within its header, at byte 16" },
		{ "empty pipe", "PERFILE2\020\0\0\0\0\0\0\0", 16, "f: it has no samples" },
		{ "no header", "PERFILE2\021\0\0\0\0\0\0\0", 16, "f: its header is damaged, at byte 8" },
		{ "a trace", "PERFILE2\020\0\0\0\0\0\0\0\106\0\0\0\0\0\020\0\1\0\0\0\0\0\0\0", 32,
		  "f: it has an AUX area trace (Intel PT, CoreSight) and no samples; `perf inject --itrace=i100us -i "
		  "FILE -o "
		  "SAMPLES` makes samples of it" },
		{ "no size", "PERFILE2\020\0\0\0\0\0\0\0\106\0\0\0\0\0\0\0", 24,
		  "f: at byte 16: a record has no size, and there is no sample before that" },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct reading reading;

		reading_init(&reading, table[i].bytes, table[i].length);
		row_expect(&rows, table[i].name, reading.result < 0, "was read");
		row_expect_text(&rows, table[i].name, reading.err.text, table[i].expected);
		row_expect(&rows, table[i].name, is_perf_data(table[i].bytes, table[i].length), "is no perf.data");
		reading_release(&reading);
	}
	assert_false(is_perf_data("PERFILE", 7));
	assert_false(is_perf_data("{ \"format\": 1 }", 15));
	rows_end(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms), cmocka_unit_test(test_facts),   cmocka_unit_test(test_chains),
		cmocka_unit_test(test_cut),   cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
