/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency.h - how long the calls of one function, system call or pair of tracepoints take: for `topdown latency`. */
#ifndef TOPDOWN_COLLECT_LATENCY_LATENCY_H
#define TOPDOWN_COLLECT_LATENCY_LATENCY_H

#include "collect/observe/observer.h"
#include "common/latency/call_times.h"
#include "common/base/arena.h"
#include "common/base/error.h"

#define MOST_PLACES 8 /* functions of one name */

/* What is watched. */
struct latency_target {
	enum call_kind kind;
	const char *name; /* of struct call_times */
	const char *path; /* of a function: its file, as it is opened */
	const char *file; /* the same, as its owner calls it; NULL: it is no function of a file */
	uint64_t offsets[MOST_PLACES];
	size_t noffsets;
	unsigned char code[4]; /* the first bytes of the first one */
	bool has_exceptions;   /* its file catches those of C++ */
	uint32_t type;	       /* of the kernel's PMU for such probes */
	uint64_t begin, end;   /* numbers of tracepoints */
	const char *filter;    /* of both; NULL: none */
};

/* Whose calls: a process, a program that is found, or neither. */
struct latency_owner {
	uint32_t pid;
	const char *program;
};

/* -1 where the word names nothing that can be watched here: err says why, and what does. */
int latency_target_find(struct latency_target *target, const char *word, const struct latency_owner *owner,
			struct arena *arena, struct error *err) MUST_CHECK;

/* What a probe of this target's kind costs on this machine now: takes some 10 ms. -1: this user may set none. */
int probe_cost_measure(struct probe_cost *cost, const struct latency_target *target, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* Fills times when the measurement has ended. */
struct observer *latency_watch_new(const struct latency_target *target, struct call_times *times, struct arena *arena);

#endif
