/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/last_use.h"

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

void find_last_uses(struct builder *b, const IRSB *superblock)
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
