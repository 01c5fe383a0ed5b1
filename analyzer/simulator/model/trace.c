/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/trace.h"

#include "simulator/model/host.h"
#include "simulator/model/shadow_stack.h"

/* What is counted for hits. */
static void count(struct traffic *traffic, uint32_t accesses, uint32_t stores)
{
	traffic->stores += stores;
	traffic->data[LEVEL_L1] += accesses - stores;
}

/* Asked for in ascending order, from *span on: those that hit, which are most, need not know. */
static bool is_store(const struct warm *warm, uint32_t number, uint32_t *span)
{
	while (*span + 1 < warm->nspans && warm->spans[*span + 1].first <= number)
		++*span;
	return warm->spans[*span].block->is_store[number - warm->spans[*span].first];
}

/* Before they are looked up, among which a line may come and go. */
static void note_writes(const struct warm *warm, struct hierarchy *h)
{
	uint32_t span = 0;

	for (uint32_t i = 0; i < warm->count; i++)
		if (is_store(warm, i, &span) && warm->addresses[i])
			hierarchy_wrote(h, warm->addresses[i]);
}

/* All accesses so far, in their order. */
static void trace_look_up(struct warm *warm, struct hierarchy *h)
{
	struct stamped dtlb = h->dtlb, l1d = h->l1d; /* kept in registers */
	uint32_t page, line, misses = 0, stores = 0, span = 0, count_all = warm->count;
	unsigned page_shift = h->page_shift;

	if (h->moves)
		note_writes(warm, h);
	for (uint32_t i = 0; i < count_all; i++) {
		uint64_t address = warm->addresses[i];
		bool has_page = stamped_is_in(&dtlb, address >> page_shift, &page), stores_it;

		if (LIKELY(stamped_is_in(&l1d, address >> LINE_SHIFT, &line) & has_page)) {
			stamped_use(&dtlb, page);
			stamped_use(&l1d, line);
			continue;
		}
		misses++;
		stores_it = is_store(warm, i, &span);
		stores += stores_it;
		if (!address)
			continue;
		h->dtlb.accesses = dtlb.accesses;
		h->l1d.accesses = l1d.accesses;
		hierarchy_warm_data(h, address, stores_it);
		dtlb.accesses = h->dtlb.accesses;
		l1d.accesses = h->l1d.accesses;
	}
	h->dtlb.accesses = dtlb.accesses;
	h->l1d.accesses = l1d.accesses;
	count(&h->traffic, warm->count - misses, warm->stores - stores);
	warm->count = warm->stores = warm->nspans = 0;
}

/* Code that L1 does not have comes from where data come from: those before it go first. */
static uint16_t search_code(struct warm *warm, struct hierarchy *h, uint64_t line)
{
	if (!hierarchy_hits_code(h, line, NO_TIME)) {
		trace_look_up(warm, h);
		hierarchy_warm_code(h, line);
	}
	return stamped_way(&h->l1i, line);
}

static inline void come_to_line(struct warm *warm, struct core *core, uint64_t line, struct code_ways *ways)
{
	struct hierarchy *h = &core->hierarchy;

	core->last_line = line;
	if (!LIKELY(stamped_is_at(&h->l1i, line, ways->l1i) && hierarchy_takes_code(h, line, NO_TIME, ways->l1i)))
		ways->l1i = search_code(warm, h, line);
	if (!core->parameters.uop_cache_lines)
		return;
	if (LIKELY(stamped_is_at(&core->uop_cache, line, ways->uop))) {
		stamped_use(&core->uop_cache, ways->uop);
		return;
	}
	stamped_access(&core->uop_cache, line);
	ways->uop = stamped_way(&core->uop_cache, line);
}

static inline void follow_code(struct warm *warm, struct core *core, struct block *block)
{
	uint64_t line = block->address >> LINE_SHIFT, last = (block->end - 1) >> LINE_SHIFT;

	if (line != core->last_line && line <= last)
		come_to_line(warm, core, line, &block->code_ways[0]);
	if (line >= last)
		return;
	while (++line < last)
		come_to_line(warm, core, line, &(struct code_ways){ .l1i = 0 });
	come_to_line(warm, core, last, &block->code_ways[1]);
}

static inline void take_accesses(struct warm *warm, const struct block *block, const uint64_t *entry)
{
	const uint64_t *addresses = entry + 1;
	uint32_t count = trace_accesses(entry);
	uint64_t *to = warm->addresses + warm->count;

	if (!count)
		return;
	for (uint32_t i = 0; i < count; i += ACCESSES_AT_ONCE)
		__builtin_memcpy(to + i, addresses + i, ACCESSES_AT_ONCE * sizeof(*to));
	warm->spans[warm->nspans++] = (struct warm_span){ .block = block, .first = warm->count };
	warm->count += count;
	warm->stores += block->nstores;
}

/* Most branches do as they have for long, which the predictor sees at once. */
static inline void follow_branch(struct core *core, const struct block *block, const uint64_t *next)
{
	uint64_t address = trace_block(next)->address;

	if (block->branch == BRANCH_NONE)
		return;
	core->branches++;
	if (!LIKELY(predictor_passes(&core->predictor, block, address)))
		core_learn(core, block, address);
}

/* Has the call that is counted returned with this block? */
static bool is_call_over(const struct warm_run *run, const struct block *block, const uint64_t *entry,
			 const uint64_t *next)
{
	if (!block->is_followed)
		return false;
	shadow_follow(run->stack, run->contexts, entry, trace_block(next)->address);
	return UNLIKELY(run->stack->count < run->depth);
}

void warm_follow(struct warm *warm, struct core *core, struct warm_run *run)
{
	const uint64_t *entry = run->entry, *end = run->end, *next, *ahead = trace_ahead(entry);

	for (; (next = trace_next(entry)) < end; entry = next) {
		struct block *block = trace_block(entry);

		trace_expect(next, &ahead);
		if (block->ninsns >= run->left || block->is_repeated || (block->is_marked & run->is_outside))
			break;
		block->total += !run->is_outside;
		run->left -= block->ninsns;
		run->last = block;
		follow_code(warm, core, block);
		take_accesses(warm, block, entry);
		follow_branch(core, block, next);
		if (is_call_over(run, block, entry, next)) {
			entry = next;
			break;
		}
	}
	run->entry = entry;
	trace_look_up(warm, &core->hierarchy);
}
