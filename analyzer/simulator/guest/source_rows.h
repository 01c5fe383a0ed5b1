/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_rows.h - where in the source an instruction is, and the row that its lost slots go to: one for each line of a
 * function, by where the line is inlined, or each instruction. Looked up when a block is translated, as a library that
 * is unloaded takes its debug information along.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_SOURCE_ROWS_H
#define TOPDOWN_SIMULATOR_GUEST_SOURCE_ROWS_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/calling_contexts.h"

/* Each text stands once, so that equal ones are the same pointer; NULL: unknown. */
struct source_row {
	const HChar *function, *file, *object;
	const HChar *site; /* the calls that were inlined there, outwards, in Valgrind's words; NULL: none */
	UInt line;	   /* 0: unknown, or all of the function */
	Addr address;	   /* in the object, of an instruction; 0: a whole line */
	Bool is_meant;	   /* its instructions are shown, each with its own row */
	Addr inside;	   /* in the object: the instruction of the row that was translated first */
};

/* Where a loop begins, or what stands behind its last instruction. */
struct loop_edge {
	UInt function; /* its row */
	Addr address;  /* in the object */
};

struct source_rows {
	struct source_row *rows; /* 0 is not one */
	UInt count, capacity;
	UInt *functions;	 /* of each row, the row of all of its function */
	const HChar *meant;	 /* each instruction of functions that may be called so has a row; NULL: of none */
	Bool has_loops;		 /* all instructions have rows until they are written, by when their loops are known */
	struct loop_edge *edges; /* in no order; some more than once */
	UInt nedges, edges_capacity;
	struct contexts *contexts;
	UInt *index; /* hash table of numbers of rows; 0: free */
	UInt index_size;
	const HChar **texts; /* hash table */
	UInt ntexts, texts_size;
	const HChar *program, *started_as; /* the program's file, and the link it was started by; NULL: by its name */
};

/* The contexts learn which rows are of one function. */
void source_rows_init(struct source_rows *all, struct contexts *contexts);

/* The row of the instruction at an address that is mapped now; 0 when there are too many. */
UInt source_rows_find(struct source_rows *all, Addr address);

/* From the row of a jump to what stands before it; end: behind the jump. Both are mapped now. */
void source_rows_add_loop(struct source_rows *all, UInt row, Addr begin, Addr end);

#endif
