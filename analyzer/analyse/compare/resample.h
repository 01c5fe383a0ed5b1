/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resample.h - how sure a figure is that is computed from repeated measurements: the bootstrap's percentile interval
 * (Efron, Annals of Statistics 7, 1979). Its random numbers begin alike each time, so the same values give the same
 * interval.
 */
#ifndef TOPDOWN_ANALYSE_COMPARE_RESAMPLE_H
#define TOPDOWN_ANALYSE_COMPARE_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"

/* A figure with its 95 % interval. NAN: unknown. */
struct estimate {
	double value, low, high;
};

/* The same without an interval, and where it is exact. */
struct estimate estimate_alone(double value);
struct estimate estimate_exact(double value);

/* Of sorted values, between the two nearest ones (R's type 7, numpy's "linear"). NAN without values. */
double quantile(const double *sorted, size_t count, double share);

/* scratch has room for count values. */
double median(const double *values, size_t count, double *scratch);

#define RESAMPLES 1999

/* The measurements of both sides; of pairs both have the same number, and stay together. */
struct resampling {
	size_t nbefore, nafter;
	bool is_paired;
};

/* Numbers of measurements, drawn with replacement. */
struct resample {
	size_t *before, *after;
	size_t nbefore, nafter;
};

/* Fills nfigures figures from these measurements. */
typedef void figures_of(double *figures, const struct resample *drawn, void *context);

/*
 * The interval of each figure; its value is that of all measurements, once each. With fewer than two measurements on a
 * side low and high are NAN.
 */
void bootstrap(struct estimate *estimates, size_t nfigures, const struct resampling *from, figures_of *figures,
	       void *context);

#endif
