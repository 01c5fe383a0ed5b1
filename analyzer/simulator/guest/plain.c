/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/plain.h"

#include "simulator/guest/arch.h"
#include "simulator/guest/translate.h"
#include "simulator/model/host.h"
#include "simulator/model/reuse.h"

#define ALIAS	   ((Addr)1 << 62) /* above all addresses that programs have */
#define FIRST_PAGE 4096

#define MOST_ADDRESSES 4096
#define MOST_IN_BLOCK  1024 /* accesses; VEX ends blocks long before */

Long plain_budget;
Addr plain_addresses[MOST_ADDRESSES + MOST_IN_BLOCK], *plain_end = plain_addresses;
static Bool has_begun;

/* Valgrind's own (pub_core_redir.h), which the linker leads through the one here (--wrap), and VEX's control. */
extern VexControl vex_control;
Addr __real_vgPlain_redir_do_lookup(Addr address, Bool *is_wrapper);
Addr __wrap_vgPlain_redir_do_lookup(Addr address, Bool *is_wrapper);

/*
 * The plain one nearly as Valgrind's own tools have it; the other one as tool_start wants it. Neither goes on behind a
 * branch: there VEX may do the work of a second block together with its condition's, and so count it where it was not
 * reached.
 */
static void choose(Bool is_plain)
{
	VexRegisterUpdates updates = is_plain ? VexRegUpdUnwindregsAtMemAccess : VexRegUpdAllregsAtEachInsn;

	vex_control.iropt_level = is_plain ? 2 : 1;
	vex_control.iropt_register_updates_default = updates;
	VG_(clo_px_file_backed) = updates;
}

/* Where the code of an address is; the first that a translation asks. */
Addr __wrap_vgPlain_redir_do_lookup(Addr address, Bool *is_wrapper)
{
	if (has_begun && is_wrapper)
		choose(!(address & ALIAS));
	return __real_vgPlain_redir_do_lookup(address & ~ALIAS, is_wrapper);
}

void plain_begin(void)
{
	has_begun = True;
	VG_(discard_translations)(FIRST_PAGE, ALIAS - FIRST_PAGE, "topdown");
}

Bool plain_has_begun(void)
{
	return has_begun;
}

Bool plain_is_wanted(const VgCallbackClosure *closure)
{
	return has_begun && !(closure->nraddr & ALIAS);
}

Addr plain_address(ThreadId id)
{
	return VG_(get_IP)(id) & ~ALIAS;
}

void plain_hide_alias(ThreadId id)
{
	if (VG_(get_IP)(id) & ALIAS)
		VG_(set_IP)(id, plain_address(id));
}

Bool plain_is_full(void)
{
	return plain_end >= plain_addresses + MOST_ADDRESSES;
}

/* ---- a block ---- */

#define MOST_TEMPS 4096 /* what is known of more is not used */

/* What is made of one. */
struct plain {
	IRSB *out;
	IRTemp end;   /* where the next address goes */
	UChar *known; /* by temporary: enum known */
	Addr line;    /* of code, that is kept already */
	Bool streams; /* the instruction stores past the caches */
};

/* Addresses that are not kept: what the nearest caches have anyhow. */
enum known { IS_STACK = 1, IS_KEPT = 2 };

static IRExpr *plain_number(ULong value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static IRTemp plain_add(const struct plain *plain, IRType type, IRExpr *value)
{
	IRTemp temp = newIRTemp(plain->out->tyenv, type);

	addStmtToIRSB(plain->out, IRStmt_WrTmp(temp, value));
	return temp;
}

static IRTemp add_operation(const struct plain *plain, IROp operation, IRTemp a, IRExpr *b)
{
	return plain_add(plain, Ity_I64, IRExpr_Binop(operation, IRExpr_RdTmp(a), b));
}

static IRTemp plain_load(const struct plain *plain, const void *cell)
{
	return plain_add(plain, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, mkIRExpr_HWord((HWord)cell)));
}

static void plain_store(const struct plain *plain, const void *cell, IRTemp value)
{
	addStmtToIRSB(plain->out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)cell), IRExpr_RdTmp(value)));
}

static IRTemp add_spent(const struct plain *plain, Long instructions)
{
	return add_operation(plain, Iop_Sub64, plain_load(plain, &plain_budget), plain_number((ULong)instructions));
}

/* What does not fit goes on in the other translation: instructions, or addresses. */
static void add_exit(const struct plain *plain, IRTemp left, const VexGuestLayout *layout, Addr address)
{
	IRTemp room = plain_add(plain, Ity_I64,
				IRExpr_Binop(Iop_Sub64, plain_number((HWord)(plain_addresses + MOST_ADDRESSES - 1)),
					     IRExpr_RdTmp(plain->end)));
	IRTemp both = add_operation(plain, Iop_Or64, left, IRExpr_RdTmp(room));
	IRTemp is_over = plain_add(plain, Ity_I1, IRExpr_Binop(Iop_CmpLT64S, IRExpr_RdTmp(both), plain_number(0)));

	addStmtToIRSB(plain->out,
		      IRStmt_Exit(IRExpr_RdTmp(is_over), Ijk_Boring, IRConst_U64(address | ALIAS), layout->offset_IP));
}

static UInt known_of(const struct plain *plain, const IRExpr *value)
{
	return value->tag == Iex_RdTmp && value->Iex.RdTmp.tmp < MOST_TEMPS ? plain->known[value->Iex.RdTmp.tmp] : 0;
}

/* The stack pointer, and what is so far away from it. */
static void find_stack(struct plain *plain, const IRStmt *statement, Int stack_pointer)
{
	const IRExpr *value = statement->tag == Ist_WrTmp ? statement->Ist.WrTmp.data : NULL;
	Bool is_stack = False;

	if (!value || statement->Ist.WrTmp.tmp >= MOST_TEMPS)
		return;
	if (value->tag == Iex_Get)
		is_stack = value->Iex.Get.offset == stack_pointer;
	else if (value->tag == Iex_Binop && value->Iex.Binop.arg2->tag == Iex_Const)
		is_stack = (value->Iex.Binop.op == Iop_Add64 || value->Iex.Binop.op == Iop_Sub64) &&
			   known_of(plain, value->Iex.Binop.arg1) & IS_STACK;
	plain->known[statement->Ist.WrTmp.tmp] = is_stack ? IS_STACK : 0;
}

/* Behind the others, where it is kept if it is one of the chosen: no branch, as it can be any access. */
static void add_address(struct plain *plain, IRExpr *address, enum use use)
{
	IRTemp mixed, chosen, is_one, step, kept;

	if (address->tag != Iex_RdTmp || known_of(plain, address))
		return;
	if (address->Iex.RdTmp.tmp < MOST_TEMPS)
		plain->known[address->Iex.RdTmp.tmp] |= IS_KEPT;
	mixed = plain_add(plain, Ity_I64, IRExpr_Binop(Iop_Shr64, address, IRExpr_Const(IRConst_U8(REUSE_SHIFT))));
	mixed = add_operation(plain, Iop_Xor64, mixed, address);
	chosen = add_operation(plain, Iop_And64, mixed, plain_number(REUSE_MASK));
	is_one = plain_add(plain, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, IRExpr_RdTmp(chosen), plain_number(REUSE_VALUE)));
	step = plain_add(plain, Ity_I64, IRExpr_Unop(Iop_1Uto64, IRExpr_RdTmp(is_one)));
	step = add_operation(plain, Iop_Shl64, step, IRExpr_Const(IRConst_U8(3)));
	kept = plain_add(plain, Ity_I64, IRExpr_Binop(Iop_And64, address, plain_number(~(ULong)PLAIN_USE)));
	if (use)
		kept = add_operation(plain, Iop_Or64, kept, plain_number(use));
	addStmtToIRSB(plain->out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(plain->end), IRExpr_RdTmp(kept)));
	plain->end = add_operation(plain, Iop_Add64, plain->end, IRExpr_RdTmp(step));
}

/* A line of code is one of the chosen or not. */
static void add_code(struct plain *plain, Addr address)
{
	Addr line = address / HOST_LINE;

	if (line == plain->line || !reuse_chooses(line * HOST_LINE))
		return;
	plain->line = line;
	addStmtToIRSB(plain->out,
		      IRStmt_Store(Iend_LE, IRExpr_RdTmp(plain->end), plain_number(line * HOST_LINE | USE_CODE)));
	plain->end = add_operation(plain, Iop_Add64, plain->end, plain_number(sizeof(Addr)));
}

static void begin_instruction(struct plain *plain, const IRStmt *mark)
{
	const UChar *bytes = (const UChar *)mark->Ist.IMark.addr;
	struct operand operand;

	plain->streams = mark->Ist.IMark.len &&
			 cache_hint_of(bytes, mark->Ist.IMark.len, mark->Ist.IMark.addr, &operand) == HINT_STREAMS;
	add_code(plain, mark->Ist.IMark.addr);
}

static void add_access(struct plain *plain, const IRStmt *statement)
{
	if (statement->tag == Ist_IMark)
		begin_instruction(plain, statement);
	else if (plain->streams)
		return;
	else if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load)
		add_address(plain, statement->Ist.WrTmp.data->Iex.Load.addr, USE_LOAD);
	else if (statement->tag == Ist_Store)
		add_address(plain, statement->Ist.Store.addr, USE_STORE);
	else if (statement->tag == Ist_LoadG)
		add_address(plain, statement->Ist.LoadG.details->addr, USE_LOAD);
	else if (statement->tag == Ist_StoreG)
		add_address(plain, statement->Ist.StoreG.details->addr, USE_STORE);
}

/* Instructions from this statement to the next exit, or to the end. */
static Long instructions_to_exit(const IRSB *in, Int from)
{
	Long count = 0;

	for (Int i = from; i < in->stmts_used && in->stmts[i]->tag != Ist_Exit; i++)
		count += in->stmts[i]->tag == Ist_IMark;
	return count;
}

/* Does the way back to it belong to a repeated string instruction? Its rounds count as one, when it is over. */
static Bool is_round(const IRStmt *mark, ULong to)
{
	Addr address = mark->Ist.IMark.addr;

	return to == address && (arch_traits((const UChar *)address, mark->Ist.IMark.len) & TRAIT_REPEATED);
}

/* A piece begins, which ends with the next exit: what is behind an exit is not executed. */
static void begin_piece(struct plain *plain, Long instructions, Bool is_first, const VexGuestLayout *layout,
			Addr address)
{
	IRTemp left = add_spent(plain, instructions);

	if (is_first) {
		plain->end = plain_load(plain, &plain_end);
		add_exit(plain, left, layout, address);
	}
	plain_store(plain, &plain_budget, left);
}

/* The program's own. */
static void add_exit_of(struct plain *plain, IRStmt *exit, Bool begins_round)
{
	plain_store(plain, &plain_end, plain->end);
	if (begins_round)
		plain_store(plain, &plain_budget, add_spent(plain, -1));
	addStmtToIRSB(plain->out, exit);
	if (begins_round)
		plain_store(plain, &plain_budget, add_spent(plain, 1));
}

IRSB *plain_instrument(IRSB *in, const VexGuestLayout *layout, Addr address)
{
	static UChar known[MOST_TEMPS];
	struct plain plain = { .out = deepCopyIRSBExceptStmts(in), .end = IRTemp_INVALID, .known = known };
	const IRStmt *last = NULL;
	Bool begins = True;

	VG_(memset)(known, 0, sizeof(known));
	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *statement = in->stmts[i];

		find_stack(&plain, statement, layout->offset_SP);
		if (statement->tag == Ist_IMark && begins)
			begin_piece(&plain, instructions_to_exit(in, i), !last, layout, address);
		if (statement->tag == Ist_IMark) {
			begins = False;
			last = statement;
		}
		if (last)
			add_access(&plain, statement);
		if (statement->tag == Ist_Exit && last)
			add_exit_of(&plain, statement, is_round(last, statement->Ist.Exit.dst->Ico.U64));
		else
			addStmtToIRSB(plain.out, statement);
		begins |= statement->tag == Ist_Exit;
	}
	if (last)
		plain_store(&plain, &plain_end, plain.end);
	if (last && in->next->tag == Iex_Const && is_round(last, in->next->Iex.Const.con->Ico.U64))
		plain_store(&plain, &plain_budget, add_spent(&plain, -1));
	return plain.out;
}
