/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identify/cpulist.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* "7" or "8-11" */
static bool parse_range(const char *part, size_t length, uint64_t *low, uint64_t *high)
{
	char copy[32], *dash;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, part, length);
	copy[length] = '\0';
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (!text_u64(copy, low))
		return false;
	*high = *low;
	return (!dash || text_u64(dash + 1, high)) && *low <= *high && *high < CPULIST_LIMIT;
}

size_t cpulist_parse(const char *text, unsigned **cpus, struct arena *arena)
{
	size_t count = 0, capacity = 0, length;
	const char *part;

	*cpus = NULL;
	while ((length = text_next(&text, ",", &part)) > 0) {
		uint64_t low, high;

		if (!parse_range(part, length, &low, &high))
			continue;
		for (; low <= high && count < CPULIST_LIMIT; low++) {
			*cpus = arena_grow(arena, *cpus, count, &capacity, sizeof(**cpus));
			(*cpus)[count++] = (unsigned)low;
		}
	}
	return count;
}
