/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampled_windows.h - windows of a simulation that were modelled in detail: how far what they stand for can be off. */
#ifndef TOPDOWN_COMMON_MEASUREMENT_SAMPLED_WINDOWS_H
#define TOPDOWN_COMMON_MEASUREMENT_SAMPLED_WINDOWS_H

#include "common/measurement/counts.h"

struct sampled_windows {
	const struct repeat *repeat;
	double n, all;	 /* windows; as many as what they stand for would have */
	double modelled; /* the share of that which is in windows */
	double part;	 /* of all instructions: those that were modelled, in windows or not */
	double whole;	 /* instructions that were modelled in full; 0: none, or in an older session */
};

/* False where all was modelled, or the counts do not say. Borrows the repeat. */
bool sampled_windows_read(struct sampled_windows *windows, const struct repeat *repeat);

/* Half of the 95 % interval of a share of the slots whose sum over windows has a name; NAN: not enough windows. */
double sampled_windows_share_error(const struct sampled_windows *windows, const char *sum, double share);

/* The same of the cycles, as a share of them. */
double sampled_windows_cycles_error(const struct sampled_windows *windows);

#endif
