/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/translate.h"

#define NONE (-1)

#if defined(VGA_amd64)

#include "libvex_guest_amd64.h"

/* An instruction, taken apart: REX's bits, and where what follows the opcode is. */
struct parts {
	const UChar *bytes;
	UInt length, at;
	UInt index_high, base_high; /* 8 for the registers from R8 on */
	Bool has_66, has_repeat;
};

/* Registers are in the order of their numbers, of 8 bytes each. */
static Int offset_of(UInt number)
{
	return (Int)offsetof(VexGuestAMD64State, guest_RAX) + (Int)number * 8;
}

static Bool is_prefix(UChar byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e;
}

static UChar byte_at(const struct parts *p, UInt at)
{
	return at < p->length ? p->bytes[at] : 0;
}

/* Prefixes, the escape 0F and its opcode: 0 where there is none such. VEX's short forms have the escape in them. */
static UChar take_opcode(struct parts *p)
{
	for (; is_prefix(byte_at(p, p->at)); p->at++) {
		p->has_66 |= p->bytes[p->at] == 0x66;
		p->has_repeat |= p->bytes[p->at] >= 0xf2;
	}
	if ((byte_at(p, p->at) & 0xf0) == 0x40) {
		p->index_high = p->bytes[p->at] & 2 ? 8 : 0;
		p->base_high = p->bytes[p->at] & 1 ? 8 : 0;
		p->at++;
	}
	if (byte_at(p, p->at) == 0x0f)
		p->at += 1;
	else if (byte_at(p, p->at) == 0xc5)
		p->at += 2;
	else if (byte_at(p, p->at) == 0xc4 && (byte_at(p, p->at + 1) & 0x1f) == 1)
		p->at += 3;
	else
		return 0;
	return byte_at(p, p->at++);
}

/* The bytes are the last ones of an operand without immediate. */
static Long displacement(const struct parts *p, UInt at, UInt size)
{
	ULong value = 0;

	for (UInt i = 0; i < size; i++)
		value |= (ULong)byte_at(p, at + i) << 8 * i;
	return size == 1 ? (Long)(Char)value : (Long)(Int)value;
}

/* The SIB byte; the displacement's size where the base is none. */
static UInt take_index(struct parts *p, UInt mode, struct operand *operand)
{
	UChar sib = byte_at(p, p->at++);
	UInt index = (sib >> 3 & 7) + p->index_high, base = sib & 7;

	operand->shift = sib >> 6;
	operand->index = index == 4 ? NONE : offset_of(index);
	if (base == 5 && mode == 0)
		return 4;
	operand->base = offset_of(base + p->base_high);
	return 0;
}

/* An operand in memory, at its ModRM byte. */
static void take_operand(struct parts *p, Addr address, struct operand *operand)
{
	UChar modrm = byte_at(p, p->at++);
	UInt mode = modrm >> 6, base = modrm & 7, size = mode == 1 ? 1 : mode == 2 ? 4 : 0;

	*operand = (struct operand){ .base = NONE, .index = NONE };
	if (base == 4) {
		size += take_index(p, mode, operand);
	} else if (base == 5 && mode == 0) {
		operand->displacement = (Long)address + (Long)p->length;
		size = 4;
	} else {
		operand->base = offset_of(base + p->base_high);
	}
	operand->displacement += displacement(p, p->at, size);
}

/* PREFETCHh and PREFETCHW; other numbers in the ModRM byte are reserved. */
static Bool is_prefetch(UChar opcode, UChar modrm)
{
	UInt number = modrm >> 3 & 7;

	return modrm >> 6 != 3 && ((opcode == 0x18 && number <= 3) || (opcode == 0x0d && number <= 2));
}

/* MOVNTPS and MOVNTPD, MOVNTI, MOVNTQ and MOVNTDQ. */
static Bool is_streaming(UChar opcode, UChar modrm)
{
	return modrm >> 6 != 3 && (opcode == 0x2b || opcode == 0xc3 || opcode == 0xe7);
}

enum cache_hint cache_hint_of(const UChar *bytes, UInt length, Addr address, struct operand *operand)
{
	struct parts p = { .bytes = bytes, .length = length };
	UChar opcode = take_opcode(&p), modrm = byte_at(&p, p.at);
	Bool is_vex = bytes[0] == 0xc4 || bytes[0] == 0xc5;

	if (!is_vex && is_prefetch(opcode, modrm)) {
		take_operand(&p, address, operand);
		return HINT_PREFETCH;
	}
	/* With a repeat prefix E7 is none, and C3 with 66 neither. */
	if (is_streaming(opcode, modrm) && !p.has_repeat && !((p.has_66 || is_vex) && opcode == 0xc3))
		return HINT_STREAMS;
	return HINT_NONE;
}

#elif defined(VGA_arm64)

#include "libvex_guest_arm64.h"

static Int offset_of(UInt number)
{
	if (number == 31)
		return (Int)offsetof(VexGuestARM64State, guest_XSP);
	return (Int)offsetof(VexGuestARM64State, guest_X0) + (Int)number * 8;
}

/* The index of PRFM with a register: X, W or its sign extension, as it is or eight times. */
static void take_index(UInt word, struct operand *operand)
{
	UInt option = word >> 13 & 7, number = word >> 16 & 31;

	operand->index = number == 31 ? NONE : offset_of(number);
	operand->shift = word & 1 << 12 ? 3 : 0;
	operand->narrow = option == 2 ? 1 : option == 6 ? 2 : 0;
}

/* PRFM with an immediate, with a register, and PRFUM; that of a literal is for code, or nothing. */
static Bool take_operand(UInt word, struct operand *operand)
{
	*operand = (struct operand){ .base = offset_of(word >> 5 & 31), .index = NONE };
	if ((word & 0xffc00000) == 0xf9800000)
		operand->displacement = (Long)((word >> 10 & 0xfff) * 8);
	else if ((word & 0xffe00c00) == 0xf8a00800)
		take_index(word, operand);
	else if ((word & 0xffe00c00) == 0xf8800000)
		operand->displacement = (Long)(Int)(word << 11) >> 23;
	else
		return False;
	return True;
}

enum cache_hint cache_hint_of(const UChar *bytes, UInt length, Addr address, struct operand *operand)
{
	UInt word = length < 4 ? 0 : (UInt)bytes[0] | (UInt)bytes[1] << 8 | (UInt)bytes[2] << 16 | (UInt)bytes[3] << 24;

	(void)address;
	/* PLI, of which bits 3 and 4 are 01, is for code. */
	return take_operand(word, operand) && (word >> 3 & 3) != 1 ? HINT_PREFETCH : HINT_NONE;
}

#else
#error "this architecture's instructions are not described"
#endif
