/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * icicle.h - a report's tree as nested boxes, each node as wide as its share. Trees of the same nodes can be drawn on
 * one scale.
 */
#ifndef TOPDOWN_PRESENT_PLOT_ICICLE_H
#define TOPDOWN_PRESENT_PLOT_ICICLE_H

#include <stdio.h>

#include "cpu/load/model.h"
#include "present/plot/boxes.h"

struct icicle_node {
	const struct metric *metric;
	size_t parent;	    /* its number among the nodes, less than its own; NO_PARENT: it stands at the top */
	double share;	    /* percent; what is not positive has no box */
	const char *mark;   /* before its title, "▶ "; "": none */
	const char *look;   /* a class of page.css; "": the usual */
	const char *said;   /* what pointing at it shows */
	const char *below;  /* a second line in its box; NULL: none */
	const char *row_id; /* of the table's row that it leads to */
};

struct icicle {
	const struct icicle_node *nodes;
	size_t count;
	double whole;	    /* what 100 % are, in a unit that all icicles of a scale have; 0: in each the same */
	double width;	    /* of the drawing; a letter takes about 6.4 of it */
	const char *spoken; /* what the drawing is, for a screen reader */
	struct box *boxes;  /* of icicles_fit(): [count + 1], the last one is that of the whole */
};

/* The scale of icicles of as many nodes, which have the same parents: below a node it is the same in all of them. */
void icicles_fit(struct icicle *icicles, size_t count, struct arena *arena);

/* Has it a box? */
bool icicle_has_any(const struct icicle *icicle);

/* Writes one <svg>. */
void icicle_draw(FILE *out, const struct icicle *icicle, struct arena *arena);

#endif
