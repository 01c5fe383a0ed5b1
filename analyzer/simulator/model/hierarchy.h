/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hierarchy.h - where data and instructions come from, and when: L1I, L1D, L2, L3, the TLBs, page walkers, fill
 * buffers, prefetchers and the bandwidth of memory. Times are cycles of the core.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_HIERARCHY_H
#define TOPDOWN_SIMULATOR_MODEL_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

#include "simulator/model/cache.h"
#include "simulator/model/host.h"
#include "simulator/model/parameters.h"
#include "simulator/model/sharing.h"
#include "simulator/model/unknown_lines.h"

/* ---- moves.c ---- */

/*
 * Lines that go from one level of caches to the next, as hardware moves them: those that come in, for whomever,
 * and those that were written and go out again. What caches have changes as without; so a line that the next level
 * has lost goes on to the one behind it.
 */

enum move {
	MOVE_L1_IN, /* into L1D from L2 or beyond */
	MOVE_L1_OUT,
	MOVE_L2_IN, /* data and code */
	MOVE_L2_OUT,
	MOVE_L3_IN, /* from memory */
	MOVE_L3_OUT,
	MOVE_STREAMED, /* stores past the caches, to memory */
	MOVE_COUNT
};

/* By the row that an access is charged to, as in struct attribution. */
struct move_rows {
	uint64_t (*rows)[MOVE_COUNT];
	uint32_t capacity; /* rows from here on have no counts */
};

/* A line that a level has written: its number in memory, and a bit for each such level. */
struct written {
	uint64_t line;
	uint32_t tag; /* cache_tag of the line; 0: empty */
	uint32_t levels;
};

/* What all cores have together. */
struct moves {
	struct written *written; /* hash table */
	uint32_t count, size;
	struct move_rows *rows; /* NULL: only sums */
};

struct moves *moves_new(void);

/* A level (enum level) has written a line. */
void moves_write(struct moves *moves, uint64_t line, unsigned level);

/* A line leaves a level: had that written it? Then it is no longer so, and its number is there. */
bool moves_leave(struct moves *moves, uint32_t tag, unsigned level, uint64_t *line);

/* ---- hierarchy.c ---- */

#define LINE_SHIFT   6
#define LINE_BYTES   64
#define STREAMS	     32
#define STRIDES	     64
#define PENDING_BITS 11
#define MOST_FETCHES 64
#define NO_TIME	     UINT64_MAX /* nothing is timed: lines are there at once */

enum level {
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_L3,
	LEVEL_DRAM,
	LEVEL_CONTESTED, /* another core, which has written it; in the order of enum transfer */
	LEVEL_SHARED,
	LEVEL_FALSE,
	LEVEL_COUNT
};

struct stream {
	uint64_t page;		/* in lines / 64; 0: none */
	uint64_t last, fetched; /* lines: the last one asked for, the farthest one prefetched */
	int32_t direction, confidence;
};

/* How far apart the lines are that are asked for in a page. */
struct stride {
	uint64_t page; /* as of a stream */
	uint64_t last;
	int32_t lines;
	bool is_steady; /* twice the same */
};

/* A line on its way: from where, and when it is there. */
struct pending {
	uint64_t line, arrival;
	uint8_t level;
};

enum side { SIDE_DATA, SIDE_CODE, SIDE_COUNT };

/* What is counted, in detail or not. */
struct traffic {
	uint64_t data[LEVEL_COUNT]; /* loads by the level that had the line */
	uint64_t stores;
	uint64_t code[LEVEL_COUNT];  /* lines of code, likewise */
	uint64_t code_cycles;	     /* that those which L1 did not have take, if none is on its way */
	uint64_t found[LEVEL_COUNT]; /* loads that L1 lacks by the level that has the line, on its way or not */
	uint64_t tlb_misses[SIDE_COUNT], walks[SIDE_COUNT]; /* of the first level, of the second */
	uint64_t store_misses;
	uint64_t prefetches;
	uint64_t moved[MOVE_COUNT]; /* lines, where that is followed */
};

/*
 * What accesses use up. They come in program order, but their times do not rise with it, so each resource has an
 * account for each window of time, in cycles.
 */
#define WINDOWS 256

/* A stretch of time, and how much is used in it. */
struct window {
	uint64_t number;
	uint32_t used;
};

/* Units of which each is taken for a while: fill buffers, page walkers. */
struct pool {
	struct window windows[WINDOWS];
	uint32_t units;
};

/* So many in a window of RATE_CYCLES: lines that memory takes or gives. */
#define RATE_CYCLES 256
struct rate {
	struct window windows[WINDOWS];
	uint32_t most;
};

/* The first access of an atomic operation comes for the line. */
enum atomic { ATOMIC_NONE, ATOMIC_BEGINS, ATOMIC_HAS_COME };

struct supply_transfer {
	uint64_t cycles;
	uint8_t level; /* enum level */
};

struct hierarchy {
	const struct parameters *parameters;
	struct moves *moves;	       /* NULL: lines are not followed */
	struct unknown_lines *unknown; /* NULL: what L3 has is known */
	enum use use;		       /* of the line that is asked for */
	struct stamped l1i, l1d, itlb, dtlb;
	struct cache l2, stlb, code_stlb;
	struct cache *l3;   /* shared by all threads */
	bool has_code_stlb; /* code has a second-level TLB of its own */
	unsigned page_shift;
	uint64_t l1d_latency;
	uint64_t code_page; /* of the last line: nothing to look up */
	struct stream streams[STREAMS];
	struct stride strides[STRIDES];
	struct pending pending[1 << PENDING_BITS];
	uint64_t last_arrival;				  /* of all lines on their way */
	uint64_t last_walk;				  /* end of the last page walk */
	uint64_t code_free;				  /* when L2 can send the next line of code */
	uint64_t code_buffers[MOST_FETCHES], code_misses; /* when the buffers of L1I are free; lines that took one */
	struct pool fills, walkers;
	struct rate from_l2, from_l3, dram;
	uint64_t streamed;	 /* the line that stores past the caches came to last */
	struct sharing *sharing; /* NULL: there are no other cores */
	uint32_t number;	 /* of the core among those, from 1 */
	uint32_t bytes;		 /* of the access that L1 is asked for, */
	uint32_t beside;	 /* of supply.c, from 0 to 99 */
	uint32_t row;		 /* and its instruction's, as in struct attribution; 0: unknown */
	enum atomic atomic;
	uint8_t found;			 /* enum level: where the last access has found its line, on its way or not */
	struct supply_transfer transfer; /* that an atomic operation has to wait for */
	struct traffic traffic;
};

/* The line of an address was written in L1, which has it. Only where lines are followed. */
SELDOM void hierarchy_wrote(struct hierarchy *hierarchy, uint64_t address);

/* When, and from where. */
struct supply {
	uint64_t time;
	uint32_t translation; /* cycles of it until the address was translated */
	uint8_t level;	      /* enum level */
	bool is_translated;   /* most of the time went into the address translation; not of code */
};

void hierarchy_init(struct hierarchy *hierarchy, const struct parameters *parameters, struct cache *l3);

/* A load that starts at a time: when its data are there. */
struct supply hierarchy_load(struct hierarchy *hierarchy, uint64_t address, uint64_t time);

/* A store whose address is known at a time: when the line is there for it. */
struct supply hierarchy_store(struct hierarchy *hierarchy, uint64_t address, uint64_t time);

/*
 * A store past the caches, which have its line no more: when there is a buffer for it. Stores to one line after the
 * other share it until the next line, and then it goes to memory.
 */
struct supply hierarchy_stream(struct hierarchy *hierarchy, uint64_t address, uint64_t time);

/* A line (address / 64) of code asked for at a time: when it is there. */
struct supply hierarchy_fetch(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* The same without times: what lies where changes in the same way. */
void hierarchy_warm_data(struct hierarchy *hierarchy, uint64_t address, bool is_store);
void hierarchy_warm_code(struct hierarchy *hierarchy, uint64_t line);

/* Arrays may be a power of two apart, and lines of all of them on their way at once: their places differ. */
static inline uint32_t hierarchy_place(uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15u >> (64 - PENDING_BITS));
}

/* Does a line that L1 has come later than at a time? */
static inline bool hierarchy_is_awaited(const struct hierarchy *hierarchy, uint64_t line, uint64_t time)
{
	const struct pending *pending = &hierarchy->pending[hierarchy_place(line)];

	return hierarchy->last_arrival > time && pending->line == line && pending->arrival > time;
}

/* Where TLB and L1 have what an access is to. */
struct hit {
	uint32_t page, line;
};

/*
 * Is an access that starts at a time served by L1, as most are: do TLB and L1 have its page and line where such were
 * last, and nothing is on its way? Nothing changes.
 */
static inline bool hierarchy_finds_data(const struct hierarchy *hierarchy, uint64_t address, uint64_t time,
					struct hit *hit)
{
	return stamped_is_in(&hierarchy->dtlb, address >> hierarchy->page_shift, &hit->page) &&
	       stamped_is_in(&hierarchy->l1d, address >> LINE_SHIFT, &hit->line) && hierarchy->last_walk <= time &&
	       !hierarchy_is_awaited(hierarchy, address >> LINE_SHIFT, time + hierarchy->l1d_latency);
}

/* They are in use now. */
static inline void hierarchy_use_data(struct hierarchy *hierarchy, struct hit hit)
{
	stamped_use(&hierarchy->dtlb, hit.page);
	stamped_use(&hierarchy->l1d, hit.line);
}

/* As below, of a line that L1 has in this way. */
static inline bool hierarchy_takes_code(struct hierarchy *hierarchy, uint64_t line, uint64_t time, uint32_t way)
{
	uint64_t page = line >> (hierarchy->page_shift - LINE_SHIFT);

	if (page != hierarchy->code_page && (hierarchy->last_walk > time || !stamped_hits(&hierarchy->itlb, page)))
		return false;
	hierarchy->code_page = page;
	stamped_use(&hierarchy->l1i, way);
	hierarchy->traffic.code[LEVEL_L1]++;
	return true;
}

/*
 * Does L1 have a line of code at once that is asked for at a time, or NO_TIME, in a page that the TLB has where such a
 * page was last? It is counted, and both are in use now. Otherwise nothing changes.
 */
static inline bool hierarchy_hits_code(struct hierarchy *hierarchy, uint64_t line, uint64_t time)
{
	uint32_t way;

	return stamped_is_in(&hierarchy->l1i, line, &way) && !hierarchy_is_awaited(hierarchy, line, time) &&
	       hierarchy_takes_code(hierarchy, line, time, way);
}

#endif
