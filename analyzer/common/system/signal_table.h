/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal_table.h - what each signal to topdown does while something is measured. One that would end a process ends the
 * measurement, whichever it is, so that nothing is left behind.
 */
#ifndef TOPDOWN_COMMON_SYSTEM_SIGNAL_TABLE_H
#define TOPDOWN_COMMON_SYSTEM_SIGNAL_TABLE_H

#include <signal.h>
#include <stdbool.h>

enum signal_deed {
	SIGNAL_USUAL,  /* what the kernel does with it: stop, go on, nothing */
	SIGNAL_ENDS,   /* the series ends, and the program with all that it has started gets it */
	SIGNAL_PASSED, /* the program gets it; without one, or where that ends the program, it ends the series too */
	SIGNAL_DROPPED /* noticed otherwise: what topdown writes fails with EPIPE or EFBIG, a child has ended */
};

struct signal_row {
	int number;
	const char *name; /* "SIGINT" */
	enum signal_deed deed;
	bool is_terminals; /* a terminal sends it to all its foreground processes */
};

/* NULL: it is left to the kernel. */
const struct signal_row *signal_row_of(int number);

/* "SIGINT"; of those that are left to the kernel "a signal". */
const char *signal_name(int number);

/* Every signal that is not left to the kernel, unless topdown's caller ignores it, as nohup does. */
void signal_table_fill(sigset_t *set);

#endif
