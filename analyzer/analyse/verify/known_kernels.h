/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known_kernels.h - small programs inside the program, each with one bottleneck that follows from its source. `topdown
 * verify` measures them, and known_answers.c says which node each must have.
 */
#ifndef TOPDOWN_ANALYSE_VERIFY_KNOWN_KERNELS_H
#define TOPDOWN_ANALYSE_VERIFY_KNOWN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct known_sizes {
	uint64_t l2_kib, l3_kib; /* of the first CPU; 0: unknown */
	unsigned times;		 /* that the work is done; from 1 */
};

struct known_kernel {
	const char *name; /* "chase" */
	const char *does; /* "each load's address comes from the one before, in memory" */
	/* -1 and err where it can't be done, for want of memory. */
	int (*run)(const struct known_sizes *sizes, struct error *err);
	bool (*is_there)(void); /* NULL: on every architecture */
};

extern const struct known_kernel known_kernels[];
extern const size_t nknown_kernels;

/* NULL: there is none of that name, or none for this architecture. */
const struct known_kernel *known_kernel_find(const char *name);
bool known_kernel_is_here(const struct known_kernel *kernel);

/* Code that is made when it runs (known_code.c). -1 where the system allows no memory that can be executed. */
int run_jumps(const struct known_sizes *sizes, struct error *err) MUST_CHECK;
int run_prefixes(const struct known_sizes *sizes, struct error *err) MUST_CHECK;
bool has_prefixes(void);

#endif
