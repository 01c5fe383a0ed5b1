/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/translate.h"

#include "sim/arch.h"
#include "sim/classify.h"
#include "sim/memory.h"

#define MICROCODE_SLOTS 8 /* of what a helper function of VEX does, for want of better */

/* The superblock on its way through the walk. */
struct walk {
	struct translator *translator;
	struct builder *b;
	const IRSB *superblock;
	const struct access_sink *sink;
	Int statement;
	struct insn *insn;	      /* NULL before the first */
	unsigned traits, last_traits; /* of this instruction and of the one before */
	struct flow compared;	      /* what went into the flags */
	Bool has_exit;		      /* the instruction leaves the block on a condition */
	Bool is_flag_read;	      /* a compare's flags were worked out of these */
	struct flow condition;
	Addr exit_to;
};

/* ---- last uses ---- */

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

static void find_last_uses(struct builder *b, const IRSB *superblock)
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

/* ---- instructions ---- */

/* Slots as the core issues them: what loads carries its operation, what stores is one, else there is one in any case. */
static UInt slots_of(const struct insn *insn, UInt computes)
{
	UInt slots = (UInt)insn->loads + insn->stores;

	if (insn->flags & INSN_MICROCODED)
		return slots + MICROCODE_SLOTS;
	if (insn->flags & INSN_REPEATED)
		return 1;
	if (computes && !insn->loads)
		slots++;
	return slots ? slots : 1;
}

/* How long delivery takes, from the micro-op cache and from the decoders. */
static void set_costs(struct insn *insn, const struct parameters *p)
{
	UInt slots = insn->slots, by_width = slots * FETCH_UNIT / p->decode_width;
	UInt by_bytes = insn->bytes * FETCH_UNIT / p->decode_bytes;

	insn->cached_cost = (UShort)(slots * FETCH_UNIT / p->uop_cache_width);
	insn->legacy_cost = (UShort)(by_width > by_bytes ? by_width : by_bytes);
	if (insn->flags & INSN_MICROCODED)
		insn->cached_cost = insn->legacy_cost = (UShort)(slots * FETCH_UNIT / p->microcode_width);
}

/* A compare whose result nobody stored still executes. */
static void add_compare(struct walk *w, unsigned next_traits)
{
	/* ... unless the branch behind it does that too. */
	if (!(w->traits & TRAIT_COMPARE) || w->b->computes || next_traits & TRAIT_CONDITIONAL)
		return;
	flow_add_uop(w->b, KIND_ALU, &w->compared, VALUE_UNUSED);
	w->b->computes++;
}

/* A flag-setting instruction and the conditional branch behind it are one micro-op. */
static Bool is_fused(const struct walk *w)
{
	return (w->traits & TRAIT_CONDITIONAL) && (w->last_traits & TRAIT_FUSES);
}

/* next_traits: of the instruction behind it in the block, 0 for none. */
static void end_insn(struct walk *w, unsigned next_traits)
{
	struct insn *insn = w->insn;

	if (!insn)
		return;
	flow_end_insn(w->b, w->statement);
	add_compare(w, next_traits);
	insn->nuops = (UChar)(w->b->nuops - w->b->first_uop);
	insn->slots = (UChar)(is_fused(w) ? 0 : slots_of(insn, w->b->computes));
	if (insn->loads || insn->stores)
		insn->flags |= INSN_MEMORY;
	set_costs(insn, w->translator->parameters);
	w->last_traits = w->traits;
}

static void begin_insn(struct walk *w, Addr address, UInt length)
{
	struct builder *b = w->b;
	Addr line = (address + length - 1) >> 6;
	unsigned traits = length ? arch_traits((const UChar *)address, length) : 0;

	end_insn(w, traits);
	flow_begin_insn(b);
	w->traits = traits;
	w->compared = (struct flow){ .kind = KIND_NONE };
	w->has_exit = False;
	w->insn = &b->insns[b->ninsns++];
	*w->insn = (struct insn){ .address = address, .bytes = (UChar)length };
	if (w->traits & TRAIT_REPEATED)
		w->insn->flags |= INSN_REPEATED;
	if (b->ninsns == 1 || line != w->translator->last_line_end)
		w->insn->flags |= INSN_STARTS_LINE;
	w->translator->last_line_end = line;
	if (w->translator->place)
		w->insn->place = w->translator->place(address);
}

/* ---- accesses ---- */

struct access {
	IRExpr *address, *guard;
	UInt size;
};

static Int add_access(struct walk *w, enum kind kind, const struct access *access, const struct flow *sources)
{
	struct builder *b = w->b;
	UInt number = b->naccesses;
	Int value = flow_add_uop(b, kind, sources, kind == KIND_LOAD ? VALUE_LOCALS : VALUE_UNUSED);

	if (value < 0 || number == MOST_ACCESSES)
		return VALUE_UNUSED;
	b->uops[b->nuops - 1].size = (UShort)access->size;
	b->uops[b->nuops - 1].access = (UShort)number;
	b->naccesses++;
	w->sink->on_access(w->sink->context, w->statement, access->address, access->guard, number);
	if (w->insn && kind == KIND_LOAD)
		w->insn->loads++;
	else if (w->insn)
		w->insn->stores++;
	return value;
}

/* The address is worked out by the unit that loads: what it takes beyond its values is part of the latency. */
static struct flow add_load(struct walk *w, const struct access *access)
{
	struct flow sources = flow_of(w->b, access->address);
	struct flow loaded = { .nvalues = 1, .kind = KIND_NONE };

	loaded.values[0] = (UShort)add_access(w, KIND_LOAD, access, &sources);
	return loaded;
}

static void add_store(struct walk *w, const struct access *access, const IRExpr *data)
{
	struct flow sources = flow_of(w->b, access->address), stored = flow_of(w->b, data);

	stored = flow_settle(w->b, &stored);
	sources = flow_join(sources, &stored);
	add_access(w, KIND_STORE, access, &sources);
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
	struct flow flow = { .kind = KIND_NONE };

	if (value == VALUE_UNUSED || w->b->registers[value] == VALUE_READY)
		return flow;
	flow.nvalues = 1;
	flow.values[0] = w->b->registers[value];
	return flow;
}

static struct flow flow_of_call(struct walk *w, const IRExpr *e)
{
	struct flow flow = flow_of_list(w, e->Iex.CCall.args);
	enum kind kind = classify_call(e->Iex.CCall.cee->name);

	if (kind > flow.kind)
		flow.kind = (UChar)kind;
	if (kind == KIND_MICROCODE && w->insn)
		w->insn->flags |= INSN_MICROCODED;
	return flow;
}

static struct flow flow_of_op(struct walk *w, IROp op, const IRExpr *const *operands)
{
	enum kind kind = classify_op(op);

	if (w->insn && kind >= KIND_FP_ADD && kind <= KIND_FP_ROOT && kind != KIND_VECTOR_MULTIPLY &&
	    kind != KIND_DIVIDE_32 && kind != KIND_DIVIDE_64 && kind != KIND_CRYPTO)
		w->insn->flags |= INSN_FLOATING;
	if (w->insn && kind == KIND_MICROCODE)
		w->insn->flags |= INSN_MICROCODED;
	return flow_of_operands(w, kind, operands);
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
	case Iex_ITE:
		return flow_of_operands(
			w, KIND_ALU,
			(const IRExpr *[]){ e->Iex.ITE.cond, e->Iex.ITE.iftrue, e->Iex.ITE.iffalse, NULL });
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

static void put(struct walk *w, Int offset, const IRExpr *data)
{
	unsigned value = arch_value(offset);
	struct flow flow = flow_of(w->b, data), settled;

	if (value == VALUE_UNUSED)
		return;
	if (w->traits & TRAIT_COMPARE) {
		w->compared = flow_join(w->compared, &flow);
		w->compared.kind = KIND_NONE;
	}
	if (w->traits & TRAIT_REPEATED)
		flow.kind = KIND_NONE;
	settled = flow_settle(w->b, &flow);
	/* Later uses of the temporary in this instruction need no micro-op of their own. */
	if (data->tag == Iex_RdTmp && (Int)data->Iex.RdTmp.tmp < w->b->ntemps)
		w->b->temps[data->Iex.RdTmp.tmp].flow = settled;
	w->b->registers[value] = settled.nvalues ? settled.values[0] : VALUE_READY;
	w->b->is_written[value] = True;
}

static void put_dirty(struct walk *w, const IRDirty *d, const struct flow *flow)
{
	struct flow settled = flow_settle(w->b, flow);

	for (Int i = 0; i < d->nFxState; i++) {
		unsigned value = arch_value(d->fxState[i].offset);

		if (d->fxState[i].fx == Ifx_Read || value == VALUE_UNUSED)
			continue;
		w->b->registers[value] = settled.nvalues ? settled.values[0] : VALUE_READY;
		w->b->is_written[value] = True;
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

static void walk_statement(struct walk *w, const IRStmt *s)
{
	struct flow flow;

	switch (s->tag) {
	case Ist_IMark: begin_insn(w, s->Ist.IMark.addr, s->Ist.IMark.len); break;
	case Ist_WrTmp:
		flow = flow_of_expression(w, s->Ist.WrTmp.data);
		set_temp(w, s->Ist.WrTmp.tmp, &flow);
		break;
	case Ist_Put: put(w, s->Ist.Put.offset, s->Ist.Put.data); break;
	case Ist_PutI: put(w, s->Ist.PutI.details->descr->base, s->Ist.PutI.details->data); break;
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
		if (w->insn)
			w->insn->flags |= INSN_SERIALIZES;
		break;
	default: break;
	}
}

/* ---- the end of the block ---- */

static enum branch branch_of(const struct walk *w, Addr end)
{
	const IRSB *in = w->superblock;
	Bool is_direct = in->next->tag == Iex_Const;

	switch (in->jumpkind) {
	case Ijk_Call: return is_direct ? BRANCH_CALL : BRANCH_INDIRECT_CALL;
	case Ijk_Ret: return BRANCH_RETURN;
	case Ijk_Boring: break;
	default: return BRANCH_NONE;
	}
	if (w->traits & TRAIT_REPEATED)
		return BRANCH_NONE;
	if (w->has_exit)
		return BRANCH_CONDITIONAL;
	if (!is_direct)
		return BRANCH_INDIRECT;
	return (Addr)in->next->Iex.Const.con->Ico.U64 == end ? BRANCH_NONE : BRANCH_DIRECT;
}

static void add_branch(struct walk *w, enum branch branch)
{
	struct flow sources = { .kind = KIND_NONE };

	if (branch == BRANCH_CONDITIONAL)
		sources = w->condition;
	else if (branch >= BRANCH_INDIRECT)
		sources = flow_of(w->b, w->superblock->next);
	flow_add_uop(w->b, KIND_BRANCH, &sources, VALUE_UNUSED);
	w->insn->flags |= INSN_BRANCH;
	/* A return and an indirect jump through memory carry their load. */
	w->b->computes++;
}

/* A copy goes before those that write what it reads. */
static UInt order_copies(struct copy *copies, UInt count)
{
	for (UInt i = 0; i < count; i++)
		for (UInt j = i + 1; j < count; j++) {
			struct copy later = copies[j];

			if (later.from != copies[i].to)
				continue;
			copies[j] = copies[i];
			copies[i] = later;
		}
	return count;
}

static UInt list_copies(const struct builder *b, struct copy *copies)
{
	UInt count = 0;

	for (UInt i = VALUE_REGISTERS; i < VALUE_LOCALS; i++)
		if (b->is_written[i] && b->registers[i] != i)
			copies[count++] = (struct copy){ .to = (UShort)i, .from = b->registers[i] };
	return order_copies(copies, count);
}

static void *keep(const void *data, UInt count, UInt size)
{
	void *kept = sim_allocate(count ? count : 1, size);

	VG_(memcpy)(kept, data, (SizeT)count * size);
	return kept;
}

static struct block *make_block(struct walk *w, enum branch branch, Addr end)
{
	struct builder *b = w->b;
	struct block *block = sim_allocate(1, sizeof(*block));
	struct copy copies[VALUE_LOCALS];

	block->address = b->insns[0].address;
	block->end = end;
	block->branch = (UChar)branch;
	block->is_repeated = (w->traits & TRAIT_REPEATED) && b->ninsns == 1;
	block->ninsns = (UShort)b->ninsns;
	block->nuops = (UShort)b->nuops;
	block->naccesses = (UShort)b->naccesses;
	block->ncopies = (UShort)list_copies(b, copies);
	block->insns = keep(b->insns, b->ninsns, sizeof(*b->insns));
	block->uops = keep(b->uops, b->nuops, sizeof(*b->uops));
	block->copies = keep(copies, block->ncopies, sizeof(*copies));
	for (UInt i = 0; i < b->ninsns; i++)
		block->slots = (UShort)(block->slots + b->insns[i].slots);
	return block;
}

struct block *translate(struct translator *translator, const IRSB *superblock, const struct access_sink *sink)
{
	struct builder *b = &translator->builder;
	struct walk w = { .translator = translator, .b = b, .superblock = superblock, .sink = sink };
	enum branch branch;
	Addr end;

	if (!flow_begin(b, superblock->tyenv->types_used))
		return NULL;
	find_last_uses(b, superblock);
	for (w.statement = 0; w.statement < superblock->stmts_used && b->ninsns < MOST_INSNS; w.statement++)
		walk_statement(&w, superblock->stmts[w.statement]);
	if (!w.insn)
		return NULL;
	end = w.insn->address + w.insn->bytes;
	branch = branch_of(&w, end);
	if (branch != BRANCH_NONE)
		add_branch(&w, branch);
	end_insn(&w, 0);
	return make_block(&w, branch, end);
}
