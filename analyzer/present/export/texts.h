/* SPDX-License-Identifier: GPL-2.0-or-later */
/* texts.h - texts that are each written once and then meant by their number, as several forms want it. */
#ifndef TOPDOWN_PRESENT_EXPORT_TEXTS_H
#define TOPDOWN_PRESENT_EXPORT_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

struct texts {
	struct arena *arena;
	const char **items;
	uint32_t count;
	uint32_t *slots; /* number + 1; 0: free */
	size_t nslots, room;
};

#define TEXTS_INIT(memory) ((struct texts){ .arena = (memory) })

/* The text's number, from 0 in the order of coming; the text is borrowed. NULL is "". */
uint32_t texts_number(struct texts *texts, const char *text);

#endif
