/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arch.h - the little that differs between the instruction sets: the layout of the registers, and what VEX's IR no longer tells. */
#ifndef TOPDOWN_SIM_ARCH_H
#define TOPDOWN_SIM_ARCH_H

#include "sim/block.h"
#include "sim/valgrind.h"

enum trait {
	TRAIT_COMPARE = 1 << 0,	    /* only sets flags */
	TRAIT_FUSES = 1 << 1,	    /* sets flags, and a conditional branch right behind it joins it in one micro-op */
	TRAIT_CONDITIONAL = 1 << 2, /* a conditional branch on flags */
	TRAIT_NOP = 1 << 3,
	TRAIT_REPEATED = 1 << 4, /* a string instruction with a repeat prefix */
	TRAIT_STACK = 1 << 5,	 /* moves the stack pointer without a micro-op: PUSH, POP, CALL, RET, LEAVE */
};

/* The value that stands for the register at an offset of the guest state; VALUE_UNUSED for what no core waits for. */
unsigned arch_value(Int offset);

/* Is it only the upper half of a vector register? Zeroing that, as each 128-bit operation of AVX does, is no new value. */
Bool arch_is_upper_half(Int offset);

/* The value that stands for the flags. */
unsigned arch_flags(void);

/* enum trait of the instruction with these bytes. */
unsigned arch_traits(const UChar *bytes, UInt length);

/* The system call that starts another program. */
Bool arch_is_exec(UInt number);

#endif
