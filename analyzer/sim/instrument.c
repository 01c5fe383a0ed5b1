/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/instrument.h"

uint64_t instrument_addresses[MOST_ACCESSES];

/* Accesses of a superblock, in order. */
struct accesses {
	struct {
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

/* One that is not made leaves 0. */
static void add_address(IRSB *out, IRExpr *address, IRExpr *guard, UInt number)
{
	IRExpr *place = mkIRExpr_HWord((HWord)&instrument_addresses[number]);

	if (!is_always(guard)) {
		IRTemp chosen = newIRTemp(out->tyenv, Ity_I64);

		addStmtToIRSB(out, IRStmt_WrTmp(chosen, IRExpr_ITE(guard, address, IRExpr_Const(IRConst_U64(0)))));
		address = IRExpr_RdTmp(chosen);
	}
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, place, address));
}

static void add_call(const struct instrumentation *instrumentation, IRSB *out, const struct block *block)
{
	IRExpr **arguments = mkIRExprVec_1(mkIRExpr_HWord((HWord)block));
	void *function = VG_(fnptr_to_fnentry)((void *)(Addr)instrumentation->on_block);

	addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(1, "on_block", function, arguments)));
}

IRSB *instrument(struct instrumentation *instrumentation, IRSB *in, IRType word)
{
	static struct accesses accesses; /* too large for Valgrind's stack */
	const struct access_sink sink = { .on_access = note_access, .context = &accesses };
	struct block *block;
	IRSB *out;
	UInt next = 0;
	Bool is_begun = False;

	accesses.count = 0;
	block = word == Ity_I64 ? translate(&instrumentation->translator, in, &sink) : NULL;
	if (!block)
		return in;
	instrumentation->on_new(block);
	out = deepCopyIRSBExceptStmts(in);
	for (Int i = 0; i < in->stmts_used; i++) {
		/* The preamble is Valgrind's own. */
		if (in->stmts[i]->tag == Ist_IMark && !is_begun) {
			add_call(instrumentation, out, block);
			is_begun = True;
		}
		for (; next < accesses.count && accesses.rows[next].statement == i; next++)
			add_address(out, accesses.rows[next].address, accesses.rows[next].guard,
				    accesses.rows[next].number);
		addStmtToIRSB(out, in->stmts[i]);
	}
	return out;
}
