/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_open.h - a page in a file of its own, shown by whatever browser the desktop has: --open. */
#ifndef TOPDOWN_COMMAND_PAGES_PAGE_OPEN_H
#define TOPDOWN_COMMAND_PAGES_PAGE_OPEN_H

#include "command/jobs/output.h"

/* With opens, the output is a page in a file of its own. -1 where it was to go elsewhere. */
int page_open_choose(struct output_choice *choice, struct arena *arena, struct error *err) MUST_CHECK;

/* Of one that was chosen so: hands it to the desktop's xdg-open; where there is none, prints its path. */
void page_open(const struct output_choice *choice);

#endif
