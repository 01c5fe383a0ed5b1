/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.h - a superblock of VEX's IR on its way through the walk, and what each of its statements adds to the block's micro-ops. */
#ifndef TOPDOWN_SIM_WALK_H
#define TOPDOWN_SIM_WALK_H

#include "sim/translate.h"

struct walk {
	struct translator *translator;
	struct builder *b;
	const IRSB *superblock;
	const struct access_sink *sink;
	Int statement;
	struct insn *insn;	      /* NULL before the first */
	unsigned traits, last_traits; /* of this instruction and of the one before */
	struct flow compared;	      /* what went into the flags */
	UInt flags_insn;	      /* number of the instruction that set them last, from 1; 0: none */
	Bool has_exit;		      /* the instruction leaves the block on a condition */
	Bool is_flag_read;	      /* a compare's flags were worked out of these */
	struct flow condition;
	Addr exit_to;
};

/* Each statement but IMark, with which an instruction begins. */
void walk_statement(struct walk *walk, const IRStmt *statement);

#endif
