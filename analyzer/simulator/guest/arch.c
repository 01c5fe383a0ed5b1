/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/arch.h"

#if defined(VGA_amd64)

#include "libvex_guest_amd64.h"

#define AT(member) ((Int)offsetof(VexGuestAMD64State, guest_##member))
#define VECTORS	   (VALUE_REGISTERS + 128) /* behind those of 8 bytes */

unsigned arch_value(Int offset)
{
	if (offset >= AT(YMM0) && offset < AT(FTOP))
		return VECTORS + (unsigned)(offset - AT(YMM0)) / 32;
	if (offset >= AT(FPREG) && offset < AT(FPTAG))
		return VECTORS + 32;
	if (offset == AT(CC_DEP1) || offset == AT(CC_DEP2))
		return arch_flags();
	/*
	 * The kind of the flags, the address of the next instruction and which x87 registers are in use are known when
	 * the instruction is; what INC keeps of the flags is not waited for.
	 */
	if (offset == AT(RIP) || offset == AT(CC_OP) || offset == AT(CC_NDEP) || offset == AT(FTOP) ||
	    offset >= AT(FPTAG) || offset < 0)
		return VALUE_UNUSED;
	return VALUE_REGISTERS + (unsigned)offset / 8;
}

UInt arch_first_byte(Int offset)
{
	if (offset >= AT(YMM0) && offset < AT(FTOP))
		return (UInt)(offset - AT(YMM0)) % 32;
	return (UInt)offset % 8;
}

UInt arch_whole(unsigned value)
{
	return value >= VECTORS && value < VECTORS + 32 ? 0xffff : 0xff;
}

unsigned arch_flags(void)
{
	return VALUE_REGISTERS + (unsigned)AT(CC_DEP1) / 8;
}

/* Operand-size, lock, repeat and REX prefixes; where the opcode starts. */
static UInt skip_prefixes(const UChar *bytes, UInt length, Bool *is_repeated)
{
	UInt i = 0;

	while (i + 1 < length && (bytes[i] == 0x66 || bytes[i] == 0xf0 || bytes[i] == 0xf2 || bytes[i] == 0xf3 ||
				  bytes[i] == 0x2e || bytes[i] == 0x3e || bytes[i] == 0x64 || bytes[i] == 0x65)) {
		if (bytes[i] == 0xf2 || bytes[i] == 0xf3)
			*is_repeated = True;
		i++;
	}
	if (i + 1 < length && (bytes[i] & 0xf0) == 0x40)
		i++;
	return i;
}

/* ADD, AND, SUB, CMP in their register and memory forms have 0, 4, 5, 7 in bits 3 to 5. */
static unsigned arithmetic_traits(unsigned operation)
{
	if (operation == 7)
		return TRAIT_COMPARE | TRAIT_FUSES;
	if (operation == 2 || operation == 3) /* ADC, SBB */
		return TRAIT_READS_FLAGS;
	return operation == 0 || operation == 4 || operation == 5 ? TRAIT_FUSES : 0;
}

/* Ranges of opcodes behind 0F whose operands are vector registers. */
static Bool is_vector(UChar opcode)
{
	static const UChar ranges[][2] = { { 0x10, 0x17 }, { 0x28, 0x2f }, { 0x38, 0x38 }, { 0x3a, 0x3a },
					   { 0x50, 0x7f }, { 0xc2, 0xc2 }, { 0xc4, 0xc6 }, { 0xd0, 0xff } };

	for (UInt i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (opcode >= ranges[i][0] && opcode <= ranges[i][1])
			return True;
	return False;
}

static unsigned fence_traits(UChar modrm)
{
	static const unsigned fences[] = { [5] = TRAIT_LOAD_FENCE, [6] = TRAIT_FULL_FENCE, [7] = TRAIT_STORE_FENCE };

	return modrm >= 0xc0 ? fences[modrm >> 3 & 7] : 0;
}

/* VPGATHERDD and the like: behind the prefixes that stand for 0F 38. */
static Bool is_gather(const UChar *bytes, UInt left)
{
	return left > 3 && bytes[0] == 0xc4 && (bytes[1] & 0x1f) == 2 && (bytes[3] & 0xfc) == 0x90;
}

/* LEA: where its operand has base, index and a constant, or a scaled index. */
static unsigned sum_traits(const UChar *bytes, UInt left)
{
	UInt has_constant, scale;

	if (left < 3 || (bytes[1] & 7) != 4 || bytes[1] >= 0xc0)
		return 0;
	scale = bytes[2] >> 6;
	has_constant = bytes[1] >= 0x40;
	if ((bytes[2] & 0x38) == 0x20 && !scale)
		return 0; /* no index */
	return (scale ? TRAIT_SCALED_SUM : 0) | (has_constant ? TRAIT_LONG_SUM : 0);
}

/* MOVSX of 8 bits, MOVSX and MOVZX of 16, behind 0F. */
static Bool extends(UChar opcode, UChar modrm)
{
	return (opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf) && modrm >= 0xc0;
}

/* SHLX, SHRX and SARX; RORX. */
static Bool is_vex_shift(UInt map, UChar opcode, UChar prefix)
{
	return (map == 2 && opcode == 0xf7 && prefix & 3) || (map == 3 && opcode == 0xf0);
}

/* Of VEX, where modrm is a register: shifts, and shuffles over the halves. */
static unsigned long_vector_traits(const UChar *bytes, UInt left)
{
	static const UChar crossing[2][10] = { { 0x16, 0x36, 0x19, 0x1a, 0x58, 0x59, 0x78, 0x79, 0x18, 0x5a },
					       { 0x00, 0x01, 0x06, 0x18, 0x19, 0x38, 0x39, 0x46 } };
	UInt at = bytes[0] == 0xc5 ? 2 : 3, map = bytes[0] == 0xc5 ? 1 : bytes[1] & 0x1f;

	if (left < at + 2 || bytes[at + 1] < 0xc0)
		return 0;
	if (is_vex_shift(map, bytes[at], bytes[at - 1]))
		return TRAIT_SHIFT;
	if ((map != 2 && map != 3) || (bytes[at - 1] & 7) != 5)
		return 0;
	for (UInt i = 0; i < (map == 2 ? 10 : 8); i++)
		if (bytes[at] == crossing[map - 2][i])
			return TRAIT_CROSS_LANE;
	return 0;
}

/* BT, BTS, BTR and BTC of registers, and of a constant: the bit's number; behind 0F. */
static unsigned bit_traits(UChar opcode, UChar modrm)
{
	if ((opcode & 0xe7) == 0xa3 && modrm >= 0xc0)
		return TRAIT_SHIFT | TRAIT_OF_REGISTERS;
	return opcode == 0xba && modrm >= 0xc0 ? TRAIT_SHIFT : 0;
}

/* Behind 0F: the opcode, and its ModRM byte. */
static unsigned two_byte_traits(UChar opcode, UChar modrm)
{
	if (extends(opcode, modrm))
		return TRAIT_EXTENDS;
	if (opcode == 0xb6 && modrm >= 0xc0)
		return TRAIT_EXTENDS_BYTE;
	if ((opcode & 0xf0) == 0x80)
		return TRAIT_CONDITIONAL;
	if ((opcode & 0xf0) == 0x40 || (opcode & 0xf0) == 0x90) /* CMOVcc, SETcc */
		return TRAIT_READS_FLAGS | TRAIT_SELECT;
	if ((opcode & 0xf6) == 0xa4)
		return TRAIT_SHIFT;
	if (bit_traits(opcode, modrm))
		return bit_traits(opcode, modrm);
	if (is_vector(opcode))
		return TRAIT_VECTOR;
	return opcode == 0x1e || opcode == 0x1f ? TRAIT_NOP : 0;
}

/* RCL and RCR, which take the carry flag, are like others by one bit only. */
static unsigned shift_traits(UChar opcode, unsigned operation)
{
	if (operation == 2 || operation == 3)
		return opcode == 0xd0 || opcode == 0xd1 ? TRAIT_SHIFT | TRAIT_READS_FLAGS : 0;
	return TRAIT_SHIFT;
}

static unsigned group_traits(UChar opcode, UChar modrm)
{
	unsigned operation = modrm >> 3 & 7;

	switch (opcode) {
	case 0x63: return modrm >= 0xc0 ? TRAIT_EXTENDS : 0;
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: return shift_traits(opcode, operation);
	case 0xc7: return modrm >= 0xc0 ? TRAIT_CONSTANT : 0;
	case 0x87: return modrm >= 0xc0 ? TRAIT_EXCHANGE : 0;
	case 0x9d: return TRAIT_STACK | TRAIT_POP_FLAGS;
	case 0x80:
	case 0x81:
	case 0x83: return arithmetic_traits(operation);
	case 0xf6:
	case 0xf7: return operation <= 1 ? TRAIT_COMPARE | TRAIT_FUSES : 0;
	case 0xfe: return operation <= 1 ? TRAIT_FUSES : 0;
	case 0xff:
		if (operation == 2 || operation == 6)
			return TRAIT_STACK;
		return operation <= 1 ? TRAIT_FUSES : 0;
	case 0xe8:
	case 0xc2:
	case 0xc3:
	case 0xc9:
	case 0x68:
	case 0x6a:
	case 0x8f: return TRAIT_STACK;
	default: return 0;
	}
}

unsigned arch_traits(const UChar *bytes, UInt length)
{
	Bool is_repeated = False;
	UInt at = skip_prefixes(bytes, length, &is_repeated);
	UChar opcode = bytes[at], next = at + 1 < length ? bytes[at + 1] : 0;
	UChar third = at + 2 < length ? bytes[at + 2] : 0;

	if (is_repeated && ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf)))
		return TRAIT_REPEATED;
	if (opcode == 0x0f && next == 0xae)
		return fence_traits(third);
	if (opcode == 0x8d)
		return sum_traits(bytes + at, length - at);
	if (opcode == 0x0f)
		return is_repeated && next == 0xb8 ? TRAIT_COUNT : two_byte_traits(next, third);
	/* x87, and the prefixes of AVX. */
	if ((opcode & 0xf8) == 0xd8 || opcode == 0xc4 || opcode == 0xc5)
		return TRAIT_VECTOR | (is_gather(bytes + at, length - at) ? TRAIT_GATHER : 0) |
		       (opcode >= 0xd8 ? 0 : long_vector_traits(bytes + at, length - at));
	if ((opcode & 0xf0) == 0x70)
		return TRAIT_CONDITIONAL;
	if ((opcode & 0xf8) == 0xb8 && at && (bytes[at - 1] & 0xf8) == 0x48)
		return TRAIT_CONSTANT | TRAIT_LONG_CONSTANT;
	if ((opcode & 0xf0) == 0xb0)
		return TRAIT_CONSTANT;
	if ((opcode & 0xf0) == 0x50)
		return TRAIT_STACK;
	if ((opcode & 0xf8) == 0x90)
		return opcode == 0x90 && !(at && bytes[at - 1] & 1) ? TRAIT_NOP : TRAIT_EXCHANGE;
	if (opcode == 0x84 || opcode == 0x85 || opcode == 0xa8 || opcode == 0xa9)
		return TRAIT_COMPARE | TRAIT_FUSES;
	if (opcode < 0x40 && (opcode & 7) < 6)
		return arithmetic_traits(opcode >> 3 & 7);
	return group_traits(opcode, next);
}

UInt arch_form(const UChar *bytes, UInt length)
{
	return form_key(bytes, length);
}

enum crossing arch_crossing(const UChar *bytes, UInt length)
{
	return form_crossing(bytes, length);
}

enum upper_half arch_upper_half(const UChar *bytes, UInt length)
{
	Bool is_repeated = False;
	UInt at = skip_prefixes(bytes, length, &is_repeated);
	const UChar *last = bytes + at + (bytes[at] == 0xc4 ? 2 : 1); /* byte of the prefix */

	if (bytes[at] == 0x0f)
		return UPPER_KEPT;
	if ((bytes[at] != 0xc4 && bytes[at] != 0xc5) || last + 1 >= bytes + length)
		return UPPER_OTHERS;
	if (last[1] == 0x77 && (bytes[at] == 0xc5 || (bytes[at + 1] & 0x1f) == 1))
		return UPPER_CLEARED;
	return last[0] & 4 ? UPPER_WRITTEN : UPPER_OTHERS;
}

Bool arch_is_exec(UInt number)
{
	return number == __NR_execve || number == __NR_execveat;
}

Int arch_result(void)
{
	return AT(RAX);
}

#define SYSCALL_LENGTH 2

static const Int call_registers[] = { AT(RAX), AT(RDI), AT(RSI), AT(RDX) };

#elif defined(VGA_arm64)

#include "libvex_guest_arm64.h"

#define AT(member) ((Int)offsetof(VexGuestARM64State, guest_##member))
#define VECTORS	   (VALUE_REGISTERS + 128)

unsigned arch_value(Int offset)
{
	if (offset >= AT(Q0) && offset < AT(Q31) + 16)
		return VECTORS + (unsigned)(offset - AT(Q0)) / 16;
	if (offset == AT(CC_DEP1) || offset == AT(CC_DEP2))
		return arch_flags();
	if (offset == AT(PC) || offset == AT(CC_OP) || offset == AT(CC_NDEP) || offset > AT(Q31) || offset < 0)
		return VALUE_UNUSED;
	return VALUE_REGISTERS + (unsigned)offset / 8;
}

UInt arch_first_byte(Int offset)
{
	return offset >= AT(Q0) ? (UInt)(offset - AT(Q0)) % 16 : (UInt)offset % 8;
}

UInt arch_whole(unsigned value)
{
	return value >= VECTORS ? 0xffff : 0xff;
}

unsigned arch_flags(void)
{
	return VALUE_REGISTERS + (unsigned)AT(CC_DEP1) / 8;
}

unsigned arch_traits(const UChar *bytes, UInt length)
{
	UInt word = length < 4 ? 0 : (UInt)bytes[0] | (UInt)bytes[1] << 8 | (UInt)bytes[2] << 16 | (UInt)bytes[3] << 24;

	if ((word & 0xff000010) == 0x54000000)
		return TRAIT_CONDITIONAL;
	if (word == 0xd503201f)
		return TRAIT_NOP;
	/* SUBS and ANDS into the zero register: CMP and TST. */
	if ((word & 0x5f00001f) == 0x5100001f && (word & 0x20000000))
		return TRAIT_COMPARE | TRAIT_FUSES;
	if ((word & 0x7f20001f) == 0x6b00001f || (word & 0x7f80001f) == 0x7200001f || (word & 0x7f20001f) == 0x6a00001f)
		return TRAIT_COMPARE | TRAIT_FUSES;
	return 0;
}

UInt arch_form(const UChar *bytes, UInt length)
{
	(void)bytes, (void)length;
	return 0;
}

enum crossing arch_crossing(const UChar *bytes, UInt length)
{
	(void)bytes, (void)length;
	return CROSSES_NOT;
}

enum upper_half arch_upper_half(const UChar *bytes, UInt length)
{
	(void)bytes, (void)length;
	return UPPER_OTHERS;
}

Bool arch_is_exec(UInt number)
{
	return number == __NR_execve;
}

Int arch_result(void)
{
	return AT(X0);
}

#define SYSCALL_LENGTH 4

static const Int call_registers[] = { AT(X8), AT(X0), AT(X1), AT(X2) };

#else
#error "this architecture's registers are not described"
#endif

void arch_call_again(ThreadId id, UWord number, const UWord arguments[3])
{
	for (UInt i = 0; i < 4; i++) {
		UWord value = i ? arguments[i - 1] : number;

		VG_(set_shadow_regs_area)(id, 0, call_registers[i], sizeof(value), (const UChar *)&value);
	}
	VG_(set_IP)(id, VG_(get_IP)(id) - SYSCALL_LENGTH);
}
