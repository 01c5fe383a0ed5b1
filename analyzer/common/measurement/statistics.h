/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistics.h - what repeated measurements of one number say of it. */
#ifndef TOPDOWN_COMMON_MEASUREMENT_STATISTICS_H
#define TOPDOWN_COMMON_MEASUREMENT_STATISTICS_H

#include <stddef.h>

struct statistics {
	const double *values; /* of each repeat, NAN where it was not measured; borrowed; NULL: not from repeats */
	size_t count;	      /* of values */
	size_t n;	      /* values that were measured */
	double mean;	      /* NAN: none were */
	double stddev;	      /* of the sample, by n - 1; NAN with less than two values */
	/* the mean's 95 % confidence interval is mean +- this, by Student's t; NAN with less than two values */
	double ci95;
};

/* Values that are NAN were not measured, and are left out of all figures. The result borrows values. */
struct statistics statistics_of(const double *values, size_t count);

/*
 * The two-sided 95 % point of Student's t distribution: with so many degrees of freedom |t| is smaller in
 * 95 % of the cases. NAN for 0.
 */
double student_t95(size_t degrees);

#endif
