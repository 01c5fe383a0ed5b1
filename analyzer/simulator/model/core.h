/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h - one pass over the executed instructions that gives each a time of delivery, issue, execution and
 * retirement, and each issue slot that none takes a cause (interval analysis: Karkhanis and Smith, ISCA 2004; Eyerman,
 * Eeckhout and others, TOCS 2009).
 *
 * Instructions issue in order, `width` slots a cycle, when fetch has delivered them and reorder buffer, scheduler and
 * queues have room. Each micro-op then executes when its sources are ready and a port is free. What waits for room is
 * charged to the oldest instruction that has not retired, which is what holds the room.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_CORE_H
#define TOPDOWN_SIMULATOR_MODEL_CORE_H

#include "simulator/model/block.h"
#include "simulator/model/hierarchy.h"
#include "simulator/model/parameters.h"
#include "simulator/model/predictor.h"

#define FETCH_UNIT     256  /* of a cycle, in which delivery is counted */
#define ROB_ENTRIES    1024 /* a power of two no smaller than the largest reorder buffer */
#define DELAY_ENTRIES  2048 /* a slot's instruction and the one fused with it can have one each */
#define QUEUE_ENTRIES  1024 /* more than the largest load or store queue */
#define HORIZON	       1024 /* cycles ahead for which ports are booked */
#define REOPENED       8    /* cycles that become free at once when they are over */
#define STORE_BITS     9    /* of granules: a page, so that addresses that differ only in their pages meet */
#define RENAMED_STORES 16   /* so many stores back a load's data are found without an access */
#define MOST_ACCESSES  1024 /* of a block */
#define NO_LINE	       UINT64_MAX

/* Why a slot was lost. */
enum cause {
	CAUSE_MISPREDICT, /* the wrong path, and until the core could issue again */
	CAUSE_RESTEER,	  /* then until fetch delivers the right one */
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
	CAUSE_CONTESTED,
	CAUSE_SHARED,
	CAUSE_FALSE,
	CAUSE_STORE,
	CAUSE_DIVIDER,
	CAUSE_PORTS,
	CAUSE_DEPENDENCY,
	CAUSE_SERIALIZATION,
	CAUSE_COUNT
};

/* A store that later loads may get their data from. */
struct recent_store {
	uint64_t address, ready;
	uint64_t number; /* of nstores */
	uint16_t size;
	bool is_renamed; /* step.is_renamed */
};

/*
 * A cycle of the calendar is one word: from the lowest bit on the free units of each port, unit_bits wide; above them
 * the micro-ops that leave each scheduler in it, of which there is room for as many as there may be units. The upper
 * bit is always set, so that PORT_NONE always has a unit.
 */
static inline unsigned unit_bits(unsigned port)
{
	return port == PORT_ALU || port == PORT_VECTOR ? 4 : 3;
}

#define LEAVING_SHIFT	44 /* of QUEUE_OTHERS, then of the others */
#define MEMORY_SHIFT	52
#define VECTOR_SHIFT	57
#define CALENDAR_ALWAYS (UINT64_C(1) << 63)

/* A repeated string instruction that is under way: bytes of an element, of the chunk so far, and in all so far. */
struct repeated {
	const struct block *block; /* NULL: none is */
	uint64_t element, chunk, bytes;
	uint64_t next; /* cycle of the next chunk */
};

/*
 * Lost slots by the row of the instruction that lost them: the core's base when its block began, and the number that
 * the instruction has among the block's source rows. rows is NULL without attribution.
 */
struct attribution {
	uint64_t (*rows)[CAUSE_COUNT];
	uint32_t capacity; /* rows from here on have no counts */
};

struct core {
	struct parameters parameters;
	struct hierarchy hierarchy;
	struct predictor predictor;
	struct stamped uop_cache;
	struct attribution *attribution;
	uint32_t base; /* of the block's rows in it */

	/* Issue: the current cycle, and its slots that are taken. */
	uint64_t cycle;
	uint32_t used;
	uint64_t retired; /* slots */
	uint64_t lost[CAUSE_COUNT];
	uint64_t mispredicted, unknown_branches, branches;
	uint64_t jumps;	  /* cycles that taken branches end, at least */
	uint64_t thinned; /* slots that retired, but no longer count beside jumps (core_thin) */

	/* Delivery by fetch, in FETCH_UNITs, and what held it up last, until which cycle. */
	uint64_t fetch, late_until;
	uint64_t late_code; /* until when it is L1I that has held it up; what comes then is late_cause's */
	uint64_t run;	    /* where it was at the last taken branch */
	uint64_t paired;    /* two of less are delivered in a cycle (paired_blocks), */
	uint64_t long_run;  /* and those of more end with so much more */
	uint64_t turned;    /* prediction was through with the last branch that it takes longer for (turns) */
	uint64_t turns[BRANCH_RETURN + 1];
	uint64_t targets_turn; /* more of an indirect one that has had several targets lately */
	uint64_t far_turn;     /* and behind a target that is not near */
	uint8_t late_cause;
	bool is_cached;	    /* the line comes from the micro-op cache */
	uint64_t predicted; /* cycle at which prediction was here */
	uint64_t block_fetches[64], blocks;

	/* The reorder buffer: where its next entry is, from 1 to the ring's size; the last one retires at `commit`. */
	uint64_t entry, commit;
	/*
	 * Where the next one is, and the first one that may not be over, which is 0 - n when n are left at the
	 * ring's end.
	 */
	uint64_t delay, oldest_delay;
	uint64_t nloads, nstores, last_drain;
	uint64_t drained_line; /* of the last store to leave its queue, and their number in that cycle */
	uint32_t drained;
	uint32_t per_slot; /* parameters_per_slot: instead of a division */
	/* Of the rings below: their sizes, powers of two no larger than the queues need, less 1. */
	uint32_t rob_mask, delay_mask, load_mask, store_mask;
	/*
	 * Of each slot in the reorder buffer: when its instruction retires, and when it was issued. These rings
	 * and those of the delays have room for a block's entries behind their ends; those are moved to the
	 * beginning when the block is through.
	 */
	uint64_t commits[2 * ROB_ENTRIES], issues[2 * ROB_ENTRIES];
	/* Each instruction that retires later than all before it delays them: until when, and delay_word. */
	uint64_t delays[2 * DELAY_ENTRIES];
	uint32_t delay_words[2 * DELAY_ENTRIES];
	uint64_t loads[QUEUE_ENTRIES];			       /* when each leaves its queue */
	uint64_t stores[QUEUE_ENTRIES], drains[QUEUE_ENTRIES]; /* retires, leaves */
	struct recent_store recent[1 << STORE_BITS];
	uint64_t recent_drains[1 << STORE_BITS];  /* when each of them leaves its queue: asked for with every load */
	const void *store_makers[RENAMED_STORES]; /* of the last stores: the step or micro-op of each */
	uint8_t drain_cause; /* enum cause: what the last store that waited for its line waited for */

	uint64_t ready[VALUE_COUNT];	     /* cycles */
	uint64_t units;			     /* the calendar's word of an empty cycle */
	uint64_t unit_masks[PORT_COUNT + 1]; /* of a port's units in it; */
	uint64_t unit_taken[PORT_COUNT + 1]; /* what a micro-op that takes one adds to it; */
	uint64_t unit_ones[PORT_COUNT];	     /* one of them */
	/*
	 * The calendar: of each cycle from `opened` on, at its number modulo HORIZON, what is free and what leaves;
	 * `waiting` is the sum of the latter. It is brought up to the current cycle when that is asked for, so until
	 * then `waiting` is at least what waits.
	 */
	uint64_t opened;		/* a multiple of REOPENED */
	uint64_t waiting;		/* of all schedulers (parameters.h) */
	uint8_t queues[PORT_COUNT + 1]; /* parameters_queue */
	uint64_t calendar[HORIZON];
	uint64_t divider_free;
	uint64_t last_line; /* of code; NO_LINE: where fetch is, is unknown */
	struct repeated repeated;
};

/* What an instruction waits for when it is the oldest, and its row. */
#define DELAY_ROW_SHIFT 8
static inline uint32_t delay_word(uint32_t row, enum cause cause)
{
	return row << DELAY_ROW_SHIFT | (uint32_t)cause;
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

/*
 * What has run so far has a smaller part in what the core takes for usual, part / whole of what it has: everything was
 * modelled, and of what follows such a part is.
 */
void core_thin(struct core *core, uint64_t part, uint64_t whole);

/* The branch at the block's end as the predictor sees it. */
enum prediction core_predict(struct core *core, const struct execution *execution);

/* The same of one that predictor_passes has not passed. It is counted, but not among the branches. */
static inline enum prediction core_learn(struct core *core, const struct block *block, uint64_t next)
{
	enum prediction prediction = predictor_branch(&core->predictor, block, next);

	if (LIKELY(prediction == PREDICTION_RIGHT) || core->parameters.ideal[IDEAL_BRANCHES])
		return PREDICTION_RIGHT;
	if (prediction == PREDICTION_WRONG)
		core->mispredicted++;
	else
		core->unknown_branches++;
	return prediction;
}

/* ---- between the core's own files ---- */

/* All instructions of the block, without what its branch does to fetch. addresses: of its accesses; 0: was not made. */
void core_execute(struct core *core, const struct block *block, const uint64_t *addresses);

/* core_slots.c: the cycle of issue moves forward, and each slot that is lost by it is charged to a cause. */

/* Entries of the reorder buffer that are taken. */
uint64_t slots_in_flight(const struct core *core);

/* Micro-ops in the schedulers (parameters.h). */
uint64_t slots_waiting(struct core *core);

/* Nothing issues before the cycle, because of one cause, in one row of the attribution. */
void slots_lose(struct core *core, uint64_t until, enum cause cause, uint32_t row);

/*
 * The same because room is missing: charged to the oldest instruction that has not retired, as long as it has not; and
 * then, as only stores can be in the way, to the row of what waits.
 */
void slots_wait(struct core *core, uint64_t until, uint32_t row);

/* Waits until those that wait, and a word of waiting_room, leave no scheduler full. */
void slots_wait_scheduler(struct core *core, uint64_t room, uint32_t row);

/* What lies behind the ends of the rings moves to their beginnings. */
void slots_turn_rings(struct core *core);

#endif
