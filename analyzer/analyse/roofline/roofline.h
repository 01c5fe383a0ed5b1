/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roofline.h - how far a program is from the machine's ceilings: its floating-point operations, the bytes that they
 * moved at each level of the memory, and the time that it took, below the ceilings of computing and of bandwidth
 * (Williams, Waterman and Patterson, CACM 52, 2009; by level: Ilic, Pratas and Sousa, 2014).
 */
#ifndef TOPDOWN_ANALYSE_ROOFLINE_ROOFLINE_H
#define TOPDOWN_ANALYSE_ROOFLINE_ROOFLINE_H

#include "analyse/evaluate/report.h"
#include "common/measurement/profile.h"
#include "common/measurement/roofs.h"
#include "cpu/load/roofline_events.h"

/* The 95 % interval of a value; NAN: unknown, or the value is exact. */
struct roofline_interval {
	double low, high;
};

/* What a point's values are counted by. */
struct roofline_sources {
	const struct roofline_set *sets[ROOFLINE_QUANTITIES]; /* of each; NULL: nothing */
	const char *missing[ROOFLINE_QUANTITIES];	      /* why nothing did, else NULL */
};

/* Of a level: bytes between it and the one above. */
struct roofline_level {
	double bytes;	  /* NAN: not counted; the point's sources, or samples, then say why */
	double rate;	  /* bytes a second; NAN: unknown */
	double intensity; /* operations a byte; NAN: unknown, INFINITY: no byte moved */
	struct roofline_interval intensity_within;
	uint64_t samples;	 /* that the bytes stand on; of a sampled point */
	const struct roof *roof; /* the level's highest bandwidth; NULL: not measured */
	double attainable;	 /* operations a second at this intensity; NAN: unknown */
	double share;		 /* of that, and of the bandwidth, from 0; NAN: unknown */
};

/* Operations of one type and width. */
struct roofline_width {
	enum roofline_type type;
	int bits; /* as in struct roofline_event */
	double flops;
};

enum roofline_bound {
	ROOFLINE_UNKNOWN,  /* something is missing for a verdict */
	ROOFLINE_NO_FLOPS, /* none, or next to none: only its bytes are below ceilings */
	ROOFLINE_MEMORY,   /* near the bandwidth of a level */
	ROOFLINE_COMPUTE,  /* near a peak of computing */
	ROOFLINE_NEITHER,  /* far from all ceilings */
};

/* The program, a part of it, a function, or a loop of one. */
struct roofline_point {
	/* NULL: all of the program; of a loop: "loop at file.c:12-14", "loop of f at file.c:12-14", "loop at +0x40" */
	const char *name;
	const char *function;		 /* whose loop it is; NULL: it is none */
	const struct profile_loop *loop; /* NULL: likewise */
	const char *module;		 /* of a function; NULL: unknown, or none */
	double flops;			 /* NAN: not counted */
	struct roofline_width *widths;
	size_t nwidths;
	double vector_share;		/* of the operations, from 0 to 1; NAN: the events do not distinguish */
	double time_share;		/* of the program's time; 1 of all of it */
	double seconds;			/* NAN: unknown */
	double performance;		/* operations a second; NAN: unknown */
	bool is_sampled;		/* the values are those of samples, and no less than PLACED_LEAST each */
	uint64_t samples, time_samples; /* that the operations, and the share of time, stand on; of a sampled point */
	struct roofline_interval time_within, performance_within, vectors_within; /* of the shares: from 0 to 1 */
	const struct roofline_sources *sources;
	struct roofline_level levels[ROOFLINE_QUANTITIES];
	const struct roof *own;	 /* the peak of the type and width that most operations have; NULL: unknown */
	const struct roof *peak; /* the highest of the type */
	enum roofline_bound bound;
	enum roofline_quantity limit; /* the level of the nearest ceiling; ROOFLINE_FLOPS: a peak of computing */
	double ceiling;		      /* the nearest one above, operations a second; NAN: unknown, or no operations */
	double share;		      /* performance by ceiling; no operations: of limit's bandwidth; NAN: unknown */
	const char *verdict, *advice; /* sentences; advice NULL: none */
};

#define PLACED_LOOPS	   4	/* of a function at most, the most time first */
#define PLACED_LOOP_SHARE  0.05 /* of the function's time, that each has at least */
#define PLACED_LOOP_OF_ALL 0.01 /* and of the program's */

#define PLACED_LEAST 10 /* samples: a value that stands on fewer is withheld */

/* Where the time is from. */
enum roofline_clock {
	ROOFLINE_NO_TIME,
	ROOFLINE_WALL,	 /* of the run that was counted */
	ROOFLINE_NATIVE, /* user time of a run on this machine, beside the simulated one */
	ROOFLINE_MODEL,	 /* modelled cycles at the clock of the ceilings */
};

struct roofline {
	struct roofline_point
		*points; /* the program's, or its parts'; then functions, the most time first, each with its loops */
	size_t count, nwhole;	   /* nwhole: points before the first function */
	const struct roofs *roofs; /* NULL: there are none */
	size_t threads;		   /* of the ceilings that the points are held against */
	enum roofline_clock clock;
	double hz;			   /* ROOFLINE_MODEL: of the clock */
	struct roofline_sources whole;	   /* of all points but functions that were sampled */
	struct roofline_sources functions; /* of these; all NULL: there are none */
	double mixed;	    /* of functions that were sampled: the share of cycles that belongs to none of them */
	const char **notes; /* what the values lack: sentences */
	size_t nnotes;
};

/* What a measurement with a roofline asked for says; lives in arena. set: its reports, one for each part. */
struct roofline *roofline_of(const struct report_set *set, const struct measurement *measured, struct arena *arena);

/* "f64 256 bits fma", "DRAM triad"; the parts that there are. */
const char *roof_name(const struct roof *roof, struct arena *arena);

/* "f64 256 bits", "f32 scalar", "vectors"; "" where nothing is distinguished. */
const char *roofline_width_name(const struct roofline_width *width, struct arena *arena);

/* "unknown", "no operations", "memory", "compute", "neither" */
const char *roofline_bound_name(enum roofline_bound bound);
/* "unknown", "wall", "native", "modelled" */
const char *roofline_clock_name(enum roofline_clock clock);

#endif
