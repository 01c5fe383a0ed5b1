/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sharing.h - lines that several threads come to: a directory of who has written and read which of their bytes. A line
 * that another core has taken since costs a transfer between cores.
 *
 * Valgrind runs one thread at a time, for a turn of some 100,000 blocks, where a machine would run them at once. So
 * what a thread did to the line in its last turn is taken for what it does during this one's: it comes for the line as
 * often as it did then. Of cores that want the line at once each waits for all others.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_SHARING_H
#define TOPDOWN_SIMULATOR_MODEL_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include "simulator/model/cache.h"

enum transfer {
	TRANSFER_NONE,
	TRANSFER_CONTESTED, /* both write the same bytes */
	TRANSFER_SHARED,    /* one writes what the other reads */
	TRANSFER_FALSE	    /* each its own bytes of the line */
};

struct sharing;

/* Two rows whose accesses to one line cost transfers: to the first, because of the second. */
struct sharing_pair {
	uint32_t row, partner;
	enum transfer kind;
	uint64_t transfers;
};

/* One that a core makes to bytes of a line, bit i for the byte i of it. */
struct touch {
	uint64_t line, bytes, time;
	uint32_t core; /* its number, from 1 */
	uint32_t row;  /* of the instruction, as in struct attribution */
	bool is_store;
	bool is_atomic; /* waits until the line is there, while a store goes to a queue */
};

struct sharing *sharing_new(uint32_t latency);

/* A core with its L1: each of its next accesses to a line is seen. */
void sharing_join(struct sharing *sharing, uint32_t core, struct stamped *near);

/* A core's turn begins; that of the core before has lasted some cycles. */
void sharing_turn(struct sharing *sharing, uint32_t before, uint64_t cycles);

/* The kind of transfer that it costs; the cycles that this takes. */
enum transfer sharing_touch(struct sharing *sharing, const struct touch *touch, uint64_t *cycles);

/* All that were seen since they were forgotten, with transfers above 0; others of the array are empty. */
const struct sharing_pair *sharing_pairs(const struct sharing *sharing, uint32_t *count);
void sharing_forget_pairs(struct sharing *sharing);

/* Have other cores touched the line? Then each access to it is to be seen. */
bool sharing_is_watched(const struct sharing *sharing, uint64_t line, uint32_t core);

#endif
