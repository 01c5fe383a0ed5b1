/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed_verdict.h - the ceilings of a roofline above a point, and what they say of it. */
#ifndef TOPDOWN_ANALYSE_ROOFLINE_PLACED_VERDICT_H
#define TOPDOWN_ANALYSE_ROOFLINE_PLACED_VERDICT_H

#include "analyse/roofline/placed.h"

/* Fills all that follows from the point's operations, bytes and time. */
void placed_judge(struct placed_point *point, const struct placed *roofline, struct arena *arena);

#endif
