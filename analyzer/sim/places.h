/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h - where in the source an instruction is, and the row of the attribution that its lost slots go to: one for each line of a function.
 * Looked up when a block is translated, as a library that is unloaded takes its debug information along.
 */
#ifndef TOPDOWN_SIM_PLACES_H
#define TOPDOWN_SIM_PLACES_H

#include "sim/core.h"
#include "sim/valgrind.h"

/* Texts are without blanks that would end a field, and each stands once, so that equal ones are the same pointer; NULL: unknown. */
struct place {
	const HChar *function, *file, *object;
	UInt line; /* 0: unknown */
};

struct places {
	struct place *rows; /* 0 is not one */
	UInt count;
	struct attribution *attribution; /* has as many rows as there is room for places */
	UInt *index;			 /* hash table of numbers of places; 0: free */
	UInt index_size;
	const HChar **texts; /* hash table */
	UInt ntexts, texts_size;
};

void places_init(struct places *places, struct attribution *attribution);

/* The row of the instruction at an address that is mapped now; 0 when there are too many. */
UInt places_of(struct places *places, Addr address);

/* No slot was lost so far. */
void places_forget(struct places *places);

#endif
