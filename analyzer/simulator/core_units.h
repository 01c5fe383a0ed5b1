/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_units.h - what the parts of core_execute share: an instruction's place in the rings, what a micro-op ends with,
 * and the units that micro-ops execute in. Inlined into the loops over a block, where the time of a simulation goes.
 */
#ifndef TOPDOWN_SIMULATOR_CORE_UNITS_H
#define TOPDOWN_SIMULATOR_CORE_UNITS_H

#include "simulator/core.h"
#include "simulator/host.h"

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

static ALWAYS_INLINE struct front front_of(const struct core *core, uint64_t issue)
{
	return (struct front){ .issue = issue,
			       .commit = core->commit,
			       .entry = core->entry,
			       .delay = core->delay,
			       .limit = core->opened + HORIZON,
			       .base = delay_word(core->base, 0) };
}

static ALWAYS_INLINE uint8_t *units_free(struct core *core, unsigned port, uint64_t time)
{
	return &core->ports[time % HORIZON].free[port];
}

static ALWAYS_INLINE void book(struct core *core, unsigned port, uint64_t time)
{
	union port_units *cycle = &core->ports[time % HORIZON];

	cycle->free[port]--;
	cycle->leaving[core->queues[port]]++;
}

/* The first time from here on at which a unit is free, as far as is known: before a limit. */
uint64_t units_next_free(struct core *core, unsigned port, uint64_t time, uint64_t limit);

/*
 * A port for a micro-op that could start at a time, which is moved to when it does. Was it free then? The
 * micro-op is among those that wait.
 */
static ALWAYS_INLINE bool take_port(struct core *core, const struct front *front, unsigned port, uint64_t *time)
{
	bool is_free = true;

	if (UNLIKELY(!*units_free(core, port, *time))) {
		*time = units_next_free(core, port, *time, front->limit);
		is_free = false;
	}
	if (LIKELY(*time < front->limit))
		book(core, port, *time);
	else
		core->waiting -= waiting_of((enum queue)core->queues[port]);
	return is_free;
}

/* One more unit that the same micro-op takes. */
static ALWAYS_INLINE bool take_unit(struct core *core, const struct front *front, unsigned port, uint64_t *time)
{
	bool is_free = *units_free(core, port, *time) != 0;

	if (UNLIKELY(!is_free))
		*time = units_next_free(core, port, *time, front->limit);
	if (LIKELY(*time < front->limit))
		--*units_free(core, port, *time);
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
	struct outcome outcome = { .cause = CAUSE_DEPENDENCY };
	uint64_t start = ready;

	if (UNLIKELY(!take_port(core, front, step->port, &start)) && 2 * (start - ready) >= step->latency)
		outcome.cause = CAUSE_PORTS;
	outcome.done = start + step->latency;
	core->ready[step->target] = outcome.done;
	return outcome;
}

static ALWAYS_INLINE struct outcome compute_second(struct core *core, const struct step *step, uint64_t ready)
{
	core->ready[step->target] = ready + step->latency;
	return (struct outcome){ .done = ready + step->latency, .cause = CAUSE_DEPENDENCY };
}

/* The divider takes one at a time. */
static ALWAYS_INLINE struct outcome divide(struct core *core, struct front *front, const struct step *step,
					   uint32_t occupancy, uint64_t ready)
{
	uint64_t start = later(ready, core->divider_free);

	core->divider_free = start + occupancy;
	if (step->port != PORT_NONE)
		take_port(core, front, step->port, &start);
	core->ready[step->target] = start + step->latency;
	return (struct outcome){ .done = start + step->latency, .cause = CAUSE_DIVIDER };
}

#endif
