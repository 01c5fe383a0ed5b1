/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/statistics.h"

#include <math.h>

#include "common/base/macros.h"

/* Few degrees of freedom, where the series below is not exact enough. */
static const double few[] = {
	12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052, 2.5705818356, 2.4469118511, 2.3646242516,
	2.3060041352,  2.2621571628, 2.2281388520, 2.2009851601, 2.1788128297, 2.1603686565, 2.1447866879,
	2.1314495456,  2.1199052992, 2.1098155778, 2.1009220402, 2.0930240544, 2.0859634473,
};

#define NORMAL_95 1.9599639845400545 /* the same point of the normal distribution */

/* Expansion around the normal distribution: Abramowitz and Stegun, 26.7.5 */
double student_t95(size_t degrees)
{
	double z = NORMAL_95, z2 = z * z, v = (double)degrees;

	if (!degrees)
		return NAN;
	if (degrees <= COUNT_OF(few))
		return few[degrees - 1];
	return z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
}

/* Welford's method: no sum of squares, in which large numbers that differ little would drown. */
struct statistics statistics_of(const double *values, size_t count)
{
	struct statistics s = {
		.values = values, .count = count, .mean = NOT_COUNTED, .stddev = NOT_COUNTED, .ci95 = NOT_COUNTED
	};
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		double away = values[i] - mean;

		if (isnan(values[i]))
			continue;
		s.n++;
		mean += away / (double)s.n;
		squares += away * (values[i] - mean);
	}
	if (s.n)
		s.mean = mean;
	if (s.n < 2)
		return s;
	s.stddev = sqrt(squares / (double)(s.n - 1));
	s.ci95 = student_t95(s.n - 1) * s.stddev / sqrt((double)s.n);
	return s;
}
