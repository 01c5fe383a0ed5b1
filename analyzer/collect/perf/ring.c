/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void perf_ring_use(struct perf_ring *ring, void *memory, size_t control_bytes, size_t bytes)
{
	*ring = (struct perf_ring){ .control = memory,
				    .data = (const unsigned char *)memory + control_bytes,
				    .size = bytes };
	ring->head = ring->tail = ring->control->data_tail;
}

int perf_ring_map(struct perf_ring *ring, int fd, size_t bytes)
{
	void *memory = mmap(NULL, page_size() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED) {
		*ring = (struct perf_ring){ .size = 0 };
		return -errno;
	}
	perf_ring_use(ring, memory, page_size(), bytes);
	ring->is_mapped = true;
	return 0;
}

void perf_ring_release(struct perf_ring *ring)
{
	free(ring->whole);
	if (ring->is_mapped)
		munmap(ring->control, page_size() + ring->size);
	*ring = (struct perf_ring){ .size = 0 };
}

/* The kernel has written the records before it moved the head. */
void perf_ring_look(struct perf_ring *ring)
{
	if (ring->control)
		ring->head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
}

/* Records have been read before the kernel may write there. */
void perf_ring_return(struct perf_ring *ring)
{
	if (ring->control)
		__atomic_store_n(&ring->control->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* Records are multiples of 8 bytes and so is the buffer: a header never wraps. */
static const struct perf_event_header *header_at(const struct perf_ring *ring, uint64_t position)
{
	return (const struct perf_event_header *)(const void *)(ring->data + (position & (ring->size - 1)));
}

static const struct perf_event_header *make_whole(struct perf_ring *ring, size_t begin, size_t size)
{
	size_t first = ring->size - begin;

	if (!ring->whole)
		ring->whole = malloc(RECORD_MOST);
	if (!ring->whole)
		return NULL;
	memcpy(ring->whole, ring->data + begin, first);
	memcpy(ring->whole + first, ring->data, size - first);
	return (const struct perf_event_header *)(void *)ring->whole;
}

static const struct perf_event_header *drop_all(struct perf_ring *ring)
{
	ring->broken++;
	ring->tail = ring->head;
	return NULL;
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring)
{
	const struct perf_event_header *header, *whole;
	uint64_t there = ring->head - ring->tail;
	size_t begin = (size_t)(ring->tail & (ring->size - 1));

	if (!there)
		return NULL;
	header = header_at(ring, ring->tail);
	if (there > ring->size || ring->tail % 8 || header->size < sizeof(*header) || header->size % 8 ||
	    header->size > there)
		return drop_all(ring);
	if (begin + header->size <= ring->size)
		return header;
	whole = make_whole(ring, begin, header->size);
	return whole ? whole : drop_all(ring);
}

void perf_ring_next(struct perf_ring *ring)
{
	ring->tail += header_at(ring, ring->tail)->size;
}
