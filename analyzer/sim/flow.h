/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h - the flow of values through a block while it is translated: which values each temporary of VEX's IR comes from, through which
 * kind of operation, and the micro-ops that follow. Within an instruction operations are merged into one micro-op beside
 * its loads and stores, as the core's are.
 */
#ifndef TOPDOWN_SIM_FLOW_H
#define TOPDOWN_SIM_FLOW_H

#include "sim/block.h"
#include "sim/valgrind.h"

#define MOST_INSNS 128
#define MOST_UOPS  1024
#define MOST_TEMPS 4096

/* A temporary, or a sum of them: what it waits for, and what is then still to be done. */
struct flow {
	UShort values[UOP_SOURCES];
	UChar nvalues;
	UChar kind; /* enum kind; KIND_NONE: it is ready with its values */
};

struct temp {
	struct flow flow;
	Int last_use; /* number of the last statement that uses it, -1: none */
};

/* The block that is being made. */
struct builder {
	struct temp temps[MOST_TEMPS];
	Int ntemps;
	IRTemp fresh[MOST_TEMPS]; /* temporaries of the current instruction */
	Int nfresh;
	struct uop uops[MOST_UOPS];
	struct insn insns[MOST_INSNS];
	UInt nuops, ninsns, nlocals, naccesses;
	UInt first_uop;			/* of the current instruction */
	UInt computes;			/* of the current instruction that take a port */
	UShort registers[VALUE_LOCALS]; /* where the value of each is now */
	Bool is_written[VALUE_LOCALS];
};

/* Forgets the last block; ntemps of the next one. False when it has more than fits: it is then not modelled. */
Bool flow_begin(struct builder *builder, Int ntemps);

/* What an operand stands for; constants for nothing that one waits for. */
struct flow flow_of(const struct builder *builder, const IRExpr *atom);
struct flow flow_join(struct flow one, const struct flow *other);

/* Adds a micro-op; -1 when the block is full. target VALUE_LOCALS: a new value, which is returned. */
Int flow_add_uop(struct builder *builder, enum kind kind, const struct flow *sources, UInt target);

/* Makes a flow one that is ready with its values, with a micro-op where it takes one. */
struct flow flow_settle(struct builder *builder, const struct flow *flow);

/* Settles a temporary for all of its later uses. */
void flow_settle_temp(struct builder *builder, IRTemp temp);

/* An instruction begins, with its number of the statement; it ends. */
void flow_begin_insn(struct builder *builder);
void flow_end_insn(struct builder *builder, Int statement);

#endif
