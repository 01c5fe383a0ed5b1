/* SPDX-License-Identifier: GPL-2.0-or-later */
/* software_results.h - what the kernel counted by itself (common/measurement/software.h), as a report shows it. */
#ifndef TOPDOWN_ANALYSE_EVALUATE_SOFTWARE_RESULTS_H
#define TOPDOWN_ANALYSE_EVALUATE_SOFTWARE_RESULTS_H

#include "common/measurement/counts.h"
#include "common/measurement/software.h"
#include "common/measurement/statistics.h"

struct software_result {
	const struct software_row *row;
	double value;		  /* of the first run, the mean of repeats; NAN: unknown */
	struct statistics spread; /* over repeats */
	const char *source;	  /* as in struct software_value */
	const char *reason;	  /* why it is unknown; NULL: it is known */
};

struct software_list {
	struct software_result *items; /* in the order of the kinds, those that somebody asked for */
	size_t count;
	bool is_native; /* of the native run beside a simulation */
	double wall_s;	/* of that run; NAN: unknown */
};

/* Empty where nothing was counted, as of counts from elsewhere. Lives in arena, and borrows counts. */
void software_results(struct software_list *list, const struct counts *counts, struct arena *arena);

/* NAN: the list does not have it. */
double software_result_value(const struct software_list *list, enum software_kind kind);

#endif
