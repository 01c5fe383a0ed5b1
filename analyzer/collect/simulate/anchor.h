/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anchor.h - a program from its start to its end, with nothing counted; and the clock rate of the machine's cores, for
 * the time that it takes there (native.h).
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_ANCHOR_H
#define TOPDOWN_COLLECT_SIMULATE_ANCHOR_H

#include "collect/count/input.h"
#include "collect/count/launch.h"
#include "collect/observe/observer.h"
#include "collect/simulate/lookout.h"

struct plain_run {
	const struct program *program;
	struct signals *signals; /* held; what comes is passed on to the program */
	struct input *input;
	size_t number;		       /* from 0: the first has the terminal, the others are silent */
	bool is_confined;	       /* leaves no files behind (collect/count/confinement.c) */
	struct supervisor *supervisor; /* watches it; closed by the caller; NULL: nobody does */
	/* After so many seconds the file is made, which ends a simulation (simulator/wire.h); 0: never */
	double limit_s;
	const char *stop;
	struct lookout *lookout; /* asked now and then while the program runs; NULL: nobody looks */
	/* Is the program at its end already, and only writes what was counted? NULL: it writes nothing. */
	bool (*is_ending)(const void *context, pid_t pid);
	const void *context;
	/* Opened with its start, and switched on; the caller closes them. They end with NULL; NULL: there are none. */
	struct observer *const *observers;
	enum scope scope; /* of what they see; SCOPE_ALL becomes SCOPE_USER where only that is allowed */
};

/* Starts it, with its supervisor; then wait for child_has_ended, and end with input_end_run. -1 as plain_run. */
int plain_run_start(struct child *child, const struct plain_run *run, struct error *err) MUST_CHECK;

/* Fills child, and ended with how it ended. -1 when it could not be run: err->status is then 126 or 127, or 0. */
int plain_run(struct child *child, struct count_run *ended, const struct plain_run *run, struct error *err) MUST_CHECK;

/*
 * Cycles per second of the CPU that the caller runs on, by additions that each need the one before: one takes one cycle
 * on every core that topdown knows. Takes some 5 ms. NAN on architectures without such a loop. The system has other
 * numbers: /proc/cpuinfo that of the time stamp counter in a virtual machine (2.6 GHz where the core ran at 3.7), and
 * cpufreq that of some other moment.
 */
double clock_rate_measure(void);

/*
 * Cycles of eight independent additions, at so many cycles per second: more than the core takes where somebody else
 * uses its other thread, or has its time, meanwhile. A mean over some 3 ms, since neighbours come and go. NAN as above.
 */
double additions_measure(double hz);

#endif
