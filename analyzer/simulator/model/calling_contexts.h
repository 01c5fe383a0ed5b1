/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calling_contexts.h - what was lost where, and who called: contexts are the call stacks that were seen, as a tree in
 * which each is there once; a placement is a block in a context, with cells for the slots that each of its source rows
 * lost there.
 *
 * A call from a function that is already among the callers is one from all of that function: so a recursion has as many
 * contexts as it is deep, and not as many as there are ways through it. When there are FEW_CONTEXTS, another such call
 * goes on below the function's last one instead, and the callers between both are missing. What is deeper than
 * MOST_DEPTH, and what more than MOST_CONTEXTS or MOST_CELLS would be needed for, goes to contexts without these
 * callers.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_CALLING_CONTEXTS_H
#define TOPDOWN_SIMULATOR_MODEL_CALLING_CONTEXTS_H

#include "simulator/model/core.h"

#define MOST_DEPTH    2000
#define FEW_CONTEXTS  4096 /* in more, recursion is folded */
#define MOST_CONTEXTS (1u << 16)
#define MOST_CELLS    (1u << 21) /* of 136 bytes */

#define POOL 1024 /* placements that are allocated together */

#define NO_CELLS (4 * MOST_CELLS) /* the base of a placement that has none: there is no such row in the attribution */

/* A call stack. 0 is not one. */
struct context {
	uint32_t caller; /* the context that the call was made in; 0: none */
	uint32_t site;	 /* the source row of the call; 0: a thread begins here, or the context is cut */
	uint32_t task;	 /* the thread's number, from 1; 0: all threads (a context that is cut) */
	uint32_t depth;
	bool is_cut;	/* some callers are missing */
	bool is_folded; /* the site stands for all rounds of a recursion */
	bool is_end;	/* calls from here stay here */
	struct placement *placements;
};

/* A block in a context. */
struct placement {
	struct block *block;
	uint32_t context;
	uint32_t base;	    /* its first cell, as many as the block has rows; NO_CELLS: there were too many */
	uint32_t called;    /* the context of what the block calls; 0: not yet */
	uint64_t detailed;  /* executions that were accounted */
	uint64_t rounds;    /* as of a block, in them */
	int64_t more_slots; /* that retired in them: rounds of a repeated string instruction take more than one has */
	struct placement *next;
	/* Where execution went on last without and with a jump, or NULL: found without the hash table. */
	struct placement *followers[2];
};

/* The follower of a placement that a block in a context may be, or which is to become that. */
static inline struct placement **placement_follower(struct placement *placement, const struct block *block)
{
	return &placement->followers[placement->block->end != block->address];
}

struct contexts {
	struct context *all;
	uint32_t count, capacity;
	uint32_t *edges; /* hash table of contexts, by caller and site */
	/* Hash table, by context and block: the hash, and below it the placement's number, from 1. */
	uint64_t *placements;
	struct placement **pools; /* the placements, POOL of them in each, which never move */
	uint32_t nedges, nplacements, edges_size, placements_size;
	struct attribution attribution; /* rows are cells */
	bool has_moved;			/* the next one is wanted */
	struct move_rows moved;		/* likewise */
	uint32_t ncells, cut;		/* cut: the context of what there is no room for */
	const uint32_t *functions;	/* by source row: the row that stands for all of its function */
};

void contexts_init(struct contexts *contexts);

/* Where a thread begins. */
uint32_t contexts_root(struct contexts *contexts, uint32_t task);

/* A call from a source row. */
uint32_t contexts_call(struct contexts *contexts, uint32_t caller, uint32_t site);

/* The block in the context, which may become one that is cut. */
struct placement *contexts_place(struct contexts *contexts, uint32_t context, struct block *block);

/* Nothing was executed so far. */
void contexts_forget(struct contexts *contexts);

#endif
