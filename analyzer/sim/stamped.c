/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/stamped.h"

#include "sim/memory.h"

void stamped_init(struct stamped *stamped, uint32_t entries, uint32_t ways)
{
	struct cache_shape shape = cache_shape(entries, ways);
	uint32_t all = shape.sets * shape.ways, size = 1;

	/* More than there are ways, so that few lines meet. */
	while (size < 8 * all)
		size *= 2;
	stamped->shape = shape;
	stamped->mask = size - 1;
	stamped->ways = sim_allocate(size, sizeof(*stamped->ways));
	stamped->stamps = sim_allocate(all, sizeof(*stamped->stamps));
	stamped->lines = sim_allocate(all, sizeof(*stamped->lines));
	for (uint32_t i = 0; i < all; i++)
		stamped->lines[i] = STAMPED_EMPTY;
}

bool stamped_search(struct stamped *stamped, uint64_t line)
{
	const uint64_t *stamps = stamped->stamps;
	uint32_t way = cache_first_way(&stamped->shape, line), end = way + stamped->shape.ways, oldest = way;

	for (; way < end && stamped->lines[way] != line; way++)
		oldest = stamps[way] < stamps[oldest] ? way : oldest;
	stamped->ways[line & stamped->mask] = (uint16_t)(way < end ? way : oldest);
	stamped->lines[way < end ? way : oldest] = line;
	stamped_use(stamped, way < end ? way : oldest);
	return way < end;
}
