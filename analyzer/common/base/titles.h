/* SPDX-License-Identifier: GPL-2.0-or-later */
/* titles.h - what a metric is called where its vendor, or whoever has kept only its name, has no title for it. */
#ifndef TOPDOWN_COMMON_BASE_TITLES_H
#define TOPDOWN_COMMON_BASE_TITLES_H

#include "common/base/arena.h"

/* "tma_dtlb_load" is "DTLB_Load", "l1_bound" is "L1_Bound". */
const char *title_of_name(const char *name, struct arena *arena) MUST_CHECK;

#endif
