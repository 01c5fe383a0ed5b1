/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistics.h - what repeated measurements of one number say of it. */
#ifndef TOPDOWN_STATISTICS_H
#define TOPDOWN_STATISTICS_H

#include <stddef.h>

struct statistics {
	size_t n;      /* values that were measured */
	double mean;   /* NAN: none were */
	double stddev; /* of the sample, by n - 1; NAN with less than two values */
	double ci95; /* the mean's 95 % confidence interval is mean +- this, by Student's t; NAN with less than two values */
};

/* Values that are NAN were not measured, and are left out. */
struct statistics statistics_of(const double *values, size_t count);

/*
 * The two-sided 95 % point of Student's t distribution: with so many degrees of freedom |t| is smaller in 95 % of the cases.
 * NAN for 0.
 */
double student_t95(size_t degrees);

#endif
