/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/counts.h"

#include <string.h>

bool is_time_too_short(double running_ns, double enabled_ns)
{
	return running_ns < LEAST_SHARE * enabled_ns && running_ns < LEAST_NS;
}

void count_withhold_short(struct count *count, double running_ns, double enabled_ns, struct arena *arena)
{
	count->state = COUNT_WITHHELD;
	count->value = NOT_COUNTED;
	count->reason = arena_printf(arena, "it was on a counter for only %.2g %% of the time, %.2g ms",
				     100 * running_ns / enabled_ns, running_ns * 1e-6);
}

bool is_count_possible(uint64_t raw, uint64_t running_ns)
{
	return raw / MOST_PER_NS <= (running_ns > SHORTEST_NS ? running_ns : SHORTEST_NS);
}

void count_withhold_impossible(struct count *count, uint64_t raw, uint64_t running_ns, struct arena *arena)
{
	count->state = COUNT_WITHHELD;
	count->value = NOT_COUNTED;
	count->reason = arena_printf(arena,
				     "it counted %.3g in %.3g ms, more than any counter can: the counter did not start "
				     "at 0, or it jumped",
				     (double)raw, (double)running_ns * 1e-6);
}

double repeat_value(const struct repeat *repeat, const char *event)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (!strcmp(repeat->items[i].event, event))
			return repeat->items[i].value;
	return NOT_COUNTED;
}

void repeat_add(struct repeat *repeat, const struct count *count, struct arena *arena)
{
	struct count *items = arena_array(arena, repeat->count + 1, sizeof(*items));

	if (repeat->count)
		memcpy(items, repeat->items, repeat->count * sizeof(*items));
	items[repeat->count++] = *count;
	repeat->items = items;
}
