/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arithmetic.h - floating-point operations of an instruction, by the rule of Intel's FP_ARITH_INST_RETIRED: each lane
 * of an addition, multiplication, division, root, minimum, maximum or reciprocal is one, of a fused one two.
 * Comparisons, conversions and moves are none.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_ARITHMETIC_H
#define TOPDOWN_SIMULATOR_GUEST_ARITHMETIC_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/block.h"

/* Of one instruction, so far. */
struct flop_sums {
	UInt flops, added, subtracted; /* added, subtracted: those of whole vectors among them */
	UInt bits;		       /* of the widest operation */
	UInt lane_bits, lanes;	       /* lanes: operations on one lane */
};

void arithmetic_note(struct flop_sums *sums, IROp op);

/* Sets flops and flop_kind. */
void arithmetic_end(struct insn *insn, const struct flop_sums *sums);

#endif
