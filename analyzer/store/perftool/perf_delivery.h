/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_delivery.h - queued records in the order of their times, given to the intake that makes a profile of them. */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_DELIVERY_H
#define TOPDOWN_STORE_PERFTOOL_PERF_DELIVERY_H

#include "common/measurement/profile.h"
#include "store/perftool/perf_records.h"

struct delivery_setup {
	struct perf_records *records; /* of facts that are complete; they get sorted */
	struct profile *profile;
	bool is_of_here; /* the files of this machine may be those that were mapped */
};

/* What was seen. */
struct delivery {
	uint64_t samples, damaged, guests, strangers; /* strangers: of an event that the file does not have */
	uint64_t first_ns, last_ns;		      /* times of samples */
	uint64_t kernel_text;			      /* where the kernel's text was; 0: unknown */
};

void perf_deliver(struct delivery *delivery, const struct delivery_setup *setup);

#endif
