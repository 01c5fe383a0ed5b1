/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clouds.h - what a rented machine's provider documents of its counters. docs/CLOUD.md has the sources. */
#ifndef TOPDOWN_ANALYSE_DIAGNOSE_CLOUDS_H
#define TOPDOWN_ANALYSE_DIAGNOSE_CLOUDS_H

#include "cpu/identify/surroundings.h"

struct cloud_words {
	const char *meaning; /* what machines of this kind show: whole sentences */
	const char *remedy;  /* what to rent, or to set, for more; NULL: nothing is known */
};

/* False: the firmware names none of the providers that are known here. The words live in arena. */
bool cloud_describe(struct cloud_words *words, const struct surroundings *around, struct arena *arena) MUST_CHECK;

#endif
