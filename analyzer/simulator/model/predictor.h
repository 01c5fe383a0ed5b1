/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * predictor.h - where fetch would go on: a TAGE-like predictor of conditional branches (Seznec and Michaud,
 * JILP 2006), branch targets, a return stack, and an indirect predictor of the same kind. Each call predicts,
 * learns, and returns what was wrong.
 *
 * It runs once for each block, so the usual case is short: a branch is predicted rightly by what is
 * sure of it, and nothing changes.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_PREDICTOR_H
#define TOPDOWN_SIMULATOR_MODEL_PREDICTOR_H

#include "simulator/model/block.h"
#include "simulator/model/cache.h"
#include "simulator/model/parameters.h"

#define BIAS_BITS	   16
#define BIASED		   127 /* times in a row */
#define TAGE_TABLES	   3
#define INDIRECT_TABLES	   2
#define INDIRECT_BITS	   11
#define INDIRECT_LAST_BITS 12

struct indirect_entry {
	uint32_t tag;
	uint32_t confidence;
	uint64_t target;
};

/* Outcomes of branches, the newest in bit 0, and the 64 before them. */
struct recent_values {
	uint64_t recent, older;
};

struct predictor {
	struct recent_values past;
	struct cache targets;	  /* of taken branches, by address: whether fetch knows that a branch is there */
	struct cache all_targets; /* where targets are the near ones alone; else without sets */
	uint64_t *returns;
	uint32_t return_depth, return_top;
	uint32_t random;  /* a linear congruence: the same each time */
	int8_t trust_new; /* -8 to 7: from 0, entries that are new are trusted */
	/*
	 * What is known of a branch without the others: from 0 on it is expected to be taken, below that not; how
	 * far from there, so often it did as expected in a row, up to a limit. And what follows each when the
	 * branch is not taken, and taken.
	 */
	int8_t biases[1 << BIAS_BITS];
	int8_t next_biases[256][2];
	/*
	 * What is known of it after others: a tag, with a counter (0 to 7; taken from 4) as exclusive or in its lower
	 * bits; and how useful that was (0 to 3), which is seldom asked for.
	 */
	uint16_t *tage[TAGE_TABLES];
	uint8_t *useful[TAGE_TABLES];
	uint32_t entry_bits; /* of them number the rows of a table */
	/*
	 * Of indirect branches: the last target, above 8 bits of how often it was that in a row; and
	 * those by the outcomes before.
	 */
	uint64_t last_targets[1 << INDIRECT_LAST_BITS];
	uint64_t indirect_masks[INDIRECT_TABLES]; /* of the past that each table sees */
	bool by_outcomes;			  /* that past has no targets */
	bool has_targets;			  /* the last indirect branch has had several targets lately */
	struct indirect_entry indirect[INDIRECT_TABLES][1 << INDIRECT_BITS];
};

enum prediction {
	PREDICTION_RIGHT,
	PREDICTION_FAR,	    /* right, by a target that is not near */
	PREDICTION_UNKNOWN, /* a direct branch that decode had to find */
	PREDICTION_WRONG,
};

/*
 * By which tables know a branch. Different addresses have different ones. The upper bits are as good as
 * random; the lower 16 are the address's, so that what is known of branches near each other is in the
 * same lines of the host's cache.
 */
static inline uint64_t predictor_hash(uint64_t address)
{
	return address * 0x9e3779b97f4a0001u;
}

void predictor_init(struct predictor *predictor, const struct parameters *parameters);

/* The branch at the end of a block, after which the program went on at next. */
enum prediction predictor_branch(struct predictor *predictor, const struct block *block, uint64_t next);

/* ---- branches of which there is nothing to learn ---- */

static inline void predictor_remember(struct predictor *p, unsigned bits, uint64_t value)
{
	p->past.older = (p->past.older << bits) + (p->past.recent >> (64 - bits));
	p->past.recent = (p->past.recent << bits) + value;
}

#define TARGET_WAYS 4

/*
 * The taken branches among which fetch knows this one, if any. Branches may lie at the same distance from each other,
 * so that few sets would take all: they are chosen by the hash.
 */
static inline uint32_t *predictor_target_set(const struct cache *targets, uint64_t hash)
{
	return targets->tags + ((hash >> 32) * targets->shape.sets >> 32) * TARGET_WAYS;
}

static inline uint32_t *predictor_targets(const struct predictor *p, uint64_t hash)
{
	return predictor_target_set(&p->targets, hash);
}

/*
 * Is the branch predicted, without anything to learn from it: a direct one that fetch knows best in its set, or a
 * conditional one that has gone this way for long? Then it is remembered as predictor_branch does. Otherwise nothing
 * changes, and that is for it to see.
 */
static inline bool predictor_passes(struct predictor *p, const struct block *block, uint64_t next)
{
	uint64_t hash = block->branch_hash;
	bool is_conditional = block->branch == BRANCH_CONDITIONAL, is_taken = next != block->end;

	if (is_conditional) {
		if (p->biases[hash & ((1u << BIAS_BITS) - 1)] != (is_taken ? BIASED : ~BIASED))
			return false;
		if (is_taken && predictor_targets(p, hash)[0] != (uint32_t)hash)
			return false;
		predictor_remember(p, 1, is_taken);
		return true;
	}
	return block->branch == BRANCH_DIRECT && predictor_targets(p, hash)[0] == (uint32_t)hash;
}

#endif
