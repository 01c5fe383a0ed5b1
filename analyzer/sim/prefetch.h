/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefetch.h - the stream prefetcher: what it sees a program go through line by line it brings into L2 before it is asked for. */
#ifndef TOPDOWN_SIM_PREFETCH_H
#define TOPDOWN_SIM_PREFETCH_H

#include "sim/hierarchy.h"

/* Told of each line that L1 does not have, asked for at a time, or NO_TIME. */
void prefetch_follow(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

#endif
