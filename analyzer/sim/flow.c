/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/flow.h"

#include "sim/parameters.h"

Bool flow_begin(struct builder *b, Int ntemps)
{
	if (ntemps > MOST_TEMPS)
		return False;
	b->ntemps = ntemps;
	for (Int i = 0; i < ntemps; i++)
		b->temps[i] = (struct temp){ .last_use = -1 };
	for (UInt i = 0; i < VALUE_LOCALS; i++) {
		b->registers[i] = (UShort)i;
		b->is_written[i] = False;
	}
	b->nuops = b->ninsns = b->naccesses = b->first_uop = b->computes = 0;
	b->nlocals = VALUE_LOCALS;
	b->nfresh = 0;
	return True;
}

struct flow flow_of(const struct builder *b, const IRExpr *atom)
{
	if (atom && atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < b->ntemps)
		return b->temps[atom->Iex.RdTmp.tmp].flow;
	return (struct flow){ .kind = KIND_NONE };
}

static void add_value(struct flow *flow, UShort value)
{
	if (value == VALUE_READY || flow->nvalues == UOP_SOURCES)
		return;
	for (UInt i = 0; i < flow->nvalues; i++)
		if (flow->values[i] == value)
			return;
	flow->values[flow->nvalues++] = value;
}

struct flow flow_join(struct flow one, const struct flow *other)
{
	for (UInt i = 0; i < other->nvalues; i++)
		add_value(&one, other->values[i]);
	if (other->kind > one.kind)
		one.kind = other->kind;
	return one;
}

static UInt new_value(struct builder *b)
{
	return b->nlocals < VALUE_COUNT ? b->nlocals++ : VALUE_UNUSED;
}

Int flow_add_uop(struct builder *b, enum kind kind, const struct flow *sources, UInt target)
{
	struct uop *uop;

	/* The instruction's own count is a byte. */
	if (b->nuops == MOST_UOPS || b->nuops - b->first_uop == 255)
		return -1;
	uop = &b->uops[b->nuops++];
	*uop = (struct uop){ .kind = (UChar)kind };
	for (UInt i = 0; i < sources->nvalues; i++)
		uop->sources[i] = sources->values[i];
	uop->target = (UShort)(target == VALUE_LOCALS ? new_value(b) : target);
	return uop->target;
}

/* The same operation on the same values was done in this instruction already: its result. */
static Int find_done(const struct builder *b, const struct flow *flow)
{
	for (UInt i = b->first_uop; i < b->nuops; i++) {
		const struct uop *uop = &b->uops[i];
		UInt same = 0;

		if (uop->kind != flow->kind)
			continue;
		while (same < UOP_SOURCES && uop->sources[same] == (same < flow->nvalues ? flow->values[same] : 0))
			same++;
		if (same == UOP_SOURCES)
			return uop->target;
	}
	return -1;
}

struct flow flow_settle(struct builder *b, const struct flow *flow)
{
	struct flow settled = { .kind = KIND_NONE };
	Int value;

	if (flow->nvalues == 0 || (flow->kind == KIND_NONE && flow->nvalues == 1)) {
		settled = *flow;
		settled.kind = KIND_NONE;
		return settled;
	}
	value = find_done(b, flow);
	if (value < 0) {
		value = flow_add_uop(b, (enum kind)flow->kind, flow, VALUE_LOCALS);
		if (value >= 0) {
			/* What else an instruction computes comes from the same micro-op. */
			if (flow->kind == KIND_NONE || b->computes > 0)
				b->uops[b->nuops - 1].port = PORT_NONE;
			b->computes += flow->kind != KIND_NONE;
		}
	}
	if (value >= 0)
		add_value(&settled, (UShort)value);
	return settled;
}

void flow_settle_temp(struct builder *b, IRTemp temp)
{
	struct flow *flow = &b->temps[temp].flow;

	*flow = flow_settle(b, flow);
}

void flow_begin_insn(struct builder *b)
{
	b->first_uop = b->nuops;
	b->computes = 0;
	b->nfresh = 0;
}

void flow_end_insn(struct builder *b, Int statement)
{
	for (Int i = 0; i < b->nfresh; i++)
		if (b->temps[b->fresh[i]].last_use >= statement)
			flow_settle_temp(b, b->fresh[i]);
	b->nfresh = 0;
}
