/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_spelling.c - any text as an event: refused with words, or its canonical name means the same event. */
#include "fuzz_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const struct event *event, const struct pmu *pmu, struct arena *arena)
{
	struct error err = { .text = "" };
	struct event_set again;
	size_t number;

	event_set_init(&again, fuzz_events(), pmu, true, arena);
	number = event_set_add(&again, event->name, &err);
	if (number == TABLE_NONE || strcmp(again.events[number].name, event->name) != 0 ||
	    strcmp(event_perf_string(&again.events[number], pmu, "", arena),
		   event_perf_string(event, pmu, "", arena)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .text = "" };
	struct event_set set;
	struct arena arena;
	const char *spelling;
	size_t number;

	arena_init(&arena);
	spelling = arena_strndup(&arena, (const char *)data, size);
	event_set_init(&set, fuzz_events(), pmu_assumed("cpu", "Intel", &arena), true, &arena);
	number = event_set_add(&set, spelling, &err);
	if ((number == TABLE_NONE) != is_error(&err) || event_set_find(&set, spelling) != number)
		abort();
	if (number != TABLE_NONE)
		check_name(&set.events[number], set.pmu, &arena);
	arena_release(&arena);
	return 0;
}
