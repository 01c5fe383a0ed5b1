/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_test.c - records of each type, field by field, and what is cut, too long or contradicts itself. */
#include "rows.h"

#include "record_bytes.h"

static const struct record_format plain = { .sample_type = SAMPLING_TYPE, .has_ids = true };
static const struct record_format without_ids = { .sample_type = SAMPLING_TYPE };
static const uint32_t task[2] = { 7, 8 };

static void test_changes(void **state UNUSED)
{
	static const uint64_t where[3] = { 0x1000, 0x2000, 0x3000 };
	static const uint32_t numbers[4] = { 20, 7, 21, 8 };
	struct record_bytes bytes;
	struct record record;

	assert_true(record_parse(&record, record_mmap(&bytes, 7, 5, where, "/usr/lib/a b.so"), &plain));
	assert_int_equal(record.of.mapping.address, 0x1000);
	assert_int_equal(record.of.mapping.length, 0x2000);
	assert_int_equal(record.of.mapping.offset, 0x3000);
	assert_int_equal(record.of.mapping.inode, 77);
	assert_int_equal(record.of.mapping.major, 8);
	assert_int_equal(record.of.mapping.minor, 1);
	assert_true(record.of.mapping.has_inode && !record.of.mapping.build_id);
	assert_string_equal(record.of.mapping.path, "/usr/lib/a b.so");
	assert_int_equal(record.identity.time, 5);
	assert_int_equal(record.identity.id, 1);

	assert_true(record_parse(&record, record_task(&bytes, PERF_RECORD_FORK, numbers, 9), &plain));
	assert_int_equal(record.of.task.pid, 20);
	assert_int_equal(record.of.task.parent, 7);
	assert_int_equal(record.of.task.tid, 21);
	assert_int_equal(record.of.task.parent_tid, 8);

	assert_true(record_parse(&record, record_comm(&bytes, task, 11, "fifteen letters", true), &plain));
	assert_true(record.of.comm.is_exec);
	assert_int_equal(record.of.comm.tid, 8);
	assert_string_equal(record.of.comm.name, "fifteen letters");
}

static void test_build_id(void **state UNUSED)
{
	static const unsigned char content[24] = { 3, 0, 0, 0, 0xab, 0xcd, 0xef };
	struct record_bytes bytes;
	struct record record;

	record_begin(&bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | (1 << 14));
	for (uint64_t i = 0; i < 4; i++)
		record_add(&bytes, i);
	memcpy(&bytes.words[bytes.count], content, sizeof(content));
	bytes.count += 3;
	record_add(&bytes, 0);
	record_add_text(&bytes, "x");
	assert_true(record_parse(&record, record_end(&bytes, 1, 2, 3), &plain));
	assert_int_equal(record.of.mapping.build_id_bytes, 3);
	assert_memory_equal(record.of.mapping.build_id, "\xab\xcd\xef", 3);
	assert_false(record.of.mapping.has_inode);
}

/* Everything that may stand in a sample before its stack, and the stack. */
static const struct record_format full_format = {
	.sample_type = SAMPLING_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ |
		       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
		       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
	.regs_user = 0x101,
	.has_ids = true,
};

static const uint64_t full_words[] = {
	/* id, ip */ 0x1d,
	0x401000,
	/* pid, tid */ 0x800000007,
	/* time, address, stream */ 99,
	0xadd,
	5,
	/* cpu, period */ 3,
	1000,
	/* read: 2 values, enabled, value, id, ... */ 2,
	50,
	60,
	1,
	61,
	2,
	/* chain */ 3,
	(uint64_t)PERF_CONTEXT_USER,
	0x401000,
	0x402000,
	/* raw of 12 bytes: with its size 16 */ 12,
	0,
	/* branches */ 1,
	0x10,
	0x20,
	0,
	/* registers */ 2,
	0x71,
	0x72,
	/* stack */ 16,
	1,
	2,
	11,
	/* weight */ 13,
};

/* A sample with all that it can have. */
static void begin_full(struct record_bytes *bytes)
{
	record_begin(bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	for (size_t i = 0; i < COUNT_OF(full_words); i++)
		record_add(bytes, full_words[i]);
}

static void test_sample(void **state UNUSED)
{
	struct record_bytes bytes;
	struct record record;

	begin_full(&bytes);
	assert_true(record_parse(&record, record_header(&bytes), &full_format));
	assert_int_equal(record.identity.id, 0x1d);
	assert_int_equal(record.identity.tid, 8);
	assert_int_equal(record.identity.time, 99);
	assert_int_equal(record.identity.cpu, 3);
	assert_int_equal(record.of.sample.address, 0xadd);
	assert_int_equal(record.of.sample.period, 1000);
	assert_int_equal(record.of.sample.nread, 6);
	assert_int_equal(record.of.sample.read[2], 60);
	assert_int_equal(record.of.sample.nchain, 3);
	assert_int_equal(record.of.sample.chain[2], 0x402000);
	assert_int_equal(record.of.sample.nbranches, 1);
	assert_int_equal(record.of.sample.branches[0].to, 0x20);
	assert_int_equal(record.of.sample.nregisters, 2);
	assert_int_equal(record.of.sample.registers[1], 0x72);
	assert_int_equal(record.of.sample.stack_bytes, 11);
	assert_int_equal(record.of.sample.weight, 13);
}

/* However a sample is cut, it is refused and nothing behind its end is read: sanitizers see that. */
static void test_cut_samples(void **state UNUSED)
{
	struct record_bytes bytes;
	struct record record;

	begin_full(&bytes);
	for (size_t count = 1; count < COUNT_OF(full_words) + 1; count++) {
		struct perf_event_header *header = record_header(&bytes);

		header->size = (uint16_t)(8 * count);
		assert_false(record_parse(&record, header, &full_format));
	}
}

/* Counts that would overflow when they are multiplied, or that reach beyond the end. */
static void test_contradictions(void **state UNUSED)
{
	static const struct {
		const char *label;
		uint64_t sample_type, read_format, words[3];
	} rows[] = {
		{ "a chain that is too long", PERF_SAMPLE_CALLCHAIN, 0, { 3, 1, 2 } },
		{ "a chain of 2^64 - 1", PERF_SAMPLE_CALLCHAIN, 0, { UINT64_MAX, 1, 2 } },
		{ "branches whose size overflows", PERF_SAMPLE_BRANCH_STACK, 0, { 0x5555555555555556, 1, 2 } },
		{ "a group whose size overflows",
		  PERF_SAMPLE_READ,
		  PERF_FORMAT_GROUP | PERF_FORMAT_ID,
		  { 1ull << 63, 1, 2 } },
		{ "a stack that is too long", PERF_SAMPLE_STACK_USER, 0, { 4096, 1, 2 } },
		{ "a stack of an odd size", PERF_SAMPLE_STACK_USER, 0, { 9, 1, 2 } },
		{ "more copied than there is room", PERF_SAMPLE_STACK_USER, 0, { 8, 1, 9 } },
		{ "raw bytes that are too long", PERF_SAMPLE_RAW, 0, { 4000, 1, 2 } },
		{ "registers that are not there", PERF_SAMPLE_REGS_USER, 0, { 2, 1, 2 } },
	};
	struct rows result = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct record_format format = { .sample_type = rows[i].sample_type,
						      .read_format = rows[i].read_format,
						      .regs_user = 0xff };
		struct record_bytes bytes;
		struct record record;

		record_begin(&bytes, PERF_RECORD_SAMPLE, 0);
		for (size_t k = 0; k < 3; k++)
			record_add(&bytes, rows[i].words[k]);
		row_expect(&result, rows[i].label, !record_parse(&record, record_header(&bytes), &format),
			   "is accepted");
	}
	rows_end(&result);
}

static void test_texts_and_sizes(void **state UNUSED)
{
	struct record_bytes bytes;
	struct perf_event_header *header;
	struct record record;
	uint64_t id = 0;

	record_begin(&bytes, PERF_RECORD_COMM, 0);
	record_add(&bytes, two(1, 1));
	record_add(&bytes, UINT64_MAX); /* a text without an end: what follows has no zero byte either */
	record_add(&bytes, UINT64_MAX);
	record_add(&bytes, UINT64_MAX);
	record_add(&bytes, UINT64_MAX);
	record_add(&bytes, UINT64_MAX);
	assert_false(record_parse(&record, record_header(&bytes), &plain));
	record_begin(&bytes, PERF_RECORD_LOST, 0);
	record_add(&bytes, 4);
	record_add(&bytes, 12);
	assert_true(record_parse(&record, record_end(&bytes, 1, 2, 3), &plain));
	assert_int_equal(record.of.loss.id, 4);
	assert_int_equal(record.of.loss.count, 12);
	assert_true(record_find_id(&id, record_header(&bytes), &plain));
	assert_int_equal(id, 3);
	assert_false(record_find_id(&id, record_header(&bytes), &without_ids));
	record_begin(&bytes, PERF_RECORD_SAMPLE, 0);
	record_add(&bytes, 9);
	record_add(&bytes, 10);
	assert_true(
		record_find_id(&id, record_header(&bytes), &without_ids)); /* a sample has it in front in any case */
	assert_int_equal(id, 9);
	header = record_header(&bytes);
	header->size = 7;
	assert_false(record_parse(&record, header, &plain));
	assert_false(record_find_id(&id, header, &plain));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),	       cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_sample),	       cmocka_unit_test(test_cut_samples),
		cmocka_unit_test(test_contradictions), cmocka_unit_test(test_texts_and_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
