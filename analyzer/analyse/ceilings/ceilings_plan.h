/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_plan.h - which ceilings are measured on a machine: with which kernel, by whom, in arrays of which size. */
#ifndef TOPDOWN_ANALYSE_CEILINGS_CEILINGS_PLAN_H
#define TOPDOWN_ANALYSE_CEILINGS_CEILINGS_PLAN_H

#include "analyse/ceilings/ceilings.h"
#include "analyse/ceilings/crew.h"
#include "analyse/ceilings/kernels.h"
#include "cpu/identify/resources.h"

#define STREAM_STAGGER ((uint64_t)5 * STREAM_ALIGN) /* else arrays would be in the same places of their pages */

/* Arrays begin at one of so many places of their region, an odd number of pages apart. */
#define STREAM_PLACES 8u
#define STREAM_SHIFT  ((uint64_t)17 * 4096)

struct planned_ceiling {
	struct ceiling row;		      /* what is known before: all but value, spread, attempts and clock */
	const struct compute_kernel *compute; /* one of both */
	const struct stream_kernel *stream;
	struct team team;
	uint64_t array; /* bytes of each of a stream's arrays, a multiple of STREAM_STEP */
	size_t twin;	/* not measured: it is this one, of a team with the same members; else its own number */
};

struct ceilings_plan {
	struct planned_ceiling *rows;
	size_t count;
	unsigned *cpus; /* where threads run: one of each core */
	size_t ncpus;
	uint64_t *regions;	   /* bytes that each of them needs for its arrays, STREAM_STAGGER apart */
	enum ceiling_source sizes; /* where sizes of caches are from */
	bool is_quota, is_memory;  /* fewer threads than cores for a quota's sake; smaller arrays for memory's */
};

/* Everything lives in arena. Of the kernels only those that this machine's instructions allow are taken. */
void ceilings_plan(struct ceilings_plan *plan, const struct resources *resources, struct arena *arena);

#endif
