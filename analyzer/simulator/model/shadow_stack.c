/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/shadow_stack.h"

#include "simulator/model/host.h"

#define FIRST_FRAMES 256
#define NEAR	     16384 /* what the first function of a stack may have there itself */
#define MOST_LOOKED  256   /* frames of other stacks among which one is looked for */

/* What a return takes off the stack, and a call puts there: on x86-64 the address to return to. */
#if defined(__x86_64__)
#define RETURN_BYTES 8u
#else
#define RETURN_BYTES 0u
#endif

void shadow_begin(struct shadow_stack *stack, uint32_t context)
{
	stack->count = stack->first = 0;
	stack->context = context;
}

static void forget_oldest(struct shadow_stack *stack)
{
	uint32_t kept = MOST_FRAMES / 2, gone = stack->count - kept;

	__builtin_memmove(stack->frames, stack->frames + gone, kept * sizeof(*stack->frames));
	stack->count = kept;
	stack->first = stack->first > gone ? stack->first - gone : 0;
	for (uint32_t i = 0; i < kept; i++)
		stack->frames[i].first = stack->frames[i].first > gone ? stack->frames[i].first - gone : 0;
}

static void shadow_stack_push(struct shadow_stack *stack, uint64_t pointer, uint64_t back, uint32_t callee)
{
	uint32_t before = stack->capacity;

	if (stack->count == MOST_FRAMES)
		forget_oldest(stack);
	if (stack->count == before) {
		stack->capacity = before ? 2 * before : FIRST_FRAMES;
		stack->frames = sim_grow(stack->frames, before * sizeof(*stack->frames),
					 stack->capacity * sizeof(*stack->frames));
	}
	stack->frames[stack->count++] =
		(struct frame){ .pointer = pointer, .back = back, .context = stack->context, .first = stack->first };
	stack->context = callee;
}

/* The frame of this number and all above it are over. */
static void pop_to(struct shadow_stack *stack, uint32_t number)
{
	stack->count = number;
	stack->context = stack->frames[number].context;
	stack->first = stack->frames[number].first;
}

static inline struct frame *top(struct shadow_stack *stack)
{
	return stack->count > stack->first ? &stack->frames[stack->count - 1] : NULL;
}

/* Takes off the frames of this stack that begin below the pointer. */
static void drop_below(struct shadow_stack *stack, uint64_t pointer)
{
	uint32_t number = stack->count;

	while (number > stack->first && stack->frames[number - 1].pointer < pointer)
		number--;
	if (number < stack->count)
		pop_to(stack, number);
}

/* Back on a stack that was left: the frame whose call returns with this pointer to this address. */
static bool come_back(struct shadow_stack *stack, uint64_t pointer, uint64_t next)
{
	uint32_t number = stack->count, last = number > MOST_LOOKED ? number - MOST_LOOKED : 0;

	while (number-- > last)
		if (stack->frames[number].pointer == pointer && stack->frames[number].back == next) {
			pop_to(stack, number);
			return true;
		}
	return false;
}

/*
 * Back behind a call by a jump, and on another stack than the call's: this one has moved, as Go's do, which grow by
 * being copied. The frames that are left moved with it.
 */
static bool move(struct shadow_stack *stack, uint64_t pointer, uint64_t next)
{
	uint32_t number = stack->count, last = number > MOST_LOOKED ? number - MOST_LOOKED : 0;
	uint64_t far;

	while (number > last && stack->frames[number - 1].back != next)
		number--;
	if (number == last)
		return false;
	far = pointer - stack->frames[number - 1].pointer;
	pop_to(stack, number - 1);
	for (uint32_t i = stack->first; i < stack->count; i++)
		stack->frames[i].pointer += far;
	return true;
}

/* Is it far above all frames of this stack, and so on another one? */
static bool is_elsewhere(const struct shadow_stack *stack, uint64_t pointer)
{
	return stack->count > stack->first && pointer > stack->frames[stack->first].pointer + NEAR;
}

static void shadow_stack_leave(struct shadow_stack *stack, uint64_t pointer, uint64_t next)
{
	if (!come_back(stack, pointer, next))
		stack->first = stack->count;
}

static void give_back(struct shadow_stack *stack, uint64_t pointer, uint64_t next)
{
	const struct frame *frame = top(stack);

	if (LIKELY(frame && frame->pointer == pointer)) {
		pop_to(stack, stack->count - 1);
	} else if (!frame || is_elsewhere(stack, pointer)) {
		shadow_stack_leave(stack, pointer, next);
	} else if (frame->pointer > pointer) {
		come_back(stack, pointer, next); /* else it is a jump, as in the dynamic loader */
	} else {
		drop_below(stack, pointer + 1);
	}
}

/* A switch, a tail call, the way to a library's function; or longjmp, an exception, or another coroutine. */
static void jump(struct shadow_stack *stack, uint64_t pointer, uint64_t next)
{
	const struct frame *frame = top(stack);

	if (LIKELY(frame && frame->pointer >= pointer && frame->pointer - pointer < NEAR))
		return;
	if (come_back(stack, pointer - RETURN_BYTES, next) || move(stack, pointer - RETURN_BYTES, next))
		return;
	if (!frame || is_elsewhere(stack, pointer))
		stack->first = stack->count;
	else if (frame->pointer < pointer)
		drop_below(stack, pointer);
}

/* The context of what the block calls, from the row of its last instruction. */
static uint32_t callee_of(struct contexts *contexts, uint32_t context, struct block *block)
{
	struct placement *placement = block->placement;

	if (UNLIKELY(!placement || placement->context != context))
		placement = contexts_place(contexts, context, block);
	if (UNLIKELY(!placement->called))
		placement->called =
			contexts_call(contexts, placement->context, block->rows[block->insns[block->ninsns - 1].row]);
	return placement->called;
}

static void call(struct shadow_stack *stack, struct contexts *contexts, struct block *block, uint64_t pointer)
{
	if (UNLIKELY(is_elsewhere(stack, pointer)))
		stack->first = stack->count;
	drop_below(stack, pointer + 1);
	shadow_stack_push(stack, pointer, block->end, callee_of(contexts, stack->context, block));
}

void shadow_follow(struct shadow_stack *stack, struct contexts *contexts, const uint64_t *entry, uint64_t next)
{
	struct block *block = trace_block(entry);
	uint64_t pointer = trace_pointer(entry);

	if (!pointer)
		return;
	if (block->branch == BRANCH_RETURN)
		give_back(stack, pointer - RETURN_BYTES, next);
	else if (block->branch == BRANCH_INDIRECT)
		jump(stack, pointer, next);
	else
		call(stack, contexts, block, pointer);
}

/* Frames further out than the calls are as they were. */
void shadow_find(struct shadow_stack *stack, struct contexts *contexts, const struct shadow_call *calls, uint32_t count,
		 uint64_t pointer)
{
	if (is_elsewhere(stack, pointer))
		stack->first = stack->count;
	drop_below(stack, count ? calls[count - 1].pointer + 1 : pointer);
	while (count-- > 0)
		shadow_stack_push(stack, calls[count].pointer, calls[count].back,
				  contexts_call(contexts, stack->context, calls[count].site));
}

void shadow_signal(struct shadow_stack *stack, struct contexts *contexts, struct block *block, uint64_t pointer)
{
	shadow_stack_push(stack, pointer, SIGNAL_FRAME, callee_of(contexts, stack->context, block));
}

void shadow_signal_end(struct shadow_stack *stack)
{
	for (uint32_t number = stack->count; number-- > 0;)
		if (stack->frames[number].back == SIGNAL_FRAME) {
			pop_to(stack, number);
			return;
		}
}
