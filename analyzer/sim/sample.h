/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - which instructions are modelled in detail. Between the windows caches and predictors follow the program; each window begins
 * with some instructions that are not accounted, until the core is as full as it would have been (SMARTS: Wunderlich and others,
 * ISCA 2003).
 */
#ifndef TOPDOWN_SIM_SAMPLE_H
#define TOPDOWN_SIM_SAMPLE_H

#include "sim/core.h"

#define SAMPLE_WINDOW  10000 /* instructions */
#define SAMPLE_WARM_UP 2000

/* All in instructions. */
struct sampling {
	uint64_t period; /* from window to window, on average; 0: everything is modelled in detail */
};

struct slot_counts {
	uint64_t retired, lost[CAUSE_COUNT];
};

enum sample_state { SAMPLE_PAUSE, SAMPLE_WARMING_UP, SAMPLE_ACCOUNTED };

struct sampler {
	uint64_t left; /* instructions until the state changes */
	enum sample_state state;
	uint32_t random;
	struct slot_counts start; /* of the window */
	struct slot_counts sum;	  /* of the windows that are over */
	/* Of the windows: how many, and the sums of slots, of their squares, of slots times instructions, and so on. */
	uint64_t windows, instructions;
	double slots, slots_squared, slots_instructions, instructions_squared;
};

void sampler_init(struct sampler *sampler, const struct sampling *sampling);

/* So many instructions were executed. */
void sampler_step(struct sampler *sampler, const struct sampling *sampling, struct core *core, uint32_t instructions);

/* The slots of all windows, the one that is open too. */
struct slot_counts sampler_counts(const struct sampler *sampler, const struct core *core);

/* Nothing of what was counted so far counts. */
void sampler_forget(struct sampler *sampler, const struct core *core);

/* Is the next block modelled in detail, and is it accounted? */
static inline bool sampler_is_detailed(const struct sampler *sampler)
{
	return sampler->state != SAMPLE_PAUSE;
}

static inline bool sampler_is_accounted(const struct sampler *sampler)
{
	return sampler->state == SAMPLE_ACCOUNTED;
}

#endif
