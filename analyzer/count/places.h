/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h - where the groups of a plan are opened: a task on any CPU, a CPU whoever runs there, a task or a cgroup on one
 * CPU. Each place counts for one core type and belongs to one part of the result.
 */
#ifndef TOPDOWN_PLACES_H
#define TOPDOWN_PLACES_H

#include "base/table.h"
#include "count/count.h"
#include "count/perf.h"

#define PID_OF_PROGRAM 0 /* of a place: the program, which is not started yet */

struct place {
	pid_t pid; /* -1: all on the CPU; the descriptor of the cgroup's directory */
	const unsigned *cpu;
	size_t type, part;
	struct perf_group *groups; /* of the run that is being counted */
	struct count **before;	   /* their items when the last interval ended */
	size_t ngroups;
	bool is_gone; /* the task had ended, or the CPU was offline, when the groups were opened */
};

struct part {
	const char *label; /* "thread 12 worker, cpu_atom"; NULL: all that is measured */
	size_t type;
};

struct places {
	struct place *items;
	size_t count, capacity;
	struct part *parts;
	size_t nparts, parts_capacity;
	struct table by_label; /* parts */
	pid_t *threads; /* of SUBJECT_PROCESSES and SUBJECT_THREADS, ascending: those that there are places for */
	size_t nthreads;
	int cgroup; /* descriptor, or -1 */
};

/* Everything at this moment. -1 when the cgroup can't be opened. Release in any case. */
int places_find(struct places *places, const struct count_request *request, struct arena *arena,
		struct error *err) MUST_CHECK;
void places_release(struct places *places);

/* Has the subject threads for which there are no places, because they came since places_find? */
bool places_are_incomplete(const struct places *places, const struct subject *subject, struct arena *arena);

/* Does time in which the place could not have counted pass for its groups: on other CPUs, or on cores of other types? */
bool is_place_confined(const struct place *place, const struct count_request *request);

#endif
