/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/intervals.h"

#include <stdlib.h>

#include "common/base/sorted.h"

void intervals_add(struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t value)
{
	uint32_t number = (uint32_t)intervals->count;

	if (begin >= end || number == INTERVAL_NONE)
		return;
	intervals->items =
		arena_grow(intervals->arena, intervals->items, number, &intervals->capacity, sizeof(*intervals->items));
	intervals->items[intervals->count++] =
		(struct interval){ .begin = begin, .end = end, .value = value, .outer = number };
}

/* Outer ones first: those that begin earlier, those that end later, those that were added earlier. */
static int intervals_compare(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->outer < b->outer ? -1 : a->outer > b->outer;
}

void intervals_sort(struct intervals *intervals)
{
	uint32_t open = INTERVAL_NONE;

	if (intervals->count)
		qsort(intervals->items, intervals->count, sizeof(*intervals->items), intervals_compare);
	for (uint32_t i = 0; i < intervals->count; i++) {
		struct interval *item = &intervals->items[i];

		while (open != INTERVAL_NONE && intervals->items[open].end <= item->begin)
			open = intervals->items[open].outer;
		item->outer = open;
		open = i;
	}
}

const struct interval *intervals_find(const struct intervals *intervals, uint64_t address)
{
	size_t begun = sorted_up_to(SORTED_BY(struct interval, begin, intervals->items, intervals->count), address);
	uint32_t found = begun ? (uint32_t)(begun - 1) : INTERVAL_NONE;

	while (found != INTERVAL_NONE && intervals->items[found].end <= address)
		found = intervals->items[found].outer;
	return found == INTERVAL_NONE ? NULL : &intervals->items[found];
}
