/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/instrument.h"

struct trace instrument_trace;

/* Accesses of a superblock, in order. */
struct accesses {
	struct access_row {
		Int statement;
		IRExpr *address, *guard;
		UInt number;
	} rows[MOST_ACCESSES];
	UInt count;
};

static void note_access(void *context, Int statement, IRExpr *address, IRExpr *guard, UInt number)
{
	struct accesses *accesses = context;

	if (accesses->count == MOST_ACCESSES)
		return;
	accesses->rows[accesses->count].statement = statement;
	accesses->rows[accesses->count].address = address;
	accesses->rows[accesses->count].guard = guard;
	accesses->rows[accesses->count++].number = number;
}

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

static IRTemp add_sum(IRSB *out, IRTemp place, ULong bytes)
{
	return add_temp(out, Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(place), IRExpr_Const(IRConst_U64(bytes))));
}

static IRExpr *end_place(void)
{
	return mkIRExpr_HWord((HWord)&instrument_trace.end);
}

static IRTemp add_load_end(IRSB *out)
{
	return add_temp(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, end_place()));
}

/* One that is not made leaves 0. */
static void add_address(IRSB *out, IRTemp entry, const struct access_row *access)
{
	IRTemp place = add_sum(out, entry, (1 + access->number) * sizeof(uint64_t));
	IRExpr *address = access->address;

	if (!is_always(access->guard)) {
		IRExpr *none = IRExpr_Const(IRConst_U64(0));

		address = IRExpr_RdTmp(add_temp(out, Ity_I64, IRExpr_ITE(access->guard, address, none)));
	}
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(place), address));
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

/* The entry's place. */
static IRTemp add_entry(IRSB *out, const struct block *block)
{
	IRTemp entry = add_load_end(out);
	IRTemp end = add_sum(out, entry, (1u + block->naccesses) * sizeof(uint64_t));

	addStmtToIRSB(out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(entry), mkIRExpr_HWord((HWord)trace_word(block))));
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, end_place(), IRExpr_RdTmp(end)));
	return entry;
}

IRSB *instrument(struct instrumentation *instrumentation, IRSB *in, IRType word)
{
	static struct accesses accesses; /* too large for Valgrind's stack */
	const struct access_sink sink = { .on_access = note_access, .context = &accesses };
	struct block *block;
	IRSB *out;
	UInt next = 0;
	IRTemp entry = IRTemp_INVALID;

	accesses.count = 0;
	block = word == Ity_I64 ? translate(&instrumentation->translator, in, &sink) : NULL;
	if (!block)
		return in;
	instrumentation->on_new(block);
	out = deepCopyIRSBExceptStmts(in);
	for (Int i = 0; i < in->stmts_used; i++) {
		/* The preamble is Valgrind's own. */
		if (in->stmts[i]->tag == Ist_IMark && entry == IRTemp_INVALID) {
			add_check(instrumentation, out);
			entry = add_entry(out, block);
		}
		for (; entry != IRTemp_INVALID && next < accesses.count && accesses.rows[next].statement == i; next++)
			add_address(out, entry, &accesses.rows[next]);
		addStmtToIRSB(out, in->stmts[i]);
	}
	return out;
}
