/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_totals.h - what was counted: by all threads together, and by each. It is in the
 * blocks and in the threads' cores.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_CORE_TOTALS_H
#define TOPDOWN_SIMULATOR_GUEST_CORE_TOTALS_H

#include "simulator/guest/guest_threads.h"

/* What retired: slots, by what their instruction is; and how often SSE kept what AVX had written. */
struct work {
	ULong slots, heavy, floating, memory, branch;
	ULong mixed;
};

/* Instructions of kinds that the model knows less of, or that Valgrind may have in place of others. */
struct doubtful {
	ULong vector, x87, crypto, gathers, strings;
};

/* What the program computed, and moved between its registers and L1. */
struct amounts {
	ULong flops[FLOP_KINDS];
	ULong loaded, stored; /* bytes */
};

struct totals {
	ULong instructions, detailed_instructions;
	ULong unfollowed; /* instructions more, which the counts stand for too (fast.h) */
	struct rounds rounds;
	ULong whole_instructions; /* of detailed_instructions, those before any were left out */
	struct work work;
	ULong retired, lost[CAUSE_COUNT];
	ULong branches, mispredicted, unknown_branches;
	uint64_t triggers[TRIGGER_COUNT], modelled_triggers[TRIGGER_COUNT]; /* all, and those in windows */
	struct traffic traffic;
	ULong threads;
	ULong execs, failed_execs, refused_execs, forks;
	ULong system_calls;
	struct doubtful doubtful;
	struct amounts amounts;
	struct sample_sums sums;
};

/* An instruction that retired so many times. */
void work_add(struct work *work, const struct insn *insn, ULong times);

/* An instruction of the block that was executed so many times; rounds: as of the block. */
void amounts_add(struct amounts *amounts, const struct insn *insn, ULong times, ULong rounds);

void totals_add_blocks(struct totals *totals, const struct block *blocks);
void totals_add_thread(struct totals *totals, const struct guest_thread *thread);
void totals_add(struct totals *totals, const struct totals *more);

/*
 * The instructions that stand for what was modelled of these: as many as its share of all instructions and rounds. An
 * instruction of a million rounds has a part in many windows, and is counted in one of them at most.
 */
ULong totals_modelled(const struct totals *totals);

/* From the windows to the whole: what was counted in the modelled instructions of the totals, for all of them. */
ULong totals_scale_count(ULong count, const struct totals *totals);
struct work totals_scale_work(const struct work *work, const struct totals *totals);
void totals_scale(struct totals *totals);

/* ---- by thread ---- */

/*
 * each thread's part of the counts. A block's executions are counted for all threads together, so they are taken by the
 * thread that leaves whenever another one comes; what its core has counted follows at its end.
 */

struct thread_share {
	struct thread_share *next;
	const HChar *region; /* its name, or "" outside all; NULL: it is a thread's */
	UInt number;	     /* in the order in which the process's threads began, from 1 */
	Int tid;
	HChar name[TASK_NAME]; /* empty: unknown */
	struct totals totals;  /* not scaled */
};

struct thread_shares {
	struct block *const *blocks; /* all that there are */
	struct thread_share *first, *last;
	UInt count;
	HChar own_name[TASK_NAME]; /* what the kernel calls a thread that has not got a name */
	Bool are_regions;	   /* not threads; the first is what is in none */
};

void thread_shares_init(struct thread_shares *shares, struct block *const *blocks);

/* The region's, which there may be; NULL: there are MOST_REGIONS. The name is copied. */
#define MOST_REGIONS 1000
struct thread_share *thread_shares_find(struct thread_shares *shares, const HChar *region);

/* The thread that runs has one from now on. */
struct thread_share *thread_shares_add(struct thread_shares *shares);

/* It gets what was executed since the last time. */
void thread_shares_take(struct thread_shares *shares, struct thread_share *share);

/* The thread has ended, or the process: its name, and what its core counted. */
void thread_shares_close(struct thread_shares *shares, struct thread_share *share, const struct guest_thread *thread);

/*
 * The kernel's name of a thread of this process; what it was where there is none. own: what the kernel calls a thread
 * here that natively had the program's name; NULL: such a thread asks.
 */
void thread_name(HChar name[TASK_NAME], Int tid, const HChar *own);

/* The same threads count from 0. */
void thread_shares_restart(struct thread_shares *shares);

/* There are none. */
void thread_shares_forget(struct thread_shares *shares);

#endif
