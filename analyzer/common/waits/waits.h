/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h - the wall clock of threads: how long each ran, was ready but had no CPU, and waited, and for what. The times
 * of a thread come to its life while it was measured. Made by wait_watch.c, kept by session, read by present.
 */
#ifndef TOPDOWN_COMMON_WAITS_WAITS_H
#define TOPDOWN_COMMON_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/latency/log_histogram.h"

enum wait_kind {
	WAIT_LOCK,    /* futex, semaphore, file lock */
	WAIT_DISK,    /* a file, or its metadata */
	WAIT_NETWORK, /* a socket of another machine, or of this one's network */
	WAIT_PIPE,    /* a pipe, a local socket, a terminal, or whichever of several is ready first */
	WAIT_TIMER,   /* a sleep */
	WAIT_FAULT,   /* a page that has to be read */
	WAIT_CHILD,   /* the end of a process */
	WAIT_OTHER,   /* a signal, and calls that none of these fits */
	WAIT_UNKNOWN, /* nobody has seen for what */
	WAIT_KINDS
};

/* "lock": in JSON, CSV and gates. */
const char *wait_kind_name(enum wait_kind kind);

/* The function of its program that a thread was in most. Of a profile (hotspots.h), so no session has it. */
struct wait_place {
	const char *function; /* NULL: unknown */
	double share;	      /* of what the thread did, from 0 to 1 */
	const char *node;     /* that loses most in this function, by its tree; NULL: unknown, or none is over */
	double node_percent;  /* its value in that tree */
};

/* What a thread has waited for. */
struct wait_cause {
	enum wait_kind kind;
	const char *name; /* "big_lock", "read of a pipe", "clock_nanosleep"; NULL: unknown */
	const char *call; /* the system call that it waited in: "futex"; NULL: none, or unknown */
	double time_s;
	double longest_s; /* of the waits that were recorded or looked at; 0: none was long enough */
	uint64_t waits;	  /* that were recorded as they began; 0: none, or unknown */
	uint64_t looks;	  /* that found it */
	uint32_t by;	  /* the thread that ended most of it: of a lock, who had it; 0: unknown, or nobody */
	const char *by_name;
	struct wait_place by_place; /* where by was, all of its time */
};

/* A while of a thread, and what it did in it. The next one begins where it ends. */
struct wait_segment {
	double from_s, to_s;
	double running_s, ready_s, waiting_s; /* they come to its length */
	enum wait_kind kind;		      /* of most of its waiting */
};
#define MOST_WAIT_SEGMENTS 2000 /* of all threads */
#define MOST_TIMELINES	   40	/* threads that have some: the busiest, and the main thread */

struct waiting_thread {
	uint32_t pid, tid;
	const char *name;
	double from_s, to_s; /* since measuring began: from its first moment to its last */
	double running_s;
	double preempted_s;	   /* it was taken off its CPU */
	double throttled_s;	   /* of that: for its cgroup's quota */
	double queued_s;	   /* it had been woken and got no CPU yet, as far as the kernel's accounts were read */
	struct wait_cause *causes; /* the longest first; the times of all come to its waiting */
	size_t ncauses;
	uint64_t waits, preemptions;   /* how often */
	uint64_t migrations;	       /* it got another CPU than its last one */
	double ready_longest_s;	       /* without a CPU, at once, as far as that is known */
	struct wait_segment *segments; /* from its first moment to its last; none where others were busier */
	size_t nsegments;
};

enum link_kind { LINK_RUNS, LINK_READY, LINK_WAITS, LINK_UNKNOWN };

/* What another thread did while the main thread waited for it, or for one that waited for it. */
struct wait_link {
	uint32_t tid;
	const char *thread; /* its name; NULL: unknown */
	enum link_kind what;
	const char *cause;	 /* LINK_WAITS: for what; NULL: unknown */
	double time_s;		 /* of the main thread's waiting */
	unsigned depth;		 /* 1: it woke the main thread itself */
	struct wait_place place; /* where it did that, all of its time */
};

/* "runs", "ready", "waits", "unknown" */
const char *link_kind_name(enum link_kind kind);

/* The first thread's clock in parts, which come to its life: for comparing. Kinds of waits follow WALL_WAITS. */
enum wall_part { WALL_RUNNING, WALL_READY, WALL_WAITS, WALL_PARTS = WALL_WAITS + WAIT_KINDS };

/* The first thread's clock of a while that has the length that was asked for. */
struct wall_interval {
	double from_s, to_s;	  /* of its life */
	double parts[WALL_PARTS]; /* seconds, which come to that */
};
#define MOST_WALL_INTERVALS 100000 /* the last one has the rest */

/* How it is known what a thread waited for. */
struct waits {
	struct log_histogram *ready;	/* ns without a CPU, each time: preempted, and with wakes woken; NULL: never */
	struct waiting_thread *threads; /* the main thread first, then by their lives; see is_of_many */
	size_t count;
	double length_s;     /* that was measured */
	uint64_t lost;	     /* records that found no room: times beside them are uncertain */
	uint64_t looks;	     /* at threads that waited */
	double short_s;	     /* waits of less than WAIT_LONG_S, whose causes are shares of those that were looked at */
	double cpu_s;	     /* that topdown itself took for it */
	const char *refused; /* why nothing was recorded: a clause; NULL: it was */
	struct wait_link *links; /* the longest first; none where wakes were not recorded */
	size_t nlinks;
	struct wall_interval *intervals; /* in their order; none where nobody asked, or the kernel added up */
	size_t nintervals;
	bool has_wakes;	 /* who ended a wait is known, so queued is exact */
	bool is_summed;	 /* the kernel added up (BPF): there is no timeline */
	bool is_of_many; /* of CPUs or a cgroup: the first thread is the sum of all that were not idle, by their CPUs */
	bool has_calls;	 /* causes were recorded as waits began, so nothing depends on looks */
	const char *unlooked; /* why causes are unknown: a clause; NULL: they were looked at */
};

/* "wall.lock", of metrics and limits; "Waiting: lock" */
const char *wall_part_name(size_t part);
const char *wall_part_title(size_t part);

/* Seconds of each. */
void wall_parts(double parts[WALL_PARTS], const struct waiting_thread *thread);

#define WAIT_LOOK_S 0.01 /* from one look at waiting threads to the next */
#define WAIT_LONG_S (2 * WAIT_LOOK_S)

/* Waiting of a kind, or of all (WAIT_KINDS). */
double thread_waited(const struct waiting_thread *thread, enum wait_kind kind);
double thread_life(const struct waiting_thread *thread);

/* By its name or its number, as it was typed. */
bool is_thread_called(const struct waiting_thread *thread, const char *typed);

/* The last thread with this number becomes the first one. */
void waits_lead(struct waits *waits, uint32_t tid);

/* The longest first, names' order where they are as long; threads by their lives, behind the first one. */
void waits_sort_causes(struct waiting_thread *thread);
void waits_sort_threads(struct waits *waits);

/* Threads of CPUs or a cgroup: the first one becomes the sum; the array has room for one more. */
void waits_sum(struct waits *waits, struct arena *arena);

/* It waited in one place for nearly all of its life, as a pool's threads do that have nothing to do. */
bool thread_is_idle(const struct waiting_thread *thread);
#define WAIT_IDLE 0.95

#endif
