/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - which instructions are modelled in detail. Between the windows caches and predictors follow the program;
 * each window begins with some instructions that are not accounted, until the core is as full as it would have been
 * (SMARTS: Wunderlich and others, ISCA 2003).
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_WINDOWS_H
#define TOPDOWN_SIMULATOR_MODEL_WINDOWS_H

#include "simulator/model/core.h"

/* ---- window_sums.c ---- */

/*
 * What the windows of a sample say together: sums, from which follows how uncertain the whole is.
 *
 * Each window stands for a stretch of the program, of which it is any part. So what counts is how far neighbours are
 * apart, not the program's phases (collapsed strata: Cochran, Sampling Techniques, chapter 5). And of all instructions
 * mispredictions, lines and pages are counted, in windows or not. So windows that differ in these, by what they cost,
 * are equal (a difference estimator, chapter 7).
 */

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

/* What level 1 of the tree divides slots into. */
enum part { PART_RETIRING, PART_SPECULATION, PART_FRONTEND, PART_BACKEND, PART_COUNT };

/* What is known of a window: instructions, slots of each part, and triggers. */
#define FIGURE_PART    1
#define FIGURE_TRIGGER (FIGURE_PART + PART_COUNT)
#define FIGURE_COUNT   (FIGURE_TRIGGER + TRIGGER_COUNT)

/* Sums of the windows' figures, and half the sums of the products of the differences between neighbours. */
struct window_moments {
	uint64_t windows;
	double last[FIGURE_COUNT], sum[FIGURE_COUNT], product[FIGURE_COUNT][FIGURE_COUNT];
};

/* Slots and instructions are in SAMPLE_UNITs, so that the sums of squares of a long program stay within 64 bits. */
#define SAMPLE_UNIT 64.0

/*
 * Slots and parts of each window are less by what its triggers beyond the mean cost. Sums are those of the windows as
 * they were. Squares and products are such that the usual formula for a variance gives that of neighbours: half the
 * sums over their differences, plus the product of both sums by the number of windows.
 */
struct sample_sums {
	uint64_t windows;
	double instructions, instructions_squared;
	double slots, slots_squared, slots_instructions; /* the last one: slots times instructions */
	double part[PART_COUNT], part_squared[PART_COUNT], part_slots[PART_COUNT];
};

void window_moments_add(struct window_moments *moments, const struct slot_counts *window, double instructions);

/* all: of the windows together, which says what a trigger costs. */
struct sample_sums window_sums(const struct window_moments *moments, const struct slot_counts *all);

/* ---- windows.c ---- */

#define SAMPLE_WINDOW  10000 /* instructions */
#define SAMPLE_WARM_UP 2000
#define SAMPLE_BACKLOG 8000 /* more of a warm-up, where lines wait for memory's bandwidth */

struct sampling {
	uint64_t period; /* instructions from window to window, on average; 0: everything is modelled in detail */
	uint64_t seed;	 /* other distances for each */
	bool has_bursts; /* what stands for a stretch of the program is several windows (sampler_close_burst) */
};

/* So far, in windows or not. */
void core_triggers(const struct core *core, uint64_t triggers[TRIGGER_COUNT]);

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
	uint64_t place;		    /* of the window in its period: instructions of its pause */
	uint64_t more;		    /* that the warm-up took beyond SAMPLE_WARM_UP */
	struct slot_counts start;   /* of the window */
	struct slot_counts partial; /* of the window, before the program was outside */
	struct slot_counts sum;	    /* of the windows that are over, and partial */
	enum sample_state inside;   /* outside: the state and what was left of it */
	uint64_t inside_left;
	struct window_moments moments; /* likewise */
	struct slot_counts burst;      /* of the windows since the last one was closed, */
	uint64_t burst_instructions;   /* and what they have of instructions */
	struct rounds rounds;
};

/* number: of the thread, so that each begins its first window elsewhere, as each process does by the seed. */
void sampler_init(struct sampler *sampler, const struct sampling *sampling, uint32_t number);

/* So many instructions were executed. */
void sampler_step(struct sampler *sampler, const struct sampling *sampling, struct core *core, uint32_t instructions);

/* The slots of all windows, the one that is open too. */
struct slot_counts sampler_counts(const struct sampler *sampler, const struct core *core);

/* What the windows that are over say together. */
struct sample_sums sampler_sums(const struct sampler *sampler);

/* The windows since the last time are one part of the sample; the next one begins with a pause. */
void sampler_close_burst(struct sampler *sampler, const struct sampling *sampling, const struct core *core);

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
