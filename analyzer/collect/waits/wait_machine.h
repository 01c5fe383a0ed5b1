/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_machine.h - from what happens to threads, in the order of its times, to the times of each: a pure state machine,
 * for any input. Whatever comes, a thread's times come to its life, and none is negative.
 *
 * A wait of WAIT_LONG_S or more counts for what it was found to be. Shorter ones are not all looked at: a look finds
 * them as often as they are long, so their time is divided as the looks are.
 */
#ifndef TOPDOWN_COLLECT_WAITS_WAIT_MACHINE_H
#define TOPDOWN_COLLECT_WAITS_WAIT_MACHINE_H

#include "collect/sample/processes.h"
#include "common/waits/waits.h"
#include "common/base/arena.h"

enum thread_state { THREAD_RUNS, THREAD_READY, THREAD_WAITS };

/* What one look found: texts that are compared, and copied. */
struct wait_found {
	enum wait_kind kind;
	const char *name; /* NULL: unknown */
	const char *call; /* the system call, as long as topdown runs; NULL: none, or unknown */
	bool is_recorded; /* by the thread itself, as it began to wait: nothing is left to chance */
	bool is_vague;	  /* is_recorded: a look may say more */
};

struct new_thread {
	uint32_t pid, tid;
	uint32_t parent; /* a thread that it is called like, until it is renamed; 0: none */
	enum thread_state state;
};

/* A thread gets a CPU, or leaves it. */
struct thread_turn {
	uint32_t pid, tid;
	enum thread_state state;
	uint32_t cpu;
};

/* How fine all timelines are. */
struct timeline_grain {
	uint64_t length;     /* ns: what is shorter is joined to what is beside it; 0: none has begun */
	size_t count, limit; /* of their spans; at the limit all grow coarser */
};

struct wait_machine {
	struct arena *arena;
	struct log_histogram *ready;	       /* NULL: nobody was, yet */
	struct number_table by_tid;	       /* of those that live: struct machine_thread */
	struct machine_thread *threads, *main; /* main: the first of them that is called as wanted */
	const char *wanted;		       /* main's name or number; NULL: it is the first thread */
	size_t count;
	uint64_t now, measured; /* ns; measured: without pauses */
	bool is_on;
	bool has_wakes;		       /* whoever wakes a thread is named, unless it exits */
	struct machine_thread *exited; /* the last one, and when */
	uint64_t exited_at;
	uint64_t lost, looks;
	struct machine_link *links; /* of the main thread's waits */
	size_t nlinks, links_room;
	struct stretch *stretches; /* of its time that are still to be followed */
	size_t nstretches, stretches_room;
	struct timeline_grain grain;
	uint64_t interval; /* ns: the main thread has a clock for each; 0: for none */
};

/* Waits that count together. */
struct waits_of {
	uint64_t time;
	uint64_t ended; /* their number since the kernel's account was read */
	double queued;	/* of the time: it had been woken, and got no CPU yet */
};

struct machine_thread {
	struct machine_thread *next;   /* of all, the newest first */
	struct machine_thread *parent; /* that has started it; NULL: unknown */
	struct waiting_thread own;     /* as far as it is known; causes are in found until the end */
	enum thread_state state;
	uint64_t begin, since; /* of its life, in what was measured; and of its state */
	uint64_t running, preempted;
	struct waits_of short_waits, unseen; /* unseen: long ones at which nobody has looked */
	uint64_t delay, was_preempted;	     /* the kernel's account as it was read last, and what was known of it */
	struct machine_cause *causes;
	size_t ncauses, room;
	size_t current;		    /* of causes: of the wait that goes on; SIZE_MAX: nobody has looked */
	bool is_recorded, is_vague; /* that is, as in struct wait_found */
	uint64_t woken,
		queued; /* woken: when, in the wait that goes on; 0: not yet. queued: from then to its CPU, all */
	struct machine_thread *waker; /* of that wait; NULL: nobody */
	struct turn *turns;	      /* the last MOST_TURNS of what it did, as a ring */
	size_t nturns, turns_room;
	uint32_t cpu; /* its last one, from 1; 0: unknown */
	uint64_t longest_ready;
	struct timeline_span *spans; /* of its timeline, one behind the other */
	size_t nspans, spans_room;
	struct timeline_span *intervals; /* and of the intervals: from the first one to that in which it was last */
	size_t nintervals, intervals_room;
	bool is_dead;
};

struct machine_cause {
	struct wait_found found;
	struct waits_of waits;	       /* long ones, and all that the thread itself named */
	uint64_t longest, looks, hits; /* hits: of short ones */
	uint64_t recorded;	       /* waits, as they began */
	struct machine_thread *by; /* who ended more of it than all others, if anybody has (Boyer and Moore's vote) */
	uint64_t by_more;
};

/* ---- wait_chain.c: what others did while the main thread waited for them ---- */

#define MOST_TURNS 4096 /* of a thread: those before the last ones are forgotten */
#define MOST_DEPTH 8	/* threads that wait for each other */

/* A thread was in a state. */
struct turn {
	uint64_t from, to;
	enum thread_state state;
	size_t cause;		      /* of its causes; SIZE_MAX: unknown */
	struct machine_thread *waker; /* who ended it; NULL: nobody */
};

/* A part of the main thread's time: what did the thread do in it? */
struct stretch {
	struct machine_thread *thread;
	uint64_t from, to;
	unsigned depth;
};

struct machine_link {
	struct machine_thread *thread;
	enum link_kind what;
	size_t cause;
	uint64_t time;
	unsigned depth;
};

void turn_keep(struct machine_thread *thread, const struct turn *turn, struct arena *arena);

/* The main thread waited from a time to another for this one. */
void links_add(struct wait_machine *machine, struct machine_thread *waker, uint64_t from, uint64_t to);
void links_finish(struct waits *waits, const struct wait_machine *machine);

/* ---- wait_timeline.c: what each thread did when ---- */

/* A part of its measured time that has just ended, before what is known of its wait is forgotten. */
void timeline_keep(struct wait_machine *machine, struct machine_thread *thread, const struct turn *turn);

/* Times of threads are known: the busiest ones get their segments, and the main thread's intervals their clocks. */
void timelines_finish(struct waits *waits, struct wait_machine *machine);

/* ---- wait_machine.c ---- */

void wait_machine_init(struct wait_machine *machine, struct arena *arena);
void wait_machine_release(struct wait_machine *machine);

/* Measuring goes on, or pauses. */
void wait_machine_switch(struct wait_machine *machine, bool is_on, uint64_t at);

/* A thread that was there already, or is new. */
struct machine_thread *wait_machine_add(struct wait_machine *machine, const struct new_thread *added, uint64_t at);
void wait_machine_rename(struct wait_machine *machine, uint32_t tid, const char *name);
void wait_machine_remove(struct wait_machine *machine, uint32_t tid, uint64_t at);
/* One that nobody has named is added. */
void wait_machine_move(struct wait_machine *machine, const struct thread_turn *turn, uint64_t at);
/* It was found in this wait, if it waits now. What is known already stays, unless it was vague. */
void wait_machine_look(struct wait_machine *machine, uint32_t tid, const struct wait_found *found);

/* Its wait is over, as waker says, a thread; 0: nobody, as an interrupt. It may not run yet. */
void wait_machine_wake(struct wait_machine *machine, uint32_t tid, uint32_t waker, uint64_t at);

/*
 * The kernel's account of how long the thread was ready and had no CPU, ns. What it has more than the preemptions was
 * at the end of the waits that have ended since the last one.
 */
void wait_machine_delay(struct machine_thread *thread, uint64_t delay);

/* Seconds, sorted; lives in the machine's arena. */
struct waits *wait_machine_finish(struct wait_machine *machine, uint64_t at);

/* Preemptions of all threads were so long, ns, for a quota: of each the same part. */
void waits_throttle(struct waits *waits, uint64_t throttled);

#endif
