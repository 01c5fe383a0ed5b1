/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/block_steps.h"

#include "sim/memory.h"
#include "sim/core.h"

/* Steps are counted first, and written when there is room for them. */
struct maker {
	const struct block *block;
	struct step *steps; /* NULL: only counting */
	struct step last;   /* the step that may still grow, if there is one */
	bool has_last;
	unsigned count;
	uint32_t per_slot; /* of step.before */
};

static void flush(struct maker *m)
{
	if (m->has_last && m->steps)
		m->steps[m->count] = m->last;
	m->count += m->has_last;
	m->has_last = false;
}

static struct step *add(struct maker *m, const struct insn *insn, enum shape shape)
{
	flush(m);
	m->has_last = true;
	m->last = (struct step){ .shape = (uint8_t)shape,
				 .before = insn->before * m->per_slot,
				 .place = delay_word(insn->place, 0) };
	return &m->last;
}

/* Slots in which nothing executes. */
static void add_nothing(struct maker *m, const struct insn *insn, unsigned slots)
{
	if (!slots)
		return;
	if (m->has_last && m->last.shape == SHAPE_NOTHING && m->last.slots + slots <= UINT8_MAX)
		m->last.slots = (uint8_t)(m->last.slots + slots);
	else
		add(m, insn, SHAPE_NOTHING)->slots = (uint8_t)slots;
}

static void add_other(struct maker *m, const struct insn *insn, const struct uop *uop)
{
	struct step *step = add(m, insn, SHAPE_OTHER);

	step->number = (uint16_t)(insn - m->block->insns);
	step->uop = (uint16_t)(uop - m->block->uops);
}

static enum shape shape_of(const struct uop *uop)
{
	if (uop->kind == KIND_LOAD)
		return SHAPE_LOAD;
	if (uop->kind == KIND_STORE)
		return SHAPE_STORE;
	return uop->port == PORT_NONE ? SHAPE_SECOND : SHAPE_COMPUTE;
}

static bool is_access(const struct uop *uop)
{
	return uop->kind >= KIND_LOAD;
}

static void add_uop(struct maker *m, const struct insn *insn, const struct uop *uop, unsigned slots)
{
	struct step *step = add(m, insn, shape_of(uop));

	step->sources[0] = uop->sources[0];
	step->sources[1] = uop->sources[1];
	step->target = uop->target;
	step->port = uop->port;
	step->slots = (uint8_t)slots;
	if (is_access(uop)) {
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
		if (uop->sources[uop->kind == KIND_STORE ? 3 : 2] || (!is_access(uop) && uop->occupancy))
			return false;
	}
	return loads == insn->loads && insn->slots >= loads + stores;
}

/* A compare that leaves its work to the branch that is fused with it: one micro-op, in the slot of the compare. */
static bool take_back_slot(struct maker *m)
{
	if (!m->has_last || m->last.shape != SHAPE_NOTHING)
		return false;
	m->has_last = --m->last.slots != 0;
	return true;
}

/* Loads and stores have a slot each, and what else executes the others. */
static void add_insn(struct maker *m, const struct insn *insn, const struct uop *uop)
{
	unsigned left = insn->slots, accesses = insn->loads;
	bool is_fused = !insn->slots && insn->nuops && take_back_slot(m);

	for (unsigned i = 0; i < insn->nuops; i++)
		accesses += uop[i].kind == KIND_STORE;
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

static unsigned make(struct maker *m)
{
	const struct block *block = m->block;
	const struct uop *uop = block->uops;

	m->count = 0;
	for (unsigned i = 0; i < block->ninsns; i++) {
		const struct insn *insn = &block->insns[i];

		if (is_usual(insn, uop))
			add_insn(m, insn, uop);
		else
			add_other(m, insn, uop);
		uop += insn->nuops;
	}
	flush(m);
	return m->count;
}

static bool takes_port(const struct step *step)
{
	return step->shape == SHAPE_COMPUTE || step->shape == SHAPE_LOAD || step->shape == SHAPE_STORE;
}

void block_make_steps(struct block *block, const struct parameters *p)
{
	struct maker maker = { .block = block, .per_slot = parameters_per_slot(p) };

	block->nsteps = (uint16_t)make(&maker);
	block->steps = maker.steps = sim_allocate(block->nsteps + 1u, sizeof(*block->steps));
	make(&maker);
	block->steps[block->nsteps].shape = SHAPE_END;
	block->booked = 0;
	for (unsigned i = 0; i < block->nsteps; i++)
		block->booked = (uint16_t)(block->booked + takes_port(&block->steps[i]));
}
