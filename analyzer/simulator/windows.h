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

struct sampling {
	uint64_t period; /* instructions from window to window, on average; 0: everything is modelled in detail */
	uint64_t seed;	 /* other distances for each */
};

/*
 * What slots of one kind follow from, which pauses count as windows do: mispredicted branches, those that fetch does
 * not know, lines and pages of code, pages of data, and lines that loads find in L2, L3 and memory. Lines and pages are
 * in slots that they would take by themselves.
 */
enum trigger {
	TRIGGER_MISPREDICTED,
	TRIGGER_UNKNOWN,
	TRIGGER_CODE,
	TRIGGER_CODE_PAGE,
	TRIGGER_DATA_PAGE,
	TRIGGER_L2,
	TRIGGER_L3,
	TRIGGER_DRAM,
	TRIGGER_COUNT
};

struct slot_counts {
	uint64_t retired, lost[CAUSE_COUNT], triggers[TRIGGER_COUNT];
};

/* So far, in windows or not. */
void core_triggers(const struct core *core, uint64_t triggers[TRIGGER_COUNT]);

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
 * Outside what is to be counted, and in a pause, caches, TLBs and predictors follow the program; then the core itself
 * does. The predictor needs all of a pause: after its last 20 000 instructions alone, a third more branches of cc1 were
 * mispredicted.
 */
enum sample_state { SAMPLE_OUTSIDE, SAMPLE_PAUSE, SAMPLE_WARMING_UP, SAMPLE_ACCOUNTED };

/*
 * Of repeated string instructions, but for the last ones, which are counted as instructions: a window is as full of
 * them as of instructions.
 */
struct rounds {
	uint64_t all, detailed;
};

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
	struct rounds rounds;
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

static inline bool sampler_is_outside(const struct sampler *sampler)
{
	return sampler->state == SAMPLE_OUTSIDE;
}

static inline bool sampler_is_accounted(const struct sampler *sampler)
{
	return sampler->state == SAMPLE_ACCOUNTED;
}

static inline void sampler_count_rounds(struct sampler *sampler, uint64_t rounds)
{
	sampler->rounds.all += sampler_is_outside(sampler) ? 0 : rounds;
	sampler->rounds.detailed += sampler_is_accounted(sampler) ? rounds : 0;
}

#endif
