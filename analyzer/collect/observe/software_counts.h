/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * software_counts.h - what the kernel counts of a program that topdown runs by itself: its own events (perf), its
 * accounts of processes (getrusage, /proc) and of cgroups. Here for one program without groups; software_counts.c has
 * the same for all sites of a measurement.
 */
#ifndef TOPDOWN_COLLECT_OBSERVE_SOFTWARE_COUNTS_H
#define TOPDOWN_COLLECT_OBSERVE_SOFTWARE_COUNTS_H

#include "collect/count/launch.h"
#include "collect/observe/pressure_counts.h"
#include "collect/perf/perf_software.h"

struct lone_software {
	struct perf_software perf;
	struct software before;
	struct pressure_watch *pressed; /* NULL: nobody asks */
	struct arena *arena;		/* for what lives on */
};

/* Nothing is open. */
void lone_software_init(struct lone_software *lone, bool wants_pressure, struct arena *arena);

/* Between child_start and child_release: it counts from the exec on. */
void lone_software_open(struct lone_software *lone, const struct child *child);

/* When the child has ended. Close in any case; the values live on. */
const struct software *lone_software_read(const struct lone_software *lone, const struct child *child);
void lone_software_close(struct lone_software *lone);

#endif
