/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_verdict.h - between roofline.c and roofline_verdict.c: the ceilings above a point, and what they say of it. */
#ifndef TOPDOWN_EVALUATE_ROOFLINE_VERDICT_H
#define TOPDOWN_EVALUATE_ROOFLINE_VERDICT_H

#include "evaluate/roofline.h"

/* Fills all that follows from the point's operations, bytes and time. */
void roofline_judge(struct roofline_point *point, const struct roofline *roofline, struct arena *arena);

#endif
