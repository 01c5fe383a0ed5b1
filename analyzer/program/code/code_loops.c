/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/code/profile_loops.h"

#include <string.h>

#include "common/base/sorted.h"

/* Instructions that run one after the other. Blocks stand by address; one more, the last, leads to all entries. */
struct code_block {
	uint32_t first, end;			/* of the instructions */
	uint32_t next, target;			/* blocks; NO_LOOP: none */
	uint32_t order;				/* from 1, in reverse postorder; 0: not reached */
	uint32_t dominator;			/* the nearest block that all ways pass; of the root itself */
	uint32_t loop;				/* the smallest so far */
	bool is_indirect, is_orphan, is_marked; /* is_orphan: nothing leads to it, as far as is known */
};

struct code_graph {
	const struct instruction *instructions;
	struct code_block *blocks;
	uint32_t count;	   /* with the root, which is the last */
	uint32_t *reached; /* in reverse postorder */
	uint32_t nreached;
	uint32_t *first_predecessor, *predecessors; /* of block b: [first[b], first[b + 1]) */
	uint32_t *stack;
	uint32_t *headers; /* blocks, of each loop */
	struct arena *arena;
};

/* ---- what an instruction does ---- */

enum way { WAY_ON, WAY_BRANCH, WAY_JUMP, WAY_INDIRECT, WAY_END };

static bool code_loops_is_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(text, word, length) && (text[length] == '\0' || text[length] == ' ');
}

static bool is_any_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (code_loops_is_word(text, *words))
			return true;
	return false;
}

static enum way way_of(const struct instruction *instruction)
{
	static const char *const jumps[] = { "jmp", "jmpq", "b", "br", "braa", "brab", "braaz", "brabz", NULL };
	static const char *const ends[] = { "ret", "retq", "retaa", "retab", "ud2", "hlt", "udf", "brk", NULL };
	const char *text = instruction->text;

	while (code_loops_is_word(text, "bnd") || code_loops_is_word(text, "notrack") ||
	       code_loops_is_word(text, "repz") || code_loops_is_word(text, "rep"))
		text += strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
	if (instruction->is_call)
		return WAY_ON;
	if (is_any_of(text, jumps))
		return instruction->jump_target ? WAY_JUMP : WAY_INDIRECT;
	if (is_any_of(text, ends))
		return WAY_END;
	return instruction->jump_target ? WAY_BRANCH : WAY_ON;
}

/* ---- blocks ---- */

/* The instruction at the address; count: there is none. */
static size_t find_instruction(const struct instruction *instructions, size_t count, uint64_t address)
{
	size_t at = sorted_below(SORTED_BY(struct instruction, address, instructions, count), address);

	return at < count && instructions[at].address == address ? at : count;
}

static bool *find_leaders(const struct instruction *instructions, size_t count, struct arena *arena)
{
	bool *leaders = arena_array(arena, count + 1, sizeof(*leaders));

	leaders[0] = true;
	for (size_t i = 0; i < count; i++) {
		enum way way = way_of(&instructions[i]);

		if (way == WAY_BRANCH || way == WAY_JUMP)
			leaders[find_instruction(instructions, count, instructions[i].jump_target)] = true;
		if (way != WAY_ON)
			leaders[i + 1] = true;
	}
	return leaders;
}

static void connect(struct code_graph *graph, const uint32_t *block_of, size_t count)
{
	for (uint32_t b = 0; b + 1 < graph->count; b++) {
		struct code_block *block = &graph->blocks[b];
		const struct instruction *last = &graph->instructions[block->end - 1];
		enum way way = way_of(last);
		size_t target = find_instruction(graph->instructions, count, last->jump_target);

		if ((way == WAY_ON || way == WAY_BRANCH) && b + 2 < graph->count)
			block->next = b + 1;
		if ((way == WAY_JUMP || way == WAY_BRANCH) && target < count)
			block->target = block_of[target];
		block->is_indirect = way == WAY_INDIRECT;
	}
}

static void make_blocks(struct code_graph *graph, size_t count)
{
	const bool *leaders = find_leaders(graph->instructions, count, graph->arena);
	uint32_t *block_of = arena_array(graph->arena, count + 1, sizeof(*block_of)), last = 0;

	graph->blocks = arena_array(graph->arena, count + 2, sizeof(*graph->blocks));
	for (uint32_t i = 0; i < count; i++) {
		if (leaders[i])
			graph->blocks[last = graph->count++] =
				(struct code_block){ .first = i, .next = NO_LOOP, .target = NO_LOOP, .loop = NO_LOOP };
		graph->blocks[last].end = i + 1;
		block_of[i] = last;
	}
	graph->blocks[graph->count++] = (struct code_block){ .next = NO_LOOP, .target = NO_LOOP, .loop = NO_LOOP };
	connect(graph, block_of, count);
}

/* ---- ways ---- */

/* What a block leads to, one after the other; NO_LOOP: no more. The root leads to what nothing in the function does. */
static uint32_t successor(const struct code_graph *graph, uint32_t block, uint32_t *cursor)
{
	const struct code_block *b = &graph->blocks[block];
	bool is_root = block + 1 == graph->count;
	bool has_indirect = graph->blocks[graph->count - 1].is_indirect;

	while (*cursor < 2) {
		uint32_t next = (*cursor)++ ? b->target : b->next;

		if (next != NO_LOOP)
			return next;
	}
	while ((is_root || b->is_indirect) && *cursor - 2 < graph->count - 1) {
		uint32_t next = (*cursor)++ - 2;
		bool is_orphan = graph->blocks[next].is_orphan;

		if (is_root ? next == 0 || (is_orphan && !has_indirect) : is_orphan)
			return next;
	}
	return NO_LOOP;
}

/* Depth first, from a block on. What ends first is put at the end. */
static void code_loops_walk(struct code_graph *graph, uint32_t from, uint32_t *cursors)
{
	uint32_t depth = 0;

	graph->stack[depth++] = from;
	graph->blocks[from].is_marked = true;
	while (depth) {
		uint32_t block = graph->stack[depth - 1], next = successor(graph, block, &cursors[block]);

		if (next == NO_LOOP) {
			graph->reached[graph->count - ++graph->nreached] = block;
			depth--;
		} else if (!graph->blocks[next].is_marked) {
			graph->blocks[next].is_marked = true;
			graph->stack[depth++] = next;
		}
	}
}

/* What the entry does not lead to, and no orphan before it. */
static void find_orphans(struct code_graph *graph)
{
	uint32_t *cursors = arena_array(graph->arena, graph->count, sizeof(*cursors));

	for (uint32_t b = 0; b + 1 < graph->count; b++) {
		if (graph->blocks[b].is_marked)
			continue;
		code_loops_walk(graph, b, cursors);
		graph->blocks[b].is_orphan = b > 0;
	}
	for (uint32_t b = 0; b < graph->count; b++)
		graph->blocks[b].is_marked = false;
	graph->nreached = 0;
}

static void order_blocks(struct code_graph *graph)
{
	struct code_block *root = &graph->blocks[graph->count - 1];

	graph->reached = arena_array(graph->arena, graph->count, sizeof(*graph->reached));
	graph->stack = arena_array(graph->arena, graph->count, sizeof(*graph->stack));
	graph->headers = arena_array(graph->arena, graph->count, sizeof(*graph->headers));
	for (uint32_t b = 0; b + 1 < graph->count; b++)
		root->is_indirect |= graph->blocks[b].is_indirect;
	find_orphans(graph);
	code_loops_walk(graph, graph->count - 1, arena_array(graph->arena, graph->count, sizeof(uint32_t)));
	graph->reached += graph->count - graph->nreached;
	for (uint32_t i = 0; i < graph->nreached; i++)
		graph->blocks[graph->reached[i]].order = i + 1;
}

static void find_predecessors(struct code_graph *graph)
{
	uint32_t *first = arena_array(graph->arena, graph->count + 1u, sizeof(*first));
	uint32_t *filled = arena_array(graph->arena, graph->count + 1u, sizeof(*filled)), cursor, next;

	for (uint32_t i = 0; i < graph->nreached; i++)
		for (cursor = 0; (next = successor(graph, graph->reached[i], &cursor)) != NO_LOOP;)
			first[next + 1]++;
	for (uint32_t b = 0; b < graph->count; b++)
		first[b + 1] += first[b];
	graph->predecessors = arena_array(graph->arena, first[graph->count] + 1u, sizeof(*graph->predecessors));
	for (uint32_t i = 0; i < graph->nreached; i++)
		for (cursor = 0; (next = successor(graph, graph->reached[i], &cursor)) != NO_LOOP;)
			graph->predecessors[first[next] + filled[next]++] = graph->reached[i];
	graph->first_predecessor = first;
}

/* ---- dominators (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, 2001) ---- */

static uint32_t common_dominator(const struct code_block *blocks, uint32_t a, uint32_t b)
{
	while (a != b)
		if (blocks[a].order > blocks[b].order)
			a = blocks[a].dominator;
		else
			b = blocks[b].dominator;
	return a;
}

static uint32_t dominator_of(const struct code_graph *graph, uint32_t block)
{
	uint32_t found = NO_LOOP;

	for (uint32_t i = graph->first_predecessor[block]; i < graph->first_predecessor[block + 1]; i++) {
		uint32_t from = graph->predecessors[i];

		if (graph->blocks[from].dominator == NO_LOOP)
			continue;
		found = found == NO_LOOP ? from : common_dominator(graph->blocks, from, found);
	}
	return found;
}

static void find_dominators(struct code_graph *graph)
{
	const uint32_t root = graph->count - 1;
	bool is_changed = true;

	for (uint32_t b = 0; b < graph->count; b++)
		graph->blocks[b].dominator = b == root ? root : NO_LOOP;
	while (is_changed) {
		is_changed = false;
		for (uint32_t i = 1; i < graph->nreached; i++) {
			struct code_block *block = &graph->blocks[graph->reached[i]];
			uint32_t found = dominator_of(graph, graph->reached[i]);

			is_changed |= block->dominator != found;
			block->dominator = found;
		}
	}
}

static bool is_dominated(const struct code_graph *graph, uint32_t block, uint32_t by)
{
	while (graph->blocks[block].order > graph->blocks[by].order)
		block = graph->blocks[block].dominator;
	return block == by;
}

/* ---- loops ---- */

/* Marks what leads to the block without the header, which is marked. */
static void mark_body(const struct code_graph *graph, uint32_t block)
{
	uint32_t depth = 0;

	if (graph->blocks[block].is_marked)
		return;
	graph->blocks[block].is_marked = true;
	graph->stack[depth++] = block;
	while (depth) {
		uint32_t from = graph->stack[--depth];

		for (uint32_t i = graph->first_predecessor[from]; i < graph->first_predecessor[from + 1]; i++) {
			uint32_t next = graph->predecessors[i];

			if (graph->blocks[next].is_marked)
				continue;
			graph->blocks[next].is_marked = true;
			graph->stack[depth++] = next;
		}
	}
}

/* Marks the blocks of the loop with that header. Gives the last one that leads back; NO_LOOP: there is no loop. */
static uint32_t mark_loop(const struct code_graph *graph, uint32_t header)
{
	uint32_t latch = NO_LOOP;

	for (uint32_t b = 0; b < graph->count; b++)
		graph->blocks[b].is_marked = b == header;
	for (uint32_t i = graph->first_predecessor[header]; i < graph->first_predecessor[header + 1]; i++) {
		uint32_t from = graph->predecessors[i];

		if (!is_dominated(graph, from, header))
			continue;
		latch = latch == NO_LOOP || from > latch ? from : latch;
		mark_body(graph, from);
	}
	return latch;
}

/* Two natural loops with different headers are apart, or one is in the other: the smaller one is. */
static void take_loop(struct code_loops *loops, const struct code_graph *graph, uint32_t header, uint32_t latch)
{
	const uint32_t number = loops->count++;
	struct code_loop *loop = &loops->items[number];

	graph->headers[number] = header;
	*loop = (struct code_loop){ .header = graph->instructions[graph->blocks[header].first].address,
				    .latch = graph->blocks[latch].end - 1,
				    .parent = NO_LOOP };
	for (uint32_t b = 0; b + 1 < graph->count; b++)
		loop->size += graph->blocks[b].is_marked ? graph->blocks[b].end - graph->blocks[b].first : 0;
	for (uint32_t b = 0; b + 1 < graph->count; b++) {
		struct code_block *block = &graph->blocks[b];

		if (block->is_marked && (block->loop == NO_LOOP || loops->items[block->loop].size > loop->size))
			block->loop = number;
	}
}

/* The smallest loop around each: blocks of the loop with that number are marked. */
static void take_parents(struct code_loops *loops, const struct code_graph *graph, uint32_t number)
{
	for (uint32_t i = 0; i < loops->count; i++) {
		struct code_loop *inner = &loops->items[i];

		if (i != number && graph->blocks[graph->headers[i]].is_marked &&
		    (inner->parent == NO_LOOP || loops->items[inner->parent].size > loops->items[number].size))
			inner->parent = number;
	}
}

void code_loops_find(struct code_loops *loops, const struct instruction *instructions, size_t count,
		     struct arena *arena)
{
	struct code_graph graph = { .instructions = instructions, .arena = arena };

	*loops = (struct code_loops){ .items = arena_array(arena, count + 1, sizeof(*loops->items)),
				      .of = arena_array(arena, count + 1, sizeof(*loops->of)) };
	if (!count || count >= NO_LOOP - 2)
		return;
	make_blocks(&graph, count);
	order_blocks(&graph);
	find_predecessors(&graph);
	find_dominators(&graph);
	for (uint32_t b = 0; b + 1 < graph.count; b++) {
		uint32_t latch = graph.blocks[b].order ? mark_loop(&graph, b) : NO_LOOP;

		if (latch != NO_LOOP)
			take_loop(loops, &graph, b, latch);
	}
	for (uint32_t i = 0; i < loops->count && loops->count > 1; i++) {
		(void)mark_loop(&graph, graph.headers[i]);
		take_parents(loops, &graph, i);
	}
	for (uint32_t b = 0; b + 1 < graph.count; b++)
		for (uint32_t i = graph.blocks[b].first; i < graph.blocks[b].end; i++)
			loops->of[i] = graph.blocks[b].loop;
}
