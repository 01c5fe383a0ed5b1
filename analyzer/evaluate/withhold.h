/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * withhold.h - what was on a counter for so little of the time that chance decides what was seen. It stays in the session,
 * and no value is computed from it.
 */
#ifndef TOPDOWN_WITHHOLD_H
#define TOPDOWN_WITHHOLD_H

#include "base/arena.h"
#include "evaluate/counts.h"

/* Below both: the share of the time, and the time itself, which is 25 turns of the kernel's usual 4 ms. */
#define LEAST_SHARE 0.02
#define LEAST_NS    100e6

bool is_time_too_short(double running_ns, double enabled_ns);

/* For that reason, which says how short it was. */
void count_withhold_short(struct count *count, double running_ns, double enabled_ns, struct arena *arena);

#endif
