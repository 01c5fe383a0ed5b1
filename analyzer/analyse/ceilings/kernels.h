/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.h - loops whose operations and bytes are known: what they do in a time is what the machine can do. Each set
 * of instructions has its own file, and a function in it is called only where the CPU has them.
 */
#ifndef TOPDOWN_ANALYSE_CEILINGS_KERNELS_H
#define TOPDOWN_ANALYSE_CEILINGS_KERNELS_H

#include "analyse/ceilings/ceilings.h"

/*
 * Operands stay in registers. `chains` accumulators wait for nothing but themselves; an iteration takes each of them
 * through some rounds. The sum of what is left in their first lanes comes to *sink, so that a test knows that all of it
 * was done.
 */
struct compute_kernel {
	enum ceiling_type type;
	enum ceiling_operation operation;
	unsigned bits; /* of its vectors; 0: as long as the machine's scalable ones */
	bool is_scalable;
	unsigned chains; /* of mul+add of floating point, half of them multiply and half add */
	unsigned rounds; /* of an iteration */
	void (*run)(uint64_t iterations, double *sink);
	bool (*is_there)(void);
};

/* Arrays of as many bytes, which are a multiple of STREAM_STEP. A read takes only a, a copy a and b. */
struct stream {
	double *a;
	const double *b, *c;
	size_t bytes;	 /* of each array */
	uint64_t passes; /* over them */
	double factor;	 /* s of a[i] = b[i] + s * c[i], and what a write stores */
};

#define STREAM_STEP  2048 /* what the longest vectors do in an iteration */
#define STREAM_ALIGN 256  /* of each array: the longest vector */

struct stream_kernel {
	enum ceiling_pattern pattern;
	unsigned bits; /* as above */
	bool is_scalable;
	void (*run)(const struct stream *stream);
	bool (*is_there)(void);
	/* The same with one vector an iteration, where that may be faster; NULL: there is none. */
	void (*tight)(const struct stream *stream);
};

/* Arrays that the pattern goes through: 1 to 3. */
unsigned stream_arrays(enum ceiling_pattern pattern);

/* All of this architecture; those with is_there() work here. */
struct kernel_set {
	const struct compute_kernel *compute;
	size_t ncompute;
	const struct stream_kernel *streams;
	size_t nstreams;
	unsigned (*scalable_bits)(void); /* NULL: there are no scalable vectors */
};

/* Up to two sets. Returns their number. */
#define MOST_KERNEL_SETS 2
size_t kernel_sets(const struct kernel_set *sets[MOST_KERNEL_SETS]);

extern const struct kernel_set main_kernels; /* of kernels_x86.c, kernels_arm64.c or kernels_generic.c */
#ifdef TOPDOWN_SVE
extern const struct kernel_set sve_kernels; /* whose file is compiled for it as a whole */
bool has_sve(void);
#endif

/* Lanes of a vector; one of scalar kernels. */
unsigned kernel_lanes(const struct compute_kernel *kernel, unsigned bits);

/* Operations of an iteration: chains * rounds * lanes, fused ones and those that multiply and add twice. */
double kernel_operations(const struct compute_kernel *kernel, unsigned bits);

/* A chain of dependent additions of one cycle each; returns their number. */
uint64_t kernel_cycles(uint64_t rounds);

/* ---- ceilings_plan.c ---- */

/* Which ceilings are measured on a machine: with which kernel, by whom, in arrays of which size. */

#define STREAM_STAGGER ((uint64_t)5 * STREAM_ALIGN) /* else arrays would be in the same places of their pages */

/* Arrays begin at one of so many places of their region, an odd number of pages apart. */
#define STREAM_PLACES 8u
#define STREAM_SHIFT  ((uint64_t)17 * 4096)

struct planned_ceiling {
	struct ceiling row;		      /* what is known before: all but value, spread, attempts and clock */
	const struct compute_kernel *compute; /* one of both */
	const struct stream_kernel *stream;
	struct team team;
	uint64_t array; /* bytes of each of a stream's arrays, a multiple of STREAM_STEP */
	size_t twin;	/* not measured: it is this one, of a team with the same members; else its own number */
};

struct ceilings_plan {
	struct planned_ceiling *rows;
	size_t count;
	unsigned *cpus; /* where threads run: one of each core */
	size_t ncpus;
	uint64_t *regions;	   /* bytes that each of them needs for its arrays, STREAM_STAGGER apart */
	enum ceiling_source sizes; /* where sizes of caches are from */
	bool is_quota, is_memory;  /* fewer threads than cores for a quota's sake; smaller arrays for memory's */
};

/* Everything lives in arena. Of the kernels only those that this machine's instructions allow are taken. */
void ceilings_plan(struct ceilings_plan *plan, const struct resources *resources, struct arena *arena);

#endif
