/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/trend.h"

#include <math.h>

#define MOST_TERMS 10000
#define TINY	   1e-300
#define PRECISION  1e-15

static double not_zero(double value)
{
	return fabs(value) < TINY ? TINY : value;
}

/* The coefficient d_n of DLMF 8.17.23, for a fraction 1 / (1 + d_1 / (1 + d_2 / (1 + ...))). */
static double coefficient(unsigned n, double x, double a, double b)
{
	unsigned half = n / 2;
	double m = half;

	if (n % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
	return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

/* By Lentz' method; it converges fast below (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	double value = 1, c = 1, d = 0;

	for (unsigned n = 1; n < MOST_TERMS; n++) {
		double term = coefficient(n, x, a, b);

		d = 1 / not_zero(1 + term * d);
		c = not_zero(1 + term / c);
		value *= c * d;
		if (fabs(c * d - 1) < PRECISION)
			break;
	}
	return 1 / value;
}

/* I_x(a, b); rest is 1 - x, which may be too small to be had from x. */
static double incomplete_beta(double x, double rest, double a, double b)
{
	int sign;
	double front;

	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log(rest));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(rest, b, a) / b;
}

double student_two_sided(double t, double degrees)
{
	double square = t * t, sum = degrees + square;

	if (isnan(t))
		return t;
	if (isinf(square))
		return 0;
	return incomplete_beta(degrees / sum, square / sum, degrees / 2, 0.5);
}
