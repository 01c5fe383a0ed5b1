/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deltas.h - groups that are read with each sample: what was counted between two samples goes to the profile, with the
 * places of both. Only two that really followed each other in one thread, on one counter, have their places; the rest
 * is mixed. Nothing that was counted is left out, but for what follows a thread's last sample.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_DELTAS_H
#define TOPDOWN_COLLECT_SAMPLE_DELTAS_H

#include "common/measurement/profile.h"

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

#endif
