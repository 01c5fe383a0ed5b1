/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#define MOST_STATE 4096 /* bytes of registers; x86-64 has some 1000, arm64 less */

/* Going backwards: of each byte of the registers, whether it is written before anybody can read it. */
struct put_written {
	const VexGuestLayout *layout;
	Bool is_written[MOST_STATE];
};

static void spare_puts_mark(struct put_written *written, Int offset, Int size, Bool is_written)
{
	VG_(memset)(written->is_written + offset, is_written, (SizeT)size);
}

/* The place in the program, which what leaves a block writes. */
static void mark_place(struct put_written *written, Bool is_written)
{
	spare_puts_mark(written, written->layout->offset_IP, written->layout->sizeof_IP, is_written);
}

/* Also at an access: it may fault, and a handler of the program's repair what it lacks and come back to it. */
static void need_all(struct put_written *written)
{
	spare_puts_mark(written, 0, written->layout->total_sizeB, False);
}

/* If it is left here, all is read but the place. */
static void need_at_exit(struct put_written *written)
{
	Bool is_place_written = written->is_written[written->layout->offset_IP];

	need_all(written);
	mark_place(written, is_place_written);
}

static void need_at_call(struct put_written *written, const IRDirty *call)
{
	if (call->nFxState || call->mFx != Ifx_None)
		need_all(written);
}

static void spare_puts_read_value(struct put_written *written, const IRExpr *value)
{
	const IRRegArray *array;

	if (value->tag == Iex_Load)
		need_all(written);
	if (value->tag == Iex_Get)
		spare_puts_mark(written, value->Iex.Get.offset, sizeofIRType(value->Iex.Get.ty), False);
	if (value->tag != Iex_GetI)
		return;
	array = value->Iex.GetI.descr;
	spare_puts_mark(written, array->base, array->nElems * sizeofIRType(array->elemTy), False);
}

/* Is it written in vain? */
static Bool is_spare(struct put_written *written, const IRSB *block, const IRStmt *put)
{
	Int offset = put->Ist.Put.offset, size = sizeofIRType(typeOfIRExpr(block->tyenv, put->Ist.Put.data)), i = 0;

	while (i < size && written->is_written[offset + i])
		i++;
	spare_puts_mark(written, offset, size, True);
	return i == size;
}

/* Does the instruction that ends with statement number `end` load? */
static Bool is_behind_load(const IRSB *block, Int end)
{
	for (Int i = end - 1; i >= 0 && block->stmts[i]->tag != Ist_IMark; i--) {
		const IRStmt *statement = block->stmts[i];

		if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load)
			return True;
	}
	return False;
}

/*
 * VEX puts loads off to where their values are used, beyond writes of registers, unless they are of the place, the
 * stack or the frame. So the place that an instruction with a load ends with is kept: nothing goes beyond it.
 */
static Bool is_barrier(const struct put_written *written, const IRSB *block, Int number)
{
	return block->stmts[number]->Ist.Put.offset == written->layout->offset_IP && is_behind_load(block, number);
}

static void spare_puts_pass(struct put_written *written, const IRStmt *statement)
{
	switch (statement->tag) {
	case Ist_WrTmp: spare_puts_read_value(written, statement->Ist.WrTmp.data); break;
	case Ist_Exit: need_at_exit(written); break;
	case Ist_Dirty: need_at_call(written, statement->Ist.Dirty.details); break;
	case Ist_Store:
	case Ist_StoreG:
	case Ist_LoadG:
	case Ist_CAS:
	case Ist_LLSC: need_all(written); break;
	case Ist_NoOp:
	case Ist_IMark:
	case Ist_AbiHint:
	case Ist_PutI:
	case Ist_MBE: break;
	case Ist_Put:
	default: need_all(written); break;
	}
}

void spare_puts_drop(IRSB *block, const VexGuestLayout *layout)
{
	struct put_written written = { .layout = layout };

	if (layout->total_sizeB > MOST_STATE)
		return;
	mark_place(&written, True);
	for (Int i = block->stmts_used - 1; i >= 0; i--) {
		if (block->stmts[i]->tag != Ist_Put)
			spare_puts_pass(&written, block->stmts[i]);
		else if (is_spare(&written, block, block->stmts[i]) && !is_barrier(&written, block, i))
			block->stmts[i] = IRStmt_NoOp();
	}
}
