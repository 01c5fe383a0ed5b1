/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.h - the state of sampling, shared by the files of this folder only. */
#ifndef TOPDOWN_COLLECT_SAMPLE_SAMPLER_H
#define TOPDOWN_COLLECT_SAMPLE_SAMPLER_H

#include "collect/perf/perf_sampling.h"
#include "collect/sample/intake.h"
#include "collect/sample/record.h"
#include "collect/sample/sample.h"
#include "common/measurement/profile.h"
#include "common/system/loop.h"

/* ---- rings.c ---- */

/*
 * The ring buffers of all CPUs, read as one stream in the order of time. Nothing is copied: what is too young,
 * because another CPU may still write something older, stays in its ring until the next time.
 */

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

/* ---- deltas.c ---- */

/*
 * Groups that are read with each sample: what was counted between two samples goes to the profile, with the places
 * of both. Only two that really followed each other in one thread, on one counter, have their places; the rest is
 * mixed. Nothing that was counted is left out, but for what follows a thread's last sample.
 */

struct deltas;

/* Lives in the profile's arena. */
struct deltas *deltas_new(struct profile *profile) MUST_CHECK NEVER_NULL;

/* A sample with what its group had counted until then. */
struct delta_sample {
	uint32_t group;		/* of the profile */
	uint32_t counters;	/* which ones: a number for each time that the group was opened */
	bool is_of_thread;	/* they count each thread by itself; else all that is on their CPU */
	uint32_t tid;		/* that ran */
	uint32_t place;		/* of the profile; PROFILE_NONE: nowhere */
	const uint64_t *values; /* of the group's events */
};

void deltas_take(struct deltas *deltas, const struct delta_sample *sample);

/* The thread has ended: another one may get its number. */
void deltas_end_thread(struct deltas *deltas, uint32_t tid);

/* Samples were lost, so that those that come do not follow those that came. */
void deltas_interrupt(struct deltas *deltas);

/* ---- sampler.c ---- */

/* An event that is open at a site on a CPU. */
struct opened {
	struct perf_sampled sampled;
	uint32_t event; /* of the request and the profile; PROFILE_NONE: it reports processes */
	bool is_of_waits;
	size_t site;
	unsigned cpu;
	uint64_t lost;	   /* as its records said */
	uint32_t counters; /* a number of its own, in all runs */
	bool is_of_task;
};

/* What became of an event of the request, in all runs. */
struct event_fate {
	bool was_opened, was_by_ibs;
	bool was_alone;	     /* of a group: without what the task has started */
	const char *refusal; /* the first; NULL: none */
	uint32_t group;	     /* of the profile: what is read with its samples; PROFILE_NONE: nothing */
};

struct sampler {
	struct sample_request request;
	struct profile *profile;
	struct arena *arena;
	struct intake *intake;
	struct record_format format; /* of all records of this run */
	struct deltas *deltas;	     /* NULL: no group is read */
	struct event_fate *fates;    /* of the request's events */
	uint32_t first;		     /* of the request's events among those of the profile */
	uint64_t registers;
	unsigned most_chain;

	struct opened *opened; /* by id, ascending */
	size_t nopened, opened_room;
	uint32_t nopened_ever;
	struct rings rings;
	struct loop *loop;
	struct loop_alarm look;
	size_t ring_bytes;		   /* of each ring */
	size_t run, repeat;		   /* that are made */
	bool starts_by_itself;		   /* what is opened, at the first change */
	bool is_on, has_begun, has_failed; /* has_begun: this run was on */
	uint64_t since;			   /* it is on */

	/* what was given up, for remarks */
	size_t wanted_bytes;
	unsigned frequency_limit; /* 0: none was reached */
	uint64_t lost_changes;	  /* records of processes */
	bool is_user_only, was_any_opened, has_no_branches;
	struct error first_error;
};

/* Frames, registers and bytes of stack that samples bring, by the request's stacks. */
uint64_t extra_of_stacks(const struct sampler *sampler);

/* ---- opening.c ---- */

/* Closes what is open, with its rings; what is in them is gone. */
void sampler_drop(struct sampler *sampler);

/* All events of the run at all sites, with their rings. -1 where not one event could be opened. */
int sampler_open(struct sampler *sampler, const struct observer_sites *sites, struct error *err) MUST_CHECK;

/* ---- sampling_remarks.c ---- */

/* The profile's remarks on what was lowered, lost or refused. */
void remark_given_up(struct sampler *sampler);

/* ---- procfs.c ---- */

/* A number of /proc/sys; 0: there is none. */
unsigned sysctl_number(const char *path);

#endif
