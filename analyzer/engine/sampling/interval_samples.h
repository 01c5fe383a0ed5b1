/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_samples.h - what was sampled in an interval, for whoever watches while the measurement goes on. */
#ifndef TOPDOWN_ENGINE_SAMPLING_INTERVAL_SAMPLES_H
#define TOPDOWN_ENGINE_SAMPLING_INTERVAL_SAMPLES_H

#include "engine/reports.h"
#include "engine/sampling/sampling.h"
#include "program/symbols/symbols.h"

/* The names of a profile that grows; all zero at first. */
struct interval_names {
	const struct profile *profile;
	struct name_search *search; /* NULL: there are none */
	struct loop *loop;	    /* of the run; NULL: none is waited for */
	bool is_screen;		    /* that is drawn again: names are not waited for as long */
	uint32_t first;		    /* of the rows that may be of this interval, or of a later one */
};

/* The run's loop waits for names too; before it ends. */
void interval_names_begin(struct interval_names *names, struct loop *loop, const struct sampling *sampling);
void interval_names_end(struct interval_names *names);

/*
 * The tables of functions of the interval that has just ended; set->before is the number of those before it. Names
 * that take longer to find are looked up meanwhile. Lives in arena, and borrows the profile.
 */
int interval_samples(struct report_set *set, const struct measurement *interval, struct interval_names *names,
		     struct arena *arena, struct error *err) MUST_CHECK;

#endif
