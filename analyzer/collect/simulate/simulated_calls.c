/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulated_counts.h"

#include <stdlib.h>
#include <string.h>

#include "collect/simulate/simulated_places.h"
#include "common/base/text.h"
#include "cpu/identify/tracepoint.h"

/* A newer kernel has calls that the headers did not know. */
static const char *simulated_calls_name_of(uint64_t number, struct arena *arena)
{
	const char *name = system_call_name(number);

	return name ? name : arena_printf(arena, "call_%llu", (unsigned long long)number);
}

void simulated_calls_add(struct simulated_calls *calls, char *text)
{
	const char *number = simulated_field(&text), *times = simulated_field(&text);
	uint64_t call, count;
	size_t item;

	if (!number || !times || !text_u64(number, &call) || !text_u64(times, &count))
		return;
	item = table_get(&calls->seen, number);
	if (item == TABLE_NONE) {
		item = calls->count++;
		calls->items = arena_grow(calls->arena, calls->items, item, &calls->capacity, sizeof(*calls->items));
		calls->items[item] = (struct system_call){ .name = simulated_calls_name_of(call, calls->arena) };
		table_set(&calls->seen, arena_strdup(calls->arena, number), item);
	}
	calls->items[item].count += (double)count;
}

static int compare_names(const void *first, const void *second)
{
	return strcmp(((const struct system_call *)first)->name, ((const struct system_call *)second)->name);
}

void simulated_calls_finish(struct simulated_calls *calls, struct repeat *repeat)
{
	if (calls->count)
		qsort(calls->items, calls->count, sizeof(*calls->items), compare_names);
	repeat->calls = calls->items;
	repeat->ncalls = calls->count;
}
