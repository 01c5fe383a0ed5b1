/* SPDX-License-Identifier: GPL-2.0-or-later */
/* translate.h - from a superblock of VEX's IR to a block's static description. */
#ifndef TOPDOWN_SIM_TRANSLATE_H
#define TOPDOWN_SIM_TRANSLATE_H

#include "sim/core.h"
#include "sim/flow.h"

struct translator {
	const struct parameters *parameters;
	const VexGuestLayout *layout;
	struct builder builder;
	Addr last_line_end; /* line of the last byte so far, for INSN_STARTS_LINE */
	/* The row for an instruction's lost slots; NULL: without attribution. */
	UInt (*place)(Addr address);
};

/* Called for each access, in the block's order: an instruction that remembers the address goes before the statement. */
typedef void (*access_fn)(void *context, Int statement, IRExpr *address, IRExpr *guard, UInt number);

struct access_sink {
	access_fn on_access;
	void *context;
};

/*
 * The block, in memory that is never given back; NULL when the superblock has no instruction, or more than fits. sink is told where the
 * addresses of its accesses are to be remembered.
 */
struct block *translate(struct translator *translator, const IRSB *superblock, const struct access_sink *sink);

#endif
