/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/hierarchy.h"

#include "simulator/model/cache.h"
#include "simulator/model/host.h"

#define FIRST_SIZE 4096 /* a power of two */

struct moves *moves_new(void)
{
	struct moves *moves = sim_allocate(1, sizeof(*moves));

	moves->size = FIRST_SIZE;
	moves->written = sim_allocate(FIRST_SIZE, sizeof(struct written));
	return moves;
}

static uint32_t moves_place_of(const struct moves *moves, uint32_t tag)
{
	return (uint32_t)((tag * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (moves->size - 1);
}

/* Where the tag is in the table, or is to be put. */
static struct written *moves_find(const struct moves *moves, uint32_t tag)
{
	uint32_t at = moves_place_of(moves, tag);

	while (moves->written[at].tag && moves->written[at].tag != tag)
		at = (at + 1) & (moves->size - 1);
	return &moves->written[at];
}

/* Half of the table stays free. */
static void moves_grow(struct moves *moves)
{
	struct written *before = moves->written;
	uint32_t size = moves->size;

	moves->size = 2 * size;
	moves->written = sim_allocate(moves->size, sizeof(struct written));
	for (uint32_t i = 0; i < size; i++)
		if (before[i].tag)
			*moves_find(moves, before[i].tag) = before[i];
	sim_release(before);
}

void moves_write(struct moves *moves, uint64_t line, unsigned level)
{
	uint32_t tag = cache_tag(line);
	struct written *written = moves_find(moves, tag);

	if (!written->tag && 2 * ++moves->count >= moves->size) {
		moves_grow(moves);
		written = moves_find(moves, tag);
	}
	written->tag = tag;
	written->line = line;
	written->levels |= 1u << level;
}

/* What comes behind it in its row moves up, unless its own place is behind the gap. */
static void erase(struct moves *moves, struct written *written)
{
	uint32_t mask = moves->size - 1, gap = (uint32_t)(written - moves->written), at = gap;

	while (moves->written[at = (at + 1) & mask].tag) {
		uint32_t place = moves_place_of(moves, moves->written[at].tag);

		if (((at - place) & mask) < ((at - gap) & mask))
			continue;
		moves->written[gap] = moves->written[at];
		gap = at;
	}
	moves->written[gap] = (struct written){ .tag = 0 };
	moves->count--;
}

bool moves_leave(struct moves *moves, uint32_t tag, unsigned level, uint64_t *line)
{
	struct written *written = moves_find(moves, tag);

	if (!written->tag || !(written->levels >> level & 1))
		return false;
	*line = written->line;
	written->levels &= ~(1u << level);
	if (!written->levels)
		erase(moves, written);
	return true;
}
