/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core.h"

#include "sim/core_slots.h"

#define CHUNK 32 /* bytes that a repeated string instruction moves in one go */

/* The port of each kind. */
static const uint8_t ports[KIND_COUNT] = {
	[KIND_NONE] = PORT_ALU,		  [KIND_ALU] = PORT_ALU,
	[KIND_BRANCH] = PORT_BRANCH,	  [KIND_VECTOR] = PORT_VECTOR,
	[KIND_SHUFFLE] = PORT_SHUFFLE,	  [KIND_MULTIPLY] = PORT_MULTIPLY,
	[KIND_FP_ADD] = PORT_FP,	  [KIND_CONVERT] = PORT_FP,
	[KIND_FP_MULTIPLY] = PORT_FP,	  [KIND_FP_FUSED] = PORT_FP,
	[KIND_VECTOR_MULTIPLY] = PORT_FP, [KIND_CRYPTO] = PORT_VECTOR,
	[KIND_DIVIDE_32] = PORT_ALU,	  [KIND_DIVIDE_64] = PORT_ALU,
	[KIND_FP_DIVIDE_32] = PORT_FP,	  [KIND_FP_DIVIDE_64] = PORT_FP,
	[KIND_FP_ROOT] = PORT_FP,	  [KIND_MICROCODE] = PORT_ALU,
	[KIND_LOAD] = PORT_LOAD,	  [KIND_STORE] = PORT_STORE,
};

static const uint8_t level_causes[LEVEL_COUNT] = { CAUSE_L1, CAUSE_L2, CAUSE_L3, CAUSE_DRAM };

/* How an instruction comes to its end: the latest of its micro-ops, and what the longest of its own delays is. */
struct progress {
	uint64_t done, longest;
	uint8_t cause;
};

void core_init(struct core *core, const struct parameters *parameters, struct cache *l3)
{
	core->parameters = *parameters;
	hierarchy_init(&core->hierarchy, &core->parameters, l3);
	predictor_init(&core->predictor, &core->parameters);
	cache_init(&core->uop_cache, parameters->uop_cache_lines, parameters->uop_cache_ways);
	core_resume(core);
}

void core_resume(struct core *core)
{
	core->fetch = core->cycle * FETCH_UNIT;
	core->predicted = core->cycle;
	for (unsigned i = 0; i < VALUE_COUNT; i++)
		core->ready[i] = 0;
}

/* A port for a micro-op that could start at a time: when it does. */
static inline uint64_t take_port(struct core *core, enum port port, uint64_t time)
{
	uint32_t units = core->parameters.units[port];

	for (; time - core->cycle < HORIZON; time++) {
		struct cycle *row = &core->calendar[time % HORIZON];

		if (row->used[port] >= units)
			continue;
		row->used[port]++;
		row->leaving++;
		core->waiting++;
		break;
	}
	return time;
}

static inline void finish(struct progress *progress, uint64_t done, uint8_t cause)
{
	if (done <= progress->done)
		return;
	if (done - progress->done >= progress->longest) {
		progress->longest = done - progress->done;
		progress->cause = cause;
	}
	progress->done = done;
}

static inline uint64_t sources_ready(const struct core *core, const struct uop *uop)
{
	uint64_t time = core->cycle + 1;

	for (unsigned i = 0; i < UOP_SOURCES; i++)
		if (core->ready[uop->sources[i]] > time)
			time = core->ready[uop->sources[i]];
	return time;
}

static struct recent_store *recent_store(struct core *core, uint64_t granule)
{
	return &core->recent[granule & ((1 << STORE_BITS) - 1)];
}

/* A load; accesses that cross into another line are two. */
static void run_load(struct core *core, const struct uop *uop, uint64_t address, struct progress *progress)
{
	uint64_t ready = sources_ready(core, uop), start = take_port(core, PORT_LOAD, ready);
	const struct recent_store *store = recent_store(core, address >> 3);
	struct supply supply;
	uint8_t cause;

	supply = hierarchy_load(&core->hierarchy, address, start);
	cause = supply.is_translated ? CAUSE_DTLB : level_causes[supply.level];
	if (store->granule == address >> 3 && store->drained > start) {
		supply.time = (store->ready > start ? store->ready : start) + core->parameters.store_forward;
		cause = CAUSE_L1;
	} else if ((address ^ (address + uop->size - 1)) >> 6) {
		struct supply other = hierarchy_load(&core->hierarchy, address + uop->size - 1, start + 1);

		if (other.time > supply.time) {
			supply.time = other.time;
			cause = level_causes[other.level];
		}
	}
	core->ready[uop->target] = supply.time;
	finish(progress, supply.time, start - ready > supply.time - start ? CAUSE_PORTS : cause);
}

/* A store retires when address and data are known; its line may come later, and stores leave their queue in order. */
static void run_store(struct core *core, const struct uop *uop, uint64_t address, struct progress *progress)
{
	uint64_t ready = sources_ready(core, uop), start = take_port(core, PORT_STORE, ready);
	struct supply supply = hierarchy_store(&core->hierarchy, address, start);
	uint64_t drained = start + 1 > core->commit ? start + 1 : core->commit;

	finish(progress, start + 1, start - ready > 1 ? CAUSE_PORTS : CAUSE_DEPENDENCY);
	if (supply.level != LEVEL_L1 && supply.time > drained)
		drained = supply.time;
	if (drained <= core->last_drain)
		drained = core->last_drain + 1;
	core->last_drain = drained;
	core->drains[core->nstores % QUEUE_ENTRIES] = drained;
	core->stores[core->nstores % QUEUE_ENTRIES] = progress->done;
	core->nstores++;
	for (uint32_t offset = 0; offset < uop->size; offset += 8)
		*recent_store(core, (address + offset) >> 3) =
			(struct recent_store){ .granule = (address + offset) >> 3, .ready = start, .drained = drained };
}

/* The divider takes one at a time. */
static uint64_t take_divider(struct core *core, const struct uop *uop, uint64_t time)
{
	if (core->divider_free > time)
		time = core->divider_free;
	core->divider_free = time + core->parameters.occupancy[uop->kind];
	return time;
}

static inline void run_compute(struct core *core, const struct uop *uop, struct progress *progress)
{
	uint64_t ready = sources_ready(core, uop), start = ready, done;
	uint32_t latency = core->parameters.latency[uop->kind];
	uint8_t cause = CAUSE_DEPENDENCY;

	if (core->parameters.occupancy[uop->kind]) {
		start = take_divider(core, uop, ready);
		cause = CAUSE_DIVIDER;
	}
	if (!uop->is_portless)
		start = take_port(core, (enum port)ports[uop->kind], start);
	if (start - ready >= latency && cause == CAUSE_DEPENDENCY)
		cause = CAUSE_PORTS;
	done = start + latency;
	core->ready[uop->target] = done;
	finish(progress, done, cause);
}

/* A line of code that fetch comes to. */
static void fetch_line(struct core *core, uint64_t line)
{
	uint64_t now = core->fetch / FETCH_UNIT, asked = core->predicted < now ? core->predicted : now;
	struct supply supply;

	if (line == core->last_line)
		return;
	core->last_line = line;
	supply = hierarchy_fetch(&core->hierarchy, line, asked);
	core->is_cached = core->parameters.uop_cache_lines && cache_access(&core->uop_cache, line);
	if (supply.time <= now)
		return;
	core->fetch = supply.time * FETCH_UNIT;
	core->late_until = supply.time;
	core->late_cause = supply.is_translated ? CAUSE_ITLB : CAUSE_ICACHE;
}

static void fetch_lines(struct core *core, const struct insn *insn)
{
	fetch_line(core, insn->address >> 6);
	fetch_line(core, (insn->address + insn->bytes - 1) >> 6);
}

/* Fetch can't be farther ahead of issue than the queue between them is long. */
static inline void deliver(struct core *core, const struct insn *insn)
{
	uint64_t before = core->newest - core->parameters.decode_queue, earliest;

	if (insn->flags & INSN_STARTS_LINE)
		fetch_lines(core, insn);
	earliest = core->newest >= core->parameters.decode_queue ? core->rob[before % ROB_ENTRIES].issue : 0;
	if (core->fetch < earliest * FETCH_UNIT)
		core->fetch = earliest * FETCH_UNIT;
	core->fetch += core->is_cached ? insn->cached_cost : insn->legacy_cost;
}

/* What holds delivery up at this instruction. */
static enum cause delivery_cause(const struct core *core, const struct insn *insn, uint64_t delivered)
{
	if (delivered <= core->late_until + 1)
		return (enum cause)core->late_cause;
	if (insn->flags & INSN_MICROCODED)
		return CAUSE_MICROCODE_SWITCH;
	return core->is_cached ? CAUSE_UOP_CACHE : CAUSE_LEGACY_DECODE;
}

/* Reorder buffer, load and store queue, scheduler. */
static inline void make_room(struct core *core, const struct insn *insn)
{
	const struct parameters *p = &core->parameters;
	uint64_t until = 0, stores = core->nstores + insn->stores;

	if (core->newest + insn->slots > p->reorder_buffer)
		until = core->rob[(core->newest + insn->slots - 1 - p->reorder_buffer) % ROB_ENTRIES].commit;
	if (insn->loads && core->nloads + insn->loads > p->load_queue) {
		uint64_t left = core->loads[(core->nloads + insn->loads - 1 - p->load_queue) % QUEUE_ENTRIES];

		until = left > until ? left : until;
	}
	if (until > core->cycle)
		slots_wait(core, until);
	if (insn->stores && stores > p->store_queue) {
		uint64_t index = (stores - 1 - p->store_queue) % QUEUE_ENTRIES;

		if (core->stores[index] > core->cycle)
			slots_wait(core, core->stores[index]);
		slots_lose(core, core->drains[index], CAUSE_STORE, insn->place);
	}
	if (core->waiting + insn->nuops > p->scheduler)
		slots_wait_scheduler(core, insn->nuops);
}

static inline void take_slots(struct core *core, const struct insn *insn)
{
	core->used += insn->slots;
	core->retired += insn->slots;
	if (core->used < core->parameters.width)
		return;
	/* Full: the rest of a long instruction goes into the next cycles. */
	for (; core->used >= core->parameters.width; core->used -= core->parameters.width)
		core->cycle++;
	while (core->calendar_cycle < core->cycle) {
		struct cycle *row = &core->calendar[core->calendar_cycle++ % HORIZON];

		core->waiting -= row->leaving;
		*row = (struct cycle){ .leaving = 0 };
	}
}

/* Its place in the reorder buffer: one entry a slot; one that is fused shares that of the instruction before. */
static inline void retire(struct core *core, const struct insn *insn, uint64_t issue, const struct progress *progress)
{
	struct rob_entry entry = {
		.issue = issue, .commit = progress->done, .place = insn->place, .cause = progress->cause
	};
	struct rob_entry *last = &core->rob[(core->newest - 1) % ROB_ENTRIES];

	if (!insn->slots && core->newest && entry.commit > last->commit)
		*last = entry;
	for (unsigned i = 0; i < insn->slots; i++)
		core->rob[core->newest++ % ROB_ENTRIES] = entry;
	core->commit = progress->done;
	for (unsigned i = 0; i < insn->loads; i++)
		core->loads[core->nloads++ % QUEUE_ENTRIES] = progress->done;
}

/* An atomic operation takes its time between load and store. */
static void lock(struct core *core, const struct insn *insn, struct progress *progress)
{
	if (insn->flags & INSN_LOCKED)
		finish(progress, progress->done + core->parameters.lock_latency, CAUSE_SERIALIZATION);
}

static inline void run_insn(struct core *core, const struct insn *insn, const struct uop *uops,
			    const uint64_t *addresses)
{
	struct progress progress = { .cause = CAUSE_DEPENDENCY };
	uint64_t issue;

	deliver(core, insn);
	if (core->fetch / FETCH_UNIT > core->cycle)
		slots_lose(core, core->fetch / FETCH_UNIT, delivery_cause(core, insn, core->fetch / FETCH_UNIT),
			   insn->place);
	make_room(core, insn);
	if (insn->flags & INSN_SERIALIZES && core->commit > core->cycle)
		slots_lose(core, core->commit, CAUSE_SERIALIZATION, insn->place);
	issue = core->cycle;
	progress.done = core->commit > issue ? core->commit : issue;
	for (unsigned i = 0; i < insn->nuops; i++) {
		const struct uop *uop = &uops[i];

		if (uop->kind < KIND_LOAD)
			run_compute(core, uop, &progress);
		else if (!addresses[uop->access])
			core->ready[uop->target] = issue;
		else if (uop->kind == KIND_LOAD)
			run_load(core, uop, addresses[uop->access], &progress);
		else
			run_store(core, uop, addresses[uop->access], &progress);
	}
	lock(core, insn, &progress);
	take_slots(core, insn);
	retire(core, insn, issue, &progress);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Until the branch is resolved fetch goes down the wrong path; what it issues is lost to the prediction. When reorder buffer or scheduler
 * are full of it, the slots are lost to what the branch waits for.
 */
static void mispredict(struct core *core, const struct insn *branch, uint64_t resolved)
{
	const struct parameters *p = &core->parameters;
	uint64_t in_flight, room, filled;

	in_flight = slots_in_flight(core);
	room = smaller(p->reorder_buffer > in_flight ? p->reorder_buffer - in_flight : 0,
		       p->scheduler > core->waiting ? p->scheduler - core->waiting : 0);
	filled = core->cycle + room / p->width;
	slots_lose(core, smaller(filled, resolved), CAUSE_MISPREDICT, branch->place);
	slots_wait(core, resolved);
	slots_lose(core, resolved + p->mispredict_penalty, CAUSE_MISPREDICT, branch->place);
	core->fetch = core->cycle * FETCH_UNIT;
	core->predicted = resolved;
	core->late_until = 0;
}

/* Decode finds a branch of which fetch knew nothing. */
static void resteer(struct core *core)
{
	core->fetch += (uint64_t)core->parameters.unknown_branch_penalty * FETCH_UNIT;
	core->late_until = core->fetch / FETCH_UNIT;
	core->late_cause = CAUSE_UNKNOWN_BRANCH;
	core->predicted = core->late_until;
}

enum prediction core_predict(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;
	const struct branch_event event = { .address = block->insns[block->ninsns - 1].address,
					    .fallthrough = block->end,
					    .target = execution->next,
					    .branch = block->branch };
	enum prediction prediction;

	if (block->branch == BRANCH_NONE || !execution->next)
		return PREDICTION_RIGHT;
	prediction = predictor_branch(&core->predictor, &event);
	core->branches++;
	core->mispredicted += prediction == PREDICTION_WRONG;
	core->unknown_branches += prediction == PREDICTION_UNKNOWN;
	return prediction;
}

static void end_block(struct core *core, const struct execution *execution, uint64_t resolved)
{
	const struct block *block = execution->block;

	switch (core_predict(core, execution)) {
	case PREDICTION_WRONG:
		mispredict(core, &block->insns[block->ninsns - 1], resolved > core->cycle ? resolved : core->cycle);
		break;
	case PREDICTION_UNKNOWN: resteer(core); break;
	case PREDICTION_RIGHT:
	default:
		/* A taken branch ends what fetch delivers in a cycle. */
		if (execution->next != block->end)
			core->fetch = (core->fetch + FETCH_UNIT - 1) / FETCH_UNIT * FETCH_UNIT;
		break;
	}
}

/* Prediction runs ahead of fetch, a block a cycle, as far as its queue reaches. */
static inline void start_block(struct core *core)
{
	uint64_t now = core->fetch / FETCH_UNIT, depth = core->parameters.fetch_queue, limit = 0;

	if (core->blocks >= depth)
		limit = core->block_fetches[(core->blocks - depth) % 64];
	core->predicted++;
	if (core->predicted < limit)
		core->predicted = limit;
	if (core->predicted > now)
		core->predicted = now;
	core->block_fetches[core->blocks++ % 64] = now;
}

bool core_is_new_chunk(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < block->nuops; i++)
		if (block->uops[i].size > bytes)
			bytes = block->uops[i].size;
	core->repeated_bytes += bytes;
	if (core->repeated_bytes < CHUNK && execution->next == block->address)
		return false;
	core->repeated_bytes = 0;
	return true;
}

void core_run(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;
	const struct uop *uop = block->uops;
	uint64_t resolved;

	if (block->is_repeated && !core_is_new_chunk(core, execution))
		return;
	start_block(core);
	for (unsigned i = 0; i < block->ninsns; i++) {
		run_insn(core, &block->insns[i], uop, execution->addresses);
		uop += block->insns[i].nuops;
	}
	/* The branch's own time: what it waited for, not what retires before it. */
	resolved = core->ready[VALUE_UNUSED];
	for (unsigned i = 0; i < block->ncopies; i++)
		core->ready[block->copies[i].to] = core->ready[block->copies[i].from];
	end_block(core, execution, resolved);
}

void core_warm(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;

	if (block->is_repeated && !core_is_new_chunk(core, execution))
		return;
	for (uint64_t line = block->address >> 6; line <= (block->end - 1) >> 6; line++) {
		if (line == core->last_line)
			continue;
		core->last_line = line;
		hierarchy_warm_code(&core->hierarchy, line);
		if (core->parameters.uop_cache_lines)
			cache_access(&core->uop_cache, line);
	}
	for (unsigned i = 0; i < block->nuops; i++) {
		const struct uop *uop = &block->uops[i];

		if (uop->kind >= KIND_LOAD && execution->addresses[uop->access])
			hierarchy_warm_data(&core->hierarchy, execution->addresses[uop->access],
					    uop->kind == KIND_STORE);
	}
	core_predict(core, execution);
}
