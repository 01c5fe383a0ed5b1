/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_doubt.h - are two measurements of a kind, so that a gate can judge one by the other? */
#ifndef TOPDOWN_ANALYSE_GATE_GATE_DOUBT_H
#define TOPDOWN_ANALYSE_GATE_GATE_DOUBT_H

#include "common/base/arena.h"
#include "common/measurement/counts.h"

bool is_simulated_measurement(const struct measurement *measured);

/* Did a signal or --timeout end a run, or the series of them? */
bool is_cut_short(const struct measurement *measured);

/* Why numbers can't be compared, whatever they are: a clause; NULL: they can. */
const char *gate_doubt(const struct measurement *before, const struct measurement *after, struct arena *arena);

#endif
