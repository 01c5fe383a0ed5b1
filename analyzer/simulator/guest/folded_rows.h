/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_rows.h - rows of instructions become rows of lines again before they are written: those of one line stay apart
 * only where a loop begins or ends between them. Until then nobody knows the loops, and a block may begin before one.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_FOLDED_ROWS_H
#define TOPDOWN_SIMULATOR_GUEST_FOLDED_ROWS_H

#include "simulator/guest/source_rows.h"

struct folded_rows {
	UInt *of;    /* of each row, the first one that it is written with */
	Addr *edges; /* of each row, the last edge of a loop before it in its function; 0: none */
};

/* Sorts the edges of rows. Without loops each row is its own. */
void folded_rows_init(struct folded_rows *folded, struct source_rows *rows);
void folded_rows_release(struct folded_rows *folded);

#endif
