/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - from a name, without regard to case, to a number below 2^32: open addressing, lives in an arena. */
#ifndef TOPDOWN_COMMON_BASE_TABLE_H
#define TOPDOWN_COMMON_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

struct table_entry {
	const char *name; /* borrowed from the caller, NULL: free */
	uint32_t value;
	uint32_t hash; /* of the name */
};

struct table {
	struct arena *arena;
	struct table_entry *entries;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

#define TABLE_NONE	   ((size_t)-1)
#define TABLE_INIT(memory) ((struct table){ .arena = (memory) })

/* Room for count names, in an empty table, so that adding them moves nothing. */
void table_reserve(struct table *table, size_t count);

/* Sets name to value and returns the value it had before, or TABLE_NONE. */
size_t table_set(struct table *table, const char *name, size_t value);

/* TABLE_NONE when the name is not there. */
size_t table_get(const struct table *table, const char *name) MUST_CHECK;

#endif
