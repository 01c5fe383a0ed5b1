/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.h - from a superblock of VEX's IR to a block's static description. translate.c begins and ends blocks and
 * instructions, walk.c goes through the statements, flow.c follows the values, and classify.c knows the operations.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_TRANSLATE_H
#define TOPDOWN_SIMULATOR_GUEST_TRANSLATE_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/block.h"
#include "simulator/model/core.h"

/* ---- cache_hints.c ---- */

/*
 * What an instruction asks of the caches and VEX's IR does not have: prefetches, and stores that go past the
 * caches. Read from the instruction's bytes (Intel SDM, volume 2; Arm ARM, section C6.2).
 */

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

/* ---- arithmetic.c ---- */

/*
 * Floating-point operations of an instruction, by the rule of Intel's FP_ARITH_INST_RETIRED: each lane of an
 * addition, multiplication, division, root, minimum, maximum or reciprocal is one, of a fused one two.
 * Comparisons, conversions and moves are none.
 */

/* Of one instruction, so far. */
struct flop_sums {
	UInt flops, added, subtracted; /* added, subtracted: those of whole vectors among them */
	UInt bits;		       /* of the widest operation */
	UInt lane_bits, lanes;	       /* lanes: operations on one lane */
};

void arithmetic_note(struct flop_sums *sums, IROp op);

/* Sets flops and flop_kind. */
void arithmetic_end(struct insn *insn, const struct flop_sums *sums);

/* ---- translate.c ---- */

#define MOST_INSNS 128
#define MOST_UOPS  1024
#define MOST_TEMPS 4096

/* A temporary, or a sum of them: what it waits for, and what is then still to be done. */
struct flow {
	UShort values[UOP_SOURCES];
	UChar nvalues;
	UChar kind;	/* enum kind; KIND_NONE: it is ready with its values */
	Bool is_scaled; /* an index of the current instruction is in it, shifted */
	Bool is_upper;	/* the upper half of a product, which comes a cycle after the lower one */
};

struct temp {
	struct flow flow;
	Int last_use; /* number of the last statement that uses it, -1: none */
};

struct access {
	Int statement;		 /* before which its address is known */
	IRExpr *address, *guard; /* address: NULL for a prefetch, which has an operand */
	struct operand operand;
	UInt size;
	Bool is_indexed; /* its address is made of more than one register */
};

/* The block that is being made. */
struct builder {
	struct temp temps[MOST_TEMPS];
	Int ntemps;
	IRTemp fresh[MOST_TEMPS]; /* temporaries of the current instruction */
	Int nfresh;
	struct uop uops[MOST_UOPS];
	struct insn insns[MOST_INSNS];
	struct access accesses[MOST_ACCESSES]; /* in the order of their statements */
	UInt nuops, ninsns, nlocals, naccesses;
	UInt first_uop;			/* of the current instruction */
	UInt computes;			/* of the current instruction that take a port */
	UShort registers[VALUE_LOCALS]; /* where the value of each is now */
	Bool is_written[VALUE_LOCALS];
	/* What the current instruction writes: registers, bytes of each (arch_whole), and what was there before. */
	UShort touched[VALUE_LOCALS], before[VALUE_LOCALS];
	UInt bytes[VALUE_LOCALS], ntouched;
	UInt rows[MOST_INSNS], nrows; /* of its instructions, each once */
};

struct translator {
	const struct parameters *parameters;
	const VexGuestLayout *layout;
	struct builder builder;
	Addr last_line_end; /* line of the last byte so far, for INSN_STARTS_LINE */
	/* The row for an instruction's lost slots; NULL: without attribution. */
	UInt (*row_of)(Addr address);
	/* Of a jump back: its row, where it leads to, and what stands behind it; NULL: nobody asks. */
	void (*on_jump_back)(UInt row, Addr to, Addr end);
	Bool (*is_marked)(Addr address); /* NULL: no block is */
	Bool has_stacks;		 /* blocks with calls and returns are followed */
	UChar *room, *room_end;		 /* of blocks, from the start of a line of the host's cache on */
};

/*
 * The block, in memory that is never given back; NULL when the superblock has no instruction, or more than fits. The
 * addresses of its accesses are in the translator's builder until the next call.
 */
struct block *translate(struct translator *translator, const IRSB *superblock);

/* ---- walk.c ---- */

struct walk {
	struct translator *translator;
	struct builder *b;
	const IRSB *superblock;
	Int statement;
	struct insn *insn;	      /* NULL before the first */
	unsigned traits, last_traits; /* of this instruction and of the one before */
	enum crossing crossing;	      /* of this instruction */
	UInt form;		      /* form_key of this instruction */
	enum cache_hint hint;	      /* of this instruction */
	struct flop_sums flops;	      /* likewise */
	struct flow compared;	      /* what went into the flags */
	UShort flags;		      /* the value that they have before this instruction */
	UInt flags_insn;	      /* number of the instruction that set them last, from 1; 0: none */
	struct flow passed;	      /* what VEX has put into memory for an instruction that has only registers */
	Bool has_exit;		      /* the instruction leaves the block on a condition */
	struct flow condition;
	Addr exit_to;
	Bool is_upper_written, is_upper_known; /* of vector registers; known: since the block began */
	struct insn *first_kept;	       /* that keeps the halves with which the block began; NULL: none does */
};

/* Each statement but IMark, with which an instruction begins. */
void walk_statement(struct walk *walk, const IRStmt *statement);

/* A prefetch begins, which has no statements. */
void walk_prefetch(struct walk *walk, const struct operand *operand);

/*
 * ---- flow.c: which values each temporary of VEX's IR comes from, through which kind of operation, and the
 * micro-ops that follow. Within an instruction operations are merged into one micro-op beside its loads and
 * stores, as the core's are. ----
 */

/* Forgets the last block; ntemps of the next one. False when it has more than fits: it is then not modelled. */
Bool flow_begin(struct builder *builder, Int ntemps);

/* Sets last_use of each temporary: the number of a statement; that of the block's end is the one behind the last. */
void flow_find_last_uses(struct builder *builder, const IRSB *superblock);

/* What an operand stands for; constants for nothing that one waits for. */
struct flow flow_of(const struct builder *builder, const IRExpr *atom);
struct flow flow_join(struct flow one, const struct flow *other);
struct flow flow_of_one(UShort value);

/* Adds a micro-op; -1 when the block is full. target VALUE_LOCALS: a new value, which is returned. */
Int flow_add_uop(struct builder *builder, enum kind kind, const struct flow *sources, UInt target);

/* Makes a flow one that is ready with its values, with a micro-op where it takes one. */
struct flow flow_settle(struct builder *builder, const struct flow *flow);

/* The same a cycle later. */
struct flow flow_delay(struct builder *builder, const struct flow *flow);

/* What a register was when the current instruction began, which is what all of its lanes read. */
struct flow flow_of_value(const struct builder *builder, unsigned value);

/* The current instruction writes bytes of a register, a bit each. */
void flow_write(struct builder *builder, unsigned value, UInt bytes, const struct flow *written);

/* An instruction begins; it ends, with the number of its last statement. */
void flow_begin_insn(struct builder *builder);
void flow_end_insn(struct builder *builder, Int statement);

/* ---- classify.c: which kind of micro-op an operation of VEX's IR stands for ---- */

enum kind classify_op(IROp op);

/* Helper functions that VEX calls, by their names. */
enum kind classify_call(const HChar *name);

/* Does the helper wait for all before it, as CPUID does? */
Bool is_serializing_call(const HChar *name);

#endif
