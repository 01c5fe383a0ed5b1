/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supply.h - lines that L1 does not have: where they come from, when they are there, and what else is on its way. Only
 * the hierarchy's files include it.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_SUPPLY_H
#define TOPDOWN_SIMULATOR_MODEL_SUPPLY_H

#include "simulator/model/hierarchy.h"
#include "simulator/model/host.h"
#include "simulator/model/unknown_lines.h"

/* A line from L2 or beyond, which it goes into; asked for at a time, or NO_TIME. */
struct supply supply_line(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* The line is on its way, and there at the supply's time. Also for what is no line, under a number that no line has. */
void supply_note(struct hierarchy *hierarchy, uint64_t line, const struct supply *supply);

/* A line that an earlier miss or prefetch has on its way comes no sooner than that. */
void supply_wait(struct hierarchy *hierarchy, uint64_t line, struct supply *supply);

/* L1D is asked for a line that may not be there: then it comes in, and another one goes. */
SELDOM void supply_follow_into_l1(struct hierarchy *hierarchy, uint64_t line);

static inline void supply_into_l1(struct hierarchy *hierarchy, uint64_t line)
{
	if (UNLIKELY(hierarchy->moves != NULL))
		supply_follow_into_l1(hierarchy, line);
}

/* A line goes to memory past the caches, which lose it. */
void supply_streams(struct hierarchy *hierarchy, uint64_t line);

/* No cache has the line any more. */
void supply_forget(struct hierarchy *hierarchy, uint64_t line);

/* Memory takes a line at a time: when it has. */
uint64_t supply_write(struct hierarchy *hierarchy, uint64_t time);

/* Does L2 have it? Nothing changes. */
bool supply_has(const struct hierarchy *hierarchy, uint64_t line);

/* ---- prefetch.c: streams of lines that a program goes through come into L2 ahead, and strides into L1 ---- */

/* For each line that L1 does not have, asked for at a time, or NO_TIME. */
void prefetch_follow(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* For each line that L1 does not have, or that nobody has used since it came. */
void prefetch_near(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* ---- resources ---- */

/* When the first unit is free that is asked for at a time, and stays so for a while. */
uint64_t pool_start(struct pool *pool, uint64_t time);

/* It is taken from start to end. */
void pool_take(struct pool *pool, uint64_t start, uint64_t end);

/* So many lines in RATE_CYCLES, at least one. */
void rate_init(struct rate *rate, uint32_t lines);

/* ---- pages ---- */

/*
 * paging.c: the way from an address to its page: TLBs, and walks through the page tables. A walk finds the upper levels
 * in the core's own paging caches; the last entry it loads through L2 like any other line, and in a virtual machine the
 * hypervisor's entry after it.
 */

/* An address, or a page of code, that is asked for at a time, or NO_TIME: when its translation is there. */
uint64_t paging_data(struct hierarchy *hierarchy, uint64_t address, uint64_t time);
uint64_t paging_code(struct hierarchy *hierarchy, uint64_t page, uint64_t time);

/*
 * A line that a prefetcher will come to is seen at a time, or NO_TIME: its page is translated. Nobody
 * waits, and nothing is counted.
 */
void paging_ahead(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* A page that the TLB has: when an earlier access's walk for it is over. */
uint64_t paging_wait(struct hierarchy *hierarchy, uint64_t page, uint64_t time);

#endif
