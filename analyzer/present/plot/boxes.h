/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boxes.h - nested boxes: a row for each level from the top, each box as wide as its part of the one that it is in. The
 * tree of a report (icicle.h) and flame graphs (flame.h) are drawn of them.
 */
#ifndef TOPDOWN_PRESENT_PLOT_BOXES_H
#define TOPDOWN_PRESENT_PLOT_BOXES_H

#include <stdint.h>
#include <stdio.h>

#include "common/base/arena.h"

/* Where a box stands, across in the unit of what is drawn. */
struct box {
	uint32_t depth; /* 0: that of the whole */
	double begin, width;
	double next; /* where the next box in it will begin */
};

/* Puts a box of some width behind what its parent has in it so far. */
void box_put(struct box *box, struct box *parent);

/* The sizes of a kind of drawing. */
struct boxes_look {
	double row, height; /* from a box to those in it; of a box */
	double inset;	    /* that a box leaves free on each side */
	double letter;	    /* what one takes of the width, about */
	double text, room;  /* from a box's left edge to its text; what both edges leave free of it */
	double line, lift;  /* from the row to the only line of text; how much two lines are above and below that */
	size_t least;	    /* letters: a shorter text says nothing */
};

struct boxes_page {
	FILE *out;
	const struct boxes_look *look;
	double whole, width; /* of the box that all are in, in its unit and as it is drawn */
	double top;	     /* of the row of depth 0 */
	struct arena *arena;
};

/* What a box says, in texts that are safe to show (cells.h). */
struct box_words {
	const char *name;  /* in it, as far as it fits */
	const char *brief; /* what is cut where the name does not fit; NULL: the name */
	const char *below; /* a second line, where both fit; NULL: none */
	const char *said;  /* when it is pointed at */
	const char *fill;  /* "#rrggbb", so that it needs no style sheet; NULL: its class has a colour */
	const char *class; /* of page.css */
	const char *link;  /* the id of what it leads to; NULL: nothing */
};

/* Writes an element of an <svg>. */
void box_draw(const struct boxes_page *page, const struct box *box, const struct box_words *words);

#endif
