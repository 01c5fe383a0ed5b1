/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core.h"

#include "simulator/model/core_internal.h"
#include "simulator/model/core_units.h"
#include "simulator/model/host.h"

/* The least power of two that is not below. */
static uint32_t ring_size(uint32_t entries)
{
	uint32_t size = 1;

	while (size < entries)
		size *= 2;
	return size;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#define UNITS_BITS (2 * 4 + (PORT_COUNT - 2) * 3) /* of all ports */
#define ALL_UNITS  (2 * MOST_UNITS + (PORT_COUNT - 2) * MOST_OTHERS)

_Static_assert(UNITS_BITS <= LEAVING_SHIFT && MOST_UNITS < 1 << 4 && MOST_OTHERS < 1 << 3,
	       "a cycle's units have no room");
_Static_assert(ALL_UNITS < 1 << (MEMORY_SHIFT - LEAVING_SHIFT) &&
		       2 * MOST_OTHERS < 1 << (VECTOR_SHIFT - MEMORY_SHIFT) &&
		       MOST_UNITS + 4 * MOST_OTHERS < 1 << (63 - VECTOR_SHIFT),
	       "more can leave a scheduler in a cycle than are counted");

static void init_calendar(struct core *core)
{
	static const uint8_t shifts[QUEUE_COUNT] = { LEAVING_SHIFT, MEMORY_SHIFT, VECTOR_SHIFT };
	const struct parameters *p = &core->parameters;
	unsigned shift = 0;

	core->units = CALENDAR_ALWAYS;
	for (unsigned i = 0; i < PORT_COUNT; i++) {
		uint64_t one = UINT64_C(1) << shift, most = (UINT64_C(1) << unit_bits(i)) - 1;

		core->queues[i] = (uint8_t)parameters_queue(p, i);
		core->units += smaller(p->units[i], most) * one;
		core->unit_masks[i] = most * one;
		core->unit_ones[i] = one;
		core->unit_taken[i] = (UINT64_C(1) << shifts[core->queues[i]]) - one;
		shift += unit_bits(i);
	}
	core->unit_masks[PORT_NONE] = CALENDAR_ALWAYS;
	for (unsigned i = 0; i < HORIZON; i++)
		core->calendar[i] = core->units;
}

void core_init(struct core *core, const struct parameters *parameters, struct cache *l3)
{
	const struct parameters *p = &core->parameters;

	core->parameters = *parameters;
	core->per_slot = parameters_per_slot(p);
	core->rob_mask = ring_size(p->reorder_buffer > p->decode_queue ? p->reorder_buffer : p->decode_queue) - 1;
	core->entry = core->rob_mask + 1;
	core->delay_mask = 2 * core->rob_mask + 1;
	core->load_mask = ring_size(p->load_queue + 1) - 1;
	core->store_mask = ring_size(p->store_queue + 1) - 1;
	if (p->paired_blocks)
		core->paired = p->paired_blocks * FETCH_UNIT / p->uop_cache_width + 1;
	core->long_run = p->long_run * FETCH_UNIT;
	core->turns[BRANCH_CALL] = core->turns[BRANCH_INDIRECT_CALL] = p->call_turn * FETCH_UNIT;
	core->turns[BRANCH_RETURN] = p->return_turn * FETCH_UNIT;
	core->turns[BRANCH_INDIRECT] = p->indirect_turn * FETCH_UNIT;
	core->targets_turn = p->targets_turn * FETCH_UNIT;
	core->far_turn = p->far_turn * FETCH_UNIT;
	init_calendar(core);
	hierarchy_init(&core->hierarchy, p, l3);
	predictor_init(&core->predictor, p);
	stamped_init(&core->uop_cache, p->uop_cache_lines, p->uop_cache_ways);
	core->drain_cause = CAUSE_STORE;
	core_resume(core);
}

void core_resume(struct core *core)
{
	core->fetch = core->cycle * FETCH_UNIT;
	core->predicted = core->cycle;
	core->turned = core->fetch;
	core->last_line = NO_LINE;
	for (unsigned i = 0; i < VALUE_COUNT; i++)
		core->ready[i] = 0;
}

void core_thin(struct core *core, uint64_t part, uint64_t whole)
{
	core->jumps = core->jumps * part / whole;
	core->thinned = core->retired - (core->retired - core->thinned) * part / whole;
}

/*
 * What fetch brings of the wrong path in a cycle. A taken branch ends it, and an indirect one costs one more (Agner
 * Fog: one in two cycles). The path has as many of them as the program.
 */
static uint64_t wrong_slots(const struct core *core)
{
	uint64_t width = core->parameters.width, slots = (core->retired - core->thinned) / (core->jumps + 1);

	return slots < 1 ? 1 : smaller(slots, width);
}

/* Micro-ops that have room in all schedulers together. */
static uint64_t scheduler_room(const struct parameters *p, uint64_t waiting)
{
	uint64_t room = 0;

	for (unsigned i = 0; i < QUEUE_COUNT; i++) {
		uint32_t taken = waiting_in(waiting, i);

		room += p->schedulers[i] > taken ? p->schedulers[i] - taken : 0;
	}
	return room;
}

/*
 * Until the branch is resolved fetch goes down the wrong path; what it issues is lost to the prediction. When reorder
 * buffer or scheduler are full of it, the slots are lost to what the branch waits for. As the vendors count, the core's
 * own recovery is lost to the prediction too; what fetch takes beyond it for the right path is its latency.
 */
static void mispredict(struct core *core, const struct insn *branch, uint64_t resolved)
{
	const struct parameters *p = &core->parameters;
	uint64_t in_flight, room, filled, wrong = wrong_slots(core);
	uint32_t row = core->base + branch->row;

	in_flight = slots_in_flight(core);
	room = smaller(p->reorder_buffer > in_flight ? p->reorder_buffer - in_flight : 0,
		       scheduler_room(p, slots_waiting(core)));
	filled = core->cycle + room / wrong;
	filled = smaller(filled, resolved);
	slots_lose(core, core->cycle + (filled - core->cycle) * wrong / p->width, CAUSE_MISPREDICT, row);
	slots_lose(core, filled, CAUSE_RESTEER, row);
	slots_wait(core, resolved, row);
	slots_lose(core, resolved + smaller(p->mispredict_recovery, p->mispredict_penalty), CAUSE_MISPREDICT, row);
	slots_lose(core, resolved + p->mispredict_penalty, CAUSE_RESTEER, row);
	core->fetch = core->cycle * FETCH_UNIT;
	core->predicted = resolved;
	core->turned = core->fetch;
	core->late_until = core->late_code = 0;
}

/* Decode finds a branch of which fetch knew nothing. */
static void resteer(struct core *core)
{
	core->fetch += (uint64_t)core->parameters.unknown_branch_penalty * FETCH_UNIT;
	core->late_until = core->fetch / FETCH_UNIT;
	core->late_code = 0;
	core->late_cause = CAUSE_UNKNOWN_BRANCH;
	core->predicted = core->late_until;
	core->turned = core->fetch;
}

static ALWAYS_INLINE enum prediction predict(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;

	if (block->branch == BRANCH_NONE || !execution->next)
		return PREDICTION_RIGHT;
	core->branches++;
	if (LIKELY(predictor_passes(&core->predictor, block, execution->next)))
		return PREDICTION_RIGHT;
	return core_learn(core, block, execution->next);
}

enum prediction core_predict(struct core *core, const struct execution *execution)
{
	return predict(core, execution);
}

/* A taken branch ends what fetch delivers in a cycle; little since the one before, that of half a cycle. */
static inline void end_run(struct core *core)
{
	uint64_t half = core->run + FETCH_UNIT / 2;

	if (core->fetch - core->run < core->paired)
		core->fetch = core->fetch > half ? core->fetch : half;
	else
		core->fetch = (core->fetch + FETCH_UNIT - 1) / FETCH_UNIT * FETCH_UNIT + core->long_run;
	core->run = core->fetch;
}

/*
 * Prediction takes longer to go on behind a call than fetch takes for the block: fetch waits, unless prediction was
 * ahead, which it is by no more cycles than its queue has blocks.
 */
static inline void turn(struct core *core, uint64_t cycles)
{
	uint64_t ahead = (uint64_t)core->parameters.fetch_queue * FETCH_UNIT;

	core->turned = later(core->turned + ahead, core->fetch) - ahead + cycles;
	core->fetch = later(core->fetch, core->turned);
	core->run = core->fetch;
}

/* What prediction takes to go on behind a branch that is taken, in FETCH_UNIT. */
static inline uint64_t turn_of(const struct core *core, unsigned branch)
{
	uint64_t more = branch == BRANCH_INDIRECT && core->predictor.has_targets ? core->targets_turn : 0;

	return core->turns[branch] + more;
}

static void end_block(struct core *core, const struct execution *execution, uint64_t resolved)
{
	const struct block *block = execution->block;

	core->jumps += (execution->next != block->end) + (uint64_t)block->is_indirect;
	switch (predict(core, execution)) {
	case PREDICTION_WRONG:
		mispredict(core, &block->insns[block->ninsns - 1], resolved > core->cycle ? resolved : core->cycle);
		break;
	case PREDICTION_UNKNOWN: resteer(core); break;
	case PREDICTION_FAR:
		end_run(core);
		turn(core, turn_of(core, block->branch) + core->far_turn);
		break;
	case PREDICTION_RIGHT:
	default:
		if (execution->next == block->end)
			break;
		end_run(core);
		if (UNLIKELY(core->turns[block->branch]))
			turn(core, turn_of(core, block->branch));
		break;
	}
}

/*
 * Whoever comes back to a line that fetch did not leave finds its micro-ops in their cache: the first pass has put them
 * there.
 */
static inline void return_to_line(struct core *core, const struct execution *execution)
{
	if (UNLIKELY(!core->is_cached) && execution->next < execution->block->end &&
	    execution->next >> LINE_SHIFT == core->last_line)
		core->is_cached = core->parameters.uop_cache_lines != 0;
}

/* Prediction runs ahead of fetch, a block a cycle, as far as its queue reaches. */
static inline void start_block(struct core *core)
{
	uint64_t now = core->fetch / FETCH_UNIT, depth = core->parameters.fetch_queue;
	uint64_t limit = core->block_fetches[(core->blocks - depth) % 64], predicted = core->predicted + 1;

	predicted = predicted > limit ? predicted : limit;
	core->predicted = predicted < now ? predicted : now;
	core->block_fetches[core->blocks++ % 64] = now;
}

/* The first ones without a loop, because their number is hard to predict. */
static inline void copy_registers(struct core *core, const struct block *block)
{
	for (unsigned i = 0; i < FIRST_COPIES; i++)
		core->ready[block->first_copies[i].to] = core->ready[block->first_copies[i].from];
	for (unsigned i = 0; i < block->ncopies; i++)
		core->ready[block->copies[i].to] = core->ready[block->copies[i].from];
}

void core_run(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;
	struct string_chunk chunk;
	uint64_t resolved;

	if (LIKELY(!block->is_repeated))
		start_block(core);
	else if (!strings_begin(core, execution, &chunk))
		return;
	core_execute(core, block, execution->addresses); /* called here only, so that it is inlined */
	if (UNLIKELY(block->is_repeated)) {
		strings_end(core, block, &chunk);
		return;
	}
	/* The branch's own time: what it waited for, not what retires before it. */
	resolved = core->ready[VALUE_UNUSED];
	copy_registers(core, block);
	end_block(core, execution, resolved);
	return_to_line(core, execution);
}

static void warm_code(struct core *core, const struct block *block)
{
	for (uint64_t line = block->address >> 6; line <= (block->end - 1) >> 6; line++) {
		if (line == core->last_line)
			continue;
		core->last_line = line;
		hierarchy_warm_code(&core->hierarchy, line);
		if (core->parameters.uop_cache_lines)
			stamped_access(&core->uop_cache, line);
	}
}

void core_warm(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;

	if (block->is_repeated && !strings_is_chunk(core, execution))
		return;
	warm_code(core, block);
	for (unsigned i = 0; i < block->naccesses; i++)
		if (execution->addresses[i])
			hierarchy_warm_data(&core->hierarchy, execution->addresses[i], block->is_store[i]);
}
