/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instrument.h - the code that is added to the program's: each access leaves its address in a buffer, and each block begins with a call that
 * names it. Nothing else is done while the program runs.
 */
#ifndef TOPDOWN_SIM_INSTRUMENT_H
#define TOPDOWN_SIM_INSTRUMENT_H

#include "sim/translate.h"

/* Where the accesses of the block that runs leave their addresses. */
extern uint64_t instrument_addresses[MOST_ACCESSES];

struct instrumentation {
	struct translator translator;
	void (*on_block)(struct block *block); /* a block begins; VG_REGPARM(1) */
	void (*on_new)(struct block *block);   /* a block was made */
};

IRSB *instrument(struct instrumentation *instrumentation, IRSB *in, IRType word);

#endif
