/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast.h - long programs: most of what follows a while is skipped, in translations that follow nothing (plain.h). What
 * is followed are bursts: in each, caches and predictors first warm up, uncounted; then there are windows as in any
 * sample (windows.h). A burst stands for a stretch of the program, in which it is anywhere. When there were so many of
 * them, the stretches become twice as long, and so their number grows with the program's logarithm only.
 *
 * Bursts of one length of stretch are a stratum with a file of counts of its own. The number of its instructions is
 * known exactly; everything else of it is as in the bursts.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_FAST_H
#define TOPDOWN_SIMULATOR_GUEST_FAST_H

#include "simulator/guest/valgrind.h"

struct guest_threads;

enum fast_state { FAST_FOLLOWS, FAST_SKIPS, FAST_WARMS_UP, FAST_BURSTS };

struct fast {
	ULong begin;		/* instructions that are followed behind the head; 0: nothing is skipped */
	ULong stretch;		/* instructions that the first bursts stand for, each */
	ULong warm_up, counted; /* of a burst */
	ULong period;		/* of the windows in it */
	UInt bursts;		/* of one length of stretch */
	UInt (*row_of)(Addr);	/* the source row of a call; NULL: they are not followed */

	enum fast_state state;
	UInt stratum;	  /* 0: nothing was skipped yet; it is the one that the next file has */
	UInt next;	  /* the stratum of the burst that comes */
	UInt done;	  /* bursts of it */
	ULong left;	  /* instructions until the state changes */
	ULong behind;	  /* of the last burst's stretch */
	ULong unfollowed; /* instructions of the stratum that no block has counted, */
	ULong skipped;	  /* and those since the last burst, */
	Long given;	  /* of which this budget is not yet one */
	UInt random;
};

/* sizes: of begin, stretch and bursts, with commas between. Another seed draws other places. */
void fast_init(struct guest_threads *threads, const HChar *sizes, ULong seed, ULong head);

/* So many instructions were followed. */
static inline void fast_count(struct fast *fast, ULong instructions)
{
	fast->left -= instructions < fast->left ? instructions : fast->left;
}

/* Does another state begin? Where that is skipping, plain_begin has to be called before. */
static inline Bool fast_is_due(const struct fast *fast)
{
	return fast->begin && !fast->left && fast->state != FAST_SKIPS;
}

/*
 * Between two blocks, when the trace was read; what is skipped begins with the next block. on_stratum: the counts so
 * far are those of a stratum that is over, those that follow another one's.
 */
void fast_step(struct guest_threads *threads, void (*on_stratum)(UInt stratum));

/* A block is followed while something is skipped: what comes is, from here on, or only this one. */
void fast_resume(struct guest_threads *threads);

/* Before counts are written: what was skipped so far is in them. */
void fast_finish(struct guest_threads *threads);

/* The counts begin at 0, and nothing was skipped: another process, or one that goes on after its file was written. */
void fast_forget(struct guest_threads *threads);

/* Nothing more is skipped: somebody wants to know of each call. */
void fast_end(struct guest_threads *threads, void (*on_stratum)(UInt stratum));

/* Instructions that the counts stand for, beside those in blocks. */
ULong fast_unfollowed(const struct fast *fast);

#endif
