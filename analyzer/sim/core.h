/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h - one pass over the executed instructions that gives each a time of delivery, issue, execution and retirement, and each
 * issue slot that none takes a cause (interval analysis: Karkhanis and Smith, ISCA 2004; Eyerman, Eeckhout and others, TOCS 2009).
 *
 * Instructions issue in order, `width` slots a cycle, when fetch has delivered them and reorder buffer, scheduler and queues have room.
 * Each micro-op then executes when its sources are ready and a port is free. What waits for room is charged to the oldest
 * instruction that has not retired, which is what holds the room.
 */
#ifndef TOPDOWN_SIM_CORE_H
#define TOPDOWN_SIM_CORE_H

#include "sim/block.h"
#include "sim/hierarchy.h"
#include "sim/parameters.h"
#include "sim/predictor.h"

#define FETCH_UNIT    256  /* of a cycle, in which delivery is counted */
#define ROB_ENTRIES   1024 /* a power of two no smaller than the largest reorder buffer */
#define DELAY_ENTRIES 2048 /* a slot's instruction and the one fused with it can have one each */
#define QUEUE_ENTRIES 1024 /* more than the largest load or store queue */
#define HORIZON	      1024 /* cycles ahead for which ports are booked */
#define STORE_BITS    10
#define MOST_ACCESSES 1024 /* of a block */

/* Why a slot was lost. */
enum cause {
	CAUSE_MISPREDICT,
	CAUSE_ICACHE,
	CAUSE_ITLB,
	CAUSE_UNKNOWN_BRANCH,
	CAUSE_LEGACY_DECODE,
	CAUSE_UOP_CACHE,
	CAUSE_MICROCODE_SWITCH,
	CAUSE_DTLB,
	CAUSE_L1,
	CAUSE_L2,
	CAUSE_L3,
	CAUSE_DRAM,
	CAUSE_STORE,
	CAUSE_DIVIDER,
	CAUSE_PORTS,
	CAUSE_DEPENDENCY,
	CAUSE_SERIALIZATION,
	CAUSE_COUNT
};

/* A store that later loads may get their data from. */
struct recent_store {
	uint64_t granule; /* address / 8 */
	uint64_t ready, drained;
};

/* How many units of each port are free in a cycle; all at once, to free them. */
union port_units {
	uint8_t free[PORT_COUNT];
	uint64_t all;
};

/* Micro-ops that leave the scheduler in each of eight cycles. */
union eight_cycles {
	uint8_t cycle[8];
	uint64_t all;
};

/* Lost slots by the place of the instruction that lost them; rows is NULL without attribution. */
struct attribution {
	uint64_t (*rows)[CAUSE_COUNT];
	uint32_t capacity; /* places from here on are not told apart */
};

struct core {
	struct parameters parameters;
	struct hierarchy hierarchy;
	struct predictor predictor;
	struct stamped uop_cache;
	struct attribution *attribution;

	/* Issue: the current cycle, and its slots that are taken. */
	uint64_t cycle;
	uint32_t used;
	uint64_t retired; /* slots */
	uint64_t lost[CAUSE_COUNT];
	uint64_t mispredicted, unknown_branches, branches;

	/* Delivery by fetch, in FETCH_UNITs, and what held it up last, until which cycle. */
	uint64_t fetch, late_until;
	uint8_t late_cause;
	bool is_cached; /* the line comes from the micro-op cache */
	bool was_microcode;
	uint64_t predicted; /* cycle at which prediction was here */
	uint64_t block_fetches[64], blocks;

	/* The reorder buffer: where its next entry is, from 1 to the ring's size; the last one retires at `commit`. */
	uint64_t entry, commit;
	uint64_t delay,
		oldest_delay; /* where the next one is, and the first one that may not be over, which is 0 - n when n are left at the ring's end */
	uint64_t nloads, nstores, last_drain;
	uint32_t per_slot; /* parameters_per_slot: instead of a division */
	/* Of the rings below: their sizes, powers of two no larger than the queues need, less 1. */
	uint32_t rob_mask, delay_mask, load_mask, store_mask;
	/*
	 * Of each slot in the reorder buffer: when its instruction retires, and when it was issued. These rings and those of the delays have room
	 * for a block's entries behind their ends; those are moved to the beginning when the block is through.
	 */
	uint64_t commits[2 * ROB_ENTRIES], issues[2 * ROB_ENTRIES];
	/* Each instruction that retires later than all before it delays them: until when, and delay_word. */
	uint64_t delays[2 * DELAY_ENTRIES];
	uint32_t delay_words[2 * DELAY_ENTRIES];
	uint64_t loads[QUEUE_ENTRIES];			       /* when each leaves its queue */
	uint64_t stores[QUEUE_ENTRIES], drains[QUEUE_ENTRIES]; /* retires, leaves */
	struct recent_store recent[1 << STORE_BITS];

	uint64_t ready[VALUE_COUNT]; /* cycles */
	union port_units units;	     /* of an empty cycle */
	/*
	 * The calendar: of each cycle from `opened` on, at its number modulo HORIZON, the units that are free, and how many micro-ops leave the
	 * scheduler in it; `waiting` is the sum of the latter. It is brought up to the current cycle when that is asked for, so until then
	 * `waiting` is at least what waits.
	 */
	uint64_t opened; /* a multiple of 8 */
	uint32_t waiting;
	union port_units ports[HORIZON];
	union eight_cycles leaving[HORIZON / 8];
	uint64_t divider_free;
	uint64_t last_line;	 /* of code */
	uint64_t repeated_bytes; /* of a repeated string instruction since the last access that was looked at */
};

/* What an instruction waits for when it is the oldest, and its place. */
#define DELAY_PLACE_SHIFT 8
static inline uint32_t delay_word(uint32_t place, enum cause cause)
{
	return place << DELAY_PLACE_SHIFT | (uint32_t)cause;
}

/* A block that was executed. */
struct execution {
	const struct block *block;
	const uint64_t *addresses; /* of its accesses; 0: was not made */
	uint64_t next;		   /* address of the block executed after it, 0: unknown */
};

void core_init(struct core *core, const struct parameters *parameters, struct cache *l3);

/* In detail: times and slots. */
void core_run(struct core *core, const struct execution *execution);

/* Caches and TLBs only. */
void core_warm(struct core *core, const struct execution *execution);

/* After warm blocks, before detailed ones: nothing that was on its way then still is. */
void core_resume(struct core *core);

/* The branch at the block's end as the predictor sees it. */
enum prediction core_predict(struct core *core, const struct execution *execution);

/* Is a round of a repeated string instruction one that touches memory again, as seen in chunks of 32 bytes? */
bool core_is_new_chunk(struct core *core, const struct execution *execution);

#endif
