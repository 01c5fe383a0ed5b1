/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pager.h - long text for people: through the pager that PAGER names where standard output is a terminal. */
#ifndef TOPDOWN_COMMAND_PAGER_H
#define TOPDOWN_COMMAND_PAGER_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/error.h"

struct pager {
	FILE *file; /* to write to */
	bool is_piped;
};

/* Without a terminal, or where no pager can be started, file is standard output. */
void pager_open(struct pager *pager);

/* Waits until the reader has left. -1 when what was written to standard output did not arrive. */
int pager_close(struct pager *pager, struct error *err) MUST_CHECK;

#endif
