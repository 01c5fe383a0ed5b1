/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and layouts: Linux, tools/perf/util/jitdump.h. */
#include <string.h>

#include "program/symbols/jit_codes.h"

#define MAGIC	  0x4A695444u /* "JiTD" */
#define SAME_FILE "\xff"      /* a line's file is that of the line before */

enum record { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE, RECORD_UNWINDING_INFO };

struct file_header {
	uint32_t magic, version, total_size, elf_machine, padding, pid;
	uint64_t timestamp, flags;
};

struct record_header {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct load_record {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move_record {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct debug_record {
	uint64_t address, entries;
};

struct debug_entry {
	uint64_t address;
	uint32_t line, discriminator;
};

/* What is left of a record, or of the file. */
struct bytes {
	const unsigned char *at;
	size_t left;
};

/* Lines come before the code that they are of. */
struct pending {
	uint64_t address;
	struct jit_line *lines;
	size_t count;
};

static bool jitdump_take(struct bytes *bytes, void *value, size_t size)
{
	if (bytes->left < size)
		return false;
	memcpy(value, bytes->at, size);
	bytes->at += size;
	bytes->left -= size;
	return true;
}

/* NULL: it does not end. */
static const char *take_text(struct bytes *bytes)
{
	const char *text = (const char *)bytes->at;
	size_t length = strnlen(text, bytes->left);

	if (length == bytes->left)
		return NULL;
	bytes->at += length + 1;
	bytes->left -= length + 1;
	return text;
}

static void read_load(struct jit_codes *codes, struct bytes bytes, struct pending *pending)
{
	struct load_record record;
	struct jit_code code;
	const char *name;

	if (!jitdump_take(&bytes, &record, sizeof(record)))
		return;
	name = take_text(&bytes);
	if (!name)
		return;
	code = (struct jit_code){ .begin = record.address,
				  .size = record.size,
				  .name = name,
				  .index = record.index,
				  .made_at = record.address };
	if (pending->address == record.address) {
		code.lines = pending->lines;
		code.nlines = pending->count;
	}
	*pending = (struct pending){ .count = 0 };
	jit_codes_add(codes, &code);
}

/* Most writers number their codes from 0. */
static const struct jit_code *find_code(const struct jit_codes *codes, uint64_t index)
{
	if (index < codes->count && codes->items[index].index == index)
		return &codes->items[index];
	for (size_t i = codes->count; i > 0; i--)
		if (codes->items[i - 1].index == index)
			return &codes->items[i - 1];
	return NULL;
}

static void read_move(struct jit_codes *codes, struct bytes bytes)
{
	const struct jit_code *found;
	struct move_record record;
	struct jit_code moved;

	if (!jitdump_take(&bytes, &record, sizeof(record)))
		return;
	found = find_code(codes, record.index);
	if (!found)
		return;
	moved = *found;
	moved.begin = record.to;
	moved.size = record.size;
	jit_codes_add(codes, &moved);
}

static void read_debug_info(const struct jit_codes *codes, struct bytes bytes, struct pending *pending)
{
	struct debug_record record;
	struct debug_entry entry;
	const char *before = NULL;

	if (!jitdump_take(&bytes, &record, sizeof(record)) || record.entries > bytes.left / (sizeof(entry) + 1))
		return;
	*pending = (struct pending){ .address = record.address,
				     .lines = arena_array(codes->arena, (size_t)record.entries + 1,
							  sizeof(*pending->lines)) };
	for (uint64_t i = 0; i < record.entries; i++) {
		const char *file = jitdump_take(&bytes, &entry, sizeof(entry)) ? take_text(&bytes) : NULL;

		if (!file)
			return;
		before = !strcmp(file, SAME_FILE) ? before : file;
		pending->lines[pending->count++] =
			(struct jit_line){ .address = entry.address, .file = before, .line = entry.line };
	}
}

bool jitdump_read(struct jit_codes *codes, const unsigned char *bytes, size_t length)
{
	struct bytes file = { .at = bytes, .left = length };
	struct pending pending = { .count = 0 };
	struct file_header header;
	struct record_header record;

	if (!jitdump_take(&file, &header, sizeof(header)) || header.magic != MAGIC ||
	    header.total_size < sizeof(header) || header.total_size - sizeof(header) > file.left)
		return false;
	file.at += header.total_size - sizeof(header);
	file.left -= header.total_size - sizeof(header);
	while (jitdump_take(&file, &record, sizeof(record))) {
		struct bytes content = { .at = file.at, .left = record.total_size - sizeof(record) };

		if (record.total_size < sizeof(record) || content.left > file.left || record.id == RECORD_CLOSE)
			break;
		if (record.id == RECORD_LOAD)
			read_load(codes, content, &pending);
		else if (record.id == RECORD_MOVE)
			read_move(codes, content);
		else if (record.id == RECORD_DEBUG_INFO)
			read_debug_info(codes, content, &pending);
		file.at += content.left;
		file.left -= content.left;
	}
	return true;
}
