/* SPDX-License-Identifier: GPL-2.0-or-later */
/* annotating.h - reads what an annotated function is shown with: its instructions and its source. */
#ifndef TOPDOWN_ENGINE_ANNOTATING_H
#define TOPDOWN_ENGINE_ANNOTATING_H

#include "analyse/hotspots/whereabouts.h"

/*
 * --annotate of the first of where's tables. -1 where the function is not there. What can't be read costs that half
 * alone, with a sentence.
 */
int annotate(struct whereabouts *where, const struct measurement *measured, struct arena *arena,
	     struct error *err) MUST_CHECK;

#endif
