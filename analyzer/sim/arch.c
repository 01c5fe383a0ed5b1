/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/arch.h"

#if defined(VGA_amd64)

#include "libvex_guest_amd64.h"

#define AT(member) ((Int)offsetof(VexGuestAMD64State, guest_##member))
#define VECTORS	   (VALUE_REGISTERS + 128) /* behind those of 8 bytes */

unsigned arch_value(Int offset)
{
	if (offset >= AT(YMM0) && offset < AT(FTOP))
		return VECTORS + (unsigned)(offset - AT(YMM0)) / 32;
	if (offset >= AT(FPREG) && offset < AT(FPROUND))
		return VECTORS + 32;
	if (offset == AT(CC_DEP1) || offset == AT(CC_DEP2))
		return arch_flags();
	/* The kind of the flags and the address of the next instruction are known when the instruction is; what INC keeps of them is not waited for. */
	if (offset == AT(RIP) || offset == AT(CC_OP) || offset == AT(CC_NDEP) || offset == AT(FTOP) ||
	    offset >= AT(FPROUND) || offset < 0)
		return VALUE_UNUSED;
	return VALUE_REGISTERS + (unsigned)offset / 8;
}

Bool arch_is_upper_half(Int offset)
{
	return offset >= AT(YMM0) && offset < AT(FTOP) && (offset - AT(YMM0)) % 32 >= 16;
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
	return operation == 0 || operation == 4 || operation == 5 ? TRAIT_FUSES : 0;
}

static unsigned two_byte_traits(UChar opcode)
{
	if ((opcode & 0xf0) == 0x80)
		return TRAIT_CONDITIONAL;
	return opcode == 0x1e || opcode == 0x1f ? TRAIT_NOP : 0;
}

static unsigned group_traits(UChar opcode, UChar modrm)
{
	unsigned operation = modrm >> 3 & 7;

	switch (opcode) {
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

	if (is_repeated && ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf)))
		return TRAIT_REPEATED;
	if (opcode == 0x0f)
		return two_byte_traits(next);
	if ((opcode & 0xf0) == 0x70)
		return TRAIT_CONDITIONAL;
	if ((opcode & 0xf0) == 0x50)
		return TRAIT_STACK;
	if (opcode == 0x90)
		return TRAIT_NOP;
	if (opcode == 0x84 || opcode == 0x85 || opcode == 0xa8 || opcode == 0xa9)
		return TRAIT_COMPARE | TRAIT_FUSES;
	if (opcode < 0x40 && (opcode & 7) < 6)
		return arithmetic_traits(opcode >> 3 & 7);
	return group_traits(opcode, next);
}

Bool arch_is_exec(UInt number)
{
	return number == __NR_execve || number == __NR_execveat;
}

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

Bool arch_is_upper_half(Int offset)
{
	(void)offset;
	return False; /* a register of 16 bytes is written as one */
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

Bool arch_is_exec(UInt number)
{
	return number == __NR_execve;
}

#else
#error "this architecture's registers are not described"
#endif
