/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - a ring buffer that the kernel writes records into, and that is read in place: whole records, in their order.
 * Layout and barriers: include/uapi/linux/perf_event.h, struct perf_event_mmap_page.
 */
#ifndef TOPDOWN_COLLECT_PERF_RING_H
#define TOPDOWN_COLLECT_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/macros.h"

#define RECORD_MOST 65536 /* bytes of a record: its size has 16 bits */

struct perf_ring {
	struct perf_event_mmap_page *control;
	const unsigned char *data;
	size_t size; /* of data, a power of two */
	uint64_t head, tail;
	unsigned char *whole; /* [RECORD_MOST]: a record that wraps; made when the first one does */
	uint64_t broken;      /* times that a record made no sense, after which all that was there was dropped */
	bool is_mapped;	      /* by perf_ring_map */
};

/* Maps the buffer of the event, `bytes` of records, a power of two of at least a page: 0 or -errno. */
int perf_ring_map(struct perf_ring *ring, int fd, size_t bytes) MUST_CHECK;

/* The same with memory of the caller: a page of control, and data behind it. */
void perf_ring_use(struct perf_ring *ring, void *memory, size_t control_bytes, size_t bytes);

/* Frees what was mapped, and nothing else. */
void perf_ring_release(struct perf_ring *ring);

/* Takes notice of what the kernel has written until now. */
void perf_ring_look(struct perf_ring *ring);

/* The next record; NULL: all that was there at the last look has been read. It stays until perf_ring_next. */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring) MUST_CHECK;
void perf_ring_next(struct perf_ring *ring);

/* Gives the kernel the room of what was read. */
void perf_ring_return(struct perf_ring *ring);

#endif
