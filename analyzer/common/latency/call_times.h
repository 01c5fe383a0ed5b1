/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_times.h - how long calls of one thing took, by thread and by caller. Times are ns. */
#ifndef TOPDOWN_COMMON_LATENCY_CALL_TIMES_H
#define TOPDOWN_COMMON_LATENCY_CALL_TIMES_H

#include <stdbool.h>

#include "common/latency/log_histogram.h"

enum call_kind { CALL_FUNCTION, CALL_KERNEL_FUNCTION, CALL_SYSCALL, CALL_TRACEPOINT };

/* The calls of a thread, or from a place. */
struct call_row {
	const char *name; /* NULL: unknown */
	uint32_t pid, tid;
	struct log_histogram times;
	uint64_t outer; /* of the times: calls that no other call was around */
};

/* What a probe takes, measured with calls of a function that does nothing; NAN: nobody knows. */
struct probe_cost {
	double added_s;	     /* a call with probes takes longer by that */
	double inside_s;     /* of it, what is in the times that are shown */
	const char *refused; /* why it is not known, as a clause; NULL: it is */
};

struct call_times {
	enum call_kind kind;
	const char *name; /* "decode_block", "nanosleep", "irq:softirq" */
	const char *file; /* that has the function; NULL: none */
	double length_s;  /* of the time in which calls were seen */
	struct log_histogram all;
	uint64_t outer;
	struct call_row **threads, **callers; /* those with the most time first */
	size_t nthreads, ncallers;
	/* Calls without a time: */
	uint64_t begun_before; /* returns of calls that had begun before, or whose begin nobody saw */
	uint64_t unreturned;   /* left by a longjmp, an exception or the end of their thread, or not at an end yet */
	uint64_t deepest;      /* calls in each other */
	uint64_t doubtful;     /* records were lost while they were under way */
	uint64_t lost;	       /* records that found no room */
	uint64_t others;       /* calls of processes that are none of the subject's, for which the probe stood too */
	struct probe_cost cost;
};

#endif
