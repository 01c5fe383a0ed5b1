/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unknown_lines.h - which lines L3 has after a while in which nobody followed the program. What was used since then is
 * known, and where a set is full of that, all of it. Any other line may have come and gone meanwhile: as many of them
 * are there as the reuse of a sample of lines says (reuse.h), which was seen all the time. (Bounded warm-up, where
 * Sandberg and others, IISWC 2015, take all and none for the two ends, with what Nikoleris and others, MICRO 2016,
 * learn meanwhile.)
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_UNKNOWN_LINES_H
#define TOPDOWN_SIMULATOR_MODEL_UNKNOWN_LINES_H

#include "simulator/model/cache.h"
#include "simulator/model/reuse.h"

struct unknown_lines {
	uint8_t *used;	       /* by set: its most recently used lines that are known */
	uint32_t *epochs;      /* of used: before this one nothing was known */
	uint32_t epoch;	       /* 0: all has been known */
	uint64_t known;	       /* lines that came in the epoch */
	uint32_t shares[USES]; /* of the unknown ones that are there, as of reuse_share */
	uint32_t random;
	struct reuse reuse;
};

void unknown_lines_init(struct unknown_lines *lines, const struct cache *cache);

/* From here on nothing is known. */
void unknown_lines_begin(struct unknown_lines *lines);

/* The line of an address, with that number in the cache, is asked for: after that the cache has it, or not. */
void unknown_lines_ask(struct unknown_lines *lines, struct cache *cache, uint64_t line, uint64_t address, enum use use);

#endif
