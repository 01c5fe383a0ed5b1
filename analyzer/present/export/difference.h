/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference.h - two profiles as one, in which equal functions of equal modules are one function: what a flame graph of
 * their difference is made of. Nothing of either is lost.
 */
#ifndef TOPDOWN_PRESENT_EXPORT_DIFFERENCE_H
#define TOPDOWN_PRESENT_EXPORT_DIFFERENCE_H

#include "present/export/call_tree.h"

enum side { BEFORE, AFTER, SIDES };

/* What a call has on each side; after is scaled where the pair is normalized. */
struct compared {
	double self[SIDES], total[SIDES]; /* of the weighing */
	uint64_t samples[SIDES];	  /* in total; 0: none, or exact */
};

struct difference {
	struct profile profile; /* rows of the first one, then those of the second; without tasks */
	uint32_t first;		/* row of the second one */
	const struct weighing *weighings[SIDES];
	double wholes[SIDES]; /* of the weighings, scaled */
	double scale;	      /* of the values after */
	struct weighing mean; /* of both sides, row by row: a half of what a row has */
	struct export_frames functions;
	struct call_tree tree;
	struct compared *calls; /* of the tree */
};

void difference_init(struct difference *difference, const struct export_pair *pair, struct arena *arena);

/*
 * Could chance have made the difference, of samples? McNemar's test with Edwards' correction (Psychometrika 13, 1948)
 * for weights: at 5 %. Of exact values never.
 */
bool is_by_chance(const struct difference *difference, const struct compared *compared);

#endif
