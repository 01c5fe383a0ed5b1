/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rings.h - the ring buffers of all CPUs, read as one stream in the order of time. Nothing is copied: what is too
 * young, because another CPU may still write something older, stays in its ring until the next time.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_RINGS_H
#define TOPDOWN_COLLECT_SAMPLE_RINGS_H

#include "collect/perf/ring.h"
#include "collect/sample/record.h"
#include "common/base/loop.h"

struct cpu_ring {
	struct perf_ring ring;
	unsigned cpu;
	int fd; /* of the event that it was mapped of: others share it */
	const struct perf_event_header *next;
	uint64_t next_time;
	struct loop_descriptor wakeup;
};

struct rings {
	struct cpu_ring *items; /* does not move while something waits for them */
	size_t count, capacity;
	uint64_t broken; /* records that made no sense */
};

/* NULL: that CPU has none yet. */
struct cpu_ring *rings_find(const struct rings *rings, unsigned cpu);

/*
 * Maps one for the CPU, of *bytes or, where the kernel refuses so many, of half, and so on; *bytes becomes what it has.
 * 0 or -errno, where not even LEAST_RING is allowed.
 */
int rings_add(struct rings *rings, unsigned cpu, int fd, size_t *bytes) MUST_CHECK;
#define LEAST_RING ((size_t)16384)

/* A ring that is there already, for tests. */
struct cpu_ring *rings_use(struct rings *rings, unsigned cpu);

typedef void rings_take(void *context, const struct record *record);

/* Hands over all records up to that time (CLOCK_MONOTONIC, ns), the oldest first. */
void rings_read(struct rings *rings, const struct record_format *format, uint64_t until, rings_take *take,
		void *context);

/* Is half of one still taken by what was too young? */
bool rings_are_tight(const struct rings *rings);

void rings_release(struct rings *rings);

#endif
