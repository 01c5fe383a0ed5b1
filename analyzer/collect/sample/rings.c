/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/sampler.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/arena.h"

struct cpu_ring *rings_find(const struct rings *rings, unsigned cpu)
{
	for (size_t i = 0; i < rings->count; i++)
		if (rings->items[i].cpu == cpu)
			return &rings->items[i];
	return NULL;
}

struct cpu_ring *rings_use(struct rings *rings, unsigned cpu)
{
	if (rings->count == rings->capacity) {
		rings->capacity = rings->capacity ? 2 * rings->capacity : 8;
		rings->items = realloc(rings->items, rings->capacity * sizeof(*rings->items));
		if (!rings->items)
			memory_ended();
	}
	rings->items[rings->count] = (struct cpu_ring){ .cpu = cpu, .fd = -1 };
	return &rings->items[rings->count++];
}

int rings_add(struct rings *rings, unsigned cpu, int fd, size_t *bytes)
{
	struct cpu_ring *ring = rings_use(rings, cpu);
	int status;

	ring->fd = fd;
	while ((status = perf_ring_map(&ring->ring, fd, *bytes)) < 0 && (status == -EPERM || status == -ENOMEM) &&
	       *bytes > LEAST_RING)
		*bytes /= 2;
	if (status < 0)
		rings->count--;
	return status;
}

/* Looks for the next record of the ring that has a time. */
static void advance(struct rings *rings, struct cpu_ring *ring, const struct record_format *format)
{
	struct record record;

	while ((ring->next = perf_ring_peek(&ring->ring))) {
		if (record_parse(&record, ring->next, format)) {
			ring->next_time = record.identity.time;
			return;
		}
		rings->broken++;
		perf_ring_next(&ring->ring);
	}
}

static struct cpu_ring *oldest(const struct rings *rings)
{
	struct cpu_ring *found = NULL;

	for (size_t i = 0; i < rings->count; i++) {
		struct cpu_ring *ring = &rings->items[i];

		if (ring->next && (!found || ring->next_time < found->next_time))
			found = ring;
	}
	return found;
}

void rings_read(struct rings *rings, const struct record_format *format, uint64_t until, rings_take *take,
		void *context)
{
	struct cpu_ring *ring;
	struct record record;

	for (size_t i = 0; i < rings->count; i++)
		perf_ring_look(&rings->items[i].ring);
	for (size_t i = 0; i < rings->count; i++)
		advance(rings, &rings->items[i], format);
	while ((ring = oldest(rings)) && ring->next_time <= until) {
		if (record_parse(&record, ring->next, format))
			take(context, &record);
		perf_ring_next(&ring->ring);
		perf_ring_return(&ring->ring);
		advance(rings, ring, format);
	}
	for (size_t i = 0; i < rings->count; i++)
		perf_ring_return(&rings->items[i].ring);
}

bool rings_are_tight(const struct rings *rings)
{
	for (size_t i = 0; i < rings->count; i++)
		if (rings->items[i].ring.head - rings->items[i].ring.tail >= rings->items[i].ring.size / 2)
			return true;
	return false;
}

void rings_release(struct rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		rings->broken += rings->items[i].ring.broken;
		perf_ring_release(&rings->items[i].ring);
	}
	free(rings->items);
	*rings = (struct rings){ .broken = rings->broken };
}
