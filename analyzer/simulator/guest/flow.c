/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/translate.h"

#include "simulator/guest/arch.h"

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
		b->bytes[i] = 0;
	}
	b->nuops = b->ninsns = b->naccesses = b->nrows = b->first_uop = b->computes = 0;
	b->nlocals = VALUE_LOCALS;
	b->nfresh = b->ntouched = 0;
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
	one.is_scaled |= other->is_scaled;
	one.is_upper |= other->is_upper;
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

/* Nothing executes for it: it comes a cycle later. */
struct flow flow_delay(struct builder *b, const struct flow *flow)
{
	Int value = flow_add_uop(b, KIND_ALU, flow, VALUE_LOCALS);

	if (value < 0)
		return *flow;
	b->uops[b->nuops - 1].port = PORT_NONE;
	return flow_of_one((UShort)value);
}

struct flow flow_settle(struct builder *b, const struct flow *flow)
{
	struct flow settled = { .kind = KIND_NONE };
	Int value;

	if (flow->nvalues == 0 || (flow->kind == KIND_NONE && flow->nvalues == 1)) {
		settled = *flow;
		settled.kind = KIND_NONE;
		settled.is_scaled = settled.is_upper = False;
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
	return flow->is_upper && value >= 0 ? flow_delay(b, &settled) : settled;
}

/* ---- registers ---- */

struct flow flow_of_one(UShort value)
{
	struct flow flow = { .kind = KIND_NONE };

	add_value(&flow, value);
	return flow;
}

struct flow flow_of_value(const struct builder *b, unsigned value)
{
	return flow_of_one(b->bytes[value] ? b->before[value] : b->registers[value]);
}

/* The register waits for what it has, too. */
static struct flow join_value(struct builder *b, const struct flow *written, UShort value)
{
	struct flow flow = flow_join(flow_of_one(value), written);

	return flow_settle(b, &flow);
}

static void set_value(struct builder *b, unsigned value, const struct flow *flow)
{
	b->registers[value] = flow->nvalues ? flow->values[0] : VALUE_READY;
}

void flow_write(struct builder *b, unsigned value, UInt bytes, const struct flow *written)
{
	struct flow flow = *written;

	if (!b->bytes[value]) {
		b->before[value] = b->registers[value];
		b->touched[b->ntouched++] = (UShort)value;
	}
	if (b->bytes[value] & ~bytes)
		flow = join_value(b, written, b->registers[value]);
	set_value(b, value, &flow);
	b->bytes[value] |= bytes;
	b->is_written[value] = True;
}

/* Where bytes are left, the register waits for what was there before, too. */
static void end_writes(struct builder *b)
{
	for (UInt i = 0; i < b->ntouched; i++) {
		unsigned value = b->touched[i];
		UInt whole = arch_whole(value);
		struct flow flow = flow_of_one(b->registers[value]);

		if ((b->bytes[value] & whole) != whole) {
			flow = join_value(b, &flow, b->before[value]);
			set_value(b, value, &flow);
		}
		b->bytes[value] = 0;
	}
	b->ntouched = 0;
}

void flow_begin_insn(struct builder *b)
{
	b->first_uop = b->nuops;
	b->computes = 0;
	b->nfresh = 0;
}

void flow_end_insn(struct builder *b, Int statement)
{
	for (Int i = 0; i < b->nfresh; i++) {
		struct temp *temp = &b->temps[b->fresh[i]];

		if (temp->last_use >= statement)
			temp->flow = flow_settle(b, &temp->flow);
	}
	b->nfresh = 0;
	end_writes(b);
}

/* ---- which temporaries are still needed, and until where ---- */

static void use(struct builder *b, const IRExpr *atom, Int statement)
{
	if (atom && atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < b->ntemps)
		b->temps[atom->Iex.RdTmp.tmp].last_use = statement;
}

static void use_list(struct builder *b, IRExpr *const *atoms, Int statement)
{
	for (; *atoms; atoms++)
		if (!is_IRExpr_VECRET_or_GSPTR(*atoms))
			use(b, *atoms, statement);
}

static void use_operands(struct builder *b, const IRExpr *e, Int statement)
{
	switch (e->tag) {
	case Iex_RdTmp: use(b, e, statement); break;
	case Iex_Qop:
		use(b, e->Iex.Qop.details->arg1, statement);
		use(b, e->Iex.Qop.details->arg2, statement);
		use(b, e->Iex.Qop.details->arg3, statement);
		use(b, e->Iex.Qop.details->arg4, statement);
		break;
	case Iex_Triop:
		use(b, e->Iex.Triop.details->arg1, statement);
		use(b, e->Iex.Triop.details->arg2, statement);
		use(b, e->Iex.Triop.details->arg3, statement);
		break;
	case Iex_Binop:
		use(b, e->Iex.Binop.arg1, statement);
		use(b, e->Iex.Binop.arg2, statement);
		break;
	case Iex_Unop: use(b, e->Iex.Unop.arg, statement); break;
	case Iex_Load: use(b, e->Iex.Load.addr, statement); break;
	case Iex_CCall: use_list(b, e->Iex.CCall.args, statement); break;
	case Iex_ITE:
		use(b, e->Iex.ITE.cond, statement);
		use(b, e->Iex.ITE.iftrue, statement);
		use(b, e->Iex.ITE.iffalse, statement);
		break;
	default: break;
	}
}

static void use_rare(struct builder *b, const IRStmt *s, Int i)
{
	switch (s->tag) {
	case Ist_StoreG:
		use(b, s->Ist.StoreG.details->addr, i);
		use(b, s->Ist.StoreG.details->data, i);
		use(b, s->Ist.StoreG.details->guard, i);
		break;
	case Ist_LoadG:
		use(b, s->Ist.LoadG.details->addr, i);
		use(b, s->Ist.LoadG.details->alt, i);
		use(b, s->Ist.LoadG.details->guard, i);
		break;
	case Ist_CAS:
		use(b, s->Ist.CAS.details->addr, i);
		use(b, s->Ist.CAS.details->dataLo, i);
		use(b, s->Ist.CAS.details->expdLo, i);
		break;
	case Ist_LLSC:
		use(b, s->Ist.LLSC.addr, i);
		use(b, s->Ist.LLSC.storedata, i);
		break;
	case Ist_Dirty:
		use(b, s->Ist.Dirty.details->guard, i);
		use(b, s->Ist.Dirty.details->mAddr, i);
		use_list(b, s->Ist.Dirty.details->args, i);
		break;
	default: break;
	}
}

void flow_find_last_uses(struct builder *b, const IRSB *superblock)
{
	for (Int i = 0; i < superblock->stmts_used; i++) {
		const IRStmt *s = superblock->stmts[i];

		switch (s->tag) {
		case Ist_WrTmp: use_operands(b, s->Ist.WrTmp.data, i); break;
		case Ist_Put: use(b, s->Ist.Put.data, i); break;
		case Ist_PutI: use(b, s->Ist.PutI.details->data, i); break;
		case Ist_Exit: use(b, s->Ist.Exit.guard, i); break;
		case Ist_Store:
			use(b, s->Ist.Store.addr, i);
			use(b, s->Ist.Store.data, i);
			break;
		default: use_rare(b, s, i); break;
		}
	}
	use(b, superblock->next, superblock->stmts_used);
}
