/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_sampling.h - opens events that write records: samples of one event, and what happens to processes meanwhile.
 * What the kernel refuses is lowered as far as samples stay what they are meant to be.
 */
#ifndef TOPDOWN_COLLECT_PERF_PERF_SAMPLING_H
#define TOPDOWN_COLLECT_PERF_PERF_SAMPLING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/perf/perf.h"
#include "common/base/macros.h"

/* What each sample and each other record brings (include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE). */
#define SAMPLING_TYPE                                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |              \
	 PERF_SAMPLE_PERIOD)

/* How something is sampled. */
struct perf_sampling {
	const struct event *event; /* of the target's PMU; NULL: of the kernel, by type and config */
	uint32_t type;
	uint64_t config;
	const char *name;
	uint64_t period;      /* 0: by frequency */
	unsigned frequency;   /* a second */
	unsigned precise;     /* precise_ip to begin with */
	uint64_t extra;	      /* of sample_type, beside SAMPLING_TYPE: CALLCHAIN, REGS_USER, STACK_USER, BRANCH_STACK */
	uint64_t registers;   /* of PERF_SAMPLE_REGS_USER */
	uint32_t stack_bytes; /* of PERF_SAMPLE_STACK_USER, a multiple of 8 */
	bool has_turns; /* reports when a thread gets and leaves a CPU; samples are of the kernel, whatever the scope */
	bool is_pinned; /* it goes before what else wants counters, which have to do with the others */
	/* a group that is read with each sample, all or nothing; event is one of them, not the first if slots lead */
	const struct event *const *members;
	size_t nmembers; /* 0: no group */
};

/* An event that is open. */
struct perf_sampled {
	int fd;
	int leader;	  /* another event, first of the group: slots, or mem-loads-aux beside load latency; -1: none */
	uint64_t id;	  /* in its records */
	unsigned precise; /* as it was opened */
	bool is_by_ibs;	  /* AMD's ibs_op stands for the event */
	bool has_lost;	  /* the kernel counts what was lost: since Linux 6.0 */
	int *fds;	  /* of the members, its own among them; NULL: no group */
	uint64_t *ids;	  /* of the members */
	size_t nmembers;
	bool is_alone; /* of a group: what the task starts is not in it, as the kernel can't do both before 6.12 */
	/* by perf_sampled_read: */
	uint64_t lost; /* records that found no room */
	uint64_t enabled_ns, running_ns;
};

/* read_format of a group's samples: record_read_values takes them apart. */
#define SAMPLED_GROUP_FORMAT                                                                                           \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

#define PERF_NOT_SAMPLED ((struct perf_sampled){ .fd = -1, .leader = -1 })

/*
 * Opens it, switched off unless the target starts with exec. -1 and err with the cause and the remedy; then
 * perf_target_is_gone of -sampled->fd says whether the target has ended, which is no refusal. Close in any case.
 */
int perf_sampled_open(struct perf_sampled *sampled, const struct perf_target *target, const struct perf_sampling *how,
		      struct error *err) MUST_CHECK;

/*
 * Opens the event that reports mappings, names, forks and ends of processes on the target; it runs at once. The same
 * answers.
 */
int perf_tracking_open(struct perf_sampled *sampled, const struct perf_target *target, struct error *err) MUST_CHECK;

/*
 * Opens the event that reports when each thread of the target gets a CPU and leaves it, and their names, forks and
 * ends; it runs at once. Of how, extra and registers count: with registers there is a sample of each thread that leaves
 * its CPU, for whoever may sample the kernel. 0 or -errno; close in any case.
 */
int perf_switches_open(struct perf_sampled *sampled, const struct perf_target *target,
		       const struct perf_sampling *how) MUST_CHECK;

/* The same of a tracepoint, whose number is how's config: a sample whenever one of these threads passes it. */
int perf_tracepoint_sampled_open(struct perf_sampled *sampled, const struct perf_target *target,
				 const struct perf_sampling *how) MUST_CHECK;

/* The kernel's own of other kinds: a probe that stands at an instruction, or a tracepoint that a filter is for. */
struct perf_passing {
	uint32_t type;
	uint64_t config, config1, config2;
	const char *filter; /* NULL: all */
	uint64_t extra;	    /* as of struct perf_sampling */
	uint64_t registers;
	uint32_t stack_bytes;
};

/*
 * A sample whenever one of these threads passes it, with its id; switched off unless the target starts with exec. 0 or
 * -errno; close in any case.
 */
int perf_passing_open(struct perf_sampled *sampled, const struct perf_target *target,
		      const struct perf_passing *passing) MUST_CHECK;

/* Its records come through the ring of another event of the same CPU: 0 or -errno. */
int perf_sampled_share(const struct perf_sampled *sampled, int fd) MUST_CHECK;

void perf_sampled_switch(const struct perf_sampled *sampled, bool is_on);

/* Fills what the kernel has counted. */
void perf_sampled_read(struct perf_sampled *sampled);
void perf_sampled_close(struct perf_sampled *sampled);

/* CLOCK_MONOTONIC, ns: the clock of all records. */
uint64_t perf_sampling_clock(void);

/* ---- ring.c ---- */

/*
 * A ring buffer that the kernel writes records into, and that is read in place: whole records, in their order.
 * Layout and barriers: include/uapi/linux/perf_event.h, struct perf_event_mmap_page.
 */

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
