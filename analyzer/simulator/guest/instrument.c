/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"
#include "simulator/guest/plain.h"

struct trace instrument_trace;

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the added code stores little-endian words (Iend_LE), which the model reads");

static Bool is_always(const IRExpr *guard)
{
	return !guard || (guard->tag == Iex_Const && guard->Iex.Const.con->Ico.U1);
}

static IRTemp add_temp(IRSB *out, IRType type, IRExpr *value)
{
	IRTemp temp = newIRTemp(out->tyenv, type);

	addStmtToIRSB(out, IRStmt_WrTmp(temp, value));
	return temp;
}

static IRTemp add_sum(IRSB *out, IRTemp address, ULong bytes)
{
	return add_temp(out, Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(address), IRExpr_Const(IRConst_U64(bytes))));
}

static IRExpr *address_of_end(void)
{
	return mkIRExpr_HWord((HWord)&instrument_trace.end);
}

static IRTemp add_load_end(IRSB *out)
{
	return add_temp(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address_of_end()));
}

/* The value of a register before the instruction: all are up to date there, since VEX leaves out no PUT (tool.c). */
static IRExpr *add_register(IRSB *out, Int offset)
{
	if (offset < 0)
		return IRExpr_Const(IRConst_U64(0));
	return IRExpr_RdTmp(add_temp(out, Ity_I64, IRExpr_Get(offset, Ity_I64)));
}

static IRExpr *add_index(IRSB *out, const struct operand *operand)
{
	IRExpr *index = add_register(out, operand->index);

	if (operand->narrow) {
		index = IRExpr_RdTmp(add_temp(out, Ity_I32, IRExpr_Unop(Iop_64to32, index)));
		index = IRExpr_RdTmp(
			add_temp(out, Ity_I64, IRExpr_Unop(operand->narrow == 2 ? Iop_32Sto64 : Iop_32Uto64, index)));
	}
	if (!operand->shift)
		return index;
	return IRExpr_RdTmp(
		add_temp(out, Ity_I64, IRExpr_Binop(Iop_Shl64, index, IRExpr_Const(IRConst_U8(operand->shift)))));
}

/* Where a prefetch goes. */
static IRExpr *add_operand(IRSB *out, const struct operand *operand)
{
	IRExpr *base = add_register(out, operand->base);
	IRTemp sum = add_temp(out, Ity_I64, IRExpr_Binop(Iop_Add64, base, add_index(out, operand)));

	return IRExpr_RdTmp(add_sum(out, sum, (ULong)operand->displacement));
}

/* One that is not made leaves 0. */
static void add_address(IRSB *out, IRTemp entry, const struct access *access, UInt number)
{
	IRTemp word = add_sum(out, entry, (1 + number) * sizeof(uint64_t));
	IRExpr *address = access->address ? access->address : add_operand(out, &access->operand);

	if (!is_always(access->guard)) {
		IRExpr *none = IRExpr_Const(IRConst_U64(0));

		address = IRExpr_RdTmp(add_temp(out, Ity_I64, IRExpr_ITE(access->guard, address, none)));
	}
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(word), address));
}

/* What is in the trace is complete here. */
static void add_check(const struct instrumentation *instrumentation, IRSB *out)
{
	IRExpr *limit = mkIRExpr_HWord((HWord)&instrument_trace.words[TRACE_WORDS]);
	void *function = VG_(fnptr_to_fnentry)((void *)(Addr)instrumentation->on_full);
	IRDirty *call = unsafeIRDirty_0_N(0, "on_full", function, mkIRExprVec_0());
	IRTemp end = add_load_end(out);

	call->guard = IRExpr_RdTmp(add_temp(out, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, limit, IRExpr_RdTmp(end))));
	addStmtToIRSB(out, IRStmt_Dirty(call));
}

/* The entry's address. */
static IRTemp add_entry(IRSB *out, const struct block *block)
{
	IRTemp entry = add_load_end(out);
	IRTemp end = add_sum(out, entry, trace_words(block) * sizeof(uint64_t));
	IRExpr *word = mkIRExpr_HWord((HWord)trace_word(block, trace_words(block)));

	addStmtToIRSB(out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(entry), word));
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, address_of_end(), IRExpr_RdTmp(end)));
	return entry;
}

/* The stack pointer, at the end of the block. */
static void add_pointer(IRSB *out, IRTemp entry, const struct block *block, const VexGuestLayout *layout)
{
	IRTemp word = add_sum(out, entry, (1u + block->naccesses) * sizeof(uint64_t));
	IRTemp pointer = add_temp(out, Ity_I64, IRExpr_Get(layout->offset_SP, Ity_I64));

	addStmtToIRSB(out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(word), IRExpr_RdTmp(pointer)));
}

/* What comes by an alias is where the program is, should its first instruction fault. */
static void add_place(IRSB *out, const IRStmt *mark, const VexGuestLayout *layout)
{
	Addr address = mark->Ist.IMark.addr + mark->Ist.IMark.delta;

	addStmtToIRSB(out, IRStmt_Put(layout->offset_IP, IRExpr_Const(IRConst_U64(address))));
}

IRSB *instrument(struct instrumentation *instrumentation, IRSB *in, IRType word)
{
	const struct builder *builder = &instrumentation->translator.builder;
	struct block *block;
	IRSB *out;
	UInt next = 0;
	IRTemp entry = IRTemp_INVALID;

	block = word == Ity_I64 ? translate(&instrumentation->translator, in) : NULL;
	if (!block)
		return in;
	instrumentation->on_new(block);
	out = deepCopyIRSBExceptStmts(in);
	for (Int i = 0; i < in->stmts_used; i++) {
		/* The preamble is Valgrind's own. */
		if (in->stmts[i]->tag == Ist_IMark && entry == IRTemp_INVALID) {
			if (plain_has_begun())
				add_place(out, in->stmts[i], instrumentation->translator.layout);
			add_check(instrumentation, out);
			entry = add_entry(out, block);
		}
		for (; next < builder->naccesses && builder->accesses[next].statement == i; next++)
			add_address(out, entry, &builder->accesses[next], next);
		addStmtToIRSB(out, instrumentation->is_pinned ? pinned_cpu_statement(in->stmts[i]) : in->stmts[i]);
	}
	if (block->is_followed)
		add_pointer(out, entry, block, instrumentation->translator.layout);
	spare_puts_drop(out, instrumentation->translator.layout);
	return out;
}
