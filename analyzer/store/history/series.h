/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - the runs of one program on one machine, in the order of time, and the values of some of its metrics. */
#ifndef TOPDOWN_STORE_HISTORY_SERIES_H
#define TOPDOWN_STORE_HISTORY_SERIES_H

#include "store/history/history.h"

/* Which runs; NULL and 0: any. Patterns are globs, or parts of a name, without regard to case. */
struct history_filter {
	const char *program, *machine, *branch;
	const struct history_tag *tags; /* which a run has all */
	size_t ntags;
	uint64_t last;	  /* only so many of each series, the newest */
	int64_t since_ms; /* only those that began then or later */
};

/* One with the same surroundings; the numbers are of the file. */
struct series_run {
	int64_t id, time_ms, accepted_ms;
	const char *revision, *branch, *note; /* NULL: none */
	int status;			      /* NO_STATUS: unknown */
};

/* What may differ between the runs of a program on a machine, and makes their values incomparable. */
struct surroundings_key {
	const char *model, *microcode, *kernel;
};

struct series {
	int64_t id; /* of the file */
	int64_t surroundings;
	const char *program, *machine, *cpu;
	struct surroundings_key around;
	struct series_run *runs;
	size_t count;
	size_t ncut;	 /* runs that were cut short, which are not among them */
	size_t nearlier; /* of other surroundings: series of their own */
};

struct series_list {
	struct series *items; /* those with the newest run last come last */
	size_t count;
};

/* A metric's value in each run of a series, NAN where it was not measured. */
struct series_values {
	const char *name, *unit;
	double *values, *low, *high; /* low and high are NAN where there is no interval */
	unsigned *n;
};

/* All series that have such runs. -1 with err. They live in arena. */
int series_read(struct series_list *list, struct history *history, const struct history_filter *filter,
		struct arena *arena, struct error *err) MUST_CHECK;

/* The names of what was measured in any run of the file, in the order in which they came there. -1 with err. */
int series_metrics(const char ***names, size_t *count, struct history *history, struct arena *arena,
		   struct error *err) MUST_CHECK;

/* Fills all but the name. -1 with err where the file can't be read; a name that nothing has gives NANs. */
int series_values_read(struct series_values *values, const struct series *series, struct history *history,
		       struct arena *arena, struct error *err) MUST_CHECK;

#endif
