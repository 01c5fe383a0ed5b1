/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core_execute.h"

#include "sim/core_slots.h"

/*
 * This is where the time of a simulation goes: a few dozen host instructions for each of the program's. What is decided by data that nobody can
 * predict is chosen without a branch; what is rare for a whole block is asked once for the block.
 */
#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS_INLINE	    inline __attribute__((always_inline))

static const uint8_t level_causes[LEVEL_COUNT] = { CAUSE_L1, CAUSE_L2, CAUSE_L3, CAUSE_DRAM };

/* What changes with each instruction: kept in registers throughout a block. */
struct front {
	uint64_t issue;		 /* cycle of the current instruction */
	uint64_t newest, commit; /* core.h */
	uint32_t waiting;
};

/* How an instruction comes to its end: the latest of its micro-ops, and what the longest of its own delays is. */
struct progress {
	uint64_t done, longest;
	uint8_t cause;
};

static ALWAYS_INLINE uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static ALWAYS_INLINE struct front front_of(const struct core *core)
{
	return (struct front){ .newest = core->newest, .commit = core->commit, .waiting = core->waiting };
}

static ALWAYS_INLINE void set_front(struct core *core, const struct front *front)
{
	core->newest = front->newest;
	core->commit = front->commit;
	core->waiting = front->waiting;
}

/* ---- execution ---- */

/* A port for a micro-op that could start at a time: when it does. */
static ALWAYS_INLINE uint64_t take_port(struct core *core, struct front *front, unsigned port, uint64_t time)
{
	uint32_t units = core->parameters.units[port];

	for (; LIKELY(time - front->issue < HORIZON); time++) {
		uint8_t *used = &core->booked[time % HORIZON].used[port];

		if (UNLIKELY(*used >= units))
			continue;
		++*used;
		core->leaving[time % HORIZON]++;
		front->waiting++;
		break;
	}
	return time;
}

static ALWAYS_INLINE void finish(struct progress *progress, uint64_t done, unsigned cause)
{
	uint64_t own = done - progress->done;

	if (done <= progress->done)
		return;
	progress->done = done;
	if (own < progress->longest)
		return;
	progress->longest = own;
	progress->cause = (uint8_t)cause;
}

/* Most have two sources at most; the empty ones are behind the others, and always ready. */
static ALWAYS_INLINE uint64_t sources_ready(const struct core *core, const struct front *front, const struct uop *uop)
{
	uint64_t time = later(later(front->issue + 1, core->ready[uop->sources[0]]), core->ready[uop->sources[1]]);

	if (UNLIKELY(uop->sources[2]))
		time = later(time, later(core->ready[uop->sources[2]], core->ready[uop->sources[3]]));
	return time;
}

static ALWAYS_INLINE struct recent_store *recent_store(struct core *core, uint64_t granule)
{
	return &core->recent[granule & ((1 << STORE_BITS) - 1)];
}

/* The part of an access that lies in the next line. */
static void load_second_line(struct core *core, uint64_t address, uint64_t start, struct supply *supply)
{
	struct supply other = hierarchy_load(&core->hierarchy, address, start + 1);

	if (other.time > supply->time)
		*supply = (struct supply){ .time = other.time, .level = other.level };
}

static ALWAYS_INLINE void run_load(struct core *core, struct front *front, const struct uop *uop, uint64_t address,
				   struct progress *progress)
{
	uint64_t ready = sources_ready(core, front, uop);
	uint64_t start = take_port(core, front, PORT_LOAD, ready);
	const struct recent_store *store = recent_store(core, address >> 3);
	struct supply supply = hierarchy_load(&core->hierarchy, address, start);
	uint8_t cause;

	if (store->granule == address >> 3 && store->drained > start)
		supply = (struct supply){ .time = later(store->ready, start) + core->parameters.store_forward };
	else if (UNLIKELY((address & 63) + uop->size > 64))
		load_second_line(core, address + uop->size - 1, start, &supply);
	cause = supply.is_translated ? CAUSE_DTLB : level_causes[supply.level];
	core->ready[uop->target] = supply.time;
	finish(progress, supply.time, start - ready > supply.time - start ? CAUSE_PORTS : cause);
}

static ALWAYS_INLINE void remember_store(struct core *core, const struct uop *uop, uint64_t address,
					 struct recent_store store)
{
	store.granule = address >> 3;
	*recent_store(core, store.granule) = store;
	for (uint32_t offset = 8; UNLIKELY(offset < uop->size); offset += 8) {
		store.granule++;
		*recent_store(core, store.granule) = store;
	}
}

/* A store retires when address and data are known; its line may come later, and stores leave their queue in order. */
static ALWAYS_INLINE void run_store(struct core *core, struct front *front, const struct uop *uop, uint64_t address,
				    struct progress *progress)
{
	uint64_t ready = sources_ready(core, front, uop);
	uint64_t start = take_port(core, front, PORT_STORE, ready);
	struct supply supply = hierarchy_store(&core->hierarchy, address, start);
	uint64_t drained = later(later(start + 1, front->commit), core->last_drain + 1);
	uint64_t number = core->nstores++ & core->store_mask;

	finish(progress, start + 1, start - ready > 1 ? CAUSE_PORTS : CAUSE_DEPENDENCY);
	if (supply.level != LEVEL_L1)
		drained = later(drained, supply.time);
	core->last_drain = drained;
	core->drains[number] = drained;
	core->stores[number] = progress->done;
	remember_store(core, uop, address, (struct recent_store){ .ready = start, .drained = drained });
}

/* The divider takes one at a time. */
static uint64_t take_divider(struct core *core, uint32_t occupancy, uint64_t time)
{
	time = later(time, core->divider_free);
	core->divider_free = time + occupancy;
	return time;
}

static ALWAYS_INLINE void run_compute(struct core *core, struct front *front, const struct uop *uop,
				      struct progress *progress)
{
	uint64_t ready = sources_ready(core, front, uop), start = ready, done;

	if (UNLIKELY(uop->occupancy))
		start = take_divider(core, uop->occupancy, ready);
	if (LIKELY(uop->port != PORT_NONE))
		start = take_port(core, front, uop->port, start);
	done = start + uop->latency;
	core->ready[uop->target] = done;
	if (done <= progress->done)
		return;
	if (UNLIKELY(uop->occupancy))
		finish(progress, done, CAUSE_DIVIDER);
	else
		finish(progress, done, start - ready >= uop->latency ? CAUSE_PORTS : CAUSE_DEPENDENCY);
}

static ALWAYS_INLINE void run_uop(struct core *core, struct front *front, const struct uop *uop,
				  const uint64_t *addresses, struct progress *progress)
{
	uint64_t address;

	if (uop->kind < KIND_LOAD) {
		run_compute(core, front, uop, progress);
		return;
	}
	address = addresses[uop->access];
	if (UNLIKELY(!address))
		core->ready[uop->target] = front->issue;
	else if (uop->kind == KIND_LOAD)
		run_load(core, front, uop, address, progress);
	else
		run_store(core, front, uop, address, progress);
}

/* ---- issue and retirement ---- */

/* The slots of a block or an instruction are taken; the cycles that are full are over. */
static ALWAYS_INLINE void take_slots(struct core *core, uint32_t slots)
{
	uint32_t used = core->used + slots, cycles = used * core->per_width >> 16;

	core->used = used - cycles * core->parameters.width;
	for (; cycles; cycles--) {
		unsigned row = core->cycle++ % HORIZON;

		core->waiting -= core->leaving[row];
		core->leaving[row] = 0;
		core->booked[row].all = 0;
	}
}

/* An instruction that is fused with the one before shares its entry. */
static void share_entry(struct core *core, const struct front *front, const struct rob_entry *entry)
{
	struct rob_entry *last = &core->rob[(front->newest - 1) & core->rob_mask];

	if (front->newest && entry->commit > last->commit)
		*last = *entry;
}

/* Its place in the reorder buffer: one entry a slot. */
static ALWAYS_INLINE void retire(struct core *core, struct front *front, const struct insn *insn,
				 const struct progress *progress)
{
	const struct rob_entry entry = { .commit = progress->done, .place = insn->place, .cause = progress->cause };

	front->commit = progress->done;
	if (UNLIKELY(!insn->slots))
		share_entry(core, front, &entry);
	for (uint32_t slots = insn->slots; slots; slots--) {
		core->rob[front->newest & core->rob_mask] = entry;
		core->issues[front->newest++ & core->rob_mask] = front->issue;
	}
	for (uint32_t loads = insn->loads; UNLIKELY(loads); loads--)
		core->loads[core->nloads++ & core->load_mask] = progress->done;
}

/* From issue to retirement. */
static ALWAYS_INLINE void run_insn(struct core *core, struct front *front, const struct insn *insn,
				   const struct uop *uop, const uint64_t *addresses)
{
	struct progress progress = { .done = later(front->commit, front->issue), .cause = CAUSE_DEPENDENCY };
	const struct uop *end = uop + insn->nuops;

	for (; uop < end; uop++)
		run_uop(core, front, uop, addresses, &progress);
	/* An atomic operation takes its time between load and store. */
	if (UNLIKELY(insn->flags & INSN_LOCKED))
		finish(&progress, progress.done + core->parameters.lock_latency, CAUSE_SERIALIZATION);
	retire(core, front, insn, &progress);
}

/* ---- delivery ---- */

/* A line of code that fetch comes to. */
static void fetch_line(struct core *core, uint64_t line)
{
	uint64_t now = core->fetch / FETCH_UNIT, asked = core->predicted < now ? core->predicted : now;
	struct supply supply;

	core->last_line = line;
	supply = hierarchy_fetch(&core->hierarchy, line, asked);
	core->is_cached = core->parameters.uop_cache_lines && cache_access(&core->uop_cache, line);
	if (supply.time <= now)
		return;
	core->fetch = supply.time * FETCH_UNIT;
	core->late_until = supply.time;
	core->late_cause = supply.is_translated ? CAUSE_ITLB : CAUSE_ICACHE;
}

static ALWAYS_INLINE void come_to_line(struct core *core, uint64_t line)
{
	if (line != core->last_line)
		fetch_line(core, line);
}

/* The lines of an instruction behind the block's first; that of the block's last byte may have been fetched already. */
static void come_further(struct core *core, const struct insn *insn)
{
	uint64_t last = (insn->address + insn->bytes - 1) >> 6;

	if (insn->address >> 6 > core->last_line)
		fetch_line(core, insn->address >> 6);
	if (last > core->last_line)
		fetch_line(core, last);
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

/* Fetch can't be farther ahead of issue than the queue between them is long: when it has room for so many slots more. */
static ALWAYS_INLINE uint64_t queue_room(const struct core *core, uint32_t slots)
{
	uint64_t issue = core->issues[(core->newest + slots - core->parameters.decode_queue) & core->rob_mask];

	return later(core->fetch, issue * FETCH_UNIT);
}

/* Issue can't be ahead of fetch. */
static ALWAYS_INLINE void lose_delivery(struct core *core, const struct insn *insn, uint64_t delivered)
{
	if (UNLIKELY(delivered > core->cycle))
		slots_lose(core, delivered, delivery_cause(core, insn, delivered), insn->place);
}

/* What is known of a block's delivery before its first instruction. */
struct delivery {
	bool is_complete; /* fetch is behind the block */
	bool is_cached;	  /* the current line comes from the micro-op cache */
};

static void deliver(struct core *core, struct delivery *delivery, const struct insn *insn)
{
	if (insn->flags & INSN_STARTS_LINE && (insn->before || insn->bytes > 64 - (insn->address & 63))) {
		come_further(core, insn);
		delivery->is_cached = core->is_cached;
	}
	core->fetch = queue_room(core, 0) + (delivery->is_cached ? insn->cached_cost : insn->legacy_cost);
	lose_delivery(core, insn, core->fetch / FETCH_UNIT);
}

/*
 * Waits for the block's first instruction. Are all others there then, so that fetch is behind the block already? Otherwise nothing has
 * changed but that.
 */
static ALWAYS_INLINE struct delivery begin_delivery(struct core *core, const struct block *block)
{
	uint64_t first = block->address >> 6, last = (block->end - 1) >> 6, fetch;
	const struct insn *insn = block->insns;
	bool is_cached;

	come_to_line(core, first);
	is_cached = core->is_cached;
	lose_delivery(core, insn,
		      (queue_room(core, 0) + (is_cached ? insn->cached_cost : insn->legacy_cost)) / FETCH_UNIT);
	if (last - first > 1 || block->slots > core->parameters.decode_queue)
		return (struct delivery){ .is_cached = is_cached };
	come_to_line(core, last);
	fetch = queue_room(core, block->slots) + (is_cached ? block->cached_cost : block->legacy_cost);
	if (fetch / FETCH_UNIT > core->cycle || is_cached != core->is_cached)
		return (struct delivery){ .is_cached = is_cached };
	core->fetch = fetch;
	return (struct delivery){ .is_complete = true };
}

/* ---- room ---- */

/* Reorder buffer, load and store queue, scheduler. */
static void make_room(struct core *core, const struct insn *insn)
{
	const struct parameters *p = &core->parameters;
	uint64_t until = core->rob[(core->newest + insn->slots - 1 - p->reorder_buffer) & core->rob_mask].commit;

	if (core->newest + insn->slots <= p->reorder_buffer)
		until = 0;
	if (insn->loads && core->nloads + insn->loads > p->load_queue)
		until = later(until, core->loads[(core->nloads + insn->loads - 1 - p->load_queue) & core->load_mask]);
	if (until > core->cycle)
		slots_wait(core, until);
	if (insn->stores && core->nstores + insn->stores > p->store_queue) {
		uint64_t index = (core->nstores + insn->stores - 1 - p->store_queue) & core->store_mask;

		if (core->stores[index] > core->cycle)
			slots_wait(core, core->stores[index]);
		slots_lose(core, core->drains[index], CAUSE_STORE, insn->place);
	}
	if (core->waiting + insn->nuops > p->scheduler)
		slots_wait_scheduler(core, insn->nuops);
	if (insn->flags & INSN_SERIALIZES)
		slots_lose(core, core->commit, CAUSE_SERIALIZATION, insn->place);
}

/*
 * Is there room for the whole block, whenever it issues? What leaves a queue does so in order, so the entry that the last instruction waits
 * for is enough to look at; and an entry that no one has had yet is 0.
 */
static ALWAYS_INLINE bool has_room(const struct core *core, const struct block *block)
{
	const struct parameters *p = &core->parameters;
	uint64_t store = (core->nstores + block->stores - 1 - p->store_queue) & core->store_mask;
	uint64_t until = later(core->stores[store], core->drains[store]);

	if (block->is_special || core->waiting + block->nuops > p->scheduler)
		return false;
	until = later(until, core->rob[(core->newest + block->slots - 1 - p->reorder_buffer) & core->rob_mask].commit);
	until = later(until, core->loads[(core->nloads + block->loads - 1 - p->load_queue) & core->load_mask]);
	return until <= core->cycle;
}

/* Instruction by instruction. */
static void execute_slowly(struct core *core, const struct block *block, const uint64_t *addresses,
			   struct delivery delivery)
{
	const struct insn *insn = block->insns, *end = insn + block->ninsns;
	const struct uop *uops = block->uops;
	bool is_roomy = has_room(core, block);
	struct front front;

	for (; insn < end; insn++) {
		if (!delivery.is_complete)
			deliver(core, &delivery, insn);
		if (!is_roomy)
			make_room(core, insn);
		front = front_of(core);
		front.issue = core->cycle;
		run_insn(core, &front, insn, uops, addresses);
		set_front(core, &front);
		take_slots(core, insn->slots);
		uops += insn->nuops;
	}
}

void core_execute(struct core *core, const struct block *block, const uint64_t *addresses)
{
	const struct insn *insn = block->insns, *end = insn + block->ninsns;
	const struct uop *uops = block->uops;
	struct delivery delivery;
	struct front front;

	core->retired += block->slots;
	delivery = begin_delivery(core, block);
	if (!delivery.is_complete || !has_room(core, block)) {
		execute_slowly(core, block, addresses, delivery);
		return;
	}
	/* Nothing holds it up: only slots count. */
	front = front_of(core);
	for (; insn < end; insn++) {
		front.issue = core->cycle + ((core->used + insn->before) * core->per_width >> 16);
		run_insn(core, &front, insn, uops, addresses);
		uops += insn->nuops;
	}
	set_front(core, &front);
	take_slots(core, block->slots);
}
