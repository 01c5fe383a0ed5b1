/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_kernel.h - the kernel's addresses of a recording: each start of the machine puts it elsewhere (KASLR), so names
 * of the running kernel fit only once they are moved.
 */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_KERNEL_H
#define TOPDOWN_STORE_PERFTOOL_PERF_KERNEL_H

#include "common/measurement/profile.h"
#include "store/perftool/perf_facts.h"

/*
 * Moves the places in the kernel's own text to where the running one has them. text: where the recorded one was, 0:
 * unknown. Where this machine runs another kernel, or nobody may see where it is, they become nameless with a remark.
 */
void perf_kernel_move(struct profile *profile, const struct perf_facts *facts, uint64_t text);

#endif
