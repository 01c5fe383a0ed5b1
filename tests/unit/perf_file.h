/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_file.h - perf.data as perf writes it, from records and what stands around them. */
#ifndef TOPDOWN_TEST_PERF_FILE_H
#define TOPDOWN_TEST_PERF_FILE_H

#include "record_bytes.h"

#define PERF_FILE_BYTES 16384

/* How perf wrote it. */
struct perf_file_form {
	bool is_pipe;
	bool is_odd;	    /* a record of perf's own of 13 bytes stands first, so that all others are at odd places */
	bool is_unfinished; /* perf was killed: the header does not say how long the data is */
	size_t attr_bytes;  /* of perf_event_attr: 112 in Linux 4.1, 120 in 5.10, 136 in 6.3, 144 later */
	size_t nevents;	    /* with the ids 101, 102 ...; at most 2: cpu-clock by frequency, cycles by period */
	bool has_build_ids;
	uint64_t sample_type;
};

struct perf_file {
	struct perf_file_form form;
	unsigned char bytes[PERF_FILE_BYTES];
	size_t length, data;
};

static inline void file_add(struct perf_file *file, const void *bytes, size_t length)
{
	memcpy(file->bytes + file->length, bytes, length);
	file->length += length;
}

static inline void file_add_u32(struct perf_file *file, uint32_t number)
{
	file_add(file, &number, sizeof(number));
}

static inline void file_add_u64(struct perf_file *file, uint64_t number)
{
	file_add(file, &number, sizeof(number));
}

/* Its length with padding to 64 bytes, and it. */
static inline void file_add_text(struct perf_file *file, const char *text)
{
	uint32_t room = ((uint32_t)strlen(text) + 1 + 63) / 64 * 64;

	file_add_u32(file, room);
	memcpy(file->bytes + file->length, text, strlen(text) + 1);
	file->length += room;
}

static inline void file_add_own(struct perf_file *file, uint32_t type, size_t length)
{
	const struct perf_event_header header = { .type = type, .size = (uint16_t)(sizeof(header) + length) };

	file_add(file, &header, sizeof(header));
}

static inline void file_add_attr(struct perf_file *file, size_t event)
{
	struct perf_event_attr attr = { .type = event ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
					.size = (uint32_t)file->form.attr_bytes,
					.sample_type = file->form.sample_type };
	size_t room = sizeof(attr) < file->form.attr_bytes ? sizeof(attr) : file->form.attr_bytes;

	attr.config = event ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	attr.freq = !event;
	attr.sample_freq = event ? 100003 : 997;
	attr.sample_id_all = 1;
	attr.exclude_kernel = 1;
	memcpy(file->bytes + file->length, &attr, room);
	file->length += file->form.attr_bytes;
}

static inline void file_begin_pipe(struct perf_file *file)
{
	file_add_u64(file, 16);
	for (size_t i = 0; i < file->form.nevents; i++) {
		file_add_own(file, 64, file->form.attr_bytes + 8);
		file_add_attr(file, i);
		file_add_u64(file, 101 + i);
	}
}

static inline void file_begin_header(struct perf_file *file)
{
	size_t n = file->form.nevents, attrs = n * (file->form.attr_bytes + 16);
	uint64_t features = 1u << 3 | 1u << 5 | 1u << 11 | (uint64_t)file->form.has_build_ids << 2;

	file->data = 104 + 8 * n + attrs;
	file_add_u64(file, 104);
	file_add_u64(file, file->form.attr_bytes + 16);
	file_add_u64(file, 104 + 8 * n);
	file_add_u64(file, attrs);
	file_add_u64(file, file->data);
	file_add_u64(file, 0); /* the data's size: file_end */
	file_add_u64(file, 0);
	file_add_u64(file, 0);
	file_add_u64(file, features);
	for (size_t i = 0; i < 3; i++)
		file_add_u64(file, 0);
	for (size_t i = 0; i < n; i++)
		file_add_u64(file, 101 + i);
	for (size_t i = 0; i < n; i++) {
		file_add_attr(file, i);
		file_add_u64(file, 104 + 8 * i);
		file_add_u64(file, 8);
	}
}

static inline void file_begin(struct perf_file *file, const struct perf_file_form *form)
{
	memset(file, 0, sizeof(*file));
	file->form = *form;
	file_add(file, "PERFILE2", 8);
	if (form->is_pipe)
		file_begin_pipe(file);
	else
		file_begin_header(file);
	if (form->is_odd) {
		file_add_own(file, 79, 5); /* a type that says nothing of samples, TIME_CONV */
		file->length += 5;
	}
}

static inline void file_add_record(struct perf_file *file, const struct perf_event_header *header)
{
	file_add(file, header, header->size);
}

/* A build-id's record: 20 bytes of 0xab. */
static inline void file_add_build_id(struct perf_file *file, const char *path)
{
	size_t room = (strlen(path) + 8) / 8 * 8;
	unsigned char id[24];

	memset(id, 0xab, sizeof(id));
	file_add_own(file, 67, 4 + sizeof(id) + room);
	file_add_u32(file, UINT32_MAX);
	file_add(file, id, sizeof(id));
	memcpy(file->bytes + file->length, path, strlen(path) + 1);
	file->length += room;
}

/* Sections of features: where each begins and how long it is stands in front of them all. */
static inline void file_end(struct perf_file *file)
{
	uint64_t size = file->length - file->data, table = file->length, n = 3 + file->form.has_build_ids;
	size_t at[5], i = 0;

	if (file->form.is_pipe || file->form.is_unfinished)
		return;
	memcpy(file->bytes + 48, &size, sizeof(size));
	file->length += 16 * n;
	at[i++] = file->length;
	if (file->form.has_build_ids) {
		file_add_build_id(file, "/opt/work");
		at[i++] = file->length;
	}
	file_add_text(file, "elsewhere");
	at[i++] = file->length;
	file_add_text(file, "5.10.1");
	at[i++] = file->length;
	file_add_u32(file, 3);
	file_add_text(file, "perf");
	file_add_text(file, "record");
	file_add_text(file, "./my work");
	at[i] = file->length;
	for (i = 0; i < n; i++) {
		const uint64_t section[2] = { at[i], at[i + 1] - at[i] };

		memcpy(file->bytes + table + 16 * i, section, sizeof(section));
	}
}

#endif
