/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_units.h - what the parts of core_execute share: an instruction's place in the rings, what a micro-op ends with,
 * and the units that micro-ops execute in. Inlined into the loops over a block, where the time of a simulation goes.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_CORE_UNITS_H
#define TOPDOWN_SIMULATOR_MODEL_CORE_UNITS_H

#include "simulator/model/core.h"
#include "simulator/model/host.h"

/* What changes with each instruction: kept in registers throughout a block. */
struct front {
	uint64_t issue;	       /* cycle of the current instruction */
	uint64_t commit;       /* core.h */
	uint64_t entry, delay; /* the next ones of the rings, which are not turned before the block is through */
	uint64_t limit;	       /* of the cycles in which ports can be booked */
	uint32_t base;	       /* delay_word of the core's base */
};

/* When a micro-op is done, and what it waited for; 0 for one that was not made. */
struct outcome {
	uint64_t done;
	uint32_t cause; /* enum cause */
};

static ALWAYS_INLINE uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Of the cycles that can be booked. */
static ALWAYS_INLINE uint64_t units_limit(const struct core *core)
{
	return core->opened + HORIZON;
}

static ALWAYS_INLINE struct front front_of(const struct core *core, uint64_t issue)
{
	return (struct front){ .issue = issue,
			       .commit = core->commit,
			       .entry = core->entry,
			       .delay = core->delay,
			       .limit = units_limit(core),
			       .base = delay_word(core->base, 0) };
}

static ALWAYS_INLINE bool units_are_free(const struct core *core, unsigned port, uint64_t time)
{
	return (core->calendar[time % HORIZON] & core->unit_masks[port]) != 0;
}

/* The first time from here on at which a unit is free, as far as is known: before the limit. */
uint64_t units_next_free(const struct core *core, unsigned port, uint64_t time);

/* A step whose sources are ready at a time, but then no unit is free, or that is not known yet. */
struct outcome units_compute_later(struct core *core, const struct step *step, uint64_t ready);

/* A micro-op that waits starts at a time when a unit of its port is free. */
static ALWAYS_INLINE void book(struct core *core, unsigned port, uint64_t time, uint64_t limit)
{
	if (LIKELY(time < limit))
		core->calendar[time % HORIZON] += core->unit_taken[port];
	else if (port != PORT_NONE)
		core->waiting -= waiting_of((enum queue)core->queues[port]);
}

/* A port for a micro-op that could start at a time, which is moved to when it does. Was it free then? */
static ALWAYS_INLINE bool take_port(struct core *core, unsigned port, uint64_t *time)
{
	bool is_free = units_are_free(core, port, *time);

	if (UNLIKELY(!is_free))
		*time = units_next_free(core, port, *time);
	book(core, port, *time, units_limit(core));
	return is_free;
}

/* One more unit that the same micro-op takes. */
static ALWAYS_INLINE bool take_unit(struct core *core, unsigned port, uint64_t *time)
{
	bool is_free = units_are_free(core, port, *time);

	if (UNLIKELY(!is_free))
		*time = units_next_free(core, port, *time);
	if (LIKELY(*time < units_limit(core)))
		core->calendar[*time % HORIZON] -= core->unit_ones[port];
	return is_free;
}

/* The empty sources are behind the others, and always ready. */
static ALWAYS_INLINE uint64_t sources_ready(const struct core *core, const struct front *front, const uint16_t *sources)
{
	return later(later(front->issue + 1, core->ready[sources[0]]), core->ready[sources[1]]);
}

static ALWAYS_INLINE struct outcome compute(struct core *core, struct front *front, const struct step *step,
					    uint64_t ready)
{
	struct outcome outcome = { .done = ready + step->latency, .cause = CAUSE_DEPENDENCY };
	uint64_t *word = &core->calendar[ready % HORIZON];
	unsigned port = step->port;

	if (LIKELY((*word & core->unit_masks[port]) && ready < front->limit))
		*word += core->unit_taken[port];
	else
		outcome = units_compute_later(core, step, ready);
	core->ready[step->target] = outcome.done;
	return outcome;
}

/* The divider takes one at a time. */
static ALWAYS_INLINE struct outcome divide(struct core *core, const struct step *step, uint32_t occupancy,
					   uint64_t ready)
{
	uint64_t start = later(ready, core->divider_free);

	core->divider_free = start + occupancy;
	take_port(core, step->port, &start);
	core->ready[step->target] = start + step->latency;
	return (struct outcome){ .done = start + step->latency, .cause = CAUSE_DIVIDER };
}

#endif
