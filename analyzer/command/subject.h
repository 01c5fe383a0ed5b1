/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subject.h - whose work the command line asks for, and when it is counted. */
#ifndef TOPDOWN_SUBJECT_H
#define TOPDOWN_SUBJECT_H

#include "command/options.h"
#include "count/count.h"

/* Of -p, --tid, -a, -C, --cgroup, --per-*. -1 where they contradict each other, or name what is not there. */
int subject_find(struct subject *subject, const struct options *options, const struct machine *machine,
		 struct arena *arena, struct error *err) MUST_CHECK;

/* Of --duration, --timeout, -I, -D and --control. -1 where they contradict each other, or that there is a program or none. */
int timing_find(struct timing *timing, const struct options *options, struct error *err) MUST_CHECK;

int scope_find(enum scope *scope, const struct options *options, struct error *err) MUST_CHECK;

/* Are all threads of each counted core counted, whoever runs there? */
bool is_core_wide(const struct subject *subject, const struct machine *machine);

#endif
