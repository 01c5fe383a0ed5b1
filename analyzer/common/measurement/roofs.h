/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roofs.h - the ceilings of the machine that a program is held against: kept beside its counts, so that a roofline
 * can be drawn again elsewhere. The command layer takes them from what the machine was measured to do.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_ROOFS_H
#define TOPDOWN_COMMON_MEASUREMENT_ROOFS_H

#include <stdbool.h>
#include <stddef.h>

/* One ceiling. Texts are those of `topdown roofline --format json`; NULL where a ceiling of its kind has none. */
struct roof {
	const char *type, *operation; /* of computing: "f64", "fma" */
	const char *level, *pattern;  /* of bandwidth: "DRAM", "triad" */
	size_t bits;		      /* of the vectors; the element's: scalar */
	size_t threads;		      /* that ran it together */
	double value;		      /* operations or bytes a second, of all of them */
	double clock_hz;	      /* of the core meanwhile; NAN: unknown */
};

struct roofs {
	struct roof *items;
	size_t count;
	const char *cpu, *measured; /* which machine, and when, as ISO 8601; NULL: unknown */
};

#endif
