/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h - which event goes to which group. Formulas whose events are all in one group have exact values, so as many as
 * possible are made whole, lower tiers first; of the others every event is put beside an anchor, by which counts of
 * different groups are related.
 */
#ifndef TOPDOWN_CHOOSE_H
#define TOPDOWN_CHOOSE_H

#include "plan/pack.h"

/*
 * Binds all events of the problem to groups. Which formulas can be whole at the same time is a packing problem without a
 * fast exact method, so a greedy choice is repeated, each time with those first that the last one left over ("squeaky
 * wheel" optimization, Joslin and Clements 1999), and the best is kept. False when an event finds no group, or, where
 * needs_whole, a formula that fits an empty group is left over.
 */
bool choose_groups(struct pack *pack, bool needs_whole, struct arena *arena) MUST_CHECK;

#endif
