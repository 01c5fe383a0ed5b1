/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - one record of a ring buffer or of a perf.data file, from bytes to fields: a pure parser, for any input.
 * Layout: include/uapi/linux/perf_event.h, enum perf_event_type. Texts and arrays point into the bytes.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_RECORD_H
#define TOPDOWN_COLLECT_SAMPLE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/macros.h"

/* What decides how a record is laid out: fields of perf_event_attr of the event that it belongs to. */
struct record_format {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user, regs_intr; /* masks */
	bool has_ids;		       /* sample_id_all: other records end in an identification as well */
};

/* Where its event's id stands, so that the format can be found before anything else; false: nowhere known. */
bool record_find_id(uint64_t *id, const struct perf_event_header *header, const struct record_format *any) MUST_CHECK;

/* A branch that was taken: PERF_SAMPLE_BRANCH_STACK. */
struct record_branch {
	uint64_t from, to, flags;
};

/* Zeros where the format has none. */
struct record_identity {
	uint32_t pid, tid, cpu;
	uint64_t time, id;
	bool has_time;
};

struct record_sample {
	uint64_t ip, address, period, weight;
	const uint64_t *chain; /* PERF_SAMPLE_CALLCHAIN with its PERF_CONTEXT_ marks, innermost first */
	size_t nchain;
	const unsigned char *raw; /* PERF_SAMPLE_RAW: of a tracepoint its fields; NULL: none */
	size_t raw_bytes;
	const struct record_branch *branches; /* latest first */
	size_t nbranches;
	const uint64_t *registers; /* of PERF_SAMPLE_REGS_USER; NULL: a kernel thread has none */
	size_t nregisters;
	uint64_t registers_abi; /* PERF_SAMPLE_REGS_ABI_ */
	const unsigned char *stack;
	size_t stack_bytes;   /* that were really copied */
	const uint64_t *read; /* PERF_SAMPLE_READ, as read_format has it */
	size_t nread;	      /* words */
};

struct record_mapping {
	uint32_t pid, tid;
	uint64_t address, length, offset;
	const char *path;
	bool is_data;	/* PERF_RECORD_MISC_MMAP_DATA: nothing is executed there */
	bool has_inode; /* of MMAP2, without a build-id */
	uint32_t major, minor;
	uint64_t inode;
	const unsigned char *build_id; /* NULL: none */
	size_t build_id_bytes;
};

struct record_task { /* FORK, EXIT */
	uint32_t pid, parent, tid, parent_tid;
};

struct record_comm {
	uint32_t pid, tid;
	const char *name;
	bool is_exec; /* PERF_RECORD_MISC_COMM_EXEC */
};

/* LOST and LOST_SAMPLES: id 0 where the record has none of its own. */
struct record_loss {
	uint64_t id, count;
};

struct record_turn { /* SWITCH: it got a CPU, or left it */
	bool is_out, is_preempt;
};

struct record {
	uint32_t type;	  /* PERF_RECORD_... */
	unsigned cpumode; /* PERF_RECORD_MISC_KERNEL, _USER, _GUEST_... */
	struct record_identity identity;
	union {
		struct record_sample sample;
		struct record_mapping mapping; /* MMAP, MMAP2 */
		struct record_task task;
		struct record_comm comm;
		struct record_loss loss;
		struct record_turn turn;
	} of;
};

/* False: it is no whole record of that format, whatever it claims. Types not listed above have the identity alone. */
bool record_parse(struct record *record, const struct perf_event_header *header,
		  const struct record_format *format) MUST_CHECK;

/*
 * What the events with these ids had counted at the sample: its group was read with PERF_FORMAT_GROUP, PERF_FORMAT_ID
 * and both times. False where one of them is not there.
 */
bool record_read_values(uint64_t *values, const struct record_sample *sample, const uint64_t *ids,
			size_t count) MUST_CHECK;

#endif
