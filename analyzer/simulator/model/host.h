/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - what the model needs of the program that it is part of (the tool, a unit test), and of the compiler. */
#ifndef TOPDOWN_SIMULATOR_MODEL_HOST_H
#define TOPDOWN_SIMULATOR_MODEL_HOST_H

#include <stddef.h>

#ifndef LIKELY /* Valgrind's headers have both */
#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#endif
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define SELDOM	      __attribute__((noinline, cold)) /* only where somebody asked for it */

/* Zeroed memory; never NULL. The tool and the unit tests each define these. */
void *sim_allocate(size_t count, size_t size);

/* More bytes than before, with zeroes behind; memory may be NULL. */
void *sim_grow(void *memory, size_t before, size_t after);
void sim_release(void *memory);

#endif
