/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_codes.h - functions that a process made while it ran, as it wrote them down: in a perf map (START SIZE NAME a
 * line; Linux: tools/perf/Documentation/jit-interface.txt), or in a jitdump (jitdump-specification.txt there). Of those
 * that were at an address one after the other, the last one has it: places carry no time.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_JIT_CODES_H
#define TOPDOWN_PROGRAM_SYMBOLS_JIT_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

struct jit_line {
	uint64_t address;
	const char *file;
	uint32_t line;
};

struct jit_code {
	uint64_t begin, size;
	const char *name; /* borrowed */
	uint64_t index;	  /* of a jitdump: by which it is moved */
	uint64_t made_at; /* of a jitdump: begin, before it was moved; lines have these addresses */
	const struct jit_line *lines;
	size_t nlines;
};

struct jit_codes {
	struct arena *arena;
	const uint64_t *addresses; /* rising, that were asked for */
	uint32_t *owners;	   /* [naddresses]: which of items + 1; 0: none */
	size_t naddresses;
	struct jit_code *items;
	size_t count, capacity;
};

void jit_codes_init(struct jit_codes *codes, const uint64_t *addresses, size_t count, struct arena *arena);

/* Takes the addresses that it is at from those that were added before. */
void jit_codes_add(struct jit_codes *codes, const struct jit_code *code);

/* NULL: no code was at the address with this number. */
const struct jit_code *jit_codes_at(const struct jit_codes *codes, size_t number);

/* The last line at or before an address in the code; NULL: none. */
const struct jit_line *jit_code_line(const struct jit_code *code, uint64_t address);

/* Lines that are none of a map are skipped. text is changed, and borrowed. */
void perf_map_read(struct jit_codes *codes, char *text);

/* False: it is no jitdump of this byte order. A last record that is cut ends it. bytes are borrowed. */
bool jitdump_read(struct jit_codes *codes, const unsigned char *bytes, size_t length);

#endif
