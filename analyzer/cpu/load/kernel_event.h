/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_event.h - the names that Linux has for events of every CPU ("branches"), whatever the vendor calls them. */
#ifndef TOPDOWN_CPU_LOAD_KERNEL_EVENT_H
#define TOPDOWN_CPU_LOAD_KERNEL_EVENT_H

#include "cpu/load/event.h"

/* The database's name for what Linux calls so ("cycles", "topdown-retiring"); name itself where there is none. */
const char *kernel_event_row(const struct event_database *database, const char *name);

/*
 * The terms that Linux counts for one of its own names on a CPU of this vendor ("event=0xc4"), where sysfs has no file
 * for it; NULL: it has no such name, or the CPU no such event.
 */
const char *kernel_event_terms(const struct event_database *database, const char *name);

#endif
