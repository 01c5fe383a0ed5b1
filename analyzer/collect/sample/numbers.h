/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numbers.h - from a number, as that of a process, to what belongs to it. Entries come and go; memory is its own. */
#ifndef TOPDOWN_COLLECT_SAMPLE_NUMBERS_H
#define TOPDOWN_COLLECT_SAMPLE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct numbers {
	struct number_entry {
		uint32_t number;
		void *value; /* NULL: free */
	} * entries;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

/* NULL: there is none. */
void *numbers_get(const struct numbers *numbers, uint32_t number);

/* Sets it; value is not NULL. Without memory the program ends, as arenas do. */
void numbers_set(struct numbers *numbers, uint32_t number, void *value);
void numbers_remove(struct numbers *numbers, uint32_t number);
void numbers_release(struct numbers *numbers);

#endif
