/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moves.h - lines that go from one level of caches to the next, as hardware moves them: those that come in, for
 * whomever, and those that were written and go out again. What caches have changes as without; so a line that the
 * next level has lost goes on to the one behind it.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_MOVES_H
#define TOPDOWN_SIMULATOR_MODEL_MOVES_H

#include <stdbool.h>
#include <stdint.h>

enum move {
	MOVE_L1_IN, /* into L1D from L2 or beyond */
	MOVE_L1_OUT,
	MOVE_L2_IN, /* data and code */
	MOVE_L2_OUT,
	MOVE_L3_IN, /* from memory */
	MOVE_L3_OUT,
	MOVE_STREAMED, /* stores past the caches, to memory */
	MOVE_COUNT
};

/* By the row that an access is charged to, as in struct attribution. */
struct move_rows {
	uint64_t (*rows)[MOVE_COUNT];
	uint32_t capacity; /* rows from here on have no counts */
};

/* A line that a level has written: its number in memory, and a bit for each such level. */
struct written {
	uint64_t line;
	uint32_t tag; /* cache_tag of the line; 0: empty */
	uint32_t levels;
};

/* What all cores have together. */
struct moves {
	struct written *written; /* hash table */
	uint32_t count, size;
	struct move_rows *rows; /* NULL: only sums */
};

struct moves *moves_new(void);

/* A level (enum level) has written a line. */
void moves_write(struct moves *moves, uint64_t line, unsigned level);

/* A line leaves a level: had that written it? Then it is no longer so, and its number is there. */
bool moves_leave(struct moves *moves, uint32_t tag, unsigned level, uint64_t *line);

#endif
