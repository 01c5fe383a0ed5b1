/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rings_test.c - records in rings that this test writes as the kernel does: wrapped, in turn, too young, and broken. */
#include "rows.h"

#include <stdlib.h>

#include "collect/sample/sampler.h"
#include "record_bytes.h"

enum { CONTROL = 4096, SIZE = 4096, MANY = 500 };

static const struct record_format plain = { .sample_type = SAMPLING_TYPE, .has_ids = true };

/* The kernel's side of a ring. */
struct written {
	_Alignas(64) unsigned char memory[CONTROL + SIZE];
	struct perf_event_mmap_page *control;
	size_t nlost;
};

static void written_init(struct written *written, struct cpu_ring *ring, uint64_t start)
{
	memset(written, 0, sizeof(*written));
	written->control = (struct perf_event_mmap_page *)(void *)written->memory;
	written->control->data_head = written->control->data_tail = start;
	perf_ring_use(&ring->ring, written->memory, CONTROL, SIZE);
}

static bool write_record(struct written *written, const struct perf_event_header *header)
{
	uint64_t head = written->control->data_head;

	if (head + header->size - written->control->data_tail > SIZE) {
		written->nlost++;
		return false;
	}
	for (size_t i = 0; i < header->size; i++)
		written->memory[CONTROL + ((head + i) & (SIZE - 1))] = ((const unsigned char *)header)[i];
	written->control->data_head = head + header->size;
	return true;
}

/* What came, in its order. */
struct came {
	uint64_t times[2 * MANY];
	uint32_t tids[2 * MANY];
	size_t count;
};

static void take(void *context, const struct record *record)
{
	struct came *came = context;

	came->times[came->count] = record->identity.time;
	came->tids[came->count++] = record->identity.tid;
}

static void write_sample(struct written *written, uint32_t cpu, uint64_t time, size_t nchain)
{
	static const uint64_t chain[64];
	const uint32_t task[2] = { cpu, cpu };
	struct record_bytes bytes;

	record_sample(&bytes, task, time, 0x1000, 1);
	for (size_t i = 0; i < nchain; i++)
		record_add(&bytes, chain[i]);
	assert_true(write_record(written, record_header(&bytes)));
}

/* Whatever the sizes of records and wherever the ring begins, each comes whole and once, in the order of both rings. */
static void test_order(void **state UNUSED)
{
	static struct written written[2];
	struct rings rings = { .count = 0 };
	struct came came = { .count = 0 };
	uint64_t random = 1;

	for (unsigned i = 0; i < 2; i++)
		rings_use(&rings, i);
	for (unsigned i = 0; i < 2; i++)
		written_init(&written[i], &rings.items[i], 8 * (uint64_t)(77 + i));
	for (uint64_t time = 1; time <= MANY; time++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		write_sample(&written[random >> 63], (uint32_t)(random >> 63), time, random >> 40 & 31);
		if ((random >> 50 & 1) == 0)
			rings_read(&rings, &plain, time, take, &came);
	}
	rings_read(&rings, &plain, UINT64_MAX, take, &came);
	assert_int_equal(came.count, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(came.times[i], i + 1);
	assert_int_equal(rings.broken, 0);
	rings_release(&rings);
}

/* What is too young waits, since the other ring may still get something older. */
static void test_young(void **state UNUSED)
{
	static struct written written[2];
	struct rings rings = { .count = 0 };
	struct came came = { .count = 0 };

	for (unsigned i = 0; i < 2; i++)
		rings_use(&rings, i);
	for (unsigned i = 0; i < 2; i++)
		written_init(&written[i], &rings.items[i], 0);
	write_sample(&written[0], 0, 10, 0);
	write_sample(&written[0], 0, 30, 0);
	rings_read(&rings, &plain, 20, take, &came);
	assert_int_equal(came.count, 1);
	assert_int_equal(written[0].control->data_tail, written[0].control->data_head / 2);
	write_sample(&written[1], 1, 15, 0);
	rings_read(&rings, &plain, 40, take, &came);
	assert_int_equal(came.count, 3);
	assert_int_equal(came.times[1], 15);
	assert_int_equal(came.tids[1], 1);
	assert_int_equal(came.times[2], 30);
	rings_release(&rings);
}

/* A size that can't be: what is there is dropped, and the next records are read. */
static void test_broken(void **state UNUSED)
{
	static const uint16_t sizes[] = { 0, 4, 12, SIZE + 8 };
	static struct written written;

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
		struct rings rings = { .count = 0 };
		struct came came = { .count = 0 };

		written_init(&written, rings_use(&rings, 0), 0);
		header.size = sizes[i];
		memcpy(written.memory + CONTROL, &header, sizeof(header));
		written.control->data_head = 64;
		rings_read(&rings, &plain, UINT64_MAX, take, &came);
		assert_int_equal(came.count, 0);
		write_sample(&written, 0, 5, 0);
		rings_read(&rings, &plain, UINT64_MAX, take, &came);
		assert_int_equal(came.count, 1);
		rings_release(&rings);
		assert_int_equal(rings.broken, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_young),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
