/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paging.h - the way from an address to its page: TLBs, and walks through the page tables. A walk finds the upper levels in the core's own
 * paging caches; the last entry it loads through L2 like any other line, and in a virtual machine the hypervisor's entry after it.
 */
#ifndef TOPDOWN_SIM_PAGING_H
#define TOPDOWN_SIM_PAGING_H

#include "sim/hierarchy.h"

/* An address, or a page of code, that is asked for at a time, or NO_TIME: when its translation is there. */
uint64_t paging_data(struct hierarchy *hierarchy, uint64_t address, uint64_t time);
uint64_t paging_code(struct hierarchy *hierarchy, uint64_t page, uint64_t time);

/* A line that a prefetcher will come to is seen at a time, or NO_TIME: its page is translated. Nobody waits, and nothing is counted. */
void paging_ahead(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* A page that the TLB has: when an earlier access's walk for it is over. */
uint64_t paging_wait(struct hierarchy *hierarchy, uint64_t page, uint64_t time);

#endif
