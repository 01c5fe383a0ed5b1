/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"

/* perf's own records. */
enum {
	OWN_FIRST = 64,
	OWN_ATTR = 64,
	OWN_TRACING_DATA = 66,
	OWN_BUILD_ID = 67,
	OWN_AUXTRACE_INFO = 70,
	OWN_AUXTRACE = 71,
	OWN_STAT = 75,
	OWN_STAT_ROUND = 77,
	OWN_UPDATE = 78,
	OWN_FEATURE = 80,
	OWN_COMPRESSED = 81,
	OWN_COMPRESSED2 = 83
};

static void queue(struct perf_records *records, const unsigned char *at)
{
	if (records->count == records->room) {
		size_t room = records->room ? 2 * records->room : 1024;
		struct queued_record *grown = realloc(records->items, room * sizeof(*grown));

		if (!grown)
			memory_ended();
		records->items = grown;
		records->room = room;
	}
	records->items[records->count++] = (struct queued_record){ .at = at };
}

/* "at byte 1234: TEXT", of the file. */
static void stop(struct perf_records *records, const unsigned char *at, const char *text)
{
	error_set(&records->broken, "at byte %zu: %s", (size_t)(at - records->file), text);
}

/* ---- perf's own ---- */

static bool add_attr(struct perf_records *records, struct byte_reader reader)
{
	uint32_t size = 0;
	struct byte_reader attr = reader;

	if (reader.left < 8)
		return false;
	memcpy(&size, reader.at + 4, sizeof(size));
	attr.left = size ? size : PERF_ATTR_SIZE_VER0;
	if (!byte_reader_skip(&reader, attr.left))
		return false;
	return perf_facts_add_event(records->facts, &attr, &reader);
}

static bool add_feature(struct perf_records *records, struct byte_reader reader)
{
	uint64_t feature = byte_reader_u64(&reader);

	return !reader.is_broken &&
	       (feature >= PERF_FEATURES || perf_facts_add_feature(records->facts, (unsigned)feature, reader));
}

static size_t perf_records_walk(struct perf_records *records, const unsigned char *bytes, size_t length,
				const unsigned char *outer);

/* What it holds goes on where the last one ended, within a record too. */
static void add_packed(struct perf_records *records, struct byte_reader reader, const unsigned char *outer)
{
	const struct packed packed = { reader.at, reader.left, records->npartial };
	struct unpacked unpacked;
	struct error err = { .text = "" };
	size_t used;

	if (!records->unpacker)
		records->unpacker = unpacker_new(&err);
	if (!records->unpacker || unpacker_next(records->unpacker, &packed, &unpacked, &err) < 0) {
		stop(records, outer, err.text);
		return;
	}
	records->is_unpacking = true;
	used = perf_records_walk(records, unpacked.bytes, unpacked.length, outer);
	records->is_unpacking = false;
	records->npartial = unpacked.length - used;
}

static struct byte_reader without_padding(struct byte_reader reader)
{
	uint64_t size = byte_reader_u64(&reader);

	if (size > reader.left)
		reader.is_broken = true;
	else
		reader.left = (size_t)size;
	return reader;
}

/* Bytes behind the record that belong to it: the front of the record has their number. */
static uint64_t bytes_behind(uint32_t type, struct byte_reader reader)
{
	if (type == OWN_AUXTRACE)
		return byte_reader_u64(&reader);
	if (type == OWN_TRACING_DATA)
		return (byte_reader_u32(&reader) + (uint64_t)7) & ~(uint64_t)7;
	return 0;
}

static bool take_own(struct perf_records *records, uint32_t type, struct byte_reader reader, const unsigned char *outer)
{
	const struct byte_reader whole = { .at = reader.at - sizeof(struct perf_event_header),
					   .left = reader.left + sizeof(struct perf_event_header) };

	switch (type) {
	case OWN_ATTR: return add_attr(records, reader);
	case OWN_BUILD_ID: return perf_facts_add_build_id(records->facts, whole);
	case OWN_AUXTRACE_INFO:
	case OWN_AUXTRACE: records->traced++; return true;
	case OWN_STAT:
	case OWN_STAT_ROUND: records->counted++; return true;
	case OWN_UPDATE: return perf_facts_rename(records->facts, reader);
	case OWN_FEATURE: return add_feature(records, reader);
	case OWN_COMPRESSED2: reader = without_padding(reader); break;
	case OWN_COMPRESSED: break;
	default: return true;
	}
	if (reader.is_broken || records->is_unpacking)
		return false;
	add_packed(records, reader, outer);
	return true;
}

/* ---- all ---- */

static void perf_records_take(struct perf_records *records, const struct perf_event_header *header,
			      const unsigned char *at, const unsigned char *outer)
{
	const struct byte_reader reader = { .at = at + sizeof(*header), .left = header->size - sizeof(*header) };

	if (header->type < OWN_FIRST)
		queue(records, at);
	else if (!take_own(records, header->type, reader, outer))
		stop(records, outer, "a record of perf's own is damaged");
}

/*
 * Returns the number of bytes that were whole records. outer: where they came from in the file, when they were
 * unpacked; NULL: they are the file's.
 */
static size_t perf_records_walk(struct perf_records *records, const unsigned char *bytes, size_t length,
				const unsigned char *outer)
{
	struct byte_reader reader = { .at = bytes, .left = length };

	while (reader.left >= sizeof(struct perf_event_header) && !is_error(&records->broken)) {
		const unsigned char *at = reader.at, *place = outer ? outer : at;
		struct perf_event_header header;
		uint64_t behind = 0;

		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header)) {
			stop(records, place, "a record has no size");
			break;
		}
		if (header.size > reader.left)
			break;
		behind = bytes_behind(header.type, (struct byte_reader){ .at = at + sizeof(header),
									 .left = header.size - sizeof(header) });
		if (behind > reader.left - header.size)
			break;
		byte_reader_skip(&reader, header.size + behind);
		perf_records_take(records, &header, at, place);
	}
	return (size_t)(reader.at - bytes);
}

void perf_records_read(struct perf_records *records, const struct stored_bytes *stored, uint64_t offset, uint64_t size)
{
	size_t left = offset < stored->length ? stored->length - (size_t)offset : 0, used;
	size_t length = size < left ? (size_t)size : left;

	records->file = stored->bytes;
	used = perf_records_walk(records, stored->bytes + (left ? offset : 0), length, NULL);
	if (size > left && size != UINT64_MAX)
		stop(records, stored->bytes + stored->length, "the file ends, and its records do not");
	else if (used < length && !is_error(&records->broken))
		stop(records, stored->bytes + offset + used, "a record is cut off");
}

void perf_records_release(struct perf_records *records)
{
	unpacker_free(records->unpacker);
	free(records->items);
	records->unpacker = NULL;
	records->items = NULL;
}
