/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/record.h"

#include <string.h>

#define BUILD_ID_MOST 20

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif
#ifndef PERF_SAMPLE_WEIGHT_STRUCT
#define PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)
#endif

/* The words of a record that are still to be read; what reaches beyond their end makes it broken. */
struct reader {
	const uint64_t *words;
	size_t count;
	bool is_broken;
};

static const uint64_t *record_take(struct reader *reader, uint64_t count)
{
	const uint64_t *words = reader->words;

	if (reader->is_broken || count > reader->count) {
		reader->is_broken = true;
		return NULL;
	}
	reader->words += count;
	reader->count -= (size_t)count;
	return words;
}

static uint64_t take_one(struct reader *reader)
{
	const uint64_t *word = record_take(reader, 1);

	return word ? *word : 0;
}

/* Two numbers of 32 bits in the order of memory. */
static void take_two(struct reader *reader, uint32_t *first, uint32_t *second)
{
	const uint64_t *word = record_take(reader, 1);
	uint32_t both[2] = { 0, 0 };

	if (word)
		memcpy(both, word, sizeof(both));
	*first = both[0];
	*second = both[1];
}

static struct reader reader_of(const struct perf_event_header *header)
{
	size_t bytes = header->size;
	bool is_broken = bytes < sizeof(*header) || bytes % 8;

	return (struct reader){ .words = (const uint64_t *)(const void *)(header + 1),
				.count = is_broken ? 0 : (bytes - sizeof(*header)) / 8,
				.is_broken = is_broken };
}

static size_t bits_of(uint64_t mask)
{
	return (size_t)__builtin_popcountll(mask);
}

/* ---- identities ---- */

/* The end of a record that is no sample, in its order. */
static const uint64_t id_fields[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER,
};

static size_t identity_words(const struct record_format *format)
{
	size_t words = 0;

	for (size_t i = 0; format->has_ids && i < COUNT_OF(id_fields); i++)
		words += (format->sample_type & id_fields[i]) != 0;
	return words;
}

static void take_identity_field(struct reader *reader, struct record_identity *identity, uint64_t field)
{
	uint32_t unused;

	switch (field) {
	case PERF_SAMPLE_TID: take_two(reader, &identity->pid, &identity->tid); break;
	case PERF_SAMPLE_TIME:
		identity->time = take_one(reader);
		identity->has_time = true;
		break;
	case PERF_SAMPLE_CPU: take_two(reader, &identity->cpu, &unused); break;
	case PERF_SAMPLE_STREAM_ID: take_one(reader); break;
	default: identity->id = take_one(reader); break;
	}
}

/* Cuts the identity off the record's end. */
static void take_last_identity(struct reader *reader, struct record_identity *identity,
			       const struct record_format *format)
{
	size_t words = identity_words(format);
	struct reader end;

	if (reader->is_broken || words > reader->count) {
		reader->is_broken = true;
		return;
	}
	reader->count -= words;
	end = (struct reader){ .words = reader->words + reader->count, .count = words };
	for (size_t i = 0; i < COUNT_OF(id_fields); i++)
		if (words && format->sample_type & id_fields[i])
			take_identity_field(&end, identity, id_fields[i]);
}

bool record_find_id(uint64_t *id, const struct perf_event_header *header, const struct record_format *any)
{
	struct reader reader = reader_of(header);

	if (reader.is_broken || !reader.count || !(any->sample_type & PERF_SAMPLE_IDENTIFIER))
		return false;
	if (header->type != PERF_RECORD_SAMPLE && !any->has_ids)
		return false;
	*id = header->type == PERF_RECORD_SAMPLE ? reader.words[0] : reader.words[reader.count - 1];
	return true;
}

/* ---- samples ---- */

/* Words of PERF_SAMPLE_READ; the number of values stands first where a group was read. */
static void take_read(struct reader *reader, struct record_sample *sample, const struct record_format *format)
{
	uint64_t form = format->read_format, each = 1 + bits_of(form & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	uint64_t words = bits_of(form & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t values = 1;

	if (form & PERF_FORMAT_GROUP) {
		values = reader->count ? reader->words[0] : 0;
		words++;
	}
	if (values > reader->count)
		reader->is_broken = true;
	sample->nread = (size_t)(words + values * each);
	sample->read = record_take(reader, words + values * each);
}

static void take_chain(struct reader *reader, struct record_sample *sample)
{
	uint64_t count = take_one(reader);

	sample->chain = record_take(reader, count);
	sample->nchain = sample->chain ? (size_t)count : 0;
}

static void take_raw(struct reader *reader, struct record_sample *sample)
{
	uint32_t bytes;
	const uint64_t *word = record_take(reader, 1);

	if (!word)
		return;
	memcpy(&bytes, word, sizeof(bytes));
	/* The size itself and what follows it are padded together to 8 bytes; 4 of them are in the word already. */
	if (bytes > 4)
		record_take(reader, ((uint64_t)bytes + 4 + 7) / 8 - 1);
	if (reader->is_broken)
		return;
	sample->raw = (const unsigned char *)word + sizeof(bytes);
	sample->raw_bytes = bytes;
}

static void take_branches(struct reader *reader, struct record_sample *sample, const struct record_format *format)
{
	uint64_t count = take_one(reader);

	if (format->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take_one(reader);
	if (count > reader->count) {
		reader->is_broken = true;
		return;
	}
	sample->branches = (const struct record_branch *)(const void *)record_take(reader, 3 * count);
	sample->nbranches = sample->branches ? (size_t)count : 0;
}

/* An ABI of 0 has no registers. */
static uint64_t take_registers(struct reader *reader, const uint64_t **registers, uint64_t mask)
{
	uint64_t abi = take_one(reader);

	*registers = abi ? record_take(reader, bits_of(mask)) : NULL;
	return abi;
}

static void take_stack(struct reader *reader, struct record_sample *sample)
{
	uint64_t bytes = take_one(reader), copied;

	if (!bytes)
		return;
	sample->stack = (const unsigned char *)record_take(reader, bytes / 8);
	copied = take_one(reader);
	if (bytes % 8 || copied > bytes)
		reader->is_broken = true;
	sample->stack_bytes = (size_t)copied;
}

/* Everything up to what few records have; what stands behind it is left alone. */
static void take_long_fields(struct reader *reader, struct record_sample *sample, const struct record_format *format)
{
	const uint64_t type = format->sample_type;

	if (type & PERF_SAMPLE_READ)
		take_read(reader, sample, format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(reader, sample);
	if (type & PERF_SAMPLE_RAW)
		take_raw(reader, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(reader, sample, format);
	if (type & PERF_SAMPLE_REGS_USER)
		sample->registers_abi = take_registers(reader, &sample->registers, format->regs_user);
	sample->nregisters = sample->registers ? bits_of(format->regs_user) : 0;
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(reader, sample);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		sample->weight = take_one(reader);
}

static void record_take_sample(struct reader *reader, struct record *record, const struct record_format *format)
{
	struct record_sample *sample = &record->of.sample;
	struct record_identity *identity = &record->identity;
	const uint64_t type = format->sample_type;
	uint64_t id = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		id = take_one(reader);
	if (type & PERF_SAMPLE_IP)
		sample->ip = take_one(reader);
	if (type & PERF_SAMPLE_TID)
		take_identity_field(reader, identity, PERF_SAMPLE_TID);
	if (type & PERF_SAMPLE_TIME)
		take_identity_field(reader, identity, PERF_SAMPLE_TIME);
	if (type & PERF_SAMPLE_ADDR)
		sample->address = take_one(reader);
	if (type & PERF_SAMPLE_ID)
		take_identity_field(reader, identity, PERF_SAMPLE_ID);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_one(reader);
	if (type & PERF_SAMPLE_CPU)
		take_identity_field(reader, identity, PERF_SAMPLE_CPU);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = take_one(reader);
	if (type & PERF_SAMPLE_IDENTIFIER)
		identity->id = id;
	take_long_fields(reader, sample, format);
}

/* ---- other records ---- */

/* A text that fills the rest and is terminated. */
static const char *take_text(struct reader *reader)
{
	const char *text = (const char *)reader->words;

	if (reader->is_broken || !reader->count || !memchr(text, '\0', 8 * reader->count)) {
		reader->is_broken = true;
		return "";
	}
	return text;
}

#define MOST_PROTECTION 0xff /* of mmap(2)'s PROT_ bits, those that an x86 or Arm kernel passes on */

/* Linux 3.12 to 3.15 has no prot and flags in front of the path, whose letters would be bits that no protection has. */
static bool has_protection(const struct reader *reader)
{
	uint32_t protection = 0;

	if (reader->count)
		memcpy(&protection, reader->words, sizeof(protection));
	return protection <= MOST_PROTECTION;
}

static void take_file(struct reader *reader, struct record_mapping *mapping, unsigned misc)
{
	const uint64_t *words = record_take(reader, 3);
	const unsigned char *bytes = (const unsigned char *)words;

	if (has_protection(reader))
		take_one(reader);
	if (!words)
		return;
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		mapping->build_id_bytes = bytes[0] <= BUILD_ID_MOST ? bytes[0] : 0;
		mapping->build_id = mapping->build_id_bytes ? bytes + 4 : NULL;
		return;
	}
	mapping->has_inode = true;
	memcpy(&mapping->major, bytes, sizeof(mapping->major));
	memcpy(&mapping->minor, bytes + 4, sizeof(mapping->minor));
	mapping->inode = words[1];
}

static void take_mapping(struct reader *reader, struct record *record, unsigned misc)
{
	struct record_mapping *mapping = &record->of.mapping;

	take_two(reader, &mapping->pid, &mapping->tid);
	mapping->address = take_one(reader);
	mapping->length = take_one(reader);
	mapping->offset = take_one(reader);
	mapping->is_data = misc & PERF_RECORD_MISC_MMAP_DATA;
	if (record->type == PERF_RECORD_MMAP2)
		take_file(reader, mapping, misc);
	mapping->path = take_text(reader);
}

static void take_other(struct reader *reader, struct record *record, unsigned misc)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: take_mapping(reader, record, misc); break;
	case PERF_RECORD_COMM:
		take_two(reader, &record->of.comm.pid, &record->of.comm.tid);
		record->of.comm.is_exec = misc & PERF_RECORD_MISC_COMM_EXEC;
		record->of.comm.name = take_text(reader);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_two(reader, &record->of.task.pid, &record->of.task.parent);
		take_two(reader, &record->of.task.tid, &record->of.task.parent_tid);
		break;
	case PERF_RECORD_LOST:
		record->of.loss.id = take_one(reader);
		record->of.loss.count = take_one(reader);
		break;
	case PERF_RECORD_LOST_SAMPLES: record->of.loss.count = take_one(reader); break;
	case PERF_RECORD_SWITCH:
		record->of.turn.is_out = misc & PERF_RECORD_MISC_SWITCH_OUT;
		record->of.turn.is_preempt = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	default: break;
	}
}

bool record_parse(struct record *record, const struct perf_event_header *header, const struct record_format *format)
{
	struct reader reader = reader_of(header);

	memset(record, 0, sizeof(*record));
	record->type = header->type;
	record->cpumode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (header->type == PERF_RECORD_SAMPLE) {
		record_take_sample(&reader, record, format);
	} else {
		take_last_identity(&reader, &record->identity, format);
		take_other(&reader, record, header->misc);
	}
	return !reader.is_broken;
}

#define HEAD_WORDS 3 /* number of values, time enabled, time running */

bool record_read_values(uint64_t *values, const struct record_sample *sample, const uint64_t *ids, size_t count)
{
	size_t left = count;

	if (!sample->read || sample->nread < HEAD_WORDS)
		return false;
	for (size_t i = 0; i < count; i++)
		for (size_t word = HEAD_WORDS; word + 1 < sample->nread; word += 2)
			if (sample->read[word + 1] == ids[i]) {
				values[i] = sample->read[word];
				left--;
				break;
			}
	return left == 0;
}
