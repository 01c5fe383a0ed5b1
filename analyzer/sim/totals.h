/* SPDX-License-Identifier: GPL-2.0-or-later */
/* totals.h - what was counted, summed over threads: what is in the blocks, and what each thread's core has. */
#ifndef TOPDOWN_SIM_TOTALS_H
#define TOPDOWN_SIM_TOTALS_H

#include "sim/threads.h"

/* What retired: slots, by what their instruction is. */
struct work {
	ULong slots, heavy, floating, memory, branch;
};

struct totals {
	ULong instructions, detailed_instructions;
	struct work work;
	ULong retired, lost[CAUSE_COUNT];
	ULong branches, mispredicted, unknown_branches;
	struct traffic traffic;
	ULong threads;
	ULong execs, failed_execs, refused_execs, forks;
	struct sample_sums sums;
};

/* An instruction that retired so many times. */
void work_add(struct work *work, const struct insn *insn, ULong times);

void totals_add_blocks(struct totals *totals, const struct block *blocks);
void totals_add_thread(struct totals *totals, const struct thread *thread);
void totals_add(struct totals *totals, const struct totals *more);

/* From the windows to the whole: what was counted in the modelled instructions of the totals, for all of them. */
ULong totals_scale_count(ULong count, const struct totals *totals);
struct work totals_scale_work(const struct work *work, const struct totals *totals);
void totals_scale(struct totals *totals);

#endif
