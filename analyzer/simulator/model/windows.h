/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - which instructions are modelled in detail. Between the windows caches and predictors follow the program;
 * each window begins with some instructions that are not accounted, until the core is as full as it would have been
 * (SMARTS: Wunderlich and others, ISCA 2003).
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_WINDOWS_H
#define TOPDOWN_SIMULATOR_MODEL_WINDOWS_H

#include "simulator/model/window_sums.h"

#define SAMPLE_WINDOW  10000 /* instructions */
#define SAMPLE_WARM_UP 2000
#define SAMPLE_BACKLOG 8000 /* more of a warm-up, where lines wait for memory's bandwidth */

struct sampling {
	uint64_t period; /* instructions from window to window, on average; 0: everything is modelled in detail */
	uint64_t seed;	 /* other distances for each */
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
