/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refusals.h - what is known when the kernel refuses an event; refusal() in count.h asks for the rest itself. */
#ifndef TOPDOWN_REFUSALS_H
#define TOPDOWN_REFUSALS_H

#include "identify/machine.h"

struct refusal {
	int error_number;
	const struct machine *machine; /* PMUs, paranoid, watchdog, and the rights of this process */
	const char *event;	       /* canonical name, or NULL */
	bool is_root;		       /* effective user 0, in whatever user namespace */
	bool is_any_thread;	       /* the event counts both threads of a core (any=1) */
	bool counts_kernel;	       /* the kernel only */
	bool is_wide;		       /* whole CPUs, or a cgroup */
	bool is_cgroup;		       /* is_wide, and it is a cgroup */
	bool is_attached;	       /* a process that somebody else has started */
	bool is_member;		       /* other events of its group are open already */
	unsigned long long files;      /* the hard limit of open files; 0: not asked */
};

/* Sets err to the sentence; always returns -1. */
int refusal_explain(struct error *err, const struct refusal *refusal);

#endif
