/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change_points.h - where a series' mean changes: E-divisive means (Matteson and James, arXiv 1306.4933) in windows.
 * Student's t-test stands for permutations, and weak points are tested again, as Hunter (Fleming et al., arXiv
 * 2301.03034) and Apache Otava (docs/MATH.md) have it. Pure: numbers in, numbers out.
 */
#ifndef TOPDOWN_STORE_HISTORY_CHANGE_POINTS_H
#define TOPDOWN_STORE_HISTORY_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"

#define WIDEST_WINDOW 64

struct change_rule {
	size_t window;	 /* points that are looked at together, from 2 to WIDEST_WINDOW */
	double most_p;	 /* of a change; of a weak one ten times as much (twice from 0.05 on) */
	size_t segment;	 /* points between two changes at least; 1: any number, as Otava has it */
	double relative; /* a change is larger than this part of the smaller mean; 0: any */
	double absolute; /* and than this; 0: any */
};

/* Otava's defaults (otava/analysis.py), and segments of 3 points at least. */
#define CHANGE_WINDOW  50
#define CHANGE_P       0.001
#define CHANGE_SEGMENT 3

struct change_point {
	size_t index;	      /* of the first point behind the change */
	double before, after; /* means, from the change before it and to the one behind it */
	double p; /* of the t-test that it passed last (change_points.c); variances by n, as Otava has them */
};

/* The changes in values, none of which is NAN, in their order. They live in arena; returns their number. */
size_t change_points(struct change_point **points, const double *values, size_t count, const struct change_rule *rule,
		     struct arena *arena);

#endif
