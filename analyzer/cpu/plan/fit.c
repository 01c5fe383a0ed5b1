/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.c - can the counters hold a set of events at once? Bipartite matching of events to counters, by augmenting paths.
 */
#include "cpu/plan/planner.h"

#define COUNTERS   64		      /* bits of a counter mask */
#define FIT_EVENTS 96		      /* a group can't be larger: 64 counters and the metric events */
#define WATCHDOG   FIT_EVENTS	      /* stands for the kernel's own cycles event among the owners */
#define HELD	   (WATCHDOG + 1)     /* the first of those that are sampled beside the group */
#define IDLE	   (HELD + MOST_HELD) /* the first that stand for counters left idle beside an exclusive event */

struct fit {
	uint64_t masks[IDLE + FIXED_COUNTER]; /* counters that each event may use; behind them those of the others */
	int owners[COUNTERS];		      /* event on the counter, from 1; 0: free */
};

uint64_t fit_existing(const struct plan_limits *limits)
{
	uint64_t general = limits->general >= FIXED_COUNTER ? GENERAL_COUNTERS : (1ull << limits->general) - 1;

	return general | limits->fixed;
}

uint64_t fit_counters(const struct plan_limits *limits, const struct event *event)
{
	uint64_t existing = fit_existing(limits);

	return event->counters & (event->is_paired ? fit_even(existing) : existing);
}

uint64_t fit_even(uint64_t existing)
{
	return existing & EVEN_COUNTERS & (existing & GENERAL_COUNTERS) >> 1;
}

unsigned fit_idle(const struct plan_limits *limits)
{
	unsigned general = limits->general < FIXED_COUNTER ? limits->general : FIXED_COUNTER;

	return general - general / 2;
}

/* The next counter to try: fixed ones first, because an event that has one leaves the general counters to others. */
static int next_counter(uint64_t open)
{
	return __builtin_ctzll(open & ~GENERAL_COUNTERS ? open & ~GENERAL_COUNTERS : open);
}

/*
 * Finds the event a counter, moving others aside where they have another. No counter is tried
 * twice, which bounds the depth.
 */
static bool fit_place(struct fit *fit, int event, uint64_t *tried)
{
	uint64_t open;

	while ((open = fit->masks[event] & ~*tried) != 0) {
		int counter = next_counter(open);

		*tried |= 1ull << counter;
		if (!fit->owners[counter] || fit_place(fit, fit->owners[counter] - 1, tried)) {
			fit->owners[counter] = event + 1;
			return true;
		}
	}
	return false;
}

uint64_t fit_watchdog(const struct plan_limits *limits, const struct event_set *set)
{
	struct event cycles = { .counters = GENERAL_COUNTERS };
	const struct event_row *row =
		set->database->cycles ? event_database_find(set->database, set->database->cycles) : NULL;

	if (row)
		cycles.counters |= row->counters;
	return fit_counters(limits, &cycles);
}

uint64_t fit_held(const struct plan_limits *limits, unsigned number)
{
	return limits->held[number] & fit_existing(limits);
}

/* Does an event before this one ask for the same value of the same MSR? They share it then. */
static bool has_twin(const struct event_set *set, const size_t *events, size_t number)
{
	const struct event *event = &set->events[events[number]];

	for (size_t i = 0; i < number; i++) {
		const struct event *other = &set->events[events[i]];

		if (other->msr == event->msr && other->msr_value == event->msr_value)
			return true;
	}
	return false;
}

/* One value per MSR; offcore events have two MSRs to choose from. TakenAlone shares its MSR with nobody. */
static bool are_msrs_free(const struct event_set *set, const size_t *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct event *event = &set->events[events[i]];
		size_t values = 0;

		if (!event->msr)
			continue;
		for (size_t k = 0; k < count; k++) {
			const struct event *other = &set->events[events[k]];

			if (other->msr != event->msr)
				continue;
			if (k != i && (event->taken_alone || other->taken_alone))
				return false;
			values += !has_twin(set, events, k);
		}
		if (values > (event->nmsr ? event->nmsr : 1))
			return false;
	}
	return true;
}

static bool fit_is_counted(const struct event *event)
{
	return event->kind == EVENT_CORE || event->kind == EVENT_SLOTS;
}

/* PERF_METRICS fields need slots as their leader. */
static bool has_leader(const struct event_set *set, const size_t *events, size_t count)
{
	bool needs = false, has = false;

	for (size_t i = 0; i < count; i++) {
		needs = needs || set->events[events[i]].kind == EVENT_METRIC;
		has = has || set->events[events[i]].kind == EVENT_SLOTS;
	}
	return has || !needs;
}

static void forbid(struct fit *fit, uint64_t counters)
{
	for (size_t i = 0; i < COUNT_OF(fit->masks); i++)
		fit->masks[i] &= ~counters;
}

/*
 * Paired events come first, each on the lowest even counter that is free: nobody else gets that and the one behind it.
 * Any other choice leaves as many counters, because all other events of such a CPU may be on any (AMD).
 */
static bool place_pairs(struct fit *fit, const struct event_set *set, const size_t *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int counter;

		if (!set->events[events[i]].is_paired)
			continue;
		if (!fit->masks[i])
			return false;
		counter = __builtin_ctzll(fit->masks[i]);
		forbid(fit, 3ull << counter);
		fit->masks[i] = 1ull << counter;
	}
	return true;
}

/* Half of the general counters can't be used beside an exclusive event, whichever they are. */
static bool place_idle(struct fit *fit, const struct plan_limits *limits, const struct event_set *set,
		       const size_t *events, size_t count)
{
	size_t exclusive = 0;

	while (exclusive < count && !set->events[events[exclusive]].is_exclusive)
		exclusive++;
	for (unsigned i = 0; exclusive < count && i < fit_idle(limits); i++) {
		uint64_t tried = 0;

		fit->masks[IDLE + i] = fit_existing(limits) & GENERAL_COUNTERS;
		if (!fit_place(fit, (int)(IDLE + i), &tried))
			return false;
	}
	return true;
}

/* What is beside every group. */
static bool place_others(struct fit *fit, int first, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t tried = 0;

		if (!fit_place(fit, first + i, &tried))
			return false;
	}
	return true;
}

static bool place_all(struct fit *fit, const struct plan_limits *limits, const struct event_set *set,
		      const size_t *events, size_t count)
{
	bool is_watched = fit->masks[WATCHDOG] != 0;
	uint64_t tried;

	if (!place_pairs(fit, set, events, count) || !place_others(fit, WATCHDOG, is_watched) ||
	    !place_others(fit, HELD, (int)limits->nheld))
		return false;
	for (size_t i = 0; i < count; i++) {
		tried = 0;
		if (fit_is_counted(&set->events[events[i]]) && !fit_place(fit, (int)i, &tried))
			return false;
	}
	return true;
}

bool plan_fits(const struct plan_limits *limits, const struct event_set *set, const size_t *events, size_t count,
	       int *counters)
{
	struct fit fit = { 0 };

	if (count > FIT_EVENTS || !are_msrs_free(set, events, count) || !has_leader(set, events, count))
		return false;
	if (limits->has_watchdog)
		fit.masks[WATCHDOG] = fit_watchdog(limits, set);
	for (size_t i = 0; i < count; i++) {
		const struct event *event = &set->events[events[i]];

		if ((event->kind == EVENT_METRIC || event->kind == EVENT_SLOTS) && !limits->has_metrics)
			return false;
		if (event->absent)
			return false;
		fit.masks[i] = fit_counters(limits, event);
	}
	for (unsigned i = 0; i < limits->nheld; i++)
		fit.masks[HELD + i] = fit_held(limits, i);
	if (!place_idle(&fit, limits, set, events, count) || !place_all(&fit, limits, set, events, count))
		return false;
	for (size_t i = 0; counters && i < count; i++)
		counters[i] = NO_COUNTER;
	for (int i = 0; counters && i < COUNTERS; i++)
		if (fit.owners[i] && fit.owners[i] - 1 < WATCHDOG)
			counters[fit.owners[i] - 1] = i;
	return true;
}

struct plan_limits plan_limits_published(const struct event_database *database, bool smt_on)
{
	struct plan_limits limits = { .general = database->general, .has_metrics = database->slots_event != NULL };

	if (!smt_on && database->general_smt_off)
		limits.general = database->general_smt_off;
	if (!limits.general)
		limits.general = 4; /* nobody published it; the fewest that any supported core has */
	for (unsigned i = 0; i < database->fixed && i < FIXED_COUNTER; i++)
		limits.fixed |= 1ull << (FIXED_COUNTER + i);
	return limits;
}
