/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_hints.h - what an instruction asks of the caches and VEX's IR does not have: prefetches, and stores that go
 * past the caches. Read from the instruction's bytes (Intel SDM, volume 2; Arm ARM, section C6.2).
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_CACHE_HINTS_H
#define TOPDOWN_SIMULATOR_GUEST_CACHE_HINTS_H

#include "simulator/guest/valgrind.h"

enum cache_hint { HINT_NONE, HINT_PREFETCH, HINT_STREAMS };

/* base + (index << shift) + displacement; base and index are offsets in the guest's state, or below 0: none. */
struct operand {
	Int base, index;
	UChar shift;
	UChar narrow; /* 0; 1: only 32 bits of the index are added, 2: with their sign */
	Long displacement;
};

/* operand is that of a prefetch. Forms that no compiler uses (a segment, 32-bit addresses) have no hint. */
enum cache_hint cache_hint_of(const UChar *bytes, UInt length, Addr address, struct operand *operand);

#endif
