/* SPDX-License-Identifier: GPL-2.0-or-later */
/* student.h - Student's t distribution, for tests of whether two stretches of a series have the same mean. */
#ifndef TOPDOWN_STORE_HISTORY_STUDENT_H
#define TOPDOWN_STORE_HISTORY_STUDENT_H

/*
 * The probability that |T| is at least |t|, with so many degrees of freedom (any number above 0): the regularized
 * incomplete beta function I_x(df/2, 1/2) at x = df / (df + t^2), by its continued fraction (NIST DLMF 8.17.22). The
 * relative error is below 1e-12 where the result is above 1e-280. NAN where t is.
 */
double student_two_sided(double t, double degrees);

#endif
