/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow_stack.h - which calls have not returned: followed by the branches of the blocks and the stack pointer. A call
 * adds a frame, its return takes it off. A jump to another function is none: what it does stays below the same callers.
 * Where the stack pointer has gone beyond a frame, it was left otherwise: longjmp, an exception. Stacks are taken to
 * grow downwards, and one with higher addresses than all frames to be another one (sigaltstack, coroutines), whose
 * frames come on top.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_SHADOW_STACK_H
#define TOPDOWN_SIMULATOR_MODEL_SHADOW_STACK_H

#include "simulator/model/calling_contexts.h"
#include "simulator/model/trace.h"

struct frame {
	uint64_t pointer; /* the stack pointer where the callee begins */
	uint64_t back;	  /* where it returns to; SIGNAL_FRAME: a handler */
	uint32_t context; /* of the caller */
	uint32_t first;	  /* frame of the stack that the caller is on */
};

#define SIGNAL_FRAME 1
#define MOST_FRAMES  (1u << 22) /* beyond, the oldest are forgotten */

struct shadow_stack {
	struct frame *frames;
	uint32_t count, capacity;
	uint32_t first;	  /* frame of the stack that it is on now */
	uint32_t context; /* of what runs */
};

/* A thread begins. */
void shadow_begin(struct shadow_stack *stack, uint32_t context);

/* The entry's block, which is followed, has ended, and the block at the next address begins; 0: unknown. */
void shadow_follow(struct shadow_stack *stack, struct contexts *contexts, const uint64_t *entry, uint64_t next);

/* A call that has not returned: as its frame, and the source row that it is in. */
struct shadow_call {
	uint64_t pointer, back;
	uint32_t site;
};

/* Calls were not followed for a while: the innermost ones now, these first, and where the stack pointer is. */
void shadow_find(struct shadow_stack *stack, struct contexts *contexts, const struct shadow_call *calls, uint32_t count,
		 uint64_t pointer);

/* A handler begins after a block, with the stack pointer that this has left; and it has ended. */
void shadow_signal(struct shadow_stack *stack, struct contexts *contexts, struct block *block, uint64_t pointer);
void shadow_signal_end(struct shadow_stack *stack);

#endif
