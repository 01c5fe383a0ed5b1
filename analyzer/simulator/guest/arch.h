/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h - the little that differs between the instruction sets: the layout of the registers, and
 * what VEX's IR does not have.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_ARCH_H
#define TOPDOWN_SIMULATOR_GUEST_ARCH_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/block.h"
#include "simulator/model/instruction_forms.h"

enum trait {
	TRAIT_COMPARE = 1 << 0,	    /* only sets flags */
	TRAIT_FUSES = 1 << 1,	    /* sets flags, and a conditional branch right behind it joins it in one micro-op */
	TRAIT_CONDITIONAL = 1 << 2, /* a conditional branch on flags */
	TRAIT_NOP = 1 << 3,
	TRAIT_REPEATED = 1 << 4,     /* a string instruction with a repeat prefix */
	TRAIT_VECTOR = 1 << 7,	     /* an operation on vector or x87 registers, as far as its memory operand goes */
	TRAIT_GATHER = 1 << 8,	     /* a load for each lane of a vector */
	TRAIT_LOAD_FENCE = 1 << 9,   /* LFENCE */
	TRAIT_FULL_FENCE = 1 << 10,  /* MFENCE */
	TRAIT_STORE_FENCE = 1 << 11, /* SFENCE: only orders stores, for which nothing waits */
	TRAIT_SCALED_SUM = 1 << 12,  /* LEA with a scaled index, and with base, index and a constant */
	TRAIT_LONG_SUM = 1 << 13,
	TRAIT_CROSS_LANE = 1 << 15,    /* VPERMQ and the like, between registers */
	TRAIT_EXTENDS = 1 << 16,       /* MOVZX and MOVSX between registers, */
	TRAIT_SHIFT = 1 << 17,	       /* shifts, rotations and tests of a bit */
	TRAIT_READS_FLAGS = 1 << 18,   /* CMOVcc, SETcc, ADC, SBB, RCL, RCR */
	TRAIT_CONSTANT = 1 << 19,      /* MOV of a constant, which is work though nothing is waited for */
	TRAIT_LONG_CONSTANT = 1 << 20, /* of one of 64 bits: two micro-ops wide until it issues */
	TRAIT_POP_FLAGS = 1 << 23,
	TRAIT_OF_REGISTERS = 1 << 24, /* BT and the like of registers, for which VEX goes through memory */
	TRAIT_EXCHANGE = 1 << 25,     /* XCHG of registers: two moves */
	TRAIT_SELECT = 1 << 26,	      /* CMOVcc, SETcc */
	TRAIT_EXTENDS_BYTE = 1 << 27, /* but MOVZX of a byte, which some cores rename away */
	TRAIT_COUNT = 1 << 6,	      /* POPCNT, for which VEX has shifts and additions */
	TRAIT_STACK = 1 << 5,	      /* moves the stack pointer without a micro-op: PUSH, POP, CALL, RET, LEAVE */
};

/* What an instruction that writes vector registers does to the halves that only AVX has. */
enum upper_half { UPPER_OTHERS, UPPER_KEPT, UPPER_WRITTEN, UPPER_CLEARED };

/* KEPT: as those of SSE do; WRITTEN: of 256 bits; CLEARED: VZEROUPPER, VZEROALL. */
enum upper_half arch_upper_half(const UChar *bytes, UInt length);

/* The value that stands for the register at an offset of the guest state; VALUE_UNUSED for what no core waits for. */
unsigned arch_value(Int offset);

/* Which byte of its register an offset of the guest state is. */
UInt arch_first_byte(Int offset);

/*
 * The bytes, a bit each, that an instruction has to write for a register to have a value of its own. What writes fewer
 * leaves the others, and so waits for them. The upper half of a vector register is none of them: each 128-bit
 * operation of AVX zeroes it, and one of SSE leaves it.
 */
UInt arch_whole(unsigned value);

/* The value that stands for the flags. */
unsigned arch_flags(void);

/* enum trait of the instruction with these bytes. */
unsigned arch_traits(const UChar *bytes, UInt length);

/* form_key of the instruction with these bytes; 0 where nothing is known of single instructions. */
UInt arch_form(const UChar *bytes, UInt length);

enum crossing arch_crossing(const UChar *bytes, UInt length);

/* Where the guest state has the result of a system call. */
Int arch_result(void);

/* In the place of the system call that has just returned, the thread makes this one of three arguments. */
void arch_call_again(ThreadId id, UWord number, const UWord arguments[3]);

/* The system call that starts another program. */
Bool arch_is_exec(UInt number);

#endif
