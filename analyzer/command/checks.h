/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checks.h - what is wrong with the options of a measurement, told before anything runs. Each: -1 and err with the remedy. */
#ifndef TOPDOWN_CHECKS_H
#define TOPDOWN_CHECKS_H

#include "command/options.h"
#include "count/count.h"

/*
 * That there is something to measure, and where the program is (path; NULL without one); err->status is 126 or 127 where it
 * can't be found.
 */
int check_program(const char **path, const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

/* What can't be written is told before the program has run, not after. */
int check_files(const struct options *options, struct error *err) MUST_CHECK;

int check_repeats(const struct options *options, struct error *err) MUST_CHECK;
int check_drilldown(const struct options *options, const struct subject *subject, const struct timing *timing,
		    struct error *err) MUST_CHECK;

/* Whose threads --per-thread is to tell apart, with a PMU. */
int check_threads(const struct options *options, const struct subject *subject, struct error *err) MUST_CHECK;

/* --lines and options that say how to simulate, where a PMU counts. */
int check_uncounted(const struct options *options, struct error *err) MUST_CHECK;

#endif
