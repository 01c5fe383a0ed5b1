/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pfm.h - event names that only libpfm4 knows. The only file pair that touches libpfm4. */
#ifndef TOPDOWN_CPU_LOAD_PFM_H
#define TOPDOWN_CPU_LOAD_PFM_H

#include "cpu/load/event.h"

/* Fills event and returns true when libpfm4 knows the spelling for this CPU (database.pfm). */
bool pfm_event(struct event *event, const struct event_set *set, const char *spelling);

/*
 * The code words libpfm4 has for a spelling on one of its PMUs ("skx"): config and config1. False when it does not know
 * it. For the comparison of our encodings with its own.
 */
bool pfm_encode(const char *pmu, const char *spelling, uint64_t config[2]);

#endif
