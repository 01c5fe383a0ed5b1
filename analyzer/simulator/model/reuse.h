/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reuse.h - the number of other lines that a program uses before it comes back to one. Of one line in REUSE_SAMPLE,
 * chosen by a hash of its address, each use is seen, and none of the others (spatial sampling: Waldspurger and others,
 * SHARDS, FAST 2015). A cache has what is used again before its set was filled by others, and which sets they come into
 * is as good as random (Hill and Smith, IEEE Transactions on Computers 38, 1989).
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_REUSE_H
#define TOPDOWN_SIMULATOR_MODEL_REUSE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What is chosen, four lines in a row each time: addresses whose bits in the mask, with those SHIFT above, are VALUE.
 * plain.c has it in its code.
 */
#define REUSE_SAMPLE 256
#define REUSE_ROW    4
#define REUSE_SHIFT  9
#define REUSE_MASK   ((REUSE_SAMPLE - 1) << 8)
#define REUSE_VALUE  (0x55 << 8)

static inline bool reuse_chooses(uint64_t address)
{
	return ((address ^ address >> REUSE_SHIFT) & REUSE_MASK) == REUSE_VALUE;
}

/*
 * What uses a line. Apart, since what is new is mostly written first, and what lies in a row is read in a row: for that
 * nobody waits, since it is asked for ahead.
 */
enum use { USE_LOAD, USE_STORE, USE_CODE, USE_STREAM, USES };

#define REUSE_RECENT 8

/* A use that was counted lately. */
struct recent_use {
	uint64_t line;
	uint32_t before; /* other chosen lines since the last one; or most */
	enum use use;
};

struct reuse {
	uint64_t *lines; /* the last that were used, the last one first */
	uint32_t count, most;
	float *chances;	       /* that the cache has a line, by the number of other chosen lines since its last use */
	uint64_t *again[USES]; /* uses by that number, */
	uint64_t late[USES];   /* and those of lines that are not among the last, or new */
	struct recent_use recent[REUSE_RECENT];
	uint32_t nrecent; /* that there have been */
};

/* Of a cache with LRU replacement. */
void reuse_init(struct reuse *reuse, uint32_t sets, uint32_t ways);

/* A chosen line is used; and what for, where it is counted. Loads that come in a row become a stream. */
void reuse_use(struct reuse *reuse, uint64_t line);
void reuse_count(struct reuse *reuse, uint64_t line, enum use use);

/* Something else may come: of what was counted so far, what is beyond two thousand of the far uses counts half. */
void reuse_age(struct reuse *reuse);

/*
 * Of uses with at least so many others since the last one: the share that the cache has, in 2^REUSE_BITS. With few uses
 * it is nearer to one half.
 */
#define REUSE_BITS 24
uint32_t reuse_share(const struct reuse *reuse, enum use use, uint64_t others);

#endif
