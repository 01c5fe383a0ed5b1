/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/supply.h"

/* Numbers of lines that no user address has: of tables, and of pages on their way. */
#define OWN_TABLE  (UINT64_C(1) << 52)
#define HOST_TABLE (UINT64_C(2) << 52)
#define PAGES	   (UINT64_C(4) << 52)

/* Entries of 8 bytes in the order of addresses. */
static uint64_t own_entry(uint64_t page)
{
	return OWN_TABLE + (page >> 3);
}

/*
 * The hypervisor's are in the order of the guest's memory, of which a kernel that has run for a while gives
 * what happens to be free: on a machine with 23 GB 16384 pages lay in 14973 pieces, their entries in 11175
 * lines. Here two share a line. Where its pages are large, a line has the entries of 16 MiB, and all of 8 GiB are in
 * few lines.
 */
#define LARGE_PAGE  2048 /* KiB */
#define LARGE_LINES 512
static uint64_t host_entry(const struct hierarchy *h, uint64_t page)
{
	uint64_t line = (page >> 1) * 0x9e3779b97f4a7c15u >> 32;

	return HOST_TABLE + (h->parameters->host_page_kib < LARGE_PAGE ? line : line % LARGE_LINES);
}

/* It does not stand behind the prefetches that wait for memory. */
static uint64_t load_entry(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply = supply_line(h, line, time);

	if (supply.level == LEVEL_DRAM)
		supply.time = time + h->parameters->dram_latency;
	if (h->last_arrival > supply.time)
		supply_wait(h, line, &supply);
	supply_note(h, line, &supply);
	return supply.time;
}

static void warm_walk(struct hierarchy *h, uint64_t page)
{
	supply_line(h, own_entry(page), NO_TIME);
	if (h->parameters->nested_pages)
		supply_line(h, host_entry(h, page), NO_TIME);
}

/* As many at once as there are walkers. */
static uint64_t paging_walk(struct hierarchy *h, uint64_t page, uint64_t time)
{
	uint64_t start = pool_start(&h->walkers, time), step = h->parameters->walk_latency;
	struct supply supply = { .level = LEVEL_L1 };

	supply.time = load_entry(h, own_entry(page), start + step);
	if (h->parameters->nested_pages)
		supply.time = load_entry(h, host_entry(h, page), supply.time + step);
	pool_take(&h->walkers, start, supply.time);
	supply_note(h, PAGES + page, &supply);
	if (supply.time > h->last_walk)
		h->last_walk = supply.time;
	return supply.time;
}

uint64_t paging_wait(struct hierarchy *h, uint64_t page, uint64_t time)
{
	struct supply supply = { .time = time };

	if (h->last_walk > time)
		supply_wait(h, PAGES + page, &supply);
	return supply.time;
}

static uint64_t translate(struct hierarchy *h, enum side side, uint64_t page, uint64_t time)
{
	uint64_t stlb_time = time + h->parameters->stlb_latency;

	if (stamped_access(side == SIDE_DATA ? &h->dtlb : &h->itlb, page) ||
	    h->parameters->ideal[side == SIDE_DATA ? IDEAL_DTLB : IDEAL_ITLB])
		return paging_wait(h, page, time);
	h->traffic.tlb_misses[side]++;
	if (cache_access(side == SIDE_CODE && h->has_code_stlb ? &h->code_stlb : &h->stlb, page))
		return paging_wait(h, page, stlb_time);
	h->traffic.walks[side]++;
	if (time != NO_TIME)
		return paging_walk(h, page, stlb_time);
	warm_walk(h, page);
	return NO_TIME;
}

uint64_t paging_data(struct hierarchy *h, uint64_t address, uint64_t time)
{
	uint64_t page = address >> h->page_shift;

	return translate(h, SIDE_DATA, page, time);
}

uint64_t paging_code(struct hierarchy *h, uint64_t page, uint64_t time)
{
	return translate(h, SIDE_CODE, page, time);
}

void paging_ahead(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t page = line >> (h->page_shift - LINE_SHIFT);

	if (cache_access(&h->stlb, page) || h->parameters->ideal[IDEAL_DTLB])
		return;
	if (time == NO_TIME)
		warm_walk(h, page);
	else
		paging_walk(h, page, time);
}
