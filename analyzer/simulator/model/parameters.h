/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parameters.h - the modelled core as numbers, read from the text that topdown writes: one "name value" in a line. */
#ifndef TOPDOWN_SIMULATOR_MODEL_PARAMETERS_H
#define TOPDOWN_SIMULATOR_MODEL_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/model/block.h"
#include "simulator/model/instruction_forms.h"

enum port {
	PORT_ALU,
	PORT_MULTIPLY,
	PORT_VECTOR,
	PORT_SHUFFLE,
	PORT_SELECT, /* without units of its own it has those of PORT_SHIFT */
	PORT_SHIFT,  /* without units of its own it has those of PORT_ALU */
	PORT_BITS,   /* likewise */
	PORT_FP,
	PORT_FP_ADD,   /* without units of its own it has those of PORT_FP */
	PORT_TRANSFER, /* without units of its own it has those of PORT_FP_ADD */
	PORT_BRANCH,
	PORT_LOAD,
	PORT_STORE,
	PORT_VECTOR_LOAD, /* beside one of PORT_LOAD; none: vectors are loaded like others */
	PORT_COUNT,
	PORT_NONE = PORT_COUNT
};

/* Schedulers: of all micro-ops, less those that have one of their own. */
enum queue { QUEUE_OTHERS, QUEUE_MEMORY, QUEUE_VECTOR, QUEUE_COUNT };

#define MOST_UNITS  15 /* of PORT_ALU and PORT_VECTOR; */
#define MOST_OTHERS 7  /* of the other ports, where more are as good as these */

struct cache_size {
	uint32_t kib, ways, latency; /* latency: cycles from load to use */
};

struct tlb_size {
	uint32_t entries, ways;
};

/*
 * What no core can do, to learn what it would change (--what-if): 1 of each that is so. They are asked for where
 * something is missing or waited for, or when a block is translated, so that those that are 0 cost nothing.
 */
enum ideal {
	IDEAL_BRANCHES, /* each branch is predicted */
	IDEAL_CODE,	/* L1I has all code */
	IDEAL_ITLB,	/* ... and each TLB all pages */
	IDEAL_DTLB,
	IDEAL_L1, /* each cache all data; L2 and L3 all code as well */
	IDEAL_L2,
	IDEAL_L3,
	IDEAL_STORES,	    /* a store's line and page are there when it wants them */
	IDEAL_FENCES,	    /* nothing serializes, and atomic operations are like others */
	IDEAL_DEPENDENCIES, /* results are there at once, but for those of loads and divisions */
	IDEAL_COUNT
};

#define LAYOUT_STEP 16u /* bytes; what compilers align functions to */

/* Sizes in entries, times in cycles, unless said otherwise. events/sim/NAME.json holds each with its source. */
struct parameters {
	uint32_t width; /* issue slots per cycle */
	uint32_t reorder_buffer, load_queue, store_queue;
	uint32_t schedulers[QUEUE_COUNT]; /* but for the first 0: those micro-ops are in the first, too */
	uint32_t decode_queue;		  /* micro-ops between fetch and issue */
	uint32_t fetch_queue;		  /* blocks that prediction may run ahead of fetch */
	uint32_t decode_width, decode_bytes;
	uint32_t uop_cache_width, uop_cache_lines, uop_cache_ways;
	uint32_t uop_cache_fetches; /* lines of code that it delivers from in a cycle */
	/* Micro-ops up to a taken branch that leave half of a cycle to those behind it; 0: it ends the cycle */
	uint32_t paired_blocks;
	/* Cycles that prediction takes to go on behind each of them when it is taken */
	uint32_t call_turn, return_turn, indirect_turn;
	uint32_t targets_turn; /* and more of an indirect one that has had several targets lately */
	uint32_t long_run;     /* cycles that one of more micro-ops ends with, beside those of delivery */
	uint32_t microcode_width;
	/*
	 * REP MOVS and STOS: bytes of a chunk, one a cycle; how long short and long ones take to start, and the most
	 * bytes of a short one (0: 64).
	 */
	uint32_t string_bytes, string_start, string_long_start, string_short;
	uint32_t mispredict_penalty, unknown_branch_penalty;
	uint32_t mispredict_recovery; /* of the penalty: until the core could issue again, if fetch had something */
	uint32_t branch_targets, return_stack;
	/* Of the targets so many are near; behind others prediction takes these cycles to go on. 0: all are near */
	uint32_t near_targets, far_turn;
	uint32_t predictor_entries; /* of each table of the predictor; a power of two */
	/* Bits of the past that indirect targets are predicted by: 5 of each indirect branch, 1 of a conditional one */
	uint32_t indirect_history;
	uint32_t indirect_outcomes; /* 0, or so many outcomes of conditional branches instead */
	struct cache_size l1i, l1d, l2, l3;
	uint32_t fetch_buffers, fetch_line_cycles; /* lines of code on their way at once; between two that L2 sends */
	struct tlb_size itlb, dtlb, stlb,
		code_stlb; /* code_stlb: no entries where code shares the second level with data */
	uint32_t stlb_latency, page_kib;
	uint32_t page_walkers,
		walk_latency; /* the latter: of a walk, or of each half of a nested one, beside the load of the entry */
	/* Not of the core: code lies this many steps of 16 bytes further on, and other pages meet in the caches. */
	uint32_t layout;
	uint32_t nested_pages;			 /* 1: a hypervisor's page tables are walked too, */
	uint32_t host_page_kib;			 /* whose pages are so large */
	uint32_t dram_latency, dram_line_cycles; /* the latter: between two lines at full bandwidth */
	uint32_t store_lines_beside; /* of 100 lines that stores ask for: without a turn of their own to go back */
	uint32_t l2_bytes, l3_bytes; /* that L2 and L3 can send a core in a cycle */
	uint32_t fill_buffers, prefetch_lines;
	uint32_t near_strides; /* that a stride is followed ahead into L1; 0: not */
	uint32_t near_pages;   /* 1: out of its page, too; 2: whose translation comes into the first TLB as well */
	/*
	 * From a store to a load of its data that is in the queue with it; from when the store has left it, where the
	 * load wants other bytes too; more for a load that only seems to be behind a store, 4 KiB away.
	 */
	uint32_t store_forward, failed_forward, alias_penalty;
	/*
	 * 1: where both are of a register of 4 or 8 bytes, and what is loaded is no operand, it takes nothing;
	 * 2: where both are of a register, and the address has no index
	 */
	uint32_t renames_memory;
	uint32_t store_commits; /* stores to one line that leave their queue in a cycle */
	uint32_t line_commits;	/* likewise, to any lines */
	uint32_t lock_latency;
	uint32_t transfer_latency; /* of a line that another core has written */
	/* Until issue goes on, once all before it is through: MFENCE, of which stores are a part; LFENCE. */
	uint32_t full_fence_latency, load_fence_latency;
	uint32_t pause_latency;			  /* likewise */
	uint32_t gather_slots, gather_lane_slots; /* of an instruction; of each of its lanes, with the load */
	uint32_t units[PORT_COUNT];
	uint32_t transfer_adders; /* of those that add, which a move from a vector to a general register keeps busy */
	uint32_t stores_take_transfers; /* 1: a store of a vector takes a unit of PORT_TRANSFER, too */
	uint32_t stores_take_loads;	/* 1: a store takes a unit of loads, too, for its address */
	uint32_t latency[KIND_COUNT];	/* KIND_LOAD and KIND_STORE have none of their own */
	uint32_t fp_add_chain;		/* latency of an addition whose result another addition takes */
	uint32_t scaled_load;		/* cycles more of a load whose index is scaled */
	uint32_t extends_by_alu;	/* 1: MOVZX of a byte between registers is work, 0: renamed away */
	uint32_t occupancy[KIND_COUNT]; /* of the divider, by kinds that use it */
	uint32_t ideal[IDEAL_COUNT];	/* 0 where the text says nothing of it */
	struct forms forms;		/* of single instructions: more than their kind says */
};

/* 65536 / width, rounded up: a slot, in units of which a cycle has 65536. */
static inline uint32_t parameters_per_slot(const struct parameters *parameters)
{
	return (1u << 16) / parameters->width + 1;
}

/* The scheduler in which the micro-ops of a port wait. */
static inline enum queue parameters_queue(const struct parameters *parameters, unsigned port)
{
	static const uint8_t queues[PORT_COUNT + 1] = {
		[PORT_VECTOR] = QUEUE_VECTOR, [PORT_SHUFFLE] = QUEUE_VECTOR,	[PORT_FP] = QUEUE_VECTOR,
		[PORT_FP_ADD] = QUEUE_VECTOR, [PORT_TRANSFER] = QUEUE_VECTOR,	[PORT_LOAD] = QUEUE_MEMORY,
		[PORT_STORE] = QUEUE_MEMORY,  [PORT_VECTOR_LOAD] = QUEUE_MEMORY
	};

	return parameters->schedulers[queues[port]] ? (enum queue)queues[port] : QUEUE_OTHERS;
}

/*
 * Micro-ops that wait, of all schedulers in one word, so that one comparison is enough: with what a word
 * of room adds to it, the upper bit of a scheduler that has none is set.
 */
#define WAITING_BITS 20
#define WAITING_FULL (UINT64_C(0x80000) | UINT64_C(0x80000) << WAITING_BITS | UINT64_C(0x80000) << (2 * WAITING_BITS))

static inline uint64_t waiting_of(enum queue queue)
{
	return UINT64_C(1) << ((unsigned)queue * WAITING_BITS);
}

static inline uint32_t waiting_in(uint64_t waiting, unsigned queue)
{
	return (uint32_t)(waiting >> (queue * WAITING_BITS)) & ((1u << WAITING_BITS) - 1);
}

/* For so many more to have room: what is added to those that wait. */
static inline uint64_t waiting_room(const struct parameters *parameters, uint64_t more)
{
	uint64_t room = 0;

	for (unsigned i = 0; i < QUEUE_COUNT; i++) {
		uint32_t size = parameters->schedulers[i], wanted = waiting_in(more, i);

		room += (UINT64_C(0x7ffff) - (size > wanted ? size - wanted : 0)) * waiting_of((enum queue)i);
	}
	return room;
}

/* What its number may be; false when there is no such name. */
bool parameters_limits(const char *name, size_t length, uint32_t *least, uint32_t *most);

#define PARAMETERS_INSTRUCTION "instruction"

/*
 * Reads lines of "name value", and of PARAMETERS_INSTRUCTION with what forms_read reads. NULL when each name but the
 * optional ones got a value that can be; otherwise what is wrong: a line, or the name that is missing.
 */
const char *parameters_read(struct parameters *parameters, const char *text);

#endif
