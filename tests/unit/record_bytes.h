/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_bytes.h - records as the kernel would write them, word by word. */
#ifndef TOPDOWN_TEST_RECORD_BYTES_H
#define TOPDOWN_TEST_RECORD_BYTES_H

#include <stdint.h>
#include <string.h>

#include "collect/perf/perf_sampling.h"
#include "collect/sample/record.h"

#define RECORD_WORDS 600

struct record_bytes {
	uint64_t words[RECORD_WORDS]; /* the first is the header */
	size_t count;
};

static inline uint64_t two(uint32_t first, uint32_t second)
{
	const uint32_t both[2] = { first, second };
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

static inline struct perf_event_header *record_header(struct record_bytes *record)
{
	struct perf_event_header *header = (struct perf_event_header *)(void *)record->words;

	header->size = (uint16_t)(8 * record->count);
	return header;
}

static inline void record_begin(struct record_bytes *record, uint32_t type, uint16_t misc)
{
	memset(record, 0, sizeof(*record));
	record->count = 1;
	record_header(record)->type = type;
	record_header(record)->misc = misc;
}

static inline void record_add(struct record_bytes *record, uint64_t word)
{
	record->words[record->count++] = word;
}

static inline void record_add_text(struct record_bytes *record, const char *text)
{
	memcpy(&record->words[record->count], text, strlen(text) + 1);
	record->count += strlen(text) / 8 + 1;
}

/* The end of each record that is no sample, by SAMPLING_TYPE: TID, TIME, CPU, IDENTIFIER. */
static inline struct perf_event_header *record_end(struct record_bytes *record, uint32_t pid, uint64_t time,
						   uint64_t id)
{
	record_add(record, two(pid, pid));
	record_add(record, time);
	record_add(record, two(0, 0));
	record_add(record, id);
	return record_header(record);
}

static inline struct perf_event_header *record_mmap(struct record_bytes *record, uint32_t pid, uint64_t time,
						    const uint64_t where[3], const char *path)
{
	record_begin(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	record_add(record, two(pid, pid));
	for (size_t i = 0; i < 3; i++)
		record_add(record, where[i]);
	record_add(record, two(8, 1));
	record_add(record, 77); /* inode */
	record_add(record, 0);
	record_add(record, two(5, 2));
	record_add_text(record, path);
	return record_end(record, pid, time, 1);
}

static inline struct perf_event_header *record_task(struct record_bytes *record, uint32_t type,
						    const uint32_t pid_parent_tid_parent[4], uint64_t time)
{
	const uint32_t *numbers = pid_parent_tid_parent;

	record_begin(record, type, 0);
	record_add(record, two(numbers[0], numbers[1]));
	record_add(record, two(numbers[2], numbers[3]));
	record_add(record, time);
	return record_end(record, numbers[1], time, 1);
}

static inline struct perf_event_header *record_comm(struct record_bytes *record, const uint32_t pid_tid[2],
						    uint64_t time, const char *name, bool is_exec)
{
	record_begin(record, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	record_add(record, two(pid_tid[0], pid_tid[1]));
	record_add_text(record, name);
	return record_end(record, pid_tid[0], time, 1);
}

/* By SAMPLING_TYPE; a chain may be added behind it, and then record_header. */
static inline struct perf_event_header *record_sample(struct record_bytes *record, const uint32_t pid_tid[2],
						      uint64_t time, uint64_t ip, uint64_t id)
{
	record_begin(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(record, id);
	record_add(record, ip);
	record_add(record, two(pid_tid[0], pid_tid[1]));
	record_add(record, time);
	record_add(record, two(3, 0));
	record_add(record, 1000); /* period */
	return record_header(record);
}

static inline struct perf_event_header *record_add_chain(struct record_bytes *record, const uint64_t *chain,
							 size_t count)
{
	record_add(record, count);
	for (size_t i = 0; i < count; i++)
		record_add(record, chain[i]);
	return record_header(record);
}

#endif
