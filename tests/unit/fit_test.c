/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit_test.c - plan_fits on random sets of events: it accepts what can be scheduled, and nothing else. */
#include "brute_fits.h"

static uint64_t random_state = 88172645463325252ull;

static unsigned draw(unsigned below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 33) % below;
}

static struct event random_event(void)
{
	static const enum event_kind kinds[] = { EVENT_CORE,  EVENT_CORE, EVENT_CORE,	 EVENT_CORE,
						 EVENT_CORE,  EVENT_CORE, EVENT_METRIC,	 EVENT_TSC,
						 EVENT_SLOTS, EVENT_CORE, EVENT_DURATION };
	static const unsigned msrs[] = { 0, 0, 0, 0, 0, 0, 0x1a6, 0x1a6, 0x3f6, 0x3f7, 0x3f7 };
	static const uint64_t masks[] = { 0x1, 0x3, 0xf,      0xff,	      GENERAL_COUNTERS,
					  0x6, 0x8, FIXED(0), FIXED(1) | 0xf, FIXED(2),
					  0 };
	struct event event = { .name = "random",
			       .kind = kinds[draw(COUNT_OF(kinds))],
			       .msr = msrs[draw(COUNT_OF(msrs))] };

	event.counters = event.kind == EVENT_METRIC ? 0 : masks[draw(draw(8) ? COUNT_OF(masks) - 1 : COUNT_OF(masks))];
	event.counters = event.kind == EVENT_SLOTS ? FIXED(3) : event.counters;
	event.nmsr = event.msr == 0x1a6 ? 2 : event.msr ? 1 : 0;
	event.msr_value = event.msr ? 1 + draw(3) : 0;
	event.taken_alone = event.msr == 0x3f7 && draw(2);
	return event;
}

static struct plan_limits random_limits(void)
{
	struct plan_limits limits = { .general = draw(7), .has_watchdog = draw(3) == 0, .has_metrics = draw(4) != 0 };

	for (unsigned i = 0; i < 4; i++)
		if (draw(3))
			limits.fixed |= FIXED(i);
	if (draw(3) == 0)
		limits.nheld = 1 + draw(2);
	for (unsigned i = 0; i < limits.nheld; i++)
		limits.held[i] = draw(2) ? GENERAL_COUNTERS : draw(2) ? GENERAL_COUNTERS | FIXED(1) : 0x3;
	return limits;
}

#define DRAWS	    20000
#define MOST_EVENTS 10

static void test_fits_random(void **state UNUSED)
{
	struct arena arena;
	struct event_row cycles = { .name = "CYCLES", .counters = FIXED(1) };
	struct event_database database = { .cycles = "CYCLES", .rows = &cycles, .count = 1 };
	struct event events[MOST_EVENTS];
	struct event_set set = { .database = &database, .events = events };
	size_t numbers[MOST_EVENTS], accepted = 0, wrong = 0;

	arena_init(&arena);
	database.by_name = TABLE_INIT(&arena);
	table_set(&database.by_name, "CYCLES", 0);
	for (size_t i = 0; i < DRAWS; i++) {
		struct plan_limits limits = random_limits();
		size_t count = draw(MOST_EVENTS + 1);
		bool expected;

		for (size_t k = 0; k < count; k++) {
			events[k] = random_event();
			numbers[k] = k;
		}
		set.count = count;
		expected = brute_fits(&limits, &set, numbers, count);
		accepted += expected;
		wrong += plan_fits(&limits, &set, numbers, count, NULL) != expected;
	}
	arena_release(&arena);
	assert_int_equal(wrong, 0);
	assert_in_range(accepted, DRAWS / 10, DRAWS - DRAWS / 10); /* both answers were tried */
}

/* Beside an exclusive event half of the general counters stay empty. */
static void exclusive_events(void **state UNUSED)
{
	static const struct {
		const char *name;
		unsigned general;
		size_t events; /* the first is exclusive */
		bool fits;
	} table[] = { { "alone", 2, 1, true },
		      { "one counter", 1, 1, false },
		      { "half of four", 4, 2, true },
		      { "more than half", 4, 3, false },
		      { "half of eight", 8, 4, true } };
	const struct event_database database = { .cpu = "none" };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct plan_limits limits = { .general = table[i].general };
		const size_t numbers[] = { 0, 1, 2, 3 };
		struct event events[] = { { .name = "exclusive", .counters = GENERAL_COUNTERS, .is_exclusive = true },
					  { .name = "a", .counters = GENERAL_COUNTERS },
					  { .name = "b", .counters = GENERAL_COUNTERS },
					  { .name = "c", .counters = GENERAL_COUNTERS } };
		const struct event_set set = { .database = &database, .events = events, .count = COUNT_OF(events) };

		row_expect(&rows, table[i].name,
			   plan_fits(&limits, &set, numbers, table[i].events, NULL) == table[i].fits, "does it fit?");
		row_expect(&rows, table[i].name, brute_fits(&limits, &set, numbers, table[i].events) == table[i].fits,
			   "by trying");
	}
	rows_end(&rows);
}

/* Whatever kind it is: PERF_METRICS fields need no counter that could be taken from them. */
static void absent_events_fit_nowhere(void **state UNUSED)
{
	const struct plan_limits limits = { .general = 4, .fixed = FIXED(3), .has_metrics = true };
	struct event events[] = { { .name = "slots", .kind = EVENT_SLOTS, .counters = FIXED(3) },
				  { .name = "field", .kind = EVENT_METRIC },
				  { .name = "core", .kind = EVENT_CORE, .counters = 0xf } };
	struct event_database database = { .cpu = "none" };
	const struct event_set set = { .database = &database, .events = events, .count = COUNT_OF(events) };
	const size_t numbers[] = { 0, 1, 2 };

	assert_true(plan_fits(&limits, &set, numbers, COUNT_OF(numbers), NULL));
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		events[i].absent = "a hypervisor hides it";
		assert_false(plan_fits(&limits, &set, numbers, COUNT_OF(numbers), NULL));
		events[i].absent = NULL;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_fits_random),
						   cmocka_unit_test(absent_events_fit_nowhere),
						   cmocka_unit_test(exclusive_events) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
