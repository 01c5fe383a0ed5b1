/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.h - the state of sampling, shared by the files of this folder only. */
#ifndef TOPDOWN_COLLECT_SAMPLE_SAMPLER_H
#define TOPDOWN_COLLECT_SAMPLE_SAMPLER_H

#include "collect/perf/perf_sampling.h"
#include "collect/sample/deltas.h"
#include "collect/sample/intake.h"
#include "collect/sample/rings.h"
#include "collect/sample/sample.h"

/* An event that is open at a site on a CPU. */
struct opened {
	struct perf_sampled sampled;
	uint32_t event; /* of the request and the profile; PROFILE_NONE: it reports processes */
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

/* ---- given_up.c ---- */

/* The profile's remarks on what was lowered, lost or refused. */
void remark_given_up(struct sampler *sampler);

/* ---- procfs.c ---- */

/* A number of /proc/sys; 0: there is none. */
unsigned sysctl_number(const char *path);

#endif
