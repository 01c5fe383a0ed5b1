/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/translate.h"

#include "simulator/guest/arch.h"

/* Between general and vector registers. */
static Bool is_move_across(const struct walk *w)
{
	return w->crossing == CROSSES_TO_VECTOR || w->crossing == CROSSES_TO_GENERAL;
}

/* ---- accesses ---- */

static Int add_access(struct walk *w, enum kind kind, const struct access *access, const struct flow *sources)
{
	struct builder *b = w->b;
	UInt number = b->naccesses;
	Int value = flow_add_uop(b, kind, sources, kind == KIND_LOAD ? VALUE_LOCALS : VALUE_UNUSED);

	if (value < 0 || number == MOST_ACCESSES)
		return VALUE_UNUSED;
	b->uops[b->nuops - 1].size = access->size & MOST_ACCESS_SIZE;
	b->uops[b->nuops - 1].is_vector = (w->traits & TRAIT_VECTOR) != 0;
	b->uops[b->nuops - 1].is_indexed = access->is_indexed;
	b->uops[b->nuops - 1].access = (UShort)number;
	b->accesses[b->naccesses] = *access;
	b->accesses[b->naccesses++].statement = w->statement;
	if (w->insn && (kind == KIND_LOAD || kind == KIND_PREFETCH))
		w->insn->loads++;
	else if (w->insn)
		w->insn->stores++;
	if (w->insn && kind == KIND_LOAD)
		w->insn->loaded = (UShort)(w->insn->loaded + access->size);
	else if (w->insn && kind != KIND_PREFETCH)
		w->insn->stored = (UShort)(w->insn->stored + access->size);
	return value;
}

/* The address is worked out by the unit that loads: what it takes beyond its values is part of the latency. */
static struct flow add_load(struct walk *w, struct access *access)
{
	struct flow sources = flow_of(w->b, access->address);
	struct flow loaded = { .nvalues = 1, .kind = KIND_NONE };

	if (w->traits & TRAIT_OF_REGISTERS)
		return w->passed = flow_join(w->passed, &sources);
	access->is_indexed = sources.nvalues > 1;
	/* A cycle for the unit that loads to shift an index. */
	if (sources.is_scaled && w->translator->parameters->scaled_load)
		sources = flow_delay(w->b, &sources);
	loaded.values[0] = (UShort)add_access(w, KIND_LOAD, access, &sources);
	return loaded;
}

static void add_store(struct walk *w, struct access *access, const IRExpr *data)
{
	struct flow sources = flow_of(w->b, access->address), stored = flow_of(w->b, data);

	access->is_indexed = sources.nvalues > 1;
	if (w->traits & TRAIT_OF_REGISTERS) {
		w->passed = flow_join(flow_join(w->passed, &stored), &sources);
		return;
	}
	stored = flow_settle(w->b, &stored);
	sources = flow_join(sources, &stored);
	add_access(w, w->hint == HINT_STREAMS ? KIND_STREAM : KIND_STORE, access, &sources);
}

/* ---- statements ---- */

static struct flow flow_of_list(struct walk *w, IRExpr *const *atoms)
{
	struct flow flow = { .kind = KIND_NONE }, one;

	for (; *atoms; atoms++) {
		if (is_IRExpr_VECRET_or_GSPTR(*atoms))
			continue;
		one = flow_of(w->b, *atoms);
		flow = flow_join(flow, &one);
	}
	return flow;
}

static struct flow flow_of_operands(struct walk *w, enum kind kind, const IRExpr *const *operands)
{
	struct flow flow = { .kind = (UChar)kind }, one;

	for (; *operands; operands++) {
		one = flow_of(w->b, *operands);
		flow = flow_join(flow, &one);
	}
	return flow;
}

static struct flow flow_of_register(struct walk *w, Int offset)
{
	unsigned value = arch_value(offset);

	return value == VALUE_UNUSED ? (struct flow){ .kind = KIND_NONE } : flow_of_value(w->b, value);
}

/* What VEX makes of shifts and additions: a count of bits, or a sum that takes longer than others on some cores. */
static enum kind kind_of_sum(const struct walk *w)
{
	const struct parameters *p = w->translator->parameters;

	if (w->traits & TRAIT_COUNT)
		return KIND_BITS;
	if (w->traits & TRAIT_SHIFT)
		return KIND_SHIFT;
	if (w->traits & TRAIT_SELECT)
		return KIND_SELECT;
	if (w->traits & TRAIT_LONG_SUM && p->latency[KIND_LONG_SUM] > p->latency[KIND_ALU])
		return KIND_LONG_SUM;
	return w->traits & TRAIT_SCALED_SUM ? KIND_SCALED_SUM : KIND_ALU;
}

/* What an instruction leaves of the flags, it does not wait for. */
static Bool keeps_flags(const struct walk *w, const HChar *helper)
{
	return w->traits & (TRAIT_SHIFT | TRAIT_FUSES) && !(w->traits & TRAIT_READS_FLAGS) &&
	       VG_(strstr)(helper, "calculate_rflags");
}

static struct flow flow_of_call(struct walk *w, const IRExpr *e)
{
	struct flow flow = { .kind = KIND_NONE };
	enum kind kind = w->traits & TRAIT_SHIFT ? KIND_SHIFT : classify_call(e->Iex.CCall.cee->name);

	if (keeps_flags(w, e->Iex.CCall.cee->name))
		return flow;
	flow = flow_of_list(w, e->Iex.CCall.args);
	if (kind == KIND_ALU)
		kind = kind_of_sum(w);
	if (kind > flow.kind)
		flow.kind = (UChar)kind;
	if (kind == KIND_MICROCODE && w->insn)
		w->insn->flags |= INSN_MICROCODED;
	return flow;
}

/* As VEX has an index that is multiplied by 2, 4 or 8. */
static Bool is_scale(IROp op, const IRExpr *by)
{
	return op == Iop_Shl64 && by && by->tag == Iex_Const && by->Iex.Const.con->tag == Ico_U8 &&
	       by->Iex.Const.con->Ico.U8 <= 3;
}

static struct flow flow_of_op(struct walk *w, IROp op, const IRExpr *const *operands)
{
	enum kind kind = classify_op(op);
	struct flow flow;

	if (kind == KIND_ALU)
		kind = kind_of_sum(w);
	if (kind == KIND_MULTIPLY && w->traits & TRAIT_VECTOR) /* VEX goes lane by lane */
		kind = KIND_VECTOR_MULTIPLY;
	if (kind == KIND_CONVERT && is_move_across(w))
		kind = KIND_CONVERT_MOVE;
	if (w->insn && kind >= KIND_FP_ADD && kind <= KIND_FP_ROOT && kind != KIND_VECTOR_MULTIPLY &&
	    kind != KIND_DIVIDE_32 && kind != KIND_DIVIDE_64 && kind != KIND_CRYPTO)
		w->insn->flags |= INSN_FLOATING;
	if (w->insn && kind == KIND_MICROCODE)
		w->insn->flags |= INSN_MICROCODED;
	if (w->insn && kind == KIND_CRYPTO)
		w->insn->flags |= INSN_CRYPTO;
	arithmetic_note(&w->flops, op);
	flow = flow_of_operands(w, kind, operands);
	flow.is_scaled |= is_scale(op, operands[1]);
	flow.is_upper |= flow.kind == KIND_MULTIPLY && (op == Iop_128HIto64 || op == Iop_64HIto32);
	return flow;
}

/* CMOVcc waits for the flags, which VEX makes once more of what was compared. */
static struct flow flow_of_choice(struct walk *w, const IRExpr *e)
{
	const IRExpr *cond = e->Iex.ITE.cond, *yes = e->Iex.ITE.iftrue, *no = e->Iex.ITE.iffalse;
	struct flow chosen = flow_of_operands(w, kind_of_sum(w), (const IRExpr *[]){ yes, no, NULL });
	struct flow condition = w->traits & TRAIT_READS_FLAGS ? flow_of_one(w->flags) : flow_of(w->b, cond);

	return flow_join(chosen, &condition);
}

static struct flow flow_of_expression(struct walk *w, IRExpr *e)
{
	switch (e->tag) {
	case Iex_RdTmp:
	case Iex_Const: return flow_of(w->b, e);
	case Iex_Get: return flow_of_register(w, e->Iex.Get.offset);
	case Iex_GetI: return flow_of_register(w, e->Iex.GetI.descr->base);
	case Iex_Qop:
		return flow_of_op(w, e->Iex.Qop.details->op,
				  (const IRExpr *[]){ e->Iex.Qop.details->arg2, e->Iex.Qop.details->arg3,
						      e->Iex.Qop.details->arg4, NULL });
	case Iex_Triop:
		return flow_of_op(w, e->Iex.Triop.details->op,
				  (const IRExpr *[]){ e->Iex.Triop.details->arg1, e->Iex.Triop.details->arg2,
						      e->Iex.Triop.details->arg3, NULL });
	case Iex_Binop:
		return flow_of_op(w, e->Iex.Binop.op, (const IRExpr *[]){ e->Iex.Binop.arg1, e->Iex.Binop.arg2, NULL });
	case Iex_Unop: return flow_of_op(w, e->Iex.Unop.op, (const IRExpr *[]){ e->Iex.Unop.arg, NULL });
	case Iex_ITE: return flow_of_choice(w, e);
	case Iex_CCall: return flow_of_call(w, e);
	case Iex_Load:
		return add_load(
			w, &(struct access){ .address = e->Iex.Load.addr, .size = (UInt)sizeofIRType(e->Iex.Load.ty) });
	default: return (struct flow){ .kind = KIND_NONE };
	}
}

/* PUSH, POP, CALL and RET move the stack pointer without a micro-op. */
static Bool is_stack_engine(const struct walk *w, const struct flow *flow)
{
	unsigned pointer = arch_value(w->translator->layout->offset_SP);

	return (w->traits & TRAIT_STACK) && flow->kind == KIND_ALU && flow->nvalues == 1 &&
	       flow->values[0] == w->b->registers[pointer];
}

static void set_temp(struct walk *w, IRTemp temp, const struct flow *flow)
{
	struct builder *b = w->b;

	if ((Int)temp >= b->ntemps)
		return;
	b->temps[temp].flow = *flow;
	if (is_stack_engine(w, flow))
		b->temps[temp].flow.kind = KIND_NONE;
	b->fresh[b->nfresh++] = temp;
}

static void write_register(struct walk *w, Int offset, UInt size, const struct flow *flow)
{
	unsigned value = arch_value(offset);
	UInt bytes = size < 32 ? (1u << size) - 1 : ~0u;

	flow_write(w->b, value, bytes << arch_first_byte(offset), flow);
}

/* VEX keeps the operands of what set the flags; they are ready with the one that is made last. */
static void put_flags(struct walk *w, const struct flow *flow)
{
	UShort last = w->flags_insn == w->b->ninsns ? w->b->registers[arch_flags()] : VALUE_READY;

	for (UInt i = 0; i < flow->nvalues; i++)
		if (flow->values[i] > last)
			last = flow->values[i];
	w->b->registers[arch_flags()] = last;
	w->b->is_written[arch_flags()] = True;
	w->flags_insn = w->b->ninsns;
}

static Bool is_extended(const struct walk *w)
{
	return w->traits & TRAIT_EXTENDS ||
	       (w->traits & TRAIT_EXTENDS_BYTE && w->translator->parameters->extends_by_alu);
}

/* It takes a unit, though it waits for nothing. */
static struct flow constant(struct builder *b)
{
	struct flow nothing = { .kind = KIND_NONE };
	Int value = flow_add_uop(b, KIND_ALU, &nothing, VALUE_LOCALS);

	b->computes += value >= 0;
	return value >= 0 ? flow_of_one((UShort)value) : nothing;
}

static void walk_put(struct walk *w, Int offset, const IRExpr *data)
{
	unsigned value = arch_value(offset);
	struct flow flow = flow_of(w->b, data), settled;

	if (value == VALUE_UNUSED ||
	    (w->traits & TRAIT_OF_REGISTERS && value == arch_value(w->translator->layout->offset_SP)))
		return;
	/* What a compare does is the branch's, or comes at its end. */
	if (w->traits & TRAIT_COMPARE) {
		w->compared = flow_join(w->compared, &flow);
		w->compared.kind = KIND_NONE;
		put_flags(w, &flow);
		return;
	}
	if (w->traits & TRAIT_REPEATED)
		flow.kind = KIND_NONE;
	if (w->traits & TRAIT_READS_FLAGS && value != arch_flags() && flow.kind != KIND_NONE)
		flow = flow_join(flow_of_one(w->flags), &flow);
	if (w->traits & TRAIT_POP_FLAGS && value == arch_flags())
		flow.kind = KIND_MICROCODE;
	if (w->traits & TRAIT_CONSTANT && !flow.nvalues)
		flow = constant(w->b);
	/* VEX moves lanes one by one, which is no work of theirs. */
	if (is_move_across(w) && flow.kind <= KIND_SHUFFLE)
		flow.kind = KIND_VECTOR_MOVE;
	if (flow.kind == KIND_NONE && is_extended(w))
		flow.kind = KIND_ALU;
	if (w->traits & TRAIT_CROSS_LANE && flow.kind <= KIND_SHUFFLE)
		flow.kind = KIND_CROSS_LANE;
	settled = flow_settle(w->b, &flow);
	/* Later uses of the temporary in this instruction need no micro-op of their own. */
	if (data->tag == Iex_RdTmp && (Int)data->Iex.RdTmp.tmp < w->b->ntemps)
		w->b->temps[data->Iex.RdTmp.tmp].flow = settled;
	if (value == arch_flags())
		put_flags(w, &settled);
	else
		write_register(w, offset, (UInt)sizeofIRType(typeOfIRExpr(w->superblock->tyenv, data)), &settled);
}

static void put_dirty(struct walk *w, const IRDirty *d, const struct flow *flow)
{
	struct flow settled = flow_settle(w->b, flow);

	for (Int i = 0; i < d->nFxState; i++) {
		unsigned value = arch_value(d->fxState[i].offset);

		if (d->fxState[i].fx == Ifx_Read || value == VALUE_UNUSED)
			continue;
		write_register(w, d->fxState[i].offset, d->fxState[i].size, &settled);
	}
	if (d->tmp != IRTemp_INVALID)
		set_temp(w, d->tmp, &settled);
}

static void walk_dirty(struct walk *w, const IRDirty *d)
{
	struct access access = { .address = d->mAddr, .guard = d->guard, .size = (UInt)d->mSize };
	struct flow flow = flow_of_list(w, d->args), one;
	enum kind kind = classify_call(d->cee->name);

	for (Int i = 0; i < d->nFxState; i++) {
		if (d->fxState[i].fx == Ifx_Write)
			continue;
		one = flow_of_register(w, d->fxState[i].offset);
		flow = flow_join(flow, &one);
	}
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify) {
		one = add_load(w, &access);
		flow = flow_join(flow, &one);
	}
	flow.kind = (UChar)kind;
	if (w->insn && kind == KIND_MICROCODE)
		w->insn->flags |= INSN_MICROCODED;
	if (w->insn && kind == KIND_CRYPTO)
		w->insn->flags |= INSN_CRYPTO;
	if (w->insn && is_serializing_call(d->cee->name))
		w->insn->flags |= INSN_SERIALIZES;
	put_dirty(w, d, &flow);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		add_store(w, &access, NULL);
}

static void walk_cas(struct walk *w, const IRCAS *cas)
{
	UInt size = (UInt)sizeofIRType(typeOfIRExpr(w->superblock->tyenv, cas->dataLo));
	struct access access = { .address = cas->addr, .size = cas->dataHi ? 2 * size : size };
	struct flow loaded = add_load(w, &access);

	set_temp(w, cas->oldLo, &loaded);
	if (cas->oldHi != IRTemp_INVALID)
		set_temp(w, cas->oldHi, &loaded);
	add_store(w, &access, cas->dataLo);
	if (w->insn)
		w->insn->flags |= INSN_LOCKED;
}

static void walk_linked(struct walk *w, const IRStmt *s)
{
	const IRExpr *data = s->Ist.LLSC.storedata;
	IRType type = data ? typeOfIRExpr(w->superblock->tyenv, data)
			   : typeOfIRTemp(w->superblock->tyenv, s->Ist.LLSC.result);
	struct access access = { .address = s->Ist.LLSC.addr, .size = (UInt)sizeofIRType(type) };
	struct flow loaded = { .kind = KIND_NONE };

	if (data)
		add_store(w, &access, data);
	else
		loaded = add_load(w, &access);
	set_temp(w, s->Ist.LLSC.result, &loaded);
	if (w->insn && data)
		w->insn->flags |= INSN_LOCKED;
}

static void walk_guarded(struct walk *w, const IRStmt *s)
{
	const IRLoadG *load = s->tag == Ist_LoadG ? s->Ist.LoadG.details : NULL;
	const IRStoreG *store = load ? NULL : s->Ist.StoreG.details;
	struct access access = { .address = load ? load->addr : store->addr,
				 .guard = load ? load->guard : store->guard };
	struct flow guard = flow_of(w->b, access.guard), flow, other;
	IRType loaded, widened;

	if (store) {
		access.size = (UInt)sizeofIRType(typeOfIRExpr(w->superblock->tyenv, store->data));
		add_store(w, &access, store->data);
		return;
	}
	typeOfIRLoadGOp(load->cvt, &widened, &loaded);
	access.size = (UInt)sizeofIRType(loaded);
	flow = add_load(w, &access);
	other = flow_of(w->b, load->alt);
	flow = flow_join(flow_join(flow, &other), &guard);
	set_temp(w, load->dst, &flow);
}

void walk_prefetch(struct walk *w, const struct operand *operand)
{
	struct access access = { .operand = *operand, .size = 1 };
	struct flow sources = { .kind = KIND_NONE }, index;

	if (operand->base >= 0)
		sources = flow_of_register(w, operand->base);
	if (operand->index >= 0) {
		index = flow_of_register(w, operand->index);
		sources = flow_join(sources, &index);
	}
	add_access(w, KIND_PREFETCH, &access, &sources);
}

/* An exit that is the instruction's own branch: not one back to it, which a repeated or an atomic one takes. */
static void walk_exit(struct walk *w, const IRStmt *s)
{
	Addr to = (Addr)(s->Ist.Exit.dst->tag == Ico_U64 ? s->Ist.Exit.dst->Ico.U64 : s->Ist.Exit.dst->Ico.U32);

	if (s->Ist.Exit.jk != Ijk_Boring || !w->insn || to == w->insn->address || w->traits & TRAIT_REPEATED)
		return;
	w->has_exit = True;
	w->exit_to = to;
	w->condition = flow_of(w->b, s->Ist.Exit.guard);
}

static void note_vector(struct walk *w, const IRExpr *data)
{
	IRType type = typeOfIRExpr(w->superblock->tyenv, data);

	if (w->insn && (type == Ity_V128 || type == Ity_V256))
		w->insn->flags |= INSN_VECTOR;
}

void walk_statement(struct walk *w, const IRStmt *s)
{
	struct flow flow;

	switch (s->tag) {
	case Ist_WrTmp:
		flow = flow_of_expression(w, s->Ist.WrTmp.data);
		set_temp(w, s->Ist.WrTmp.tmp, &flow);
		break;
	case Ist_Put:
		note_vector(w, s->Ist.Put.data);
		walk_put(w, s->Ist.Put.offset, s->Ist.Put.data);
		break;
	case Ist_PutI: /* of x87's registers and tags only */
		if (w->insn)
			w->insn->flags |= INSN_X87;
		walk_put(w, s->Ist.PutI.details->descr->base, s->Ist.PutI.details->data);
		break;
	case Ist_Store:
		add_store(w,
			  &(struct access){
				  .address = s->Ist.Store.addr,
				  .size = (UInt)sizeofIRType(typeOfIRExpr(w->superblock->tyenv, s->Ist.Store.data)) },
			  s->Ist.Store.data);
		break;
	case Ist_StoreG:
	case Ist_LoadG: walk_guarded(w, s); break;
	case Ist_CAS: walk_cas(w, s->Ist.CAS.details); break;
	case Ist_LLSC: walk_linked(w, s); break;
	case Ist_Dirty: walk_dirty(w, s->Ist.Dirty.details); break;
	case Ist_Exit: walk_exit(w, s); break;
	case Ist_MBE:
		if (w->insn && !(w->traits & TRAIT_STORE_FENCE))
			w->insn->flags |=
				INSN_SERIALIZES | INSN_FENCE | (w->traits & TRAIT_FULL_FENCE ? INSN_DRAINS : 0);
		break;
	default: break;
	}
}
