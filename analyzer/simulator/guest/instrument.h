/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instrument.h - the code that is added to the program's: each block leaves what it is and the addresses of
 * its accesses in a trace, and when that is full, its reader is called before the next block. Nothing else is
 * done while the program runs.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_INSTRUMENT_H
#define TOPDOWN_SIMULATOR_GUEST_INSTRUMENT_H

#include "simulator/guest/translate.h"
#include "simulator/model/trace.h"

/* The only one, since the added code has its addresses. Valgrind runs one thread at a time. */
extern struct trace instrument_trace;

struct instrumentation {
	struct translator translator;
	Bool is_pinned;			     /* what asks the machine is answered by pinned.h */
	void (*on_full)(void);		     /* the trace is to be emptied */
	void (*on_new)(struct block *block); /* a block was made */
};

IRSB *instrument(struct instrumentation *instrumentation, IRSB *in, IRType word);

#endif
