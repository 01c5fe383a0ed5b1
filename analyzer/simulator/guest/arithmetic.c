/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/translate.h"

/* A range of operations in the order of libvex_ir.h: the bits and the number of their lanes, and FLOPs of each lane. */
struct arithmetic {
	IROp first, last;
	UChar bits, lanes, flops;
};

static const struct arithmetic table[] = {
	{ Iop_AddF64, Iop_DivF64, 64, 1, 1 },
	{ Iop_AddF32, Iop_DivF32, 32, 1, 1 },
	{ Iop_AddF64r32, Iop_DivF64r32, 64, 1, 1 },
	{ Iop_SqrtF64, Iop_SqrtF64, 64, 1, 1 },
	{ Iop_SqrtF32, Iop_SqrtF32, 32, 1, 1 },
	{ Iop_MAddF32, Iop_MSubF32, 32, 1, 2 },
	{ Iop_MAddF64, Iop_MSubF64r32, 64, 1, 2 },
	{ Iop_MaxNumF64, Iop_MinNumF64, 64, 1, 1 },
	{ Iop_MaxNumF32, Iop_MinNumF32, 32, 1, 1 },
	{ Iop_Max32Fx2, Iop_Min32Fx2, 32, 2, 1 },
	{ Iop_Add32Fx2, Iop_Sub32Fx2, 32, 2, 1 },
	{ Iop_Mul32Fx2, Iop_Mul32Fx2, 32, 2, 1 },
	{ Iop_Add32Fx4, Iop_Div32Fx4, 32, 4, 1 },
	{ Iop_Max32Fx4, Iop_Min32Fx4, 32, 4, 1 },
	{ Iop_Sqrt32Fx4, Iop_Sqrt32Fx4, 32, 4, 1 },
	{ Iop_RecipEst32Fx4, Iop_RecipEst32Fx4, 32, 4, 1 },
	{ Iop_RSqrtEst32Fx4, Iop_RSqrtEst32Fx4, 32, 4, 1 },
	{ Iop_Add32F0x4, Iop_Div32F0x4, 32, 1, 1 },
	{ Iop_Max32F0x4, Iop_Min32F0x4, 32, 1, 1 },
	{ Iop_Sqrt32F0x4, Iop_Sqrt32F0x4, 32, 1, 1 },
	{ Iop_RecipEst32F0x4, Iop_RecipEst32F0x4, 32, 1, 1 },
	{ Iop_RSqrtEst32F0x4, Iop_RSqrtEst32F0x4, 32, 1, 1 },
	{ Iop_Add64Fx2, Iop_Div64Fx2, 64, 2, 1 },
	{ Iop_Max64Fx2, Iop_Min64Fx2, 64, 2, 1 },
	{ Iop_Sqrt64Fx2, Iop_Sqrt64Fx2, 64, 2, 1 },
	{ Iop_Add64F0x2, Iop_Div64F0x2, 64, 1, 1 },
	{ Iop_Max64F0x2, Iop_Min64F0x2, 64, 1, 1 },
	{ Iop_Sqrt64F0x2, Iop_Sqrt64F0x2, 64, 1, 1 },
	{ Iop_Add64Fx4, Iop_Div64Fx4, 64, 4, 1 },
	{ Iop_Max64Fx4, Iop_Min64Fx4, 64, 4, 1 },
	{ Iop_Sqrt64Fx4, Iop_Sqrt64Fx4, 64, 4, 1 },
	{ Iop_Add32Fx8, Iop_Div32Fx8, 32, 8, 1 },
	{ Iop_Max32Fx8, Iop_Min32Fx8, 32, 8, 1 },
	{ Iop_Sqrt32Fx8, Iop_Sqrt32Fx8, 32, 8, 1 },
	{ Iop_RSqrtEst32Fx8, Iop_RecipEst32Fx8, 32, 8, 1 },
};

#define OPERATIONS (Iop_LAST - Iop_INVALID)

static const struct arithmetic *search(IROp op)
{
	for (UInt i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (op >= table[i].first && op <= table[i].last)
			return &table[i];
	return NULL;
}

/* NULL: it is no arithmetic. */
static const struct arithmetic *arithmetic_find(IROp op)
{
	static UChar known[OPERATIONS]; /* 1: none; else the row's number + 2, once it was asked for */
	UInt index = (UInt)op - Iop_INVALID;
	const struct arithmetic *found;

	if (index >= OPERATIONS)
		return NULL;
	if (!known[index]) {
		found = search(op);
		known[index] = (UChar)(found ? found - table + 2 : 1);
	}
	return known[index] > 1 ? &table[known[index] - 2] : NULL;
}

/* Operations of several lanes, and of each of its kind. */
static Bool is_one_of(IROp op, const IROp *ops)
{
	for (; *ops != Iop_INVALID; ops++)
		if (op == *ops)
			return True;
	return False;
}

void arithmetic_note(struct flop_sums *sums, IROp op)
{
	static const IROp additions[] = { Iop_Add32Fx4, Iop_Add64Fx2, Iop_Add32Fx8, Iop_Add64Fx4, Iop_INVALID };
	static const IROp subtractions[] = { Iop_Sub32Fx4, Iop_Sub64Fx2, Iop_Sub32Fx8, Iop_Sub64Fx4, Iop_INVALID };
	const struct arithmetic *a = arithmetic_find(op);
	UInt flops;

	if (!a)
		return;
	flops = (UInt)a->lanes * a->flops;
	sums->added += is_one_of(op, additions) ? flops : 0;
	sums->subtracted += is_one_of(op, subtractions) ? flops : 0;
	sums->flops += flops;
	sums->lane_bits = a->bits;
	sums->lanes += a->lanes == 1;
	if (a->bits * a->lanes > sums->bits)
		sums->bits = (UInt)a->bits * a->lanes;
}

/* VEX has a fused vector operation lane by lane. */
static UInt width_of(const struct flop_sums *sums)
{
	UInt bits = sums->bits > sums->lane_bits ? sums->bits : sums->lanes * sums->lane_bits;

	return bits <= sums->lane_bits ? 0 : bits <= 128 ? 1 : 2;
}

void arithmetic_end(struct insn *insn, const struct flop_sums *sums)
{
	/* ADDSUBPS: VEX adds all lanes and subtracts all, and takes every second one of each. */
	UInt twice = sums->added < sums->subtracted ? sums->added : sums->subtracted;

	insn->flops = (UShort)(sums->flops - twice);
	insn->flop_kind = (UChar)((sums->lane_bits == 64 ? FLOPS_F64_SCALAR : FLOPS_F32_SCALAR) + width_of(sums));
}
