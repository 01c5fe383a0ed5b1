/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show.h - a measurement, evaluated part by part with the model of its core type, and rendered. */
#ifndef TOPDOWN_SHOW_H
#define TOPDOWN_SHOW_H

#include "command/output.h"
#include "command/target.h"

struct show {
	const struct target_types *types; /* of which each part's counts->cpu is one */
	struct output *output;
	bool is_series; /* intervals, then all of the time */
	size_t told;	/* of the series */
};

/* The core type that the counts are of. */
const struct target *show_type(const struct target_types *types, const struct counts *counts);

/* Writes it into the output, which is open, and lets it arrive; everything that this takes is in arena. */
int show_measurement(struct show *show, const struct measurement *measured, struct arena *arena,
		     struct error *err) MUST_CHECK;

#endif
