/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forms.h - what the forms share: a writer each, and weights as whole numbers. */
#ifndef TOPDOWN_PRESENT_EXPORT_FORMS_H
#define TOPDOWN_PRESENT_EXPORT_FORMS_H

#include "present/export/export.h"

typedef int export_writer(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err);

export_writer flame_graph_write, folded_write, speedscope_write, firefox_write, pprof_write, callgrind_write;

/* Whole numbers whose sum is that of the weights, rounded: what one loses in rounding the next gets. */
struct whole {
	double exact;
	uint64_t given;
};

uint64_t whole_next(struct whole *whole, double weight);

/* Time is kept in ns. */
bool is_time(const struct weighing *weighing);

#endif
