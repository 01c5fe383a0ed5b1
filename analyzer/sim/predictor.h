/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * predictor.h - where fetch would go on: a TAGE-like predictor of conditional branches (Seznec and Michaud, JILP 2006), branch
 * targets, a return stack, and an indirect predictor of the same kind. Each call predicts, learns, and tells what was wrong.
 */
#ifndef TOPDOWN_SIM_PREDICTOR_H
#define TOPDOWN_SIM_PREDICTOR_H

#include "sim/cache.h"
#include "sim/parameters.h"

#define TAGE_TABLES	   5
#define TAGE_BITS	   12
#define BIMODAL_BITS	   14
#define INDIRECT_TABLES	   2
#define INDIRECT_BITS	   10
#define INDIRECT_LAST_BITS 12

struct tage_entry {
	uint16_t tag;
	int8_t counter; /* -4 to 3; taken from 0 */
	uint8_t useful; /* 0 to 3 */
};

/* What is known of a branch without its history. */
struct bimodal_entry {
	int8_t counter; /* -2 to 1; taken from 0 */
	uint8_t streak; /* how often it went the same way, to BIASED */
};

struct indirect_entry {
	uint32_t tag;
	uint32_t confidence;
	uint64_t target;
};

struct predictor {
	struct bimodal_entry bimodal[1 << BIMODAL_BITS];
	struct tage_entry tage[TAGE_TABLES][1 << TAGE_BITS];
	struct indirect_entry indirect[INDIRECT_TABLES][1 << INDIRECT_BITS];
	uint64_t last_targets[1 << INDIRECT_LAST_BITS];
	uint64_t history[3];  /* outcomes, the newest in bit 0 of word 0 */
	int8_t trust_new;     /* -8 to 7: from 0, entries that are new are trusted */
	uint32_t random;      /* a linear congruence: the same each time */
	struct cache targets; /* of taken branches, by address: whether fetch knows that a branch is there */
	uint64_t *returns;
	uint32_t return_depth, return_top;
};

enum prediction {
	PREDICTION_RIGHT,
	PREDICTION_UNKNOWN, /* a direct branch that decode had to find */
	PREDICTION_WRONG,
};

/* The branch at the end of a block. */
struct branch_event {
	uint64_t address, fallthrough, target; /* target: where the program went */
	uint8_t branch;			       /* enum branch */
};

void predictor_init(struct predictor *predictor, const struct parameters *parameters);
enum prediction predictor_branch(struct predictor *predictor, const struct branch_event *event);

#endif
