/* SPDX-License-Identifier: GPL-2.0-or-later */
/* supply.h - lines that L1 does not have: where they come from, when they are there, and what else is on its way. */
#ifndef TOPDOWN_SIM_SUPPLY_H
#define TOPDOWN_SIM_SUPPLY_H

#include "sim/hierarchy.h"

/* A line from L2 or beyond, which it goes into; asked for at a time, or NO_TIME. */
struct supply supply_line(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* One that L2 does not have; as supply_line. */
struct supply supply_beyond_l2(struct hierarchy *hierarchy, uint64_t line, uint64_t time);

/* L2 makes room for a line; false when it has it already. */
bool supply_make_room(struct hierarchy *hierarchy, uint64_t line);

/* The line is on its way, and there at the supply's time. Also for what is no line, under a number that no line has. */
void supply_note(struct hierarchy *hierarchy, uint64_t line, const struct supply *supply);

/* A line that an earlier miss or prefetch has on its way comes no sooner than that. */
void supply_wait(struct hierarchy *hierarchy, uint64_t line, struct supply *supply);

#endif
