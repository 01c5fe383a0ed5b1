/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/block.h"

#include "simulator/model/core.h"
#include "simulator/model/host.h"
#include "simulator/model/parameters.h"
#include "simulator/model/predictor.h"

/* The port of each kind. */
static const uint8_t ports[KIND_COUNT] = {
	[KIND_NONE] = PORT_ALU,
	[KIND_ALU] = PORT_ALU,
	[KIND_SHIFT] = PORT_SHIFT,
	[KIND_SELECT] = PORT_SELECT,
	[KIND_BRANCH] = PORT_BRANCH,
	[KIND_VECTOR] = PORT_VECTOR,
	[KIND_SHUFFLE] = PORT_SHUFFLE,
	[KIND_SCALED_SUM] = PORT_ALU,
	[KIND_LONG_SUM] = PORT_ALU,
	[KIND_VECTOR_MOVE] = PORT_VECTOR,
	[KIND_CROSS_LANE] = PORT_SHUFFLE,
	[KIND_MULTIPLY] = PORT_MULTIPLY,
	[KIND_FP_ADD] = PORT_FP_ADD,
	[KIND_CONVERT] = PORT_FP_ADD,
	[KIND_CONVERT_MOVE] = PORT_FP_ADD,
	[KIND_TRANSFER] = PORT_TRANSFER,
	[KIND_FP_MULTIPLY] = PORT_FP,
	[KIND_FP_FUSED] = PORT_FP,
	[KIND_X87_ADD] = PORT_FP_ADD,
	[KIND_X87_MULTIPLY] = PORT_FP,
	[KIND_VECTOR_MULTIPLY] = PORT_FP,
	[KIND_CRYPTO] = PORT_VECTOR,
	[KIND_DIVIDE_32] = PORT_ALU,
	[KIND_DIVIDE_64] = PORT_ALU,
	[KIND_FP_DIVIDE_32] = PORT_FP,
	[KIND_FP_DIVIDE_64] = PORT_FP,
	[KIND_FP_ROOT] = PORT_FP,
	[KIND_MICROCODE] = PORT_ALU,
	[KIND_LOAD] = PORT_LOAD,
	[KIND_STORE] = PORT_STORE,
	[KIND_STREAM] = PORT_STORE,
	[KIND_PREFETCH] = PORT_LOAD,
};

/* That whose units a port without any has. */
static const uint8_t shared_ports[PORT_COUNT] = {
	[PORT_SELECT] = PORT_SHIFT, [PORT_SHIFT] = PORT_ALU,	   [PORT_BITS] = PORT_ALU,
	[PORT_FP_ADD] = PORT_FP,    [PORT_TRANSFER] = PORT_FP_ADD,
};

uint8_t block_port(unsigned kind, const struct parameters *p)
{
	uint8_t port = ports[kind];

	while (!p->units[port])
		port = shared_ports[port];
	return port;
}

/* ---- steps ---- */

/* Steps are counted first, and written when there is room for them. */
struct step_maker {
	const struct block *block;
	struct step *steps; /* NULL: only counting */
	struct step last;   /* the step that may still grow, if there is one */
	bool has_last;
	unsigned count;
	uint32_t per_slot; /* of step.before */
};

static void flush_step(struct step_maker *m)
{
	if (m->has_last && m->steps)
		m->steps[m->count] = m->last;
	m->count += m->has_last;
	m->has_last = false;
}

static struct step *add_step(struct step_maker *m, const struct insn *insn, enum shape shape)
{
	flush_step(m);
	m->has_last = true;
	m->last = (struct step){ .shape = (uint8_t)shape,
				 .before = insn->before * m->per_slot,
				 .row = delay_word(insn->row, 0) };
	return &m->last;
}

/* Slots in which nothing executes. */
static void add_nothing(struct step_maker *m, const struct insn *insn, unsigned slots)
{
	if (!slots)
		return;
	if (m->has_last && m->last.shape == SHAPE_NOTHING && m->last.slots + slots <= UINT8_MAX)
		m->last.slots = (uint8_t)(m->last.slots + slots);
	else
		add_step(m, insn, SHAPE_NOTHING)->slots = (uint8_t)slots;
}

static void add_other(struct step_maker *m, const struct insn *insn, const struct uop *uop)
{
	struct step *step = add_step(m, insn, SHAPE_OTHER);

	step->number = (uint16_t)(insn - m->block->insns);
	step->uop = (uint16_t)(uop - m->block->uops);
}

static enum shape shape_of(const struct uop *uop)
{
	if (uop->kind == KIND_LOAD)
		return SHAPE_LOAD;
	if (uop->kind == KIND_STORE)
		return SHAPE_STORE;
	return SHAPE_COMPUTE;
}

static bool is_access(const struct uop *uop)
{
	return uop->kind >= KIND_LOAD;
}

static bool is_store(const struct uop *uop)
{
	return uop->kind == KIND_STORE || uop->kind == KIND_STREAM;
}

static void add_uop(struct step_maker *m, const struct insn *insn, const struct uop *uop, unsigned slots)
{
	struct step *step = add_step(m, insn, shape_of(uop));

	step->sources[0] = uop->sources[0];
	step->sources[1] = uop->sources[1];
	step->target = uop->target;
	step->port = uop->port;
	step->slots = (uint8_t)slots;
	if (is_access(uop)) {
		step->is_renamed = step_is_renamed(uop);
		if (uop->kind == KIND_LOAD)
			step->last = step_last(uop->size);
		else
			step->size = uop->size;
		step->number = uop->access;
		step->third = uop->sources[2];
	} else {
		step->latency = uop->latency;
	}
}

/* Is each of its micro-ops one that a step can have? */
static bool is_usual(const struct insn *insn, const struct uop *uop)
{
	unsigned loads = 0, stores = 0;

	if (insn->flags & INSN_LOCKED)
		return false;
	for (unsigned i = 0; i < insn->nuops; i++, uop++) {
		loads += uop->kind == KIND_LOAD;
		stores += uop->kind == KIND_STORE;
		/* A store has its data beside the address. */
		if (uop->kind > KIND_STORE || uop->sources[uop->kind == KIND_STORE ? 3 : 2] ||
		    (!is_access(uop) && uop->occupancy))
			return false;
	}
	return loads == insn->loads && insn->slots >= loads + stores;
}

/* A compare that leaves its work to the branch that is fused with it: one micro-op, in the slot of the compare. */
static bool take_back_slot(struct step_maker *m)
{
	if (!m->has_last || m->last.shape != SHAPE_NOTHING)
		return false;
	m->has_last = --m->last.slots != 0;
	return true;
}

/* Loads and stores have a slot each, and what else executes the others. */
static void add_insn_steps(struct step_maker *m, const struct insn *insn, const struct uop *uop)
{
	unsigned left = insn->slots, accesses = insn->loads;
	bool is_fused = !insn->slots && insn->nuops && take_back_slot(m);

	for (unsigned i = 0; i < insn->nuops; i++)
		accesses += is_store(&uop[i]);
	left += is_fused;
	for (unsigned i = 0; i < insn->nuops; i++, uop++) {
		unsigned slots = left > 0 && (is_access(uop) || left > accesses || i == 0);

		add_uop(m, insn, uop, slots);
		m->last.before -= is_fused ? m->per_slot : 0;
		left -= slots;
		accesses -= is_access(uop);
	}
	add_nothing(m, insn, left);
}

static unsigned make_steps(struct step_maker *m)
{
	const struct block *block = m->block;
	const struct uop *uop = block->uops;

	m->count = 0;
	for (unsigned i = 0; i < block->ninsns; i++) {
		const struct insn *insn = &block->insns[i];

		if (is_usual(insn, uop))
			add_insn_steps(m, insn, uop);
		else
			add_other(m, insn, uop);
		uop += insn->nuops;
	}
	flush_step(m);
	return m->count;
}

static bool takes_port(const struct step *step)
{
	return step->shape != SHAPE_NOTHING && step->shape != SHAPE_OTHER && step->port != PORT_NONE;
}

static void add_steps(struct block *block, const struct parameters *p)
{
	struct step_maker maker = { .block = block, .per_slot = parameters_per_slot(p) };

	block->nsteps = (uint16_t)make_steps(&maker);
	block->steps = maker.steps = sim_allocate(block->nsteps + 1u, sizeof(*block->steps));
	make_steps(&maker);
	block->steps[block->nsteps].shape = SHAPE_END;
	block->booked = 0;
	for (unsigned i = 0; i < block->nsteps; i++)
		if (takes_port(&block->steps[i]))
			block->booked += waiting_of(parameters_queue(p, block->steps[i].port));
}

/* ---- what follows from instructions and parameters ---- */

/* Not of the divider, of branches and of what microcode does. */
static bool is_chained(unsigned kind)
{
	return kind < KIND_DIVIDE_32 && kind != KIND_BRANCH;
}

static bool reads(const struct uop *uop, uint16_t value)
{
	bool is_read = false;

	for (unsigned i = 0; i < UOP_SOURCES; i++)
		is_read |= uop->sources[i] == value;
	return is_read;
}

/* Does an addition among the micro-ops from one on read the value, before it is another one? */
static bool is_added(const struct block *block, unsigned from, uint16_t value, bool *is_over)
{
	*is_over = false;
	for (unsigned i = from; i < block->nuops && !*is_over; i++) {
		if (block->uops[i].kind == KIND_FP_ADD && reads(&block->uops[i], value))
			return true;
		*is_over = block->uops[i].target == value;
	}
	return false;
}

/* The same for a value that may be in a register at the block's end, which is taken for a loop's. */
static bool is_added_next(const struct block *block, uint16_t value)
{
	bool is_over, is_any = value < VALUE_LOCALS && is_added(block, 0, value, &is_over);

	for (unsigned i = 0; i < FIRST_COPIES + (unsigned)block->ncopies && !is_any; i++) {
		const struct copy *copy = i < FIRST_COPIES ? &block->first_copies[i] : &block->copies[i - FIRST_COPIES];

		is_any = copy->from == value && is_added(block, 0, copy->to, &is_over);
	}
	return is_any;
}

/* A sum goes to another addition sooner than to other operations. */
static void finish_sums(struct block *block, const struct parameters *p)
{
	for (unsigned i = 0; i < block->nuops && p->fp_add_chain != p->latency[KIND_FP_ADD]; i++) {
		struct uop *uop = &block->uops[i];
		bool is_over = false;

		if (uop->kind != KIND_FP_ADD || uop->latency != p->latency[KIND_FP_ADD] ||
		    uop->target < VALUE_REGISTERS)
			continue;
		if (is_added(block, i + 1, uop->target, &is_over) || (!is_over && is_added_next(block, uop->target)))
			uop->latency = p->fp_add_chain & MOST_LATENCY;
	}
}

static void finish_uop(struct uop *uop, const struct parameters *p)
{
	if (uop->port != PORT_NONE)
		uop->port = block_port(uop->kind, p);
	if (uop->kind == KIND_LOAD && uop->is_vector && p->units[PORT_VECTOR_LOAD])
		uop->port = PORT_VECTOR_LOAD;
	if (uop->kind >= KIND_LOAD) {
		uop->is_indexed &= p->renames_memory > 1;
		uop->is_operand &= p->renames_memory == 1;
		return;
	}
	if (!uop->is_known)
		uop->latency = p->latency[uop->kind] & MOST_LATENCY;
	if (p->ideal[IDEAL_DEPENDENCIES] && is_chained(uop->kind))
		uop->latency = 0;
	if (!uop->is_known || !uop->occupancy)
		uop->occupancy = (uint16_t)p->occupancy[uop->kind];
}

struct sums {
	uint32_t slots, loads, stores;
};

static void add_insn(struct block *block, struct sums *sums, struct insn *insn)
{
	insn->before = (uint16_t)sums->slots;
	sums->slots += insn->slots;
	sums->loads += insn->loads;
	sums->stores += insn->stores;
	block->cached_cost += insn->cached_cost;
	if ((insn->address + insn->bytes - 1) >> 6 == block->address >> 6)
		block->line_cost = (uint16_t)(block->line_cost + insn->cached_cost);
	block->legacy_cost += insn->legacy_cost;
}

/* Too large to go through the core as a whole, or with something in it that the rest has to wait for. */
/* Its micro-ops, by their schedulers. */
static uint64_t all_waiting(const struct block *block, const struct parameters *p)
{
	uint64_t waiting = 0;

	for (unsigned i = 0; i < block->nuops; i++)
		waiting += waiting_of(parameters_queue(p, block->uops[i].port));
	return waiting;
}

/* More than half of a scheduler. */
static bool fills_scheduler(const struct block *block, const struct parameters *p)
{
	uint64_t waiting = all_waiting(block, p);

	for (unsigned i = 0; i < QUEUE_COUNT; i++)
		if (waiting_in(waiting, i) > p->schedulers[i] / 2)
			return true;
	return false;
}

static bool is_special(const struct block *block, const struct sums *sums, const struct parameters *p)
{
	for (unsigned i = 0; i < block->ninsns; i++)
		if (block->insns[i].flags & (INSN_SERIALIZES | INSN_MICROCODED))
			return true;
	return ((block->end - 1) >> 6) - (block->address >> 6) > 1 || fills_scheduler(block, p) ||
	       sums->slots > p->decode_queue || sums->slots > p->reorder_buffer || sums->loads > p->load_queue ||
	       sums->stores > p->store_queue;
}

/* The middle one of an odd number is among them. */
static uint32_t half(uint32_t entries)
{
	return (entries + 1) / 2;
}

/* The last entry that half of them need is that of another one, so many before. */
static int16_t before(uint32_t entries, uint32_t queue)
{
	return (int16_t)((int32_t)half(entries) - 1 - (int32_t)queue);
}

static void finish_room(struct block *block, const struct sums *sums, const struct parameters *p)
{
	uint64_t waiting = all_waiting(block, p), halves = 0;

	block->before_queue = (int16_t)((int32_t)sums->slots - (int32_t)p->decode_queue);
	block->before_slots = before(sums->slots, p->reorder_buffer);
	block->before_loads = before(sums->loads, p->load_queue);
	block->before_stores = before(sums->stores, p->store_queue);
	for (unsigned i = 0; i < QUEUE_COUNT; i++)
		halves += half(waiting_in(waiting, i)) * waiting_of((enum queue)i);
	block->waiting_room = waiting_room(p, halves);
}

/* Whatever little of the block is in a line, fetch has to come there: each of two has a cost. */
static void finish_lines(struct block *block)
{
	if ((block->end - 1) >> 6 == block->address >> 6)
		return;
	block->line_cost = block->line_cost ? block->line_cost : 1;
	block->cached_cost += block->cached_cost <= block->line_cost;
}

void block_finish(struct block *block, const struct parameters *p)
{
	struct sums sums = { 0 };

	block->cached_cost = block->legacy_cost = block->nstores = block->line_cost = 0;
	for (unsigned i = 0; i < block->ninsns && p->ideal[IDEAL_FENCES]; i++)
		block->insns[i].flags &= (uint16_t) ~(INSN_SERIALIZES | INSN_LOCKED | INSN_FENCE | INSN_DRAINS);
	for (unsigned i = 0; i < block->nuops; i++) {
		finish_uop(&block->uops[i], p);
		if (block->uops[i].kind < KIND_LOAD)
			continue;
		block->is_store[block->uops[i].access] = is_store(&block->uops[i]);
		block->nstores = (uint16_t)(block->nstores + block->is_store[block->uops[i].access]);
	}
	finish_sums(block, p);
	for (unsigned i = 0; i < block->ninsns; i++)
		add_insn(block, &sums, &block->insns[i]);
	finish_lines(block);
	block->slots = (uint16_t)sums.slots;
	block->first_cached_cost = block->insns[0].cached_cost;
	block->first_legacy_cost = block->insns[0].legacy_cost;
	finish_room(block, &sums, p);
	block->is_indirect = block->branch == BRANCH_INDIRECT || block->branch == BRANCH_INDIRECT_CALL;
	block->is_special = is_special(block, &sums, p);
	block->branch_hash = predictor_hash(block->insns[block->ninsns - 1].address);
	add_steps(block, p);
}
