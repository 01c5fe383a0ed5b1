/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_counts.h - what the kernel counts by itself: its own events and accounts, and how long work waited. */
#ifndef TOPDOWN_COLLECT_OBSERVE_KERNEL_COUNTS_H
#define TOPDOWN_COLLECT_OBSERVE_KERNEL_COUNTS_H

#include "collect/count/launch.h"
#include "collect/perf/perf_software.h"
#include "common/measurement/software.h"

/* ---- pressure_counts.c ---- */

/* --pressure: how long the work waited for a CPU, for memory and for storage. */

#define PRESSURE_LOOK_S 0.1 /* between two looks at the threads: one that comes and goes in between is not seen */

/* Whose work waits. */
struct pressure_subject {
	const struct subject *subject; /* NULL: the child alone */
	const struct child *child;     /* NULL: there is none */
	const char *sysroot;	       /* where the machine's files are; NULL or "": this machine */
	int cgroup;		       /* descriptor of the subject's; 0: topdown's own, in which the child is too */
};

struct delay_of_thread;

struct pressure_watch {
	struct pressure_subject of;
	struct delay_of_thread *seen; /* threads, as they were seen last */
	size_t nseen, capacity;
	struct arena *arena;
};

struct pressure_watch *pressure_watch_new(const struct pressure_subject *subject, struct arena *arena);

/* At the threads that run now. watch NULL: nobody asks, here and below. */
void pressure_look(struct pressure_watch *watch);

/* What the kernel says now, of one thread or (0) of all; two such readings make a value. */
void pressure_tell(struct software *s, const struct pressure_watch *watch, pid_t thread);

/* ---- software_counts.c ---- */

/*
 * What the kernel counts of a program that topdown runs by itself: its own events (perf), its accounts of
 * processes (getrusage, /proc) and of cgroups. Here for one program without groups; software_counts.c has the same
 * for all sites of a measurement.
 */

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
