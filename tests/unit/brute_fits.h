/* SPDX-License-Identifier: GPL-2.0-or-later */
/* brute_fits.h - an answer to plan_fits by other means: every set of counters that the events can take is followed. */
#ifndef TOPDOWN_TEST_BRUTE_FITS_H
#define TOPDOWN_TEST_BRUTE_FITS_H

#include "rows.h"

#include "cpu/plan/plan.h"

#define FIXED(n) (1ull << (FIXED_COUNTER + (n)))

#define MOST_COUNTERS 12

struct counters {
	uint64_t bits[MOST_COUNTERS];
	size_t count;
};

static inline struct counters existing(const struct plan_limits *limits)
{
	struct counters counters = { .count = 0 };

	for (unsigned i = 0; i < 64; i++)
		if (i < FIXED_COUNTER ? i < limits->general : limits->fixed >> i & 1) {
			assert_true(counters.count < MOST_COUNTERS);
			counters.bits[counters.count++] = 1ull << i;
		}
	return counters;
}

static inline uint64_t counter_bits(const struct plan_limits *limits)
{
	struct counters counters = existing(limits);
	uint64_t bits = 0;

	for (size_t i = 0; i < counters.count; i++)
		bits |= counters.bits[i];
	return bits;
}

/* Is it an even general counter with the odd one behind it? */
static inline bool is_pair(const struct counters *counters, size_t place)
{
	return place % 2 == 0 && place + 1 < counters->count && counters->bits[place + 1] & GENERAL_COUNTERS;
}

/* Follows all ways to put one more event on a counter. reached[m]: the events so far can take just those of m. */
static inline bool add_one(bool *reached, const struct counters *counters, uint64_t mask, bool is_paired)
{
	bool next[1 << MOST_COUNTERS], is_any = false;
	size_t size = (size_t)1 << counters->count;

	memset(next, false, size * sizeof(*next));
	for (size_t taken = 0; taken < size; taken++)
		for (size_t i = 0; reached[taken] && i < counters->count; i++) {
			size_t wanted = (is_paired ? 3ull : 1ull) << i;

			if (!(counters->bits[i] & mask) || taken & wanted || (is_paired && !is_pair(counters, i)))
				continue;
			next[taken | wanted] = is_any = true;
		}
	memcpy(reached, next, size * sizeof(*next));
	return is_any;
}

static inline uint64_t cycles_mask(const struct event_set *set)
{
	const struct event_row *row = event_database_find(set->database, set->database->cycles);

	return GENERAL_COUNTERS | (row ? row->counters : 0);
}

static inline bool is_on_counter(const struct event *event)
{
	return event->kind == EVENT_CORE || event->kind == EVENT_SLOTS;
}

/* Values that the events want in one MSR, each counted once. */
static inline size_t msr_values(const struct event_set *set, const size_t *events, size_t count, unsigned msr)
{
	size_t values = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_new = set->events[events[i]].msr == msr;

		for (size_t k = 0; k < i; k++)
			is_new = is_new && !(set->events[events[k]].msr == msr &&
					     set->events[events[k]].msr_value == set->events[events[i]].msr_value);
		values += is_new;
	}
	return values;
}

static inline size_t msr_users(const struct event_set *set, const size_t *events, size_t count, unsigned msr)
{
	size_t users = 0;

	for (size_t i = 0; i < count; i++)
		users += set->events[events[i]].msr == msr;
	return users;
}

static inline bool are_msrs_right(const struct event_set *set, const size_t *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct event *event = &set->events[events[i]];
		size_t room = event->msr == 0x1a6 ? 2 : 1; /* 0x1a7 is its twin */

		if (!event->msr)
			continue;
		if (msr_values(set, events, count, event->msr) > room)
			return false;
		if (event->taken_alone && msr_users(set, events, count, event->msr) > 1)
			return false;
	}
	return true;
}

static inline bool has_kind(const struct event_set *set, const size_t *events, size_t count, enum event_kind kind)
{
	for (size_t i = 0; i < count; i++)
		if (set->events[events[i]].kind == kind)
			return true;
	return false;
}

static inline bool has_exclusive(const struct event_set *set, const size_t *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (set->events[events[i]].is_exclusive)
			return true;
	return false;
}

/* Is there a way that takes no more of the general counters? */
static inline bool is_half_enough(const bool *reached, const struct counters *counters, size_t most)
{
	for (size_t taken = 0; taken < (size_t)1 << counters->count; taken++) {
		size_t general = 0;

		for (size_t i = 0; i < counters->count; i++)
			general += taken >> i & 1 && counters->bits[i] & GENERAL_COUNTERS;
		if (reached[taken] && general <= most)
			return true;
	}
	return false;
}

static inline bool brute_fits(const struct plan_limits *limits, const struct event_set *set, const size_t *events,
			      size_t count)
{
	bool has_fields = has_kind(set, events, count, EVENT_METRIC),
	     has_slots = has_kind(set, events, count, EVENT_SLOTS);
	struct counters counters = existing(limits);
	bool reached[1 << MOST_COUNTERS] = { true };

	if ((has_fields && !has_slots) || ((has_fields || has_slots) && !limits->has_metrics))
		return false;
	if (!are_msrs_right(set, events, count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (is_on_counter(&set->events[events[i]]) &&
		    !add_one(reached, &counters, set->events[events[i]].counters, set->events[events[i]].is_paired))
			return false;
	for (unsigned i = 0; i < limits->nheld; i++)
		if (!add_one(reached, &counters, limits->held[i], false))
			return false;
	/* where nothing counts cycles there is no watchdog */
	if (limits->has_watchdog && (counter_bits(limits) & cycles_mask(set)) &&
	    !add_one(reached, &counters, cycles_mask(set), false))
		return false;
	return !has_exclusive(set, events, count) || is_half_enough(reached, &counters, limits->general / 2);
}

#endif
