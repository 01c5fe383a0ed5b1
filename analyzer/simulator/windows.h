/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - which instructions are modelled in detail. Between the windows caches and predictors follow the program;
 * each window begins with some instructions that are not accounted, until the core is as full as it would have been
 * (SMARTS: Wunderlich and others, ISCA 2003).
 */
#ifndef TOPDOWN_SIMULATOR_WINDOWS_H
#define TOPDOWN_SIMULATOR_WINDOWS_H

#include "simulator/core.h"

#define SAMPLE_WINDOW  10000 /* instructions */
#define SAMPLE_WARM_UP 2000
#define SAMPLE_TRAINED 20000 /* at most: the end of a pause, in which branches are learnt from */

struct sampling {
	uint64_t period; /* instructions from window to window, on average; 0: everything is modelled in detail */
	uint64_t seed;	 /* other distances for each */
};

struct slot_counts {
	uint64_t retired, lost[CAUSE_COUNT];
};

/* What level 1 of the tree divides slots into. */
enum part { PART_RETIRING, PART_SPECULATION, PART_FRONTEND, PART_BACKEND, PART_COUNT };

/*
 * What the windows say together: sums over them, from which follows how far apart they are. Slots and instructions are
 * in SAMPLE_UNITs, so that the sums of squares of a long program stay within 64 bits as integers.
 */
#define SAMPLE_UNIT 64.0

struct sample_sums {
	uint64_t windows;
	double instructions, instructions_squared;
	double slots, slots_squared, slots_instructions; /* the last one: slots times instructions */
	double part[PART_COUNT], part_squared[PART_COUNT], part_slots[PART_COUNT];
};

/*
 * Outside what is to be counted, caches and predictors follow the program. In a pause only caches and TLBs do; then the
 * predictors too; then the core itself.
 */
enum sample_state { SAMPLE_OUTSIDE, SAMPLE_PAUSE, SAMPLE_TRAINING, SAMPLE_WARMING_UP, SAMPLE_ACCOUNTED };

struct sampler {
	uint64_t left; /* instructions until the state changes */
	enum sample_state state;
	uint32_t random;
	struct slot_counts start;   /* of the window */
	struct slot_counts partial; /* of the window, before the program was outside */
	struct slot_counts sum;	    /* of the windows that are over, and partial */
	enum sample_state inside;   /* outside: the state and what was left of it */
	uint64_t inside_left;
	struct sample_sums sums; /* likewise */
};

/* number: of the thread, so that each begins its first window elsewhere, as each process does by the seed. */
void sampler_init(struct sampler *sampler, const struct sampling *sampling, uint32_t number);

/* So many instructions were executed. */
void sampler_step(struct sampler *sampler, const struct sampling *sampling, struct core *core, uint32_t instructions);

/* The slots of all windows, the one that is open too. */
struct slot_counts sampler_counts(const struct sampler *sampler, const struct core *core);

/* The program leaves what is to be counted, and comes back to it: the state is as it was. */
void sampler_leave(struct sampler *sampler, const struct core *core);
void sampler_enter(struct sampler *sampler, struct core *core);

/* Nothing of what was counted so far counts. */
void sampler_forget(struct sampler *sampler, const struct core *core);

/* After that: begins anew, in another process. */
void sampler_restart(struct sampler *sampler, const struct sampling *sampling, uint32_t number);

/* Is the next block modelled in detail, and is it accounted? */
static inline bool sampler_is_detailed(const struct sampler *sampler)
{
	return sampler->state >= SAMPLE_WARMING_UP;
}

static inline bool sampler_is_trained(const struct sampler *sampler)
{
	return sampler->state != SAMPLE_PAUSE;
}

static inline bool sampler_is_outside(const struct sampler *sampler)
{
	return sampler->state == SAMPLE_OUTSIDE;
}

static inline bool sampler_is_accounted(const struct sampler *sampler)
{
	return sampler->state == SAMPLE_ACCOUNTED;
}

#endif
