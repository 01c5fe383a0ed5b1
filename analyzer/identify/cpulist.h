/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpulist.h - lists of CPUs as the kernel and taskset write them: "0-3,8,10-11". */
#ifndef TOPDOWN_CPULIST_H
#define TOPDOWN_CPULIST_H

#include <stddef.h>

#include "base/arena.h"

#define CPULIST_LIMIT 8192 /* CPUs; the largest CONFIG_NR_CPUS of any architecture */

/*
 * The CPUs of a list, in its order, as an array in arena; returns how many. Parts that are no number or range, or that
 * name a CPU of CPULIST_LIMIT or more, are left out, and a list that would be longer than CPULIST_LIMIT is cut.
 */
size_t cpulist_parse(const char *text, unsigned **cpus, struct arena *arena) MUST_CHECK;

#endif
