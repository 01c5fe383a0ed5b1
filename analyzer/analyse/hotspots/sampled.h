/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampled.h - the head of a report of samples alone: what was sampled, for how long, and what had to be given up. */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_SAMPLED_H
#define TOPDOWN_ANALYSE_HOTSPOTS_SAMPLED_H

#include "analyse/evaluate/software_results.h"
#include "common/measurement/counts.h"
#include "common/measurement/profile.h"

struct sampled {
	const struct origin *origin;
	const struct profile *profile;
	double wall_s, cpus_used; /* of the first run; NAN: unknown */
	double waited_s;	  /* of it: ready to run, without a CPU */
	size_t runs;
	int status; /* exit status of the first run */
	bool has_status;
	uint64_t samples, lost; /* of all events */
	struct software_list software;
	const char **notes; /* whole sentences */
	size_t nnotes;
};

/* Lives in arena, and borrows the measurement, which has a profile. */
void sampled_fill(struct sampled *sampled, const struct measurement *measured, struct arena *arena);

/* "997 a second", "every 100003 events", "every 1 ms" */
const char *sampled_rate(const struct profile_event *event, struct arena *arena);

#endif
