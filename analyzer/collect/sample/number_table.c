/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/processes.h"

#include <stdlib.h>

#include "common/base/arena.h"

#define FIRST 64

static size_t home_of(const struct number_table *numbers, uint32_t number)
{
	return (size_t)(number * 2654435769u) & (numbers->capacity - 1); /* Knuth, TAOCP 3, 6.4: 2^32 over phi */
}

/* Its slot, or the free one where it would be. */
static size_t number_table_slot_of(const struct number_table *numbers, uint32_t number)
{
	size_t slot = home_of(numbers, number);

	while (numbers->entries[slot].value && numbers->entries[slot].number != number)
		slot = (slot + 1) & (numbers->capacity - 1);
	return slot;
}

void *number_table_get(const struct number_table *numbers, uint32_t number)
{
	return numbers->capacity ? numbers->entries[number_table_slot_of(numbers, number)].value : NULL;
}

static void number_table_grow(struct number_table *numbers)
{
	struct number_table before = *numbers;

	numbers->capacity = before.capacity ? 2 * before.capacity : FIRST;
	numbers->entries = calloc(numbers->capacity, sizeof(*numbers->entries));
	if (!numbers->entries)
		memory_ended();
	for (size_t i = 0; i < before.capacity; i++)
		if (before.entries[i].value)
			numbers->entries[number_table_slot_of(numbers, before.entries[i].number)] = before.entries[i];
	free(before.entries);
}

void number_table_set(struct number_table *numbers, uint32_t number, void *value)
{
	size_t slot;

	if (2 * (numbers->count + 1) > numbers->capacity)
		number_table_grow(numbers);
	slot = number_table_slot_of(numbers, number);
	numbers->count += !numbers->entries[slot].value;
	numbers->entries[slot] = (struct number_entry){ number, value };
}

/* What stands behind it moves up, so that no search ends too early. */
void number_table_remove(struct number_table *numbers, uint32_t number)
{
	size_t mask = numbers->capacity - 1, hole, next;

	if (!number_table_get(numbers, number))
		return;
	hole = number_table_slot_of(numbers, number);
	for (next = (hole + 1) & mask; numbers->entries[next].value; next = (next + 1) & mask) {
		size_t home = home_of(numbers, numbers->entries[next].number);

		if (((next - home) & mask) < ((next - hole) & mask))
			continue;
		numbers->entries[hole] = numbers->entries[next];
		hole = next;
	}
	numbers->entries[hole].value = NULL;
	numbers->count--;
}

void number_table_release(struct number_table *numbers)
{
	free(numbers->entries);
	*numbers = (struct number_table){ .count = 0 };
}
