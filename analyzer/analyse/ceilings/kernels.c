/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/ceilings/kernels.h"

#ifdef TOPDOWN_SVE
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "common/base/macros.h"

#define KEEP_VECTOR(x) /* there are no vectors here */
#include "analyse/ceilings/kernel_loops.h"

#ifdef TOPDOWN_SVE
bool has_sve(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
}
#endif

size_t kernel_sets(const struct kernel_set *sets[MOST_KERNEL_SETS])
{
	size_t count = 0;

	sets[count++] = &main_kernels;
#ifdef TOPDOWN_SVE
	sets[count++] = &sve_kernels;
#endif
	return count;
}

unsigned stream_arrays(enum ceiling_pattern pattern)
{
	switch (pattern) {
	case CEILING_COPY:
	case CEILING_COPY_NT: return 2;
	case CEILING_TRIAD:
	case CEILING_TRIAD_NT: return 3;
	default: return 1;
	}
}

unsigned kernel_lanes(const struct compute_kernel *kernel, unsigned bits)
{
	return bits / (kernel->type == CEILING_F64 ? 64 : 32);
}

static bool is_two_operations(const struct compute_kernel *kernel)
{
	return kernel->operation == CEILING_FMA ||
	       (kernel->operation == CEILING_MUL_ADD && kernel->type == CEILING_INT);
}

double kernel_operations(const struct compute_kernel *kernel, unsigned bits)
{
	double each = is_two_operations(kernel) ? 2 : 1;

	return kernel->chains * kernel->rounds * each * kernel_lanes(kernel, bits);
}

/* ---- the clock ---- */

#define ADDITIONS 20 /* in a line: what ends the loop takes its turns beside them */

#if defined(__x86_64__)
#define ADD_ONCE "add %[one], %[value]\n\t"
#elif defined(__aarch64__)
#define ADD_ONCE "add %[value], %[value], %[one]\n\t"
#endif

uint64_t kernel_cycles(uint64_t rounds)
{
	uint64_t value = 0, one = 1;

	for (uint64_t i = 0; i < rounds; i++) {
#ifdef ADD_ONCE
		__asm__ volatile(".rept " AS_TEXT(ADDITIONS) "\n\t" ADD_ONCE ".endr"
				 : [value] "+r"(value)
				 : [one] "r"(one)
				 : "cc");
#else
		for (int k = 0; k < ADDITIONS; k++) {
			KEEP_INTEGER(value);
			value += one;
		}
#endif
	}
	KEEP_INTEGER(value);
	return rounds * ADDITIONS;
}
