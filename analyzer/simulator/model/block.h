/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h - the static description of a block of instructions that ends with its first branch: what the core model
 * needs to know of each micro-op, worked out once when the block is translated.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_BLOCK_H
#define TOPDOWN_SIMULATOR_MODEL_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a micro-op does: its latency and its ports. In the order of latency, so that the later one of
 * two describes both together.
 */
enum kind {
	KIND_NONE, /* renamed away: moves, extensions, zeroing */
	KIND_ALU,
	KIND_SHIFT,  /* rotations and tests of a bit too */
	KIND_SELECT, /* CMOVcc, SETcc */
	KIND_BRANCH,
	KIND_VECTOR, /* integer and logic on vectors */
	KIND_SHUFFLE,
	KIND_SCALED_SUM, /* LEA with a scaled index; with three parts */
	KIND_LONG_SUM,
	KIND_VECTOR_MOVE, /* between registers and vector registers */
	KIND_CROSS_LANE,  /* a shuffle over the halves of a vector */
	KIND_BITS,	  /* counts of bits and of zeroes */
	KIND_MULTIPLY,	  /* integer */
	KIND_FP_ADD,	  /* compare, minimum, maximum too */
	KIND_CONVERT,
	KIND_CONVERT_MOVE, /* from or to a general register */
	KIND_TRANSFER,	   /* what crosses from or to vector registers takes, beside its own operation */
	KIND_FP_MULTIPLY,
	KIND_FP_FUSED,
	KIND_X87_ADD,
	KIND_X87_MULTIPLY,
	KIND_VECTOR_MULTIPLY,
	KIND_CRYPTO, /* AES, SHA, carry-less multiply */
	KIND_DIVIDE_32,
	KIND_DIVIDE_64,
	KIND_FP_DIVIDE_32,
	KIND_FP_DIVIDE_64,
	KIND_FP_ROOT,
	KIND_MICROCODE, /* long sequences: CPUID, string compares, x87 functions */
	KIND_LOAD,
	KIND_STORE,
	KIND_STREAM,   /* a store past the caches */
	KIND_PREFETCH, /* nobody waits for it */
	KIND_COUNT
};

/*
 * When a value is ready is kept under numbers: one that is always ready, one that nobody reads, the guest's registers,
 * and the values inside of a block.
 */
enum { VALUE_READY, VALUE_UNUSED, VALUE_REGISTERS, VALUE_LOCALS = 256, VALUE_COUNT = 1024 };

#define UOP_SOURCES	 4
#define MOST_ACCESS_SIZE 0x1fff
#define MOST_LATENCY	 0x7fff

struct uop {
	uint16_t sources[UOP_SOURCES]; /* values; VALUE_READY where there are fewer */
	uint16_t target;
	uint8_t kind;
	/* enum port; PORT_NONE: a second result of an instruction. Other micro-ops get theirs from block_finish. */
	uint8_t port;
	union {
		struct {
			uint16_t size : 13;	 /* bytes, of loads and stores */
			uint16_t is_operand : 1; /* what is loaded is worked on, and not stored there again */
			uint16_t is_vector : 1;	 /* from or to a vector register */
			uint16_t is_indexed : 1; /* two registers make its address, and that matters to the core */
			uint16_t access;	 /* number of its address within the block's */
		};
		struct {
			uint16_t latency : 15, /* of others, from block_finish */
				is_known : 1;  /* latency and, unless 0, occupancy are the instruction's own */
			uint16_t occupancy;
		};
	};
};

enum {
	INSN_FLOATING = 1 << 0,	   /* floating-point arithmetic */
	INSN_MEMORY = 1 << 1,	   /* loads or stores */
	INSN_BRANCH = 1 << 2,	   /* the branch at the end of the block, or what is fused with it */
	INSN_SERIALIZES = 1 << 3,  /* waits for all before it: fences, CPUID */
	INSN_LOCKED = 1 << 4,	   /* atomic read-modify-write */
	INSN_MICROCODED = 1 << 5,  /* comes from the microcode sequencer */
	INSN_REPEATED = 1 << 6,	   /* one round of a repeated string instruction */
	INSN_FENCE = 1 << 8,	   /* no load goes on before all before it is through */
	INSN_DRAINS = 1 << 9,	   /* a fence that waits for stores to leave their queue, too */
	INSN_GATHERS = 1 << 10,	   /* a load for each lane */
	INSN_PAUSES = 1 << 11,	   /* PAUSE: a loop waits for another thread */
	INSN_VECTOR = 1 << 12,	   /* writes a vector register: scalar floating point does so too */
	INSN_X87 = 1 << 13,	   /* writes one of the eight */
	INSN_CRYPTO = 1 << 14,	   /* a round of a cipher or of a hash */
	INSN_MIXES = 1 << 15,	   /* of SSE, behind one of AVX whose upper halves it has to keep */
	INSN_STARTS_LINE = 1 << 7, /* its first or its last byte is in another line than the last byte before */
};

/* Floating-point operations by the type and the width of their instruction. */
enum flop_kind {
	FLOPS_F32_SCALAR,
	FLOPS_F32_128,
	FLOPS_F32_256,
	FLOPS_F64_SCALAR,
	FLOPS_F64_128,
	FLOPS_F64_256,
	FLOP_KINDS
};

struct insn {
	uint64_t address;
	uint32_t row; /* of its lost slots, in attribution, behind the core's base */
	uint8_t nuops;
	uint8_t slots; /* issue slots; 0: fused with the instruction before */
	uint16_t flags;
	uint8_t bytes;
	uint8_t flop_kind;		   /* enum flop_kind */
	uint16_t cached_cost, legacy_cost; /* of delivery, in FETCH_UNITs (core.h) */
	uint8_t loads, stores;
	uint16_t before;	 /* slots of the block's instructions before it, from block_finish */
	uint16_t flops;		 /* arithmetic.c */
	uint16_t loaded, stored; /* bytes, each time */
};

/* What a step does. */
enum shape {
	SHAPE_NOTHING, /* as many instructions as it has slots, which execute nothing */
	SHAPE_COMPUTE,
	SHAPE_LOAD,
	SHAPE_STORE,
	SHAPE_OTHER, /* an instruction that is not like most: more sources, the divider, a lock */
	SHAPE_END    /* behind the last one */
};

/* The block once more as the core goes through it: usually a micro-op with all that it takes. From block_finish. */
struct step {
	uint32_t before; /* slots of the block before it, in units of which a cycle has 65536 */
	uint32_t row;	 /* of its instruction, as in delay_word */
	uint16_t sources[2], target;
	uint8_t shape;
	uint8_t slots; /* 0: of those of the step before, as what is fused, and further micro-ops of an instruction */
	uint8_t port;
	bool is_renamed; /* a load that may get its data from a store without an access, or such a store */
	union {
		/* of loads: the last byte in a line from which they don't reach into the next; below 0: none */
		int16_t last;
		uint16_t size;	  /* of stores */
		uint16_t latency; /* of others */
	};
	uint16_t number; /* of loads and stores: of their address; of SHAPE_OTHER: of the instruction */
	union {
		uint16_t third; /* of stores: one more source */
		uint16_t uop;	/* of SHAPE_OTHER: the number of its first micro-op */
	};
};

/* step.last of a load, and its bytes. */
static inline int16_t step_last(uint16_t size)
{
	return (int16_t)(64 - (size < 1024 ? size : 1024));
}

static inline uint32_t step_bytes(int16_t last)
{
	return (uint32_t)(64 - last);
}

/* step.is_renamed, on a core that does so: registers of 4 and 8 bytes. */
static inline bool step_is_renamed(const struct uop *uop)
{
	return (uop->size == 4 || uop->size == 8) && !uop->is_vector && !uop->is_indexed && !uop->is_operand;
}

enum branch {
	BRANCH_NONE,
	BRANCH_CONDITIONAL,
	BRANCH_DIRECT,
	BRANCH_CALL,
	BRANCH_INDIRECT,
	BRANCH_INDIRECT_CALL,
	BRANCH_RETURN
};

/* At the end of the block a register's value is that under another number. */
struct copy {
	uint16_t to, from;
};

/* So many copies are made at the end of each block; where there are fewer, VALUE_READY becomes itself. */
#define FIRST_COPIES 2

/* Where L1I and the micro-op cache had a line when it was followed last: they are asked there first. */
struct code_ways {
	uint16_t l1i, uop;
};

#define HOST_LINE 64 /* bytes of a line of the host's cache */

/*
 * What is asked for each execution comes first, in two lines of the host's cache: a block that is in a trace begins
 * with a line.
 */
struct block {
	uint64_t address, end;	  /* end: of the first byte behind it, where a branch not taken goes on */
	uint64_t detailed, total; /* executions, in detail and altogether */
	uint16_t ninsns, naccesses;
	uint16_t nstores; /* of the accesses, from block_finish */
	uint16_t ncopies; /* behind the first ones */
	uint8_t branch;	  /* enum branch */
	bool is_repeated;
	bool is_marked;	      /* the function whose calls are counted begins here */
	bool is_followed;     /* its branch may be a call or a return: the stack pointer behind it is in the trace */
	bool is_indirect;     /* its branch is an indirect jump or call; from block_finish */
	bool is_special;      /* goes through the core instruction by instruction; from block_finish */
	uint64_t branch_hash; /* predictor_hash of the last instruction, from block_finish */
	struct code_ways code_ways[2]; /* of its first and its last line */
	struct step *steps;	       /* from block_finish; one of SHAPE_END is behind them */
	/* From here on from block_finish. Of all instructions, and of the first one. */
	uint32_t cached_cost, legacy_cost;
	uint16_t first_cached_cost, first_legacy_cost;
	uint16_t line_cost; /* cached_cost of what ends in its first line of code, where it has two */
	uint16_t slots;
	/*
	 * What must have left each queue for half of the block to have room: which entry, counted from the block's
	 * first one on and so below 0; of the schedulers, waiting_room.
	 */
	int16_t before_slots, before_loads, before_stores;
	int16_t before_queue; /* the same of the queue between fetch and issue, for all of it */
	uint64_t waiting_room;
	uint64_t booked; /* micro-ops that wait for a port, of all steps but SHAPE_OTHER: as in core.waiting */
	struct copy first_copies[FIRST_COPIES];
	struct insn *insns;

	bool *is_store; /* of each access, from block_finish */
	struct uop *uops;
	struct copy *copies; /* behind the first ones */
	uint16_t nuops, nsteps;
	struct block *next; /* of all blocks */
	uint64_t rounds;    /* of a repeated string instruction, whose executions are several of them */
	uint32_t *rows;	    /* the source rows of its instructions, each once; NULL: they are not wanted */
	uint16_t nrows;
	struct placement *placement; /* the last one (calling_contexts.h), or NULL */
};

struct parameters;

/* enum port of the units that a kind of micro-op executes in. */
uint8_t block_port(unsigned kind, const struct parameters *parameters);

/* Fills in what follows from the instructions, the micro-ops and the core's parameters. */
void block_finish(struct block *block, const struct parameters *parameters);

#endif
