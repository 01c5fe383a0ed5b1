/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/supply.h"

/*
 * L2 and L3 know places in memory, not addresses, and a kernel gives what happens to be free. Here pages lie in pieces of 32, in each of
 * which their order differs: what is contiguous fills the sets evenly, and what is far apart does not meet in the same sets.
 */
static uint64_t place_of(const struct hierarchy *h, uint64_t line)
{
	unsigned bits = h->page_shift - LINE_SHIFT;
	uint64_t page = line >> bits, piece = (page >> 5) * 0x9e3779b97f4a7c15u;

	piece = ((piece ^ piece >> 32) * 0xd6e8feb86659fd93u >> 32) ^ (page & 31);
	return piece << bits | (line & ((UINT64_C(1) << bits) - 1));
}

void supply_note(struct hierarchy *h, uint64_t line, const struct supply *supply)
{
	*hierarchy_pending(h, line) = (struct pending){ .line = line, .arrival = supply->time, .level = supply->level };
	if (supply->time > h->last_arrival)
		h->last_arrival = supply->time;
}

void supply_wait(struct hierarchy *h, uint64_t line, struct supply *supply)
{
	const struct pending *pending = hierarchy_pending(h, line);

	if (pending->line == line && pending->arrival > supply->time) {
		supply->time = pending->arrival;
		supply->level = pending->level;
	}
}

struct supply supply_beyond_l2(struct hierarchy *h, uint64_t line, uint64_t time)
{
	if (cache_access(h->l3, place_of(h, line)))
		return (struct supply){ .time = time + h->parameters->l3.latency, .level = LEVEL_L3 };
	if (time != NO_TIME)
		time = rate_take(&h->dram, time) + h->parameters->dram_latency;
	return (struct supply){ .time = time, .level = LEVEL_DRAM };
}

struct supply supply_line(struct hierarchy *h, uint64_t line, uint64_t time)
{
	if (cache_access(&h->l2, place_of(h, line)))
		return (struct supply){ .time = time + h->parameters->l2.latency, .level = LEVEL_L2 };
	return supply_beyond_l2(h, line, time);
}

bool supply_make_room(struct hierarchy *h, uint64_t line)
{
	uint64_t place = place_of(h, line);

	if (cache_has(&h->l2, place))
		return false;
	cache_access(&h->l2, place);
	return true;
}
