/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - the sampling collector: events whose records come through ring buffers, at the sites and for the time that
 * count decides (collect/observe/observer.h), become a profile while they come; no sample is kept.
 *
 *   sampler = sampler_new(&profile, &request);         profile_init(&profile, arena) before
 *   sampler_observer_init(&place); place.sampler = sampler; &place.observer is one of count_request's observers
 *   count_measure(...)                                 plans may be empty; it makes observer.runs runs at least
 *   sampler_finish(sampler, &err);                     in any case
 *   symbols_resolve(&profile, ...)                     names
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_SAMPLE_H
#define TOPDOWN_COLLECT_SAMPLE_SAMPLE_H

#include "collect/observe/observer.h"
#include "common/measurement/profile.h"
#include "cpu/event/event.h"
#include "cpu/identify/machine.h"

/* What overflows. */
enum sample_source {
	SAMPLE_CPU_CLOCK,  /* time on a CPU, by the kernel's timer; idle time is left out */
	SAMPLE_TASK_CLOCK, /* time of a task, likewise */
	SAMPLE_CYCLES,	   /* the kernel's own cycles event, of whatever PMU it takes for it: without a model */
	SAMPLE_WAITS,	   /* time that a thread waits, from where it leaves its CPU: each wait is one sample */
	SAMPLE_EVENT	   /* of the model */
};

struct sample_event {
	const char *name, *node; /* as in struct profile_event */
	enum sample_source source;
	const struct event *event; /* of SAMPLE_EVENT, of the model of this type, else NULL */
	size_t type;		   /* of the count request's types: on the CPUs of its PMU; clocks are on all CPUs */
	const char *pmu;	   /* for the profile: of which core type; NULL: the only one, or a clock */
	uint64_t period;	   /* events, or ns of a clock; 0: by frequency */
	unsigned frequency;	   /* samples a second; 0: by period */
	unsigned precise;	   /* precise_ip to begin with; what the PMU refuses is lowered, and reported */
	size_t run;		   /* from 0, among the runs: events of one run are sampled at the same time */
	/* SAMPLE_EVENT: a group that is read with each sample, event among them; a run has such events or others */
	const struct event *const *members;
	size_t nmembers; /* 0: none */
};

/* -g, in the order of common/request/setup.h's stacks_choice. */
enum sample_stacks {
	SAMPLE_STACKS_AUTO, /* call frame information where it reaches further than frame pointers */
	SAMPLE_STACKS_FP,
	SAMPLE_STACKS_CFI,
	SAMPLE_STACKS_LBR,
	SAMPLE_STACKS_NONE
};

struct sample_request {
	const struct sample_event *events;
	size_t nevents;
	enum sample_stacks stacks;
	const struct machine *machine;
	unsigned stack_bytes;	 /* of a user's stack that is copied for CFI, at most 65528; 0: DEFAULT_STACK_BYTES */
	size_t buffer_bytes;	 /* of each CPU's ring; 0: what suits the stacks */
	bool wants_latencies;	 /* each sample has how long its instruction took to retire, where the CPU says so */
	bool is_kernel_unwanted; /* then nothing is said of its absence */
	bool is_beside;		 /* groups are counted in the same run: events keep their counters, and have own ones */
};

#define DEFAULT_STACK_BYTES 32768

struct sampler;

/*
 * Samples into profile, which stays the caller's. Adds the events to it in their order. Lives in the profile's arena.
 * The request is copied; what it points to is borrowed.
 */
struct sampler *sampler_new(struct profile *profile, const struct sample_request *request) MUST_CHECK;

/* Runs that its events need. */
size_t sampler_runs(const struct sampler *sampler);

/*
 * Where a sampler observes, which may be made during the measurement, when it is known what it is to sample. Until then
 * nothing happens. It is the context of its observer's functions: an owner with an open of its own has it as its first
 * member, and calls sampler_observe there.
 */
struct sampler_observer {
	struct sampler *sampler; /* NULL: none yet, and perhaps never */
	struct observer observer;
};

/* No sampler, and no runs. Must not move. */
void sampler_observer_init(struct sampler_observer *place);

/* As an observer's open: fails only where not one event could be opened; one that could not is in the remarks. */
int sampler_observe(void *place, const struct observer_sites *sites, struct error *err) MUST_CHECK;

/*
 * After the last run: completes events, remarks, scope and seconds of the profile, and frees what is not in the arena.
 * -1 with the first refusal where no event was ever opened; to be called in any case, once.
 */
int sampler_finish(struct sampler *sampler, struct error *err) MUST_CHECK;

#endif
