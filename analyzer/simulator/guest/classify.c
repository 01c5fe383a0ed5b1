/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/translate.h"

/* Scalar operations on F64 are x87's on amd64, whose vector registers have operations of their own. */
#if defined(VGA_amd64)
#define SCALAR_ADD	KIND_X87_ADD
#define SCALAR_MULTIPLY KIND_X87_MULTIPLY
#else
#define SCALAR_ADD	KIND_FP_ADD
#define SCALAR_MULTIPLY KIND_FP_MULTIPLY
#endif

/*
 * A range of operations, in the order of libvex_ir.h, whose names bound it; the last range
 * that holds an operation decides.
 */
struct range {
	IROp first, last;
	enum kind kind;
};

static const struct range ranges[] = {
	{ Iop_8Uto16, Iop_64HLto128, KIND_NONE },
	{ Iop_32to1, Iop_1Sto64, KIND_NONE },
	{ Iop_Mul8, Iop_Mul64, KIND_MULTIPLY },
	{ Iop_MullS8, Iop_MullU64, KIND_MULTIPLY },
	{ Iop_MullU64 + 1, Iop_CtzNat32, KIND_BITS }, /* from Iop_Clz64, which Valgrind 3.27 no longer has */
	{ Iop_PopCount64, Iop_PopCount32, KIND_BITS },
	{ Iop_AddF64, Iop_SubF64, SCALAR_ADD },
	{ Iop_MulF64, Iop_MulF64, SCALAR_MULTIPLY },
	{ Iop_DivF64, Iop_DivF64, KIND_FP_DIVIDE_64 },
	{ Iop_AddF32, Iop_SubF32, KIND_FP_ADD },
	{ Iop_MulF32, Iop_MulF32, KIND_FP_MULTIPLY },
	{ Iop_DivF32, Iop_DivF32, KIND_FP_DIVIDE_32 },
	{ Iop_AddF64r32, Iop_SubF64r32, KIND_FP_ADD },
	{ Iop_MulF64r32, Iop_MulF64r32, KIND_FP_MULTIPLY },
	{ Iop_DivF64r32, Iop_DivF64r32, KIND_FP_DIVIDE_64 },
	{ Iop_NegF64, Iop_AbsF32, KIND_VECTOR },
	{ Iop_SqrtF64, Iop_SqrtF32, KIND_FP_ROOT },
	{ Iop_CmpF64, Iop_CmpF32, KIND_FP_ADD },
	{ Iop_F64toI16S, Iop_F64toF32, KIND_CONVERT },
	{ Iop_ReinterpV128asI128, Iop_ReinterpI32asF32, KIND_NONE },
	{ Iop_F64HLtoF128, Iop_TruncF128toI128U, KIND_MICROCODE },
	{ Iop_AtanF64, Iop_2xm1F64, KIND_MICROCODE },
	{ Iop_MAddF32, Iop_MSubF64r32, KIND_FP_FUSED },
	{ Iop_RSqrtEst5GoodF64, Iop_RoundF64toF32, KIND_CONVERT },
	{ Iop_RecpExpF64, Iop_MinNumF32, KIND_FP_ADD },
	{ Iop_F16toF64, Iop_F32toF16, KIND_CONVERT },
	{ Iop_QAdd32S, Iop_Reverse8sIn32_x1, KIND_VECTOR },
	{ Iop_I32UtoF32x2_DEP, Iop_Abs32Fx2, KIND_FP_ADD },
	{ Iop_CmpNEZ8x8, Iop_RSqrtEst32Ux2, KIND_VECTOR },
	{ Iop_Mul8x8, Iop_QRDMulHi32Sx2, KIND_VECTOR_MULTIPLY },
	{ Iop_InterleaveHI8x8, Iop_GetMSBs8x8, KIND_SHUFFLE },
	{ Iop_AddD64, Iop_ReinterpD64asI64, KIND_MICROCODE },
	{ Iop_Add32Fx4, Iop_Sub32Fx4, KIND_FP_ADD },
	{ Iop_Mul32Fx4, Iop_Mul32Fx4, KIND_FP_MULTIPLY },
	{ Iop_Div32Fx4, Iop_Div32Fx4, KIND_FP_DIVIDE_32 },
	{ Iop_Max32Fx4, Iop_PwMin32Fx4, KIND_FP_ADD },
	{ Iop_Abs32Fx4, Iop_Neg32Fx4, KIND_VECTOR },
	{ Iop_Sqrt32Fx4, Iop_Sqrt32Fx4, KIND_FP_ROOT },
	{ Iop_RecipEst32Fx4, Iop_F32x4_2toQ16x8, KIND_CONVERT },
	{ Iop_Add32F0x4, Iop_Sub32F0x4, KIND_FP_ADD },
	{ Iop_Mul32F0x4, Iop_Mul32F0x4, KIND_FP_MULTIPLY },
	{ Iop_Div32F0x4, Iop_Div32F0x4, KIND_FP_DIVIDE_32 },
	{ Iop_Max32F0x4, Iop_RecipEst32F0x4, KIND_FP_ADD },
	{ Iop_Sqrt32F0x4, Iop_Sqrt32F0x4, KIND_FP_ROOT },
	{ Iop_RSqrtEst32F0x4, Iop_RSqrtEst32F0x4, KIND_CONVERT },
	{ Iop_Add64Fx2, Iop_Sub64Fx2, KIND_FP_ADD },
	{ Iop_Mul64Fx2, Iop_Mul64Fx2, KIND_FP_MULTIPLY },
	{ Iop_Div64Fx2, Iop_Div64Fx2, KIND_FP_DIVIDE_64 },
	{ Iop_Max64Fx2, Iop_CmpUN64Fx2, KIND_FP_ADD },
	{ Iop_Abs64Fx2, Iop_Neg64Fx2, KIND_VECTOR },
	{ Iop_Sqrt64Fx2, Iop_Sqrt64Fx2, KIND_FP_ROOT },
	{ Iop_Scale2_64Fx2, Iop_F64x2_2toQ32x4, KIND_CONVERT },
	{ Iop_Add64F0x2, Iop_Sub64F0x2, KIND_FP_ADD },
	{ Iop_Mul64F0x2, Iop_Mul64F0x2, KIND_FP_MULTIPLY },
	{ Iop_Div64F0x2, Iop_Div64F0x2, KIND_FP_DIVIDE_64 },
	{ Iop_Max64F0x2, Iop_CmpUN64F0x2, KIND_FP_ADD },
	{ Iop_Sqrt64F0x2, Iop_Sqrt64F0x2, KIND_FP_ROOT },
	{ Iop_V128to64, Iop_V128to64, KIND_NONE },
	{ Iop_V128HIto64, Iop_64HLtoV128, KIND_SHUFFLE },
	{ Iop_64UtoV128, Iop_SetV128lo32, KIND_NONE },
	{ Iop_NotV128, Iop_RSqrtEst32Ux4, KIND_VECTOR },
	{ Iop_Mul8x16, Iop_PolynomialMulAdd64x2, KIND_VECTOR_MULTIPLY },
	{ Iop_QNarrowBin16Sto8Ux16, Iop_GetMSBs8x16, KIND_SHUFFLE },
	{ Iop_V256to64_0, Iop_V128HLtoV256, KIND_NONE },
	{ Iop_AndV256, Iop_Perm32x8, KIND_VECTOR },
	{ Iop_Mul16x16, Iop_MulHi16Sx16, KIND_VECTOR_MULTIPLY },
	{ Iop_Perm32x8, Iop_Perm32x8, KIND_SHUFFLE },
	{ Iop_CipherV128, Iop_SHA256, KIND_CRYPTO },
	{ Iop_Add64Fx4, Iop_Sub64Fx4, KIND_FP_ADD },
	{ Iop_Mul64Fx4, Iop_Mul64Fx4, KIND_FP_MULTIPLY },
	{ Iop_Div64Fx4, Iop_Div64Fx4, KIND_FP_DIVIDE_64 },
	{ Iop_Add32Fx8, Iop_Sub32Fx8, KIND_FP_ADD },
	{ Iop_Mul32Fx8, Iop_Mul32Fx8, KIND_FP_MULTIPLY },
	{ Iop_Div32Fx8, Iop_Div32Fx8, KIND_FP_DIVIDE_32 },
	{ Iop_I32StoF32x8, Iop_F16toF32x8, KIND_CONVERT },
	{ Iop_Sqrt32Fx8, Iop_Sqrt64Fx4, KIND_FP_ROOT },
	{ Iop_RSqrtEst32Fx8, Iop_Min64Fx4, KIND_FP_ADD },
};

/* Division is scattered over the list by its width. */
static enum kind classify_division(IROp op)
{
	switch (op) {
	case Iop_DivU32:
	case Iop_DivS32:
	case Iop_DivU32E:
	case Iop_DivS32E:
	case Iop_DivModU64to32:
	case Iop_DivModS64to32:
	case Iop_DivModS32to32:
	case Iop_DivModU32to32: return KIND_DIVIDE_32;
	default: return KIND_DIVIDE_64;
	}
}

static enum kind search(IROp op)
{
	enum kind kind = KIND_ALU;

	if (op >= Iop_DivU32 && op <= Iop_ModS128)
		return classify_division(op);
	for (UInt i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (op >= ranges[i].first && op <= ranges[i].last)
			kind = ranges[i].kind;
	return kind;
}

#define OPERATIONS (Iop_LAST - Iop_INVALID)

enum kind classify_op(IROp op)
{
	static UChar known[OPERATIONS]; /* kind + 1, once it was asked for */
	UInt index = (UInt)op - Iop_INVALID;

	if (index >= OPERATIONS)
		return KIND_ALU;
	if (!known[index])
		known[index] = (UChar)(search(op) + 1);
	return (enum kind)(known[index] - 1);
}

static const struct helper {
	const HChar *part; /* of the name */
	enum kind kind;
	Bool is_serializing;
} helpers[] = {
	{ "calculate_condition", KIND_ALU, False },
	{ "calculate_rflags", KIND_ALU, False },
	{ "calculate_flag", KIND_ALU, False }, /* arm64 */
	{ "CPUID", KIND_MICROCODE, True },
	{ "AES", KIND_CRYPTO, False },
	{ "aes", KIND_CRYPTO, False },
	{ "sha", KIND_CRYPTO, False },
	{ "pclmul", KIND_CRYPTO, False },
	{ "crc32", KIND_MULTIPLY, False },
	{ "pdep", KIND_MULTIPLY, False },
	{ "pext", KIND_MULTIPLY, False },
	{ "mmx_psadbw", KIND_VECTOR_MULTIPLY, False },
	{ "mmx_pmaddwd", KIND_VECTOR_MULTIPLY, False },
	{ "loadF80", KIND_CONVERT, False },
	{ "storeF80", KIND_CONVERT, False },
};

static const struct helper *find_helper(const HChar *name)
{
	for (UInt i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (VG_(strstr)(name, helpers[i].part))
			return &helpers[i];
	return NULL;
}

enum kind classify_call(const HChar *name)
{
	const struct helper *helper = find_helper(name);

	return helper ? helper->kind : KIND_MICROCODE;
}

Bool is_serializing_call(const HChar *name)
{
	const struct helper *helper = find_helper(name);

	return helper && helper->is_serializing;
}
